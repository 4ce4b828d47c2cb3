package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Weights returns the weights that a rank moves, those of its stage or its shard of them: live, not a copy.
func (j *Job) Weights(id int32) []float32 {
	all := j.now(j.masters())(int(id))
	if j.work.Layout.Zero < j.masters().sharded {
		return all
	}
	return all[:j.shardElems(id)]
}

// Gathered returns the model that a replica's ranks hold together, and those of other replicas where
// they hold shards of it, in the order in which one rank would hold it. The caller must not change it.
func (j *Job) Gathered(replica int) []float32 {
	if l := j.work.Layout; l.PP*l.TP*l.EP == 1 && l.Zero < j.masters().sharded {
		return j.Weights(int32(l.Rank(workload.Coord{Data: replica})))
	}
	return j.gather(nil, replica, j.masters(), j.now(j.masters()))
}

// vector is one of the stages' vectors: in which buffer, and from which stage of ZeRO on in shards.
type vector struct {
	of      func(*workload.Stage) int32
	sharded workload.Zero
	tied    bool // of copies of one tensor the lower counts: they have different owners
}

// masters are the weights that updates move. Where they are others than passes meet they belong to the
// optimiser.
func (j *Job) masters() vector {
	v := vector{of: func(s *workload.Stage) int32 { return s.Masters }, sharded: workload.ZeroParameters}
	if j.work.Precision.Masters() {
		v.sharded, v.tied = workload.ZeroOptimiser, j.work.Layout.Zero > workload.ZeroNone
	}
	return v
}

// stateOf is the i-th vector of the optimiser's state.
func stateOf(i int) vector {
	return vector{of: func(s *workload.Stage) int32 { return s.State[i] }, sharded: workload.ZeroOptimiser}
}

// now is a vector as ranks hold it: of those elsewhere as they have told last.
func (j *Job) now(v vector) func(id int) []float32 {
	return func(id int) []float32 {
		r := &j.ranks[id]
		if r.elsewhere {
			return r.last.params // nobody asks for another vector: see Say
		}
		return r.buffers[v.of(&j.work.Stages[r.at.Stage])]
	}
}

// gather copies any of the stages' vectors, of which each rank has what of says, into one of a whole
// model, which it makes if there is none.
func (j *Job) gather(all []float32, replica int, v vector, of func(id int) []float32) []float32 {
	l := j.work.Layout
	if all == nil {
		all = make([]float32, j.cfg.Model.Params())
	}
	for s := range j.work.Stages {
		for n := range l.TP * l.EP {
			at := workload.Coord{Data: replica/l.EP*l.EP + n%l.EP, Tensor: n / l.EP, Stage: s}
			from := j.whole(at, v, of)
			for _, h := range j.work.Stages[s].Layers {
				lo, _ := j.cfg.Model.LayerRange(h.Layer)
				_, pieces := j.part(&h, place(h.Way, &l, at))
				for _, p := range pieces {
					copy(all[lo+p.Whole:][:p.Elems], from[int(h.Offset)+p.Part:])
				}
			}
		}
	}
	if v.tied {
		for _, t := range j.cfg.Model.Ties() {
			t.Share(all)
		}
	}
	return all
}

// Agree reports whether passes of all replicas meet the same bits, as they do after every step. Replicas with
// shards of parameters have none in common.
func (j *Job) Agree() bool {
	l := j.work.Layout
	if l.Zero >= workload.ZeroParameters {
		return true
	}
	for id := range j.ranks {
		first := l.Coord(id)
		first.Data = 0
		st := &j.work.Stages[first.Stage]
		all := workload.Range{Buffer: st.Parameters, Elems: st.Params()}
		if l.EP > 1 {
			if !j.agree(id, st) {
				return false
			}
			continue
		}
		if a, b := &j.ranks[l.Rank(first)], &j.ranks[id]; a.elsewhere || b.elsewhere {
			if a.digestOf(all) != b.digestOf(all) {
				return false
			}
		} else if !bytes.Equal(a.stored(all), b.stored(all)) {
			return false
		}
	}
	return true
}

// agree does so of a rank with experts of its own: of these with the first that has them.
func (j *Job) agree(id int, st *workload.Stage) bool {
	l := j.work.Layout
	for _, k := range st.Buckets {
		first := l.Coord(id)
		if first.Data %= l.EP; !k.Own {
			first.Data = 0
		}
		of := workload.Range{Buffer: st.Parameters, Offset: k.Offset, Elems: k.Elems}
		if !bytes.Equal(j.ranks[l.Rank(first)].stored(of), j.ranks[id].stored(of)) {
			return false
		}
	}
	return true
}

// Test says how well the first replica does on a set. Cores take parts of the examples, in whole pieces of
// a fixed size whose losses are added in their order: the sum has the same bits on any number of them.
func (j *Job) Test(test nn.Examples) (sum nn.Score) {
	const piece = 256
	scores, weights := make([]nn.Score, (test.Len()+piece-1)/piece), j.Gathered(0)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(scores)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(scores); i = int(next.Add(1)) - 1 {
				scores[i] = j.cfg.Model.Evaluate(weights, test, i*piece, min((i+1)*piece, test.Len()), j.cfg.Kernel)
			}
		})
	}
	wait.Wait()
	for _, s := range scores {
		sum.Counted, sum.Correct, sum.Loss = sum.Counted+s.Counted, sum.Correct+s.Correct, sum.Loss+s.Loss
	}
	return sum
}

// Digest returns the SHA-256, in hexadecimal, of weights as little-endian float32. All NaNs count
// as one: their bits are the processor's.
func Digest(weights []float32) string {
	h := sha256.New()
	var b [4]byte
	for _, w := range weights {
		if math.IsNaN(float64(w)) {
			w = float32(math.NaN())
		}
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(w))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
