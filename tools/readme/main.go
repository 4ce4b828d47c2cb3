// Command readme makes the figures of README.md and of the pages that it leads to first again, and fails where one differs that is
// no time of this machine.
//
//	go run ./tools/readme                    in the folder of the repository; a minute
//	go run ./tools/readme -program FILE      with a program that is built already
//
// What was printed stands in a page word for word: a block of it is lines of the output that follow each other, with "..."
// between two pieces. Lines that say how long this machine took are left out of both.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"railyard/tools/built"
)

func main() {
	program := flag.String("program", "", "a railyard that is built already")
	flag.Parse()
	if flag.NArg() > 0 {
		exitOn(fmt.Errorf("want flags alone: see -h"))
	}
	root, err := os.Getwd()
	exitOn(err)
	if *program == "" {
		folder, made, err := built.Program()
		exitOn(err)
		defer os.RemoveAll(folder)
		*program = made
	}
	absolute, err := filepath.Abs(*program)
	exitOn(err)
	work, err := os.MkdirTemp("", "readme")
	exitOn(err)
	c := &checker{root: root, work: work, program: absolute}
	c.all()
	exitOn(os.RemoveAll(work))
	fmt.Printf("README: %d figures and blocks made again, %d differ\n", c.made, c.wrong)
	if c.wrong > 0 {
		os.Exit(1)
	}
}

// checker runs commands in a folder of its own and holds pages against them.
type checker struct {
	root, work, program string
	made, wrong         int
}

func (c *checker) all() {
	readme := c.page("README.md")
	first := c.run("run", filepath.Join(c.root, "examples", "digits-8gpu.yaml"))
	c.block("README.md, What you see", blockAfter(readme, "## What you see", 1), first)
	c.block("docs/summary.md", blockAfter(c.page("docs/summary.md"), "# The summary", 2), first)
	c.equal("README.md: the run directory", "runs/digits-8gpu-1", saved(first))
	c.equal("README.md: a step in the text", numberIn(readme, `the same (\d+) us by what`), rounded(first, `of the ([0-9.]+) us`))
	incast := c.run("run", filepath.Join(c.root, "examples", "digits-incast.yaml"))
	c.block("docs/overview.md, The answer", blockAfter(c.page("docs/overview.md"), "## The answer", 1), incast)
	c.ownFile(readme)
	labs := strings.Count(c.run("lab", "--json"), `"lab":`)
	c.equal("README.md: chapters", numberIn(readme, "`railyard lab`: (\\w+) chapters"), word(labs))
	c.equal("README.md: Go", numberIn(readme, `\[Go\]\([^)]*\) ([0-9.]+) or later`), numberIn(c.page("go.mod"), `(?m)^go (\d+\.\d+)`))
	c.download(readme)
}

// ownFile checks and runs what README calls my.yaml, with each of its jobs.
func (c *checker) ownFile(readme string) {
	text := blockAfter(readme, "## Your own in 12 lines", 1)
	if n := strings.Count(text, "\n"); n > 12 {
		c.differ("README.md: my.yaml", "at most 12 lines", fmt.Sprint(n))
	}
	trained := numberIn(readme, "(?m)^`(job: .*)`$")
	before, _, found := strings.Cut(text, "job:")
	if !found || trained == "" {
		c.differ("README.md: the job of my.yaml", "another that takes its place", text)
	}
	for name, scenario := range map[string]string{"my.yaml": text, "trained.yaml": before + trained} {
		exitOn(os.WriteFile(filepath.Join(c.work, name), []byte(scenario), 0o666))
		c.run("check", name)
		c.made++
	}
	c.run("run", "my.yaml")
}

