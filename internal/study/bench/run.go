package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"railyard/internal/base/machine"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// A Row is what a run of a case cost. Times are CPU time, user and system, on all cores.
type Row struct {
	Case       string     `json:"case"`
	Hosts      int        `json:"hosts"`
	PacketHops int64      `json:"packet_hops"` // a packet or frame that leaves one link
	Events     int64      `json:"events"`
	CPU        float64    `json:"cpu_seconds"`   // of the event loop
	Setup      float64    `json:"setup_seconds"` // from the start of the process to that of the loop
	Start      float64    `json:"start_seconds"` // of that, until somebody looked at the case
	Peak       unit.Bytes `json:"peak_rss_bytes"`
	Rate       float64    `json:"packet_hops_per_cpu_second"` // of the event loop
}

// Options is what a run of a case needs beside it.
type Options struct {
	Workers  int // cores for the event loop
	Progress func(result.Progress)
}

// Run runs a case in this process, which should have done nothing before: memory and set-up are those
// of the process.
func (c *Case) Run(ctx context.Context, opt Options) (Row, error) {
	start := machine.CPU()
	dir, remove, err := output.Temporary("bench")
	if err != nil {
		return Row{}, err
	}
	defer remove()
	sc, err := c.Scenario(dir)
	if err != nil {
		return Row{}, err
	}
	var setup, loop float64
	sum, err := run.Run(ctx, sc, run.Options{
		Progress: opt.Progress,
		Workers:  opt.Workers,
		Alone:    true, // as the command run has it
		Around: func(drive func()) {
			setup = machine.CPU()
			drive()
			loop = machine.CPU() - setup
		},
	})
	if err == nil && sum.State != result.Complete {
		err = fmt.Errorf("the run is %s: %s", sum.State, sum.Error)
	}
	if err != nil {
		return Row{}, err
	}
	row := Row{Case: c.Name, Hosts: c.Hosts, PacketHops: sum.PacketHops, Events: sum.Events, CPU: loop, Setup: setup,
		Start: start, Peak: machine.Peak()}
	if loop > 0 {
		row.Rate = float64(sum.PacketHops) / loop
	}
	return row, nil
}

// Scenario reads the scenario of the case, with its flows in a file in dir.
func (c *Case) Scenario(dir string) (*scenario.Scenario, error) {
	csv := filepath.Join(dir, "flows.csv")
	text, flows := c.Files(csv)
	if flows != nil {
		if err := output.Write(csv, flows); err != nil {
			return nil, err
		}
	}
	return scenario.Parse(c.Name+".yaml", text)
}
