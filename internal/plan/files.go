package plan

import "railyard/internal/unit"

// Files are the texts of the files that a scenario names. One that it does not name is nil.
type Files struct {
	Topology []byte // of fabric.topology
	Schedule []byte // of job.collective.schedule
	Flows    []byte // of job.flows_csv
}

// Bytes is what they take in memory.
func (f *Files) Bytes() unit.Bytes {
	return unit.Bytes(len(f.Topology) + len(f.Schedule) + len(f.Flows))
}

// Progress is told how far planning is: done queue pairs of total, 0 if that is not known yet. An
// error ends the planning, which returns it.
type Progress func(done, total int) error