// download holds what README says that the first build fetches against the modules of this build.
func (c *checker) download(readme string) {
	text := numberIn(readme, `downloads (\d+) MB of Go modules`)
	told, err := strconv.ParseFloat(text, 64)
	exitOn(err)
	cache := filepath.Join(c.work, "modules")
	from, err := exec.Command("go", "env", "GOMODCACHE").Output()
	exitOn(err)
	list := exec.Command("go", "list", "-deps", "./cmd/railyard")
	list.Dir = c.root
	list.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOFLAGS=-modcacherw", "GONOSUMDB=*", "GOTOOLCHAIN=local",
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(string(bytes.TrimSpace(from)), "cache", "download"))+",off")
	if out, err := list.CombinedOutput(); err != nil {
		fmt.Printf("what the first build downloads: not made again, the cache of modules is not whole: %s\n", bytes.TrimSpace(out))
		return
	}
	size := int64(0)
	exitOn(filepath.WalkDir(filepath.Join(cache, "cache", "download"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var info os.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Size()
			}
		}
		return err
	}))
	c.made++
	if got := float64(size) / 1e6; got < told-1 || got > told+1 {
		c.differ("README.md: MB of modules that the first build downloads", text, fmt.Sprintf("%.1f", got))
	}
}

// page reads a text of the repository.
func (c *checker) page(name string) string {
	b, err := os.ReadFile(filepath.Join(c.root, name))
	exitOn(err)
	return string(b)
}

// run runs a command; one that fails ends the program.
func (c *checker) run(args ...string) string {
	cmd := exec.Command(c.program, args...)
	cmd.Dir = c.work
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		exitOn(fmt.Errorf("railyard %s: %w\n%s%s", strings.Join(args, " "), err, out.Bytes(), said.Bytes()))
	}
	return out.String()
}

func (c *checker) differ(what, told, made string) {
	c.wrong++
	fmt.Printf("%s: %s, and made again %s\n", what, told, made)
}

func (c *checker) equal(what, told, made string) {
	c.made++
	if told != made || told == "" {
		c.differ(what, strconv.Quote(told), strconv.Quote(made))
	}
}

// taken is a line that says how long this machine took.
var taken = regexp.MustCompile(`(?m)^.*(wall time|packet-hops/s|ETA).*\n`)

// block looks for the pieces of a block in what was printed, one after another.
func (c *checker) block(where, block, printed string) {
	block, printed = taken.ReplaceAllString(block, ""), taken.ReplaceAllString(printed, "")
	c.made++
	if block == "" {
		c.differ(where, "no block", "one")
		return
	}
	rest := "\n" + printed
	for piece := range strings.SplitSeq(block, "...\n") {
		at := strings.Index(rest, "\n"+piece)
		if piece == "" {
			continue
		}
		if at < 0 {
			c.differ(where, "\n"+strings.Join(absent(piece, printed), "\n")+"\n", "these lines are not there, or not in this order")
			return
		}
		rest = rest[at+len(piece):]
	}
}

// absent is the lines of a piece that were not printed; all of them where each was.
func absent(piece, printed string) (lines []string) {
	all := strings.Split(strings.TrimSuffix(piece, "\n"), "\n")
	for _, line := range all {
		if !strings.Contains("\n"+printed, "\n"+line+"\n") {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return all
	}
	return lines
}

// blockAfter is the nth block between lines of three backquotes after a line that begins so.
func blockAfter(page, heading string, n int) string {
	_, page, found := strings.Cut("\n"+page, "\n"+heading)
	parts := strings.Split(page, "\n```")
	if !found || len(parts) < 2*n {
		return ""
	}
	_, text, _ := strings.Cut(parts[2*n-1], "\n") // after the language
	return text + "\n"
}

// numberIn is the first group of a pattern, or nothing.
func numberIn(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return cmp.Or(m[1:]...)
	}
	return ""
}

func rounded(text, pattern string) string {
	v, err := strconv.ParseFloat(numberIn(text, pattern), 64)
	exitOn(err)
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// saved is the run directory that a summary names.
func saved(printed string) string { return numberIn(printed, `(runs/[^\s:,]+)`) }

// word is a small number as README writes it.
func word(n int) string {
	words := strings.Fields("none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}
