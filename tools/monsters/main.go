// Command monsters gives every reader of the program the largest files that it takes, in shapes that
// programs take long for, and prints what each took: CPU seconds and the most memory, of the process
// (getrusage). It exits with 1 where one took more than the bounds: what is over is either read by
// an algorithm that does not suit, or may be too large.
//
//	go run ./tools/monsters [-all] [-only REGEXP] [-railyard PROGRAM]
//
// It is looked at by hand, for it writes gigabytes and takes long; how time grows is tested beside
// each reader.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"railyard/tools/built"
)

// Bounds of a process.
const (
	mostCPU    = 2 * time.Second
	mostMemory = 300_000_000
	stopAt     = "20" // CPU seconds: what takes longer is not waited for
)

var (
	only    = flag.String("only", "", "only rows that match this regular expression: \"command, shape\"")
	all     = flag.Bool("all", false, "print every row, not only those over a quarter of a bound")
	program = flag.String("railyard", "", "the program; built here if it is not given")
	divide  = flag.Int64("divide", 1, "files of so many times fewer bytes")
)

func main() {
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	exitOn(err)
	if *program == "" {
		folder, built, err := built.Program()
		exitOn(err)
		defer os.RemoveAll(folder)
		*program = built
	}
	*program, err = filepath.Abs(*program)
	exitOn(err)
	fmt.Printf("%-36s %-30s %9s %7s %8s\n", "command", "shape", "bytes", "CPU s", "MB")
	over := 0
	for i := range kinds {
		over += kinds[i].try(wanted)
	}
	fmt.Printf("%d over %v of CPU or %d MB\n", over, mostCPU, mostMemory/1_000_000)
	if over > 0 {
		os.Exit(1)
	}
}

// try gives a kind all shapes, and counts those over the bounds.
func (k *kind) try(wanted *regexp.Regexp) (over int) {
	for _, s := range shapes {
		if !wanted.MatchString(strings.Join(k.commands, "|") + ", " + s.name) {
			continue
		}
		dir, err := os.MkdirTemp("", "monster")
		exitOn(err)
		exitOn(k.lay(dir, s))
		for _, c := range k.commands {
			over += run(dir, c, s.name, k.most / *divide)
		}
		exitOn(os.RemoveAll(dir))
	}
	return over
}

// lay writes the file of a kind in a shape, and what its commands need beside it.
func (k *kind) lay(dir string, s shape) error {
	for name, text := range k.beside {
		if err := put(dir, name, text); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, k.file)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := &writer{bufio.NewWriter(f), k.most / *divide}
	w.left -= int64(len(k.tail))
	w.put(k.head)
	s.write(w, k)
	w.left += int64(len(k.tail))
	w.put(k.tail)
	return w.Flush()
}

func put(dir, name, text string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// run runs a command in a folder, prints its row, and returns 1 where it is over.
func run(dir, command, shape string, size int64) int {
	var out bytes.Buffer
	args := append([]string{"-c", `ulimit -t ` + stopAt + `; exec "$@"`, "sh", *program}, strings.Split(command, " ")...)
	cmd := exec.Command("sh", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &limited{b: &out}, &limited{b: &out}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		exitOn(err)
	}
	cpu, peak := cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peakOf(cmd.ProcessState)
	note := ""
	if code := cmd.ProcessState.ExitCode(); code < 0 || code > 2 {
		note = " exit " + cmd.ProcessState.String()
	}
	if strings.Contains(out.String(), "goroutine ") {
		note += " PANIC"
	}
	bad := cpu > mostCPU || peak > mostMemory || note != ""
	if bad {
		note += " OVER"
	}
	if *all || bad || cpu > mostCPU/4 || peak > mostMemory/4 {
		first, _, _ := strings.Cut(out.String(), "\n")
		fmt.Printf("%-36.36s %-30s %9d %7.2f %8.0f %s | %.60q\n", command, shape, size, cpu.Seconds(), float64(peak)/1e6,
			note, first)
	}
	if bad {
		return 1
	}
	return 0
}

// limited keeps the beginning of what is written: this process stays small, for a child's peak of
// memory begins with that of its parent.
type limited struct{ b *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 4096 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "monsters:", err)
		os.Exit(1)
	}
}
