package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/switches"
)

// Files are the texts of the files that a scenario names. One that it does not name is nil.
type Files struct {
	Topology  []byte                   // of fabric.topology
	HostGraph []byte                   // of cluster.host.graph
	Config    []switches.Configuration // of fabric.config
	Jobs      []JobFiles               // by job; missing: the job names none
	// Blocks is the bytes that each rank has for each in all-to-alls of job.collectives, from*ranks+to; nil: as rows say.
	Blocks []int64
}

// JobFiles are the texts of the files that a job names.
type JobFiles struct {
	Schedule []byte // of collective.schedule
	Flows    []byte // of flows_csv
	Network  []byte // of train.network
	Times    []byte // of model.times
	// Image is the size of the images in the folder that train.data names; zero: it is not known, or the scenario
	// says it.
	Image nn.Volume
}

// of returns the files of a job.
func (f *Files) of(j *Job) JobFiles {
	if int(j.index) < len(f.Jobs) {
		return f.Jobs[j.index]
	}
	return JobFiles{}
}

// Bytes is what they take in memory.
func (f *Files) Bytes() unit.Bytes {
	n := len(f.Topology) + len(f.HostGraph)
	for i := range f.Config {
		for k := range f.Config[i].Files {
			n += len(f.Config[i].Files[k].Text)
		}
	}
	for _, j := range f.Jobs {
		n += len(j.Schedule) + len(j.Flows) + len(j.Network) + len(j.Times)
	}
	return unit.Bytes(n)
}

// Progress is told how far planning is: done queue pairs of total, 0 if that is not known yet. An
// error ends the planning, which returns it.
type Progress func(done, total int) error
