package live

import (
	"fmt"
	"runtime"

	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
)

// Bounds is what a server lets others take of its machine.
type Bounds struct {
	Body   unit.Bytes // of what is posted at once
	Runs   int        // taken in all, those in the line included
	Disk   unit.Bytes // what was posted and what runs leave, of all runs together
	CPU    float64    // seconds of processors, of all runs and checks together
	Memory unit.Bytes // by the forecasts of what runs at once
	AtOnce int        // runs
}

// Usual returns the bounds of a server that is not told others, on this machine.
func Usual() Bounds {
	return Bounds{Body: 16 * unit.Megabyte, Runs: 10_000, Disk: 10 * unit.Gigabyte, CPU: 36_000, Memory: machine.Memory(),
		AtOnce: runtime.GOMAXPROCS(0)}
}

// Bounds of a check, and of what is posted. The names of files are short, so that folder and name together are a path.
const (
	mostChecks  = 2
	checkTime   = 60 // seconds
	mostFiles   = 1000
	longestName = 200
	deepestName = 6
)

// A Refusal is why something that was posted is not run.
type Refusal struct {
	Why  string
	Full bool // a bound of the server is reached, or it ends: nothing is wrong with what was posted
}

func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{Why: fmt.Sprintf(format, args...)} }

func full(format string, args ...any) error {
	return &Refusal{Why: fmt.Sprintf(format, args...), Full: true}
}

// spent says which bound is reached, nil: none. The lock is held.
func (r *Runner) spent() error {
	b := r.options.Bounds
	switch used := r.use(); {
	case r.over:
		return errEnds
	case r.taken >= b.Runs:
		return full("this server has taken %s, the bound (--max-runs): start another", unit.CountOf(int64(r.taken), "run"))
	case used.Disk >= b.Disk:
		return full("the runs of this server hold %s on disk, the bound is %s (--max-disk): start another", used.Disk.Human(),
			b.Disk.Human())
	case used.CPU >= b.CPU:
		return full("the runs of this server have taken %.0f s of processors, the bound is %.0f (--max-cpu): start another", used.CPU,
			b.CPU)
	}
	return nil
}

// Use is what the runs of a server have taken so far.
type Use struct {
	Runs int        `json:"runs"`
	Disk unit.Bytes `json:"disk_bytes"`
	CPU  float64    `json:"cpu_seconds"`
}

// use adds up; the lock is held.
func (r *Runner) use() Use {
	u := Use{r.taken, r.disk, r.cpu}
	for j := range r.active {
		u.Disk += j.disk
		if j.progress != nil {
			u.CPU += j.progress.CPU
		}
	}
	return u
}
