package plan

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/decoder/layers"
	"railyard/internal/job/decoder/times"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// MaxPacketRanks is the most ranks of a job.model whose messages are simulated as packets.
const MaxPacketRanks = 1024

// Reserved is what of a GPU's memory its context, NCCL's buffers and the framework take beside tensors: an assumed
// constant.
const Reserved = 2 * unit.Gigabyte

// large is the training of a model of which only the shape is known.
type large struct{}

func (large) name() string { return result.JobModel }

func (large) steps(j *Job, _ int) int64 { return int64(j.Spec.Model.Steps) }

// work lowers the shape as a training is lowered. Where no packet is sent, ranks that differ in nothing are one.
func (large) work(p *Plan, j *Job) (w ranksWork, err error) {
	m := j.Spec.Model
	if err := p.checkLarge(j); err != nil {
		return w, err
	}
	j.Shape = &m.Shape
	cfg, err := p.largeConfig(j)
	if err != nil {
		return w, err
	}
	if m.Times.Set {
		if j.Measured, err = times.Read(m.Times.Value, p.Files.of(j).Times); err != nil {
			return w, err
		}
		cfg.Device.Measured = j.Measured
	}
	formula := map[int32]bool{} // by group
	protocols, schedules := map[coll.Schedule]*workload.Protocol{}, map[string][]coll.Schedule{}
	cfg.Schedules = func(g *workload.Group, op coll.Collective) (coll.Schedule, error) {
		if p.closed(j, g) {
			return closedSchedule(g.Size(), op)
		}
		s, err := p.groupSchedule(j, g, op)
		if err != nil {
			return nil, err
		}
		protocols[s.Schedule] = s.protocol
		schedules[g.Name] = append(schedules[g.Name], s.Schedule)
		return s.Schedule, nil
	}
	if w.Job, err = workload.Lower(cfg); err != nil {
		return w, p.misfits(j, err)
	}
	w.Reserved, w.Fused = Reserved, m.Kernels == "fused"
	for g := range w.Groups {
		formula[int32(g)] = p.closed(j, &w.Groups[g])
	}
	if j.Spec.Collective.Protocol != scenario.ProtocolAuto {
		w.SetProtocols(func(c *workload.Collective) *workload.Protocol { return protocols[c.Schedule] })
	}
	if err := p.close(j, w.Job, formula); err != nil {
		return w, err
	}
	w.schedules = func(g int32) []coll.Schedule { return append(schedules[w.Groups[g].Name], told(w.Job, g)...) }
	for _, protocol := range protocols { // their order does not matter: each is changed by itself
		w.protocols = append(w.protocols, protocol)
	}
	if j.Spec.Collective.Protocol == scenario.ProtocolAuto {
		if w.protocols, err = p.asNCCL(j, w.Job); err != nil {
			return w, err
		}
	}
	w.once = true // what is not sent needs no slot; what is has those that trainings have
	return w, nil
}

// checkLarge refuses what is not there yet, or too large for packets.
func (p *Plan) checkLarge(j *Job) error {
	m, sc := j.Spec.Model, p.Scenario
	switch ranks := sc.RankCount(j.Spec); {
	case p.ByFormula() && j.Spec.Parallel.EP > 1:
		return &FieldError{"run.network", fmt.Errorf("formula: dispatch and combine of experts have no closed form: want packets, or "+
			"%s.parallel.ep 1", j.Spec.Path())}
	case j.Spec.Parallel.EP > 1 && m.Recompute == "full":
		return j.wrong("model.recompute", fmt.Errorf("full: with %s.parallel.ep %d rows are not sent to experts again, want none or "+
			"selective", j.Spec.Path(), j.Spec.Parallel.EP))
	case m.Shape.Latent.KeyValue > 0:
		return j.wrong("model.preset", fmt.Errorf("%s: latent attention is not lowered yet: railyard show model counts it", m.Preset))
	case p.ByFormula() && (len(sc.Jobs) > 1 || len(sc.Background.Flows) > 0):
		return &FieldError{"run.network", fmt.Errorf("formula: no packet is sent, and there is traffic beside %s: want packets, or "+
			"the job alone", j.Spec.Path())}
	case !p.ByFormula() && ranks > MaxPacketRanks:
		return j.wrong("parallel", fmt.Errorf("%d ranks by packets, want at most %d, or run: {network: formula}", ranks,
			MaxPacketRanks))
	}
	return nil
}

// ByFormula reports whether the network is not run: nothing is sent, and collectives take what a formula says.
func (p *Plan) ByFormula() bool { return p.Scenario.ByFormula() }

