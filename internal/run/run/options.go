package run

import (
	"runtime"

	"railyard/internal/base/machine"
	"railyard/internal/job/exec"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/images"
	"railyard/internal/plan/switches"
)

// Options is what a run needs beside its scenario.
type Options struct {
	Dir      *result.Dir           // tables go here; nil: none
	Force    bool                  // run although the estimate is over the limits
	Progress func(result.Progress) // nil: silent
	Workers  int                   // cores, for islands and for the real work of ranks; 0: 1, < 0: as many as there are
	Sources  *Sources              // shared with other runs of this process; nil: its own
	Inputs   []result.InputDigest  // what it must read beside the scenario, nil: anything
	Resume   *Resume               // a training goes on from these weights; nil: from the beginning
	Islands  int                   // partition of the nodes, 0: by size. No value changes a result
	Around   func(loop func())     // for who measures: calls loop, which runs the event loop; nil: it runs
	Alone    bool                  // it has the process for itself: garbage is not collected before it holds what it surely takes
	Figures  bool                  // figures are all that is wanted: the summary does not hold the scenario

	// Configs are the configurations of switches, in place of the files of fabric.config.
	Configs []switches.Configuration
	// HostGraph is the text of cluster.host.graph, in place of the file that it names; nil: the file.
	HostGraph []byte
	// Blocks is what each rank has for each in all-to-alls of job.collectives: see plan.Files.
	Blocks []int64

	// Observe, if set, looks on.
	Observe Observer

	memory func(exec.Memory) exec.Memory // replaces the bytes that messages carry
	ended  func(*runner)                 // looks at a run that has just ended
	eager  bool                          // real work goes to other cores however little it is
	each   bool                          // no part of the network is told from another
	unlike []images.Unlike               // these parts are not
	often  bool                          // progress is told whenever the run can be interrupted
}

// workers is how many cores a run takes that is given n of them.
func workers(n int) int {
	if n < 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(n, 1)
}

// allow is what a plan is held against before anything of it is built.
func (o *Options) allow(e foresight.Estimate) error {
	if !o.Force {
		if err := e.OverLimit(machine.Memory()); err != nil {
			return err
		}
	}
	if o.Alone {
		if e.Memory > machine.HugeAtStart {
			machine.Huge(e.Memory)
		}
		machine.Rest(e.Sure())
	}
	return nil
}
