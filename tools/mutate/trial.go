package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A check is one test of a test package, with what it takes without a mutant.
type check struct {
	binary, pkg, name string
	took              time.Duration // of the processor
	reached           map[int]bool  // mutants whose functions it calls
}

// trial is the tests that have a say about a subject's mutants, the quickest first.
type trial struct {
	dir    string
	quick  bool
	checks []check
}

// plant writes the files of a package with its mutants into dir, under names that begin with name, and adds them to
// what replaces files.
func (s *subject) plant(dir, name string, mutants []planted, replace map[string]string) error {
	for i, f := range s.files {
		of := slices.DeleteFunc(slices.Clone(mutants), func(m planted) bool { return m.file != f })
		if len(of) == 0 {
			continue
		}
		replace[f.path] = filepath.Join(dir, fmt.Sprint(name, ".", i, ".go"))
		if err := os.WriteFile(replace[f.path], []byte(weave(f, of)), 0o600); err != nil {
			return err
		}
	}
	added := filepath.Join(filepath.Dir(s.files[0].path), "planted_mutants.go")
	replace[added] = filepath.Join(dir, name+".chooser.go")
	return os.WriteFile(replace[added], []byte(chooser(s.files[0].ast.Name.Name)), 0o600)
}

// build makes the test packages with all mutants of some subjects planted, and runs each test once without any.
func build(ctx context.Context, dir string, subjects []*subject, mutants []planted, packages []string,
	quick bool) (*trial, error) {
	replace := map[string]string{}
	for i, s := range subjects {
		if err := s.plant(dir, fmt.Sprint("subject", i), mutants, replace); err != nil {
			return nil, err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return nil, err
	}
	t := &trial{dir: dir, quick: quick}
	for i, p := range packages {
		fmt.Printf("building and running the tests of %s\n", p)
		binary := filepath.Join(dir, fmt.Sprint("tests", i))
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", file, "-o", binary, "./"+folder(p))
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", p, err, out)
		}
		if err := t.measure(ctx, binary, p); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(t.checks, func(a, b check) int { return int(a.took - b.took) })
	return t, nil
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// measure runs each test without a mutant: what it takes, and which mutants it reaches. A test that
// fails as it is has no say.
func (t *trial) measure(ctx context.Context, binary, pkg string) error {
	list := exec.CommandContext(ctx, binary, "-test.list", ".")
	list.Dir = folder(pkg)
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: its list of tests: %w", pkg, err)
	}
	limit := 600
	if t.quick {
		limit = 1
	}
	for _, name := range withScripts(list.Dir, strings.Fields(string(out))) {
		if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Example") {
			continue
		}
		c := check{binary: binary, pkg: pkg, name: name, reached: map[int]bool{}}
		reached := filepath.Join(t.dir, "reached")
		os.Remove(reached)
		said, cpu, err := t.exec(ctx, []check{c}, -1, limit, "RAILYARD_REACHED="+reached)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Printf("%s: %s is left out: without a mutant: %v: %s\n", pkg, name, err, cause(said))
			continue
		}
		c.took = cpu
		text, _ := os.ReadFile(reached) // none is reached: no file
		for n := range strings.FieldsSeq(string(text)) {
			i, _ := strconv.Atoi(n)
			c.reached[i] = true
		}
		t.checks = append(t.checks, c)
	}
	return nil
}

// scripts are the tests that play the command-line scripts of a folder: a subtest each, and a test by itself here.
var scripts = map[string]string{"TestScripts": "testdata/script", "TestLook": "testdata/look"}

// withScripts is a list of tests with, in place of one that plays scripts, each of its scripts: those of the command line,
// and those that package scripttest plays.
func withScripts(dir string, names []string) (all []string) {
	for _, name := range names {
		if files, _ := filepath.Glob(filepath.Join(dir, "testdata", "*.txt")); name == "TestScripts" && len(files) > 0 && plays(dir) {
			for _, f := range files {
				all = append(all, name+"/"+filepath.Base(f))
			}
			continue
		}
		files, _ := filepath.Glob(filepath.Join(dir, scripts[name], "*.txt"))
		if scripts[name] == "" || len(files) == 0 {
			all = append(all, name)
			continue
		}
		for _, f := range files {
			all = append(all, name+"/"+strings.TrimSuffix(filepath.Base(f), ".txt"))
		}
	}
	return all
}

