package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/run/run"
)

// appendTold writes what a rank tells of a step, little-endian: the record of the step, its waits, its operations, what was wrong
// in rows, its loss and, where they are told, its digest and vectors.
func appendTold(b []byte, t *run.Told) []byte {
	le := binary.LittleEndian
	i64 := func(v int64) { b = le.AppendUint64(b, uint64(v)) }
	i32 := func(v int32) { b = le.AppendUint32(b, uint32(v)) }
	s := &t.Step
	i64(s.Step)
	i64(int64(s.Start))
	i64(int64(s.End))
	for _, d := range s.Split {
		i64(int64(d))
	}
	i64(int64(s.Comm))
	i64(int64(s.Overlap))
	i64(int64(s.Computing))
	i32(int32(len(t.Waits)))
	for _, w := range t.Waits {
		i32(w.Op)
		i64(int64(w.From))
		i64(int64(w.To))
	}
	i32(int32(len(t.Operations)))
	for i := range t.Operations {
		o := &t.Operations[i]
		i32(o.Op)
		i64(int64(o.Start))
		i64(int64(o.End))
		i32(o.ReleasedBy)
		i32(o.ReleasedSrc)
		i32(o.ReleasedChannel)
	}
	i32(int32(len(t.Wrong)))
	for _, n := range t.Wrong {
		i64(n)
	}
	b = le.AppendUint64(b, math.Float64bits(t.Said.Loss))
	if !t.Said.Held {
		return append(b, 0)
	}
	b = append(append(b, 1), t.Said.Digest[:]...)
	vector := func(v []float32) {
		i32(int32(len(v)))
		for _, x := range v {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
	}
	vector(t.Said.Params)
	for _, v := range t.Said.State {
		vector(v)
	}
	return b
}

// decodeTold reads what a rank tells, of a job's programs.
func decodeTold(work *workload.Job, rank int32, b []byte) (t run.Told, err error) {
	d := decoder{b: b}
	s := &t.Step
	s.Rank, s.Step = rank, d.i64()
	s.Start, s.End = unit.Time(d.i64()), unit.Time(d.i64())
	for i := range s.Split {
		s.Split[i] = unit.Duration(d.i64())
	}
	s.Comm, s.Overlap, s.Computing = unit.Duration(d.i64()), unit.Duration(d.i64()), unit.Duration(d.i64())
	if s.Step < workload.StartStep {
		return t, fmt.Errorf("rank %d tells of step %d", rank, s.Step)
	}
	ops := work.Program(rank).OpsOf(s.Step)
	for range d.count(20) {
		w := exec.Wait{Op: d.i32(), From: unit.Time(d.i64()), To: unit.Time(d.i64())}
		if w.Op < -1 || int(w.Op) >= len(ops) || w.To < w.From {
			return t, fmt.Errorf("rank %d tells of a wait for operation %d of step %d: want -1 to %d", rank, w.Op, s.Step, len(ops)-1)
		}
		t.Waits = append(t.Waits, w)
	}
	for range d.count(32) {
		o := exec.OperationRecord{Rank: rank, Step: s.Step, Op: d.i32(), Start: unit.Time(d.i64()), End: unit.Time(d.i64()),
			ReleasedBy: d.i32(), ReleasedSrc: d.i32(), ReleasedChannel: d.i32()}
		if o.Op < 0 || int(o.Op) >= len(ops) || o.End < o.Start || o.ReleasedBy < -1 || int(o.ReleasedBy) >= len(ops) {
			return t, fmt.Errorf("rank %d tells of operation %d of step %d: want 0 to %d", rank, o.Op, s.Step, len(ops)-1)
		}
		o.Name, o.Stream = ops[o.Op].Name, ops[o.Op].Stream
		t.Operations = append(t.Operations, o)
	}
	for range d.count(8) {
		t.Wrong = append(t.Wrong, d.i64())
	}
	t.Said = train.Said{Step: s.Step, Loss: math.Float64frombits(uint64(d.i64()))}
	switch d.byte() {
	case 0:
	case 1:
		t.Said.Held = true
		copy(t.Said.Digest[:], d.next(len(t.Said.Digest)))
		t.Said.Params = d.vector()
		for i := range t.Said.State {
			t.Said.State[i] = d.vector()
		}
	default:
		return t, fmt.Errorf("rank %d tells of step %d: neither with nor without what it holds", rank, s.Step)
	}
	if d.short {
		return t, fmt.Errorf("rank %d tells of step %d: %w", rank, s.Step, errShort)
	}
	if len(d.b) > 0 {
		return t, fmt.Errorf("rank %d tells of step %d: %d bytes behind it", rank, s.Step, len(d.b))
	}
	return t, nil
}

var errShort = errors.New("not all of it has come")

// decoder reads numbers; once there are too few bytes all are 0.
type decoder struct {
	b     []byte
	short bool
}

func (d *decoder) next(n int) []byte {
	if d.short || len(d.b) < n {
		d.short = true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) i64() int64 {
	if b := d.next(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (d *decoder) i32() int32 {
	if b := d.next(4); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (d *decoder) byte() byte {
	if b := d.next(1); b != nil {
		return b[0]
	}
	return 0
}

// count is how many things of a size follow: no more than there are bytes for.
func (d *decoder) count(size int) int {
	n := int(d.i32())
	if n < 0 || n > len(d.b)/size {
		d.short = true
		return 0
	}
	return n
}

func (d *decoder) vector() []float32 {
	n := d.count(4)
	if n == 0 {
		return nil
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(d.b[4*i:]))
	}
	d.b = d.b[4*n:]
	return v
}

// toldBytes is the most that a rank tells of a step: the bound of its frames.
func toldBytes(work *workload.Job) int64 {
	most := int64(0)
	for i := range work.Programs {
		p := &work.Programs[i]
		most = max(most, int64(len(p.Start)), int64(len(p.Ops)))
	}
	const waits = 4           // an operation may be waited for in several pieces
	if work.Training == nil { // there are no more rows than collectives
		return 4096 + most*(32+20*waits+8)
	}
	vectors := int64(0)
	for _, s := range work.Training.Stages {
		for _, b := range append([]int32{s.Masters}, s.State...) {
			if b >= 0 {
				vectors += work.Buffers[b].Elems * work.Buffers[b].ElemBytes
			}
		}
	}
	return 4096 + most*(32+20*waits) + vectors + 16
}
