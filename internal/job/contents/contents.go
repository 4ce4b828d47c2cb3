package contents

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn/kernel"
)

// Unchecked stands for the wrong elements of a row whose values were never exact.
const Unchecked int64 = -1

// Job is the memory of one rank of a benchmark: exec.Memory, exec.Body and exec.Stager.
type Job struct {
	work    *workload.Job
	rank    int32
	rows    []row
	buffers [][]float32
	slots   map[exec.Ref][]float32 // of messages that have come, by where they begin: Len is 0
	free    map[int64][][]float32  // by length in bytes
	wrong   []int64                // by row
}

// row is the collectives first to last of a job: those that warm up, a barrier, those that are timed.
type row struct {
	first, timed, last int32
	warms, barrier     bool
}

var (
	_ exec.Memory = (*Job)(nil)
	_ exec.Body   = (*Job)(nil)
	_ exec.Stager = (*Job)(nil)
)

// New returns the memory of a rank, filled for its first collective. The collectives of the job are those of its one program,
// in order: see workload.Benchmark, which says which are timed. A job of more than one rank has a barrier before these.
func New(work *workload.Job, rank int32, timed []workload.TimedRow, room func(elems int64) []float32) *Job {
	j := &Job{work: work, rank: rank, slots: map[exec.Ref][]float32{}, free: map[int64][][]float32{}}
	next := int32(0)
	for _, t := range timed {
		r := row{first: next, timed: t.First, last: t.First + t.Count - 1, barrier: work.Ranks() > 1}
		r.warms = r.first < r.timed && !(r.barrier && r.first == r.timed-1)
		j.rows = append(j.rows, r)
		j.wrong = append(j.wrong, Unchecked)
		next = t.First + t.Count
	}
	for i := range work.Buffers {
		j.buffers = append(j.buffers, room(work.Buffers[i].Elems))
	}
	j.before(0)
	return j
}

// Wrong is how many elements of its rank were wrong, by row; Unchecked: they were not looked at.
func (j *Job) Wrong() []int64 { return j.wrong }

// Ended says that the rank has ended a collective, and has not begun the next.
func (j *Job) Ended(id int32) {
	for i := range j.rows {
		switch r := &j.rows[i]; {
		case id == r.last:
			j.check(i, id, int(r.last-r.timed)+1)
		case id == r.first && r.warms:
			j.check(i, id, 1)
		}
	}
	j.before(id + 1)
}

// before fills what the next collective begins with.
func (j *Job) before(id int32) {
	for i := range j.rows {
		r := &j.rows[i]
		ready := r.timed
		if r.barrier {
			ready--
		}
		switch id {
		case r.first, ready:
			j.fill(r.last)
		case r.timed: // the barrier has left its tokens
			if b := j.work.Collectives[id-1].Range; b.Elems > 0 {
				j.fillRange(r.last, b.Elems)
			}
		}
	}
}

// value is the element of a rank at a place of the buffer of its input: 1 to 128.
func value(rank int32, at int64) float32 {
	return float32(1 + (uint32(at)*0x9e3779b1+uint32(rank)*0x85ebca6b)>>25)
}

const largest = 128

// fill gives the buffers of a collective what the rank has at its start.
func (j *Job) fill(id int32) { j.fillRange(id, math.MaxInt64) }

// fillRange is fill of the first elements of each buffer.
func (j *Job) fillRange(id int32, elems int64) {
	c := &j.work.Collectives[id]
	goal, ok := coll.GoalOf(c.Schedule)
	if !ok {
		return
	}
	h := coll.HoldingsOf(c.Schedule, goal)
	none := func(buffer int32, n int64) {
		b := j.buffers[buffer]
		for i := range b[:min(int64(len(b)), n, elems)] {
			b[i] = -1
		}
	}
	none(c.Range.Buffer, c.Range.Elems)
	kinds, chunks := []coll.Buffer{coll.Out}, c.Schedule.Chunks()
	if n := coll.Inputs(c.Schedule); n > 0 {
		none(c.Input.Buffer, c.Input.Elems)
		kinds, chunks = []coll.Buffer{coll.In}, n
	}
	me := int(j.rank)
	for _, b := range kinds {
		buffer := j.buffers[c.Buffer(b)]
		for channel := range c.Schedule.Channels() {
			for chunk := range chunks {
				if !h.Starts(me, b, channel, chunk) {
					continue
				}
				off, n := c.Chunk(me, b, channel, chunk)
				for i := off / 4; i < min((off+n)/4, elems); i++ {
					buffer[i] = value(j.rank, i)
				}
			}
		}
	}
}