// largeConfig is what is lowered, but for schedules.
func (p *Plan) largeConfig(j *Job) (cfg workload.Config, err error) {
	m, x := j.Spec.Model, &j.Spec.Parallel
	o := layers.Options{Plain: m.Kernels == "plain", Flash: m.Attention == "flash", Kept: 2}
	if m.Precision == "tf32" {
		o.Kept = 4
	}
	if x.EP > 1 && (!o.Plain || m.Skew > 1 || m.Capacity > 0) {
		o.Routed = &workload.Routed{Skew: int64(m.Skew), Capacity: m.Capacity, Seed: p.Scenario.Seed}
	}
	for i, c := range scenario.Recomputes {
		if c.Name == m.Recompute {
			o.Recompute = layers.Recompute(i)
		}
	}
	cfg = workload.Config{Batch: m.Batch / x.DP, Bucket: m.Bucket.Or(workload.BucketPerLayer), Precision: largePrecision(j.Spec),
		Layout: layout(x), Routed: o.Routed, LossPart: layers.LossPart(&m.Shape), Device: p.device(j), Slow: p.slow(j)}
	cfg.Layout.Blocks = workload.Blocking{Data: m.Overlap == "sends" || m.Overlap == "none",
		Sends: m.Overlap == "data" || m.Overlap == "none"}
	if m.Optimiser == "adam" {
		cfg.State = (&nn.Optimiser{Method: nn.Adam}).State()
	}
	if cfg.Layers, err = layers.Of(&m.Shape, o); err != nil {
		return cfg, j.wrong("model", err)
	}
	cfg.Ties = layers.Ties(&m.Shape, len(cfg.Layers), x.TP)
	if !o.Plain { // else layers are cut as job.train cuts them
		before, chunks := layers.Before(&m.Shape), cfg.Layout.Chunks()
		if m.Shape.Blocks < chunks {
			return cfg, j.wrong("parallel.pp", fmt.Errorf("%d stages, virtual ones counted, of %d blocks: want at most one for each",
				chunks, m.Shape.Blocks))
		}
		cfg.Layout.Starts = starting(before, m.Shape.Blocks, chunks)
	}
	if p.ByFormula() && len(cfg.Slow) == 0 {
		j.fold(cfg.Layout)
		cfg.Layout.Folded = true
	}
	return cfg, nil
}

// starting is the first layer of each stage: whole blocks of two layers, as even as can be; the first and the last, which
// have the embedding and the head beside them, are the last to have one more.
func starting(before, blocks, chunks int) []int {
	each, more := blocks/chunks, blocks%chunks
	count := make([]int, chunks)
	for q := range count {
		count[q] = each
	}
	order := []int{}
	for q := 1; q+1 < chunks; q++ {
		order = append(order, q)
	}
	for _, q := range append(order, 0, chunks-1)[:more] {
		count[q]++
	}
	starts, at := make([]int, chunks), before
	for q := range starts {
		starts[q] = at
		at += 2 * count[q]
	}
	starts[0] = 0
	return starts
}

// fold leaves of the job's ranks those that stand for the others of their stage.
func (j *Job) fold(l workload.Layout) {
	whole := j.Placement
	j.Whole = &whole
	j.Placement.Ranks = nil
	for s := range l.PP {
		j.Placement.Ranks = append(j.Placement.Ranks, whole.Ranks[l.Rank(workload.Coord{Stage: s})])
	}
}

// Folded is how many ranks each of the job's stands for, itself among them.
func (j *Job) Folded() int {
	if j.Whole == nil {
		return 1
	}
	return len(j.Whole.Ranks) / len(j.Placement.Ranks)
}

// largePrecision is in which formats a large model has what it holds and sends.
func largePrecision(j *scenario.Job) (p workload.Precision) {
	p.Gradients, _ = workload.FormatNamed(j.Model.Gradients)
	p.Wire, _ = workload.FormatNamed(j.Collective.Wire)
	if j.Model.Precision != "tf32" {
		p.Weights, p.Activations, p.Kept = workload.BFloat16, workload.BFloat16, workload.BFloat16
	}
	return p
}

// curves are what products reach on GPUs of the host presets. Sustained is a published measurement of large products
// (S. Bekman, "ML Engineering", Maximum Achievable Matmul FLOPS, BF16) over what tiles, waves and Fill leave of its shape.
var curves = map[string]*workload.Curve{
	"hgx-a100": {SMs: 108, Sustained: percent(76), Tile: 128, Fill: 128, Source: "271.2 TFLOP/s of 1024 x 10240 x 5120"},
	"hgx-h100": {SMs: 132, Sustained: percent(84), Tile: 128, Fill: 128, Source: "794.5 TFLOP/s of 2048 x 2048 x 13312"},
	"hgx-h200": {SMs: 132, Sustained: percent(84), Tile: 128, Fill: 128, Source: "as H100"},
	"hgx-b200": {SMs: 148, Sustained: percent(81), Tile: 128, Fill: 128, Source: "1745 TFLOP/s of 1792 x 16128 x 3072"},
}

func percent(n int64) unit.Ratio { return unit.Ratio{Num: n, Den: 100} }