var scripted = regexp.MustCompile(`func TestScripts\(t \*testing\.T\) \{\n\tscripttest\.Run\(t,`)

// plays reports whether TestScripts of a folder has scripttest play all scripts of its testdata.
func plays(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	return slices.ContainsFunc(files, func(f string) bool {
		text, err := os.ReadFile(f)
		return err == nil && scripted.Match(text)
	})
}

// pattern is what -test.run finds tests by: several, or one that may be a subtest.
func pattern(tests []check) string {
	names := make([]string, len(tests))
	for i, c := range tests {
		names[i] = c.name
	}
	return strings.ReplaceAll("^("+strings.Join(names, "|")+")$", "/", ")$/^(")
}

// exec runs tests of one package, at most so many seconds of the processor's time and in 6 GB of
// addresses: a mutant that hangs or eats memory does not take the machine along. One that sleeps takes no time of the
// processor: it has a minute more than eight times that, since on a machine with other work what is quick takes long, too.
func (t *trial) exec(ctx context.Context, tests []check, mutant, seconds int, env string) (out string,
	cpu time.Duration, err error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -t %d; ulimit -v 6000000; exec "$0" "$@"`, seconds),
		tests[0].binary, "-test.timeout", fmt.Sprint(time.Duration(60+8*seconds)*time.Second), "-test.failfast",
		"-test.run", pattern(tests))
	cmd.Dir = folder(tests[0].pkg)
	// A property that fails is not looked at further, and leaves no file.
	cmd.Env = append(os.Environ(), fmt.Sprint("RAILYARD_MUTANT=", mutant), env,
		"RAPID_NOFAILFILE=1", "RAPID_SHRINKTIME=1ms", "RAPID_SEED=1")
	var said capped
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if cmd.ProcessState != nil {
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return said.String(), cpu, err
}

// capped keeps the beginning of what is written.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 1<<20 - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// small is the time of a test that shares a process with others.
const small = 100 * time.Millisecond

// legs are the tests that reach a mutant in groups of one process each: the small ones of each
// package, then one after another.
func (t *trial) legs(n int) (legs [][]check) {
	of := map[string]int{}
	for _, c := range t.checks {
		if !c.reached[n] {
			continue
		}
		shares := c.took <= small && !strings.Contains(c.name, "/")
		if i, ok := of[c.pkg]; ok && shares {
			legs[i] = append(legs[i], c)
			continue
		}
		if shares {
			of[c.pkg] = len(legs)
		}
		legs = append(legs, []check{c})
	}
	return legs
}

// try runs the tests that reach a mutant until one notices it, and says which. One that takes four
// times its time, and two seconds, hangs.
func (t *trial) try(ctx context.Context, n int) (verdict, by string) {
	verdict = unreached
	for _, leg := range t.legs(n) {
		verdict = survived
		took := 2 * time.Second
		for _, c := range leg {
			took += 4 * c.took
		}
		out, _, err := t.exec(ctx, leg, n, int(took.Seconds()+0.5), "")
		if ctx.Err() != nil {
			return "", ""
		}
		var exit *exec.ExitError
		if err == nil || !errors.As(err, &exit) {
			continue
		}
		return killed, leg[0].pkg + " " + cause(out)
	}
	return verdict, ""
}

// cause is how the tests ended.
func cause(out string) string {
	if m := failed.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	for _, end := range []string{"test timed out", "out of memory", "all goroutines are asleep", "panic: ",
		"fatal error: "} {
		if strings.Contains(out, end) {
			return strings.TrimSpace(end)
		}
	}
	return "used up its time"
}
