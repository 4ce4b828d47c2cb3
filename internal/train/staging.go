package train

import (
	"sync"
	"unsafe"

	"railyard/internal/coll"
	"railyard/internal/exec"
	"railyard/internal/workload"
)

// staging is where messages land: a page for each slot that holds one. A GPU has all slots of a
// collective for two steps. Of those only few hold a message at one time, and this process has memory
// for these alone: a page is taken when a message comes, and given back when what the slot is read for
// has read it. Pages of one size serve all ranks.
type staging struct {
	sizes []int64 // by collective: bytes of a slot
	mu    sync.Mutex
	free  map[int64][][]float32 // by elements: the page that was used last on top
}

// area is the pages of a rank for one collective and step, nil before the first message.
type area struct {
	slots []slot
	reads []uint8 // by slot: how often a run reads it; 0: nobody gives its page back
}

type slot struct {
	page []float32
	left uint8 // reads to come
}

func newStaging(work *workload.Job) *staging {
	s := &staging{sizes: make([]int64, len(work.Collectives)), free: map[int64][][]float32{}}
	for i := range work.Collectives {
		s.sizes[i] = work.Collectives[i].SlotBytes()
	}
	return s
}

// take returns a page of so many elements, with whatever is in it.
func (s *staging) take(elems int64) []float32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.free[elems]
	if len(all) == 0 {
		return make([]float32, elems)
	}
	s.free[elems] = all[:len(all)-1]
	return all[len(all)-1]
}

func (s *staging) give(page []float32) {
	s.mu.Lock()
	s.free[int64(len(page))] = append(s.free[int64(len(page))], page)
	s.mu.Unlock()
}

// letGo lets go of the free pages of a size.
func (s *staging) letGo(elems int64) {
	s.mu.Lock()
	delete(s.free, elems)
	s.mu.Unlock()
}

// pageElems is how many float32 hold a slot.
func pageElems(bytes int64) int64 { return (bytes + 3) / 4 }

// staged is the page in which bytes of staging lie, and from where. Only the rank's own thread, or that
// of a rank of the same host, makes one, for a message is placed before a body reads it.
func (j *Job) staged(id int32, ref exec.Ref) (page []float32, off int64) {
	r, c := &j.ranks[id], exec.StagingOf(j.cfg.Work, ref.Buffer)
	size := j.staging.sizes[c]
	at := &r.areas[int(ref.Buffer)-len(j.cfg.Work.Buffers)]
	if at.slots == nil {
		at.slots, at.reads = j.slots(id, c)
	}
	s := &at.slots[ref.Off/size]
	if s.page == nil {
		s.page, s.left = j.staging.take(pageElems(size)), at.reads[ref.Off/size]
		if j.poisons() || j.cfg.Work.Collectives[c].Once {
			fill(s.page)
		}
	}
	return s.page, ref.Off % size
}

// slots are those of a collective on a rank, and how often each is read.
func (j *Job) slots(id, collective int32) ([]slot, []uint8) {
	c := &j.cfg.Work.Collectives[collective]
	each := c.Schedule.Slots()
	n := c.Schedule.Channels() * each
	reads, received := make([]uint8, n), make([]uint8, n)
	if coll.NeedsCredit(c.Schedule) { // a few slots, which take messages in turn
		return make([]slot, n), reads
	}
	me := member(j.cfg.Work.Groups[c.Group].Ranks, id)
	for ch := range c.Schedule.Channels() {
		for i := range c.Schedule.Len(me, ch) {
			op := c.Schedule.Op(me, ch, i)
			if op.Slot < 0 {
				continue
			}
			count := reads
			if op.Kind == coll.Recv {
				count = received
			}
			at := ch*each + int(op.Slot)
			count[at] = min(count[at]+1, 254) // not to come round to 0
		}
	}
	for i, n := range received {
		if n != 1 || reads[i] > 253 {
			reads[i] = 0
		}
	}
	return make([]slot, n), reads
}

// read says that a reduction or copy has read a slot.
func (j *Job) read(id int32, ref exec.Ref) {
	c := exec.StagingOf(j.cfg.Work, ref.Buffer)
	if c < 0 {
		return
	}
	s := &j.ranks[id].areas[int(ref.Buffer)-len(j.cfg.Work.Buffers)].slots[ref.Off/j.staging.sizes[c]]
	if s.left == 0 {
		return
	}
	if s.left--; s.left == 0 {
		j.staging.give(s.page)
		s.page = nil
	}
}

// member is a rank's number in a group.
func member(ranks []int32, id int32) int {
	for i, r := range ranks {
		if r == id {
			return i
		}
	}
	panic("train: staging of a group that the rank is not of")
}

// bytesAt is the bytes of floats from off on.
func bytesAt(of []float32, off, n int64) []byte {
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), 4*len(of))
	return all[off : off+n : off+n]
}