// check counts the elements of a row that are not what so many runs of a collective leave of what was filled.
func (j *Job) check(row int, id int32, runs int) {
	c := &j.work.Collectives[id]
	goal, ok := coll.GoalOf(c.Schedule)
	if !ok {
		return
	}
	scale, exact := scaleOf(goal.Collective, j.work.Ranks(), runs)
	if !exact {
		return
	}
	h := coll.HoldingsOf(c.Schedule, goal)
	me, out := int(j.rank), j.buffers[c.Range.Buffer]
	source := coll.Out
	if coll.Inputs(c.Schedule) > 0 {
		source = coll.In
	}
	wrong := int64(0)
	for channel := range c.Schedule.Channels() {
		for chunk := range c.Schedule.Chunks() {
			piece, from, ok := h.Ends(me, channel, chunk)
			if !ok {
				continue
			}
			off, n := c.Chunk(me, coll.Out, channel, chunk)
			at := off / 4
			if from >= 0 {
				theirs, _ := c.Chunk(from, source, channel, piece)
				at = theirs / 4
			}
			for i := range n / 4 {
				want := float32(0)
				if from >= 0 {
					want = value(int32(from), at+i)
				} else {
					for r := range int32(j.work.Ranks()) {
						want += value(r, at+i)
					}
					want *= scale
				}
				if out[off/4+i] != want {
					wrong++
				}
			}
		}
	}
	j.wrong[row] = max(j.wrong[row], 0) + wrong
}

// scaleOf is by what the sums of one run are multiplied after so many in place; false: they are not known, or not exact.
func scaleOf(op coll.Collective, ranks, runs int) (scale float32, exact bool) {
	sum, power := ranks*largest, bits.TrailingZeros(uint(ranks))
	switch {
	case runs == 1:
		return 1, sum < 1<<24
	case op == coll.ReduceScatter || op == coll.ReduceTo:
		return 0, false // what others hold between depends on the schedule
	case op != coll.AllReduce || ranks == 1:
		return 1, true
	case 1<<power == ranks && bits.Len(uint(sum))+power*runs < 127:
		return float32(math.Ldexp(1, power*(runs-1))), sum < 1<<24
	}
	all := math.Pow(float64(ranks), float64(runs-1))
	return float32(all), all*float64(sum) < 1<<24
}

// slot is by what the slot is known in which ref begins, how far into it that is, and how long it is.
func (j *Job) slot(ref exec.Ref) (key exec.Ref, off, size int64) {
	id, _ := exec.StagingOf(j.work, ref.Buffer)
	size = j.work.Collectives[id].SlotBytes()
	off = ref.Off % size
	return exec.Ref{Buffer: ref.Buffer, Off: ref.Off - off}, off, size
}

// Bytes implements exec.Memory. A slot gets memory when it is asked for first.
func (j *Job) Bytes(_ int32, ref exec.Ref) []byte {
	if ref.Len == 0 {
		return nil
	}
	if int(ref.Buffer) < len(j.buffers) {
		return bytesOf(j.buffers[ref.Buffer], ref.Off, ref.Len)
	}
	key, off, size := j.slot(ref)
	m, ok := j.slots[key]
	if !ok {
		if free := j.free[size]; len(free) > 0 {
			m, j.free[size] = free[len(free)-1], free[:len(free)-1]
		} else {
			m = make([]float32, (size+3)/4)
		}
		j.slots[key] = m
	}
	return bytesOf(m, off, ref.Len)
}

// Read implements exec.Stager.
func (j *Job) Read(_ int32, ref exec.Ref) {
	key, _, size := j.slot(ref)
	if m, ok := j.slots[key]; ok {
		delete(j.slots, key)
		j.free[size] = append(j.free[size], m)
	}
}

// Borrow has a slot in which nothing lies be b until Return: see package rank.
func (j *Job) Borrow(_ int32, slot exec.Ref, b []byte) bool {
	key, off, _ := j.slot(slot)
	if _, ok := j.slots[key]; ok || off != 0 {
		return false
	}
	j.slots[key] = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
	return true
}

// Return ends what Borrow began.
func (j *Job) Return(_ int32, slot exec.Ref) {
	key, _, _ := j.slot(slot)
	delete(j.slots, key)
}

func bytesOf(of []float32, off, n int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), 4*len(of))[off : off+n : off+n]
}

// floats is the elements that ref names.
func (j *Job) floats(ref exec.Ref) []float32 {
	if (ref.Off|ref.Len)%4 != 0 {
		panic(fmt.Sprintf("contents: %d bytes at %d of buffer %d are not whole elements", ref.Len, ref.Off, ref.Buffer))
	}
	if int(ref.Buffer) < len(j.buffers) {
		return j.buffers[ref.Buffer][ref.Off/4 : (ref.Off+ref.Len)/4]
	}
	key, off, _ := j.slot(ref)
	return j.slots[key][off/4 : (off+ref.Len)/4]
}

// Compute implements exec.Body: there is none.
func (*Job) Compute(int32, int64, *workload.Op) {}

// Reduce implements exec.Body.
func (j *Job) Reduce(_, _ int32, dst, src exec.Ref) { kernel.Add(j.floats(dst), j.floats(src)) }

// Copy implements exec.Body.
func (j *Job) Copy(_, _ int32, dst, src exec.Ref) { copy(j.floats(dst), j.floats(src)) }
