// Command forecast runs scenarios and prints what `railyard check` said of each beside what the run
// took: packet-hops, the most memory that the process held, and processor time, user and system. Memory and
// time are the machine's to say and differ from run to run, so this is looked at by hand; that packet-hops are
// near is a test of internal/run/run.
//
//	go run ./tools/forecast [FILE...]      default: examples and tools/forecast/shapes
//
// It runs in the folder of the repository, for examples name files relative to it, and leaves
// nothing but the images that an example draws.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"railyard/tools/built"
)

type checked struct {
	Estimate struct {
		PacketHops int64   `json:"packet_hops"`
		Memory     int64   `json:"memory_bytes"`
		Seconds    float64 `json:"wall_seconds"`
	} `json:"estimate"`
}

type ran struct {
	PacketHops int64 `json:"packet_hops"`
}

func main() {
	files := os.Args[1:]
	if len(files) == 0 {
		for _, glob := range []string{"examples/*.yaml", "tools/forecast/shapes/*.yaml"} {
			some, err := filepath.Glob(glob)
			exitOn(err)
			files = append(files, some...)
		}
	}
	work, program, err := built.Program()
	exitOn(err)
	defer os.RemoveAll(work)
	fmt.Printf("%-34s %13s %13s %5s  %9s %9s %5s  %7s %7s %5s\n", "scenario", "hops said", "taken", "",
		"MB said", "taken", "", "s said", "taken", "")
	for i, file := range files {
		if err := measure(program, file, filepath.Join(work, fmt.Sprint(i))); err != nil {
			fmt.Printf("%-34s %v\n", filepath.Base(file), err)
		}
	}
}

// measure prints one line.
func measure(program, file, dir string) error {
	var said checked
	var took ran
	if _, _, err := jsonOf(exec.Command(program, "check", file, "--json"), &said); err != nil {
		return err
	}
	cmd := exec.Command(program, "run", file, "--json", "--quiet", "--force", "--out", dir)
	peak, seconds, err := jsonOf(cmd, &took)
	os.RemoveAll(dir)
	if err != nil {
		return err
	}
	const mega = 1e6
	h, m := said.Estimate.PacketHops, said.Estimate.Memory
	fmt.Printf("%-34s %13d %13d %5.2f  %9.0f %9.0f %5.2f  %7.2f %7.2f %5.2f\n", filepath.Base(file), h, took.PacketHops,
		float64(h)/float64(took.PacketHops),
		float64(m)/mega, float64(peak)/mega, float64(m)/float64(peak), said.Estimate.Seconds, seconds,
		said.Estimate.Seconds/seconds)
	return nil
}

// jsonOf runs a command, decodes what it prints, and returns the most memory that it held in bytes, and its processor time.
func jsonOf(cmd *exec.Cmd, into any) (peak int64, seconds float64, err error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if len(out) == 0 && err != nil {
		return 0, 0, err
	}
	p := cmd.ProcessState
	return peakOf(p), (p.UserTime() + p.SystemTime()).Seconds(), json.Unmarshal(out, into)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "forecast:", err)
		os.Exit(1)
	}
}
