package train

import (
	"unsafe"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// staging is where the messages of a collective land, in areas that steps take in turn: see exec.Staging. A
// slot has memory from when a message is addressed to it until it has been read. Few hold something at
// a time, and what was read last, which the next message gets, is still in the processor's cache.
//
// Invariant: only the rank's own thread takes and gives; a body sees slots that hold a message.
type staging struct {
	slots  workload.Slots
	areas  [workload.MaxAreas][][]float32 // by slot: nil holds nothing; an area is made when first used
	free   [][]float32
	marked bool // memory that is taken is NaN
}

// stagings returns the staging of a rank, by collective.
func (j *Job) stagings() []staging {
	all := make([]staging, len(j.cfg.Work.Collectives))
	for i := range all {
		c := &j.cfg.Work.Collectives[i]
		all[i] = staging{slots: c.Slots(), marked: j.marked() || c.Once}
	}
	return all
}

// slot returns the slot in which ref lies, and where within it.
func (s *staging) slot(area int32, ref exec.Ref) (slot *[]float32, off int64) {
	if s.areas[area] == nil {
		s.areas[area] = make([][]float32, s.slots.Count())
	}
	n := ref.Off / s.slots.Bytes
	return &s.areas[area][n], ref.Off - n*s.slots.Bytes
}

// take gives a slot memory, if it has none.
func (s *staging) take(slot *[]float32) {
	if *slot != nil {
		return
	}
	if n := len(s.free); n > 0 {
		*slot, s.free = s.free[n-1], s.free[:n-1]
	} else {
		*slot = make([]float32, (s.slots.Bytes+3)/4+1) // what is placed an element too far harms no other slot
	}
	if s.marked {
		fill(*slot)
	}
}

// Read says that what lies in a slot has been read: exec.Stager.
func (j *Job) Read(id int32, ref exec.Ref) {
	of, area := exec.StagingOf(j.cfg.Work, ref.Buffer)
	s := &j.ranks[id].staging[of]
	if slot, _ := s.slot(area, ref); *slot != nil {
		s.free = append(s.free, *slot)
		*slot = nil
	}
}

// Borrow has a slot in which nothing lies be b until Return: see package rank.
func (j *Job) Borrow(id int32, ref exec.Ref, b []byte) bool {
	of, area := exec.StagingOf(j.cfg.Work, ref.Buffer)
	slot, off := j.ranks[id].staging[of].slot(area, ref)
	if *slot != nil || off != 0 {
		return false
	}
	*slot = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), (len(b)+3)/4)
	return true
}

// Return ends what Borrow began.
func (j *Job) Return(id int32, ref exec.Ref) {
	of, area := exec.StagingOf(j.cfg.Work, ref.Buffer)
	slot, _ := j.ranks[id].staging[of].slot(area, ref)
	*slot = nil
}

// bytes is the memory that a simulated GPU has for it: of the areas to which messages have come.
func (s *staging) bytes() (sum unit.Bytes) {
	for _, area := range s.areas {
		sum += unit.Bytes(int64(len(area)) * s.slots.Bytes)
	}
	return sum
}
