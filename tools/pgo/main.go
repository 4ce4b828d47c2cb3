// Command pgo runs what people run, in one process, and writes where the time went: the profile
// that the compiler optimises the program by (https://go.dev/doc/pgo). It changes what is inlined
// and in what order code lies, never a result: CI holds the examples' bytes against tests, which
// are built without it.
//
//	go run ./tools/pgo [FILE]      default: cmd/railyard/default.pgo, which `go build` finds
//
// It runs in the folder of the repository, since examples name files relative to it. The profile is
// taken anew when the hot path has changed its functions; one that is old only optimises less.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"

	"railyard/internal/cli/cli"
)

// work is weighted by its time: about half packets between many hosts, half trainings.
var work = [][]string{
	{"bench", "--here", "--case", "perm128-400g"},
	{"bench", "--here", "--case", "perm1024-400g"},
	{"bench", "--here", "--case", "perm128-100g"},
	{"bench", "--here", "--case", "incast16-400g"},
	{"bench", "--here", "--case", "ring16-400g"},
	{"bench", "--here", "--case", "train64-400g"},
	{"run", "examples/leaf-spine.yaml", "-o", "OUT"},
	{"run", "examples/lossy.yaml", "-o", "OUT"},
	{"run", "examples/faults.yaml", "-o", "OUT"},
	{"run", "examples/polarisation.yaml", "-o", "OUT"},
	{"run", "examples/gpt-text.yaml", "-o", "OUT"},
	{"run", "examples/digits-8gpu.yaml", "-o", "OUT"},
	{"run", "examples/digits-8gpu.yaml", "--set", "job.train.kernel=fma", "-o", "OUT"},
}

func main() {
	file := filepath.Join("cmd", "railyard", "default.pgo")
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	exitOn(err)
	dir, err := os.MkdirTemp("", "pgo")
	exitOn(err)
	defer os.RemoveAll(dir)
	var profile bytes.Buffer
	exitOn(pprof.StartCPUProfile(&profile))
	for i, args := range work {
		args = append([]string(nil), args...)
		if last := len(args) - 1; args[last] == "OUT" {
			args[last] = filepath.Join(dir, fmt.Sprint(i))
		}
		fmt.Println(args)
		if code := cli.Main(args, nowhere, os.Stderr); code != 0 {
			exitOn(fmt.Errorf("railyard %v: exit code %d", args, code))
		}
	}
	pprof.StopCPUProfile()
	exitOn(os.WriteFile(file, profile.Bytes(), 0o644))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgo:", err)
		os.Exit(1)
	}
}
