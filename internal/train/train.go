package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"railyard/internal/exec"
	"railyard/internal/nn"
	"railyard/internal/workload"
)

// Set is a set of grey images: Model.Inputs() bytes each, one after the other
// (a byte p becomes p/255), and their labels.
type Set struct{ Pixels, Labels []byte }

// Images returns the number of images.
func (s Set) Images() int { return len(s.Labels) }

// Config is a data-parallel training job.
type Config struct {
	Model  *nn.Model
	Kernel nn.Kernel
	Train  Set
	Ranks  int
	Batch  int    // images per rank and step
	Epochs int    // passes over the training set
	Steps  int64  // stop after so many steps of the training; 0: after the last epoch
	Seed   uint64 // of the parameters and of the order of images
	SGD    nn.SGD
	Work   *workload.Job // the operations to bind; OneRank needs none
	Start  *State        // go on from here; nil: from step 0, with parameters drawn from the seed
}

// Job is a training job in progress: the bodies and the memory of all its ranks.
type Job struct {
	cfg   Config
	plan  plan
	ranks []rank
}

// rank is what one rank owns.
type rank struct {
	replica  *nn.Replica
	velocity []float32   // nil without momentum
	buffers  [][]float32 // by exec.Ref.Buffer; staging is made when first used
	losses   []float64   // by step: mean over the micro-batch
}

var (
	_ exec.Body   = (*Job)(nil)
	_ exec.Memory = (*Job)(nil)
)

// New returns a job at its first step, or an error for what cannot be trained.
func New(cfg Config) (*Job, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	if err := fits(&cfg); err != nil {
		return nil, err
	}
	j := &Job{cfg: cfg, plan: p, ranks: make([]rank, cfg.Ranks)}
	start := cfg.params()
	for i := range j.ranks {
		r := &j.ranks[i]
		r.replica = cfg.Model.NewReplica(start, cfg.Batch, cfg.Kernel)
		r.velocity = cfg.velocity()
		r.buffers = make([][]float32, len(cfg.Work.Buffers)+2*len(cfg.Work.Collectives))
		r.buffers[workload.Gradients] = r.replica.Grads
		r.buffers[workload.Parameters] = r.replica.Params
		r.losses = make([]float64, p.steps)
	}
	return j, nil
}

// fits reports a job whose operations are not those of the model.
func fits(cfg *Config) error {
	w := cfg.Work
	if w == nil {
		return fmt.Errorf("train: no job to bind, want that of workload.DataParallel")
	}
	if w.Ranks() != cfg.Ranks {
		return fmt.Errorf("train: a job of %d ranks to bind, want %d", w.Ranks(), cfg.Ranks)
	}
	updated, buckets := int64(0), 0
	for _, b := range w.Bodies {
		if b.Work == workload.Update {
			updated += b.On.Elems
			buckets++
		}
	}
	if updated != int64(cfg.Model.Params()) {
		return fmt.Errorf("train: the job updates %d parameters, the model has %d", updated, cfg.Model.Params())
	}
	for i := range w.Collectives {
		if c := &w.Collectives[i]; c.ElemBytes != 4 || c.Schedule.Ranks() != cfg.Ranks {
			return fmt.Errorf("train: %s has %d-byte elements over %d ranks, want 4-byte elements over %d",
				c.Name, c.ElemBytes, c.Schedule.Ranks(), cfg.Ranks)
		}
	}
	if cfg.Ranks > 1 && len(w.Collectives) != buckets {
		return fmt.Errorf("train: %d ranks and %d buckets with %d collectives, want one for each", cfg.Ranks,
			buckets, len(w.Collectives))
	}
	return nil
}

// Steps returns how many steps the job takes, from its start on. Steps are counted from there, but
// for those of a State.
func (j *Job) Steps() int64 { return j.plan.steps }

// EpochSteps returns how many steps an epoch takes.
func (j *Job) EpochSteps() int64 { return j.plan.perEpoch }

// LeftOut returns how many images of each epoch do not fill a global batch.
func (j *Job) LeftOut() int { return j.plan.leftOut() }

// Compute does the real work of a compute operation.
func (j *Job) Compute(id int32, step int64, op *workload.Op) {
	r := &j.ranks[id]
	switch w := &j.cfg.Work.Bodies[op.Body]; w.Work {
	case workload.Forward:
		if w.Index == 0 {
			r.replica.LoadPixels(j.cfg.Train.Pixels, j.cfg.Train.Labels,
				j.plan.rows(step, int(id)*j.cfg.Batch, j.cfg.Batch))
		}
		r.replica.Forward(int(w.Index))
	case workload.Loss:
		r.losses[step], _ = r.replica.Loss()
	case workload.Backward:
		r.replica.Backward(int(w.Index))
	case workload.Update:
		update(&j.cfg.SGD, r.replica, r.velocity, int(w.On.Offset), int(w.On.Offset+w.On.Elems), j.cfg.Ranks)
	default:
		panic(fmt.Sprintf("train: operation %q computes nothing that a network has", op.Name))
	}
}

// update moves parameters [lo, hi) by the mean over the ranks of gradients that are summed over
// them.
func update(o *nn.SGD, r *nn.Replica, velocity []float32, lo, hi, ranks int) {
	if velocity != nil {
		velocity = velocity[lo:hi]
	}
	o.Step(r.Params[lo:hi], r.Grads[lo:hi], velocity, 1/float32(ranks))
}

// Reduce does dst = dst + src, both of whole elements.
func (j *Job) Reduce(id int32, _ int32, dst, src exec.Ref) {
	d, s := j.floats(id, dst), j.floats(id, src)
	for i, v := range s {
		d[i] += v
	}
}

// Copy does dst = src, both of whole elements.
func (j *Job) Copy(id int32, _ int32, dst, src exec.Ref) { copy(j.floats(id, dst), j.floats(id, src)) }

// Bytes returns the live bytes that ref names, in the machine's byte order.
func (j *Job) Bytes(id int32, ref exec.Ref) []byte {
	b := j.buffer(id, ref.Buffer)
	if ref.Len == 0 {
		return nil
	}
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), 4*len(b))
	return all[ref.Off : ref.Off+ref.Len : ref.Off+ref.Len]
}

func (j *Job) floats(id int32, ref exec.Ref) []float32 {
	if ref.Off%4 != 0 || ref.Len%4 != 0 {
		panic(fmt.Sprintf("train: %d bytes at %d of buffer %d are not whole elements", ref.Len, ref.Off, ref.Buffer))
	}
	return j.buffer(id, ref.Buffer)[ref.Off/4 : (ref.Off+ref.Len)/4]
}

// buffer returns a rank's buffer. Only the driver's thread makes one, for a
// message is placed before a body reads it.
func (j *Job) buffer(id, buffer int32) []float32 {
	r := &j.ranks[id]
	if r.buffers[buffer] == nil {
		c := &j.cfg.Work.Collectives[exec.StagingOf(j.cfg.Work, buffer)]
		r.buffers[buffer] = make([]float32, c.StagingBytes()/4)
	}
	return r.buffers[buffer]
}

// RankLoss returns the mean loss of a rank's micro-batch at a step that the rank has ended.
func (j *Job) RankLoss(id int32, step int64) float64 { return j.ranks[id].losses[step] }

// Loss returns the mean loss of the global batch at a step that all ranks have ended.
func (j *Job) Loss(step int64) float64 {
	sum := 0.0
	for i := range j.ranks {
		sum += j.ranks[i].losses[step]
	}
	return sum / float64(len(j.ranks))
}

// EpochLoss returns the mean loss over the steps of the epoch to which step
// last belongs, up to and including it.
func (j *Job) EpochLoss(last int64) float64 {
	sum, n := j.epochLoss(last)
	return sum / float64(n)
}

// Weights returns a rank's parameters: live, not a copy.
func (j *Job) Weights(id int32) []float32 { return j.ranks[id].replica.Params }

// Agree reports whether all ranks hold the same bits, as they do after every step.
func (j *Job) Agree() bool {
	for i := range j.ranks {
		for k, w := range j.Weights(int32(i)) {
			if math.Float32bits(w) != math.Float32bits(j.Weights(0)[k]) {
				return false
			}
		}
	}
	return true
}

// Accuracy returns the fraction of a set's images that rank 0 classifies right. Each core takes a
// part of the images, and adding up whole numbers in any order gives the same sum.
func (j *Job) Accuracy(test Set) float64 {
	images, width := test.Images(), j.cfg.Model.Inputs()
	workers := min(runtime.GOMAXPROCS(0), images)
	right := make([]int, workers)
	var wait sync.WaitGroup
	for w := range workers {
		lo, hi := images*w/workers, images*(w+1)/workers
		wait.Go(func() {
			right[w], _ = j.cfg.Model.Evaluate(j.Weights(0), test.Pixels[lo*width:hi*width],
				test.Labels[lo:hi], j.cfg.Kernel)
		})
	}
	wait.Wait()
	sum := 0
	for _, n := range right {
		sum += n
	}
	return float64(sum) / float64(max(images, 1))
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
