package scenario

import (
	"fmt"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
	decoders "railyard/internal/job/decoder"
)

// LargeModel is the training of a decoder of which only the shape is known: nothing real is computed or sent.
type LargeModel struct {
	Preset    string // of package decoder, or NoPreset
	Shape     decoders.Shape
	Norm      string // see ModelNorms
	Positions string // see ModelPositions
	Attention string // see Attentions
	Kernels   string // see KernelSets
	Batch     int    // sequences of a step, over all replicas
	Steps     int
	Precision string          // see ModelPrecisions
	Gradients string          // see Wires: as what they are added up
	Optimiser string          // see ModelOptimisers
	Recompute string          // see Recomputes
	Overlap   string          // see Overlaps
	Bucket    Opt[unit.Bytes] // not set: a bucket for each layer
	Skew      int             // of experts that are spread: in each layer one rank gets so many times as much as each other
	Capacity  float64         // of them: an expert takes at most so many times its even share; 0: all that comes
	Times     Opt[string]     // file of measured operators; not set: all by the device model
}

// NoPreset is a model whose sizes stand in the scenario.
const NoPreset = "none"

// Names of job.model. The first is the default.
var (
	ModelPresets = modelNames()
	ModelNorms   = []Choice{
		{"rms-norm", "over the root of the mean square, times a gain"},
		{"layer-norm", "less the mean, over the deviation, times a gain, plus a bias"},
	}
	ModelPositions = []Choice{
		{"rotary", "queries and keys are turned by their positions"},
		{"learned", "a vector is added at each"},
	}
	Attentions = []Choice{
		{"flash", "maps stay on the chip, and the half that a mask hides is left out; backward makes them again"},
		{"maps", "each map lies in memory, whole"},
	}
	KernelSets = []Choice{
		{"fused", "as training frameworks have them: what is kept between forward and backward is counted as in arXiv 2205.05198"},
		{"plain", "as job.train has them: operation by operation the same"},
	}
	ModelPrecisions = []Choice{
		{BF16, "BF16 weights, values and products; the weights that updates move and the optimiser's state are fp32"},
		{"fp8", "as bf16, with products at the FP8 peak"},
		{"tf32", "fp32, with products at the TF32 peak"},
	}
	ModelOptimisers = []Choice{
		{"adam", "two vectors of state"},
		{"sgd", "none"},
	}
	Recomputes = []Choice{
		{"none", "what a forward makes is kept for its backward"},
		{"selective", "the maps of attention are made again"},
		{"full", "of each block its input alone is kept, and backward runs its forward again"},
	}
	Overlaps = []Choice{
		{"all", "sums over replicas and sends between stages run beside computing, as soon as what they take is there"},
		{"data", "sums over replicas alone: computing waits for sends"},
		{"sends", "sends alone: computing waits for sums, so without ZeRO they come after the last backward"},
		{"none", "computing waits for both"},
	}
	Networks = []Choice{
		{"packets", "what goes between hosts is simulated packet by packet"},
		{"formula", "collectives take what NCCL's model says: no packet is sent, and no cause is told"},
	}
	Reuses = []Choice{
		{ReuseAuto, "a step, or a part, before which all is as it was before another is told again and not simulated: the same tables"},
		{ReuseOff, "everything is simulated"},
	}
	InsideCollectives = []Choice{
		{autoProtocol, "formula for a job.model, messages for all other jobs"},
		{"formula", "a collective of ranks on one host takes what NCCL's model says, where it has such a collective"},
		{"messages", "each of its messages shares NVLink with the others"},
	}
)

func modelNames() []Choice {
	all := []Choice{{NoPreset, "sizes stand beside it"}}
	for _, name := range decoders.Names() {
		p, _ := decoders.Named(name)
		all = append(all, Choice{name, p.Source})
	}
	return all
}

// inModel is a variable in model of a job.
func inModel[T any](k *kind[T], f func(*LargeModel) *T) variable {
	return variable{k, func(base any) any {
		if m := base.(*Job).Model; m != nil {
			return f(m)
		}
		return nil
	}}
}

// preset is what the preset of a job's model has; nil without one.
func (m *LargeModel) preset() *decoders.Shape {
	if p, ok := decoders.Named(m.Preset); ok {
		return &p.Shape
	}
	return nil
}

// modelSize is a size of a model, which a preset may give. need: without one it must be there; low: the least.
func modelSize(key, low string, high int, need bool, meaning string, of func(*decoders.Shape) *int, also ...string) *Field {
	rule := "of the preset"
	if !need {
		rule = "of the preset, else 0"
	}
	return &Field{
		Path: "model." + key, Min: low, Max: strconv.Itoa(high), Rule: rule,
		value: inModel(whole, func(m *LargeModel) *int { return of(&m.Shape) }),
		derive: func(_ *decoder, b any, _ string) string {
			m := b.(*Job).Model
			switch p := m.preset(); {
			case p != nil:
				return strconv.Itoa(*of(p))
			case need:
				return "" // reported by checkLargeModel
			}
			return "0"
		},
		Meaning: meaning, Also: also,
	}
}

// modelFlag says whether a model has something, which a preset may say.
func modelFlag(key string, without bool, meaning string, of func(*decoders.Shape) *bool, also ...string) *Field {
	return &Field{
		Path: "model." + key, Rule: fmt.Sprintf("of the preset, else %v", without),
		value: inModel(boolean, func(m *LargeModel) *bool { return of(&m.Shape) }),
		derive: func(_ *decoder, b any, _ string) string {
			if p := b.(*Job).Model.preset(); p != nil {
				return strconv.FormatBool(*of(p))
			}
			return strconv.FormatBool(without)
		},
		Meaning: meaning, Also: also,
	}
}

// modelName is a choice that a preset may make: the second name if it has something.
func modelName(key string, choices []Choice, meaning string, to func(*LargeModel) *string, of func(*decoders.Shape) bool) *Field {
	return &Field{
		Path: "model." + key, Choices: choices, Rule: "of the preset, else " + choices[0].Name,
		value: inModel(choice, to),
		derive: func(_ *decoder, b any, _ string) string {
			if p := b.(*Job).Model.preset(); p != nil && of(p) {
				return choices[1].Name
			}
			return choices[0].Name
		},
		Meaning: meaning,
	}
}

// largeModelFields: the training of a model of which only the shape is known.
var largeModelFields = []*Field{
	{
		Path: "model",
		open: func(b any) { b.(*Job).Model = &LargeModel{} },
		Meaning: "the training of a large language model, a decoder, from its shape: nothing real is computed or sent; see " +
			"docs/models.md",
		Also: []string{"llm", "large_model"},
	},
	{
		Path: "model.preset", Default: NoPreset, Choices: ModelPresets,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Preset }),
		Meaning: "a published model, whose sizes keys beside it change",
	},
	modelSize("layers", "1", decoders.MaxBlocks, true, "blocks, of attention and a feed-forward each",
		func(s *decoders.Shape) *int { return &s.Blocks }, "blocks", "num_layers"),
	modelSize("hidden", "1", decoders.MaxHidden, true, "elements of a position's vector",
		func(s *decoders.Shape) *int { return &s.Hidden }, "hidden_size", "size"),
	modelSize("ffn", "1", decoders.MaxFFN, true, "elements inside a feed-forward",
		func(s *decoders.Shape) *int { return &s.FFN }, "ffn_hidden_size", "intermediate_size"),
	modelSize("heads", "1", decoders.MaxHeads, true, "heads of attention",
		func(s *decoders.Shape) *int { return &s.Heads }, "num_attention_heads"),
	{
		Path: "model.kv_heads", Min: "1", Max: strconv.Itoa(decoders.MaxHeads), Rule: "of the preset, else heads",
		value: inModel(whole, func(m *LargeModel) *int { return &m.Shape.KVHeads }),
		derive: func(d *decoder, b any, prefix string) string {
			m := b.(*Job).Model
			if p := m.preset(); p != nil && !d.given(prefix+"model.heads") {
				return strconv.Itoa(p.KVHeads)
			}
			return strconv.Itoa(m.Shape.Heads)
		},
		Meaning: "heads of keys and values, which as many heads of queries share each",
		Also:    []string{"num_query_groups", "num_key_value_heads"},
	},
	modelSize("head_size", "0", decoders.MaxHeadSize, false, "elements of a head; 0: hidden / heads",
		func(s *decoders.Shape) *int { return &s.HeadSize }, "head_dim", "kv_channels"),
	modelSize("vocabulary", "1", decoders.MaxVocabulary, true, "tokens that there are",
		func(s *decoders.Shape) *int { return &s.Vocabulary }, "vocab_size"),
	modelSize("sequence", "1", decoders.MaxSequence, true, "tokens of a training example",
		func(s *decoders.Shape) *int { return &s.Sequence }, "seq_length", "context"),
	modelFlag("tied", false, "the head's weights are the embedding's", func(s *decoders.Shape) *bool { return &s.Tied }),
	modelFlag("gated", true, "a feed-forward has a gate: three products, not two",
		func(s *decoders.Shape) *bool { return &s.Gated }, "swiglu"),
	modelFlag("bias", false, "the products of blocks have biases", func(s *decoders.Shape) *bool { return &s.Bias }),
	modelFlag("dropout", false, "elements are left out in training: of what halves of blocks give, and of maps",
		func(s *decoders.Shape) *bool { return &s.Dropout }),
	modelName("norm", ModelNorms, "before each half of a block, and behind the last", func(m *LargeModel) *string { return &m.Norm },
		func(s *decoders.Shape) bool { return s.LayerNorm }),
	modelName("positions", ModelPositions, "how the model knows where a token stands",
		func(m *LargeModel) *string { return &m.Positions }, func(s *decoders.Shape) bool { return s.Learned }),
	modelSize("experts", "0", decoders.MaxExperts, false, "feed-forwards of which each token goes to some; 0: there is one",
		func(s *decoders.Shape) *int { return &s.Experts.Count }, "num_experts"),
	modelSize("top_k", "0", decoders.MaxExperts, false, "experts that a token goes to",
		func(s *decoders.Shape) *int { return &s.Experts.TopK }, "router_topk", "num_experts_per_tok"),
	modelSize("shared_experts", "0", decoders.MaxExperts, false, "experts that every token goes to, beside those",
		func(s *decoders.Shape) *int { return &s.Experts.Shared }),
	modelSize("expert_ffn", "0", decoders.MaxFFN, false, "elements inside an expert; 0: ffn",
		func(s *decoders.Shape) *int { return &s.Experts.FFN }, "moe_ffn_hidden_size"),
	modelSize("dense_layers", "0", decoders.MaxBlocks, false, "blocks at the beginning that have no experts",
		func(s *decoders.Shape) *int { return &s.Experts.Dense }),
	{
		Path: "model.skew", Default: "1", Min: "1", Max: "1000",
		value: inModel(whole, func(m *LargeModel) *int { return &m.Skew }),
		Meaning: "with parallel.ep: in each layer one rank, drawn from the seed, gets so many times as many positions for its " +
			"experts as each other; 1: all the same",
		Also: []string{"imbalance", "hot"},
	},
	{
		Path: "model.capacity", Default: "0", Min: "0", Max: "1024",
		value: inModel(number, func(m *LargeModel) *float64 { return &m.Capacity }),
		Meaning: "with parallel.ep: an expert takes so many times its even share of a rank's micro-batch at most, and there is room " +
			"for that; 0: all that comes",
		Also: []string{"capacity_factor", "expert_capacity_factor"},
	},
	{
		Path: "model.attention", Default: "flash", Choices: Attentions,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Attention }),
		Meaning: "how maps of attention are made",
		Source:  "Dao, FlashAttention-2, arXiv 2307.08691",
	},
	{
		Path: "model.kernels", Default: "fused", Choices: KernelSets,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Kernels }),
		Meaning: "what operators read, write and keep",
	},
	{
		Path: "model.batch", Required: true, Min: "1", Max: "1000000", example: "a whole number such as 1024",
		value:   inModel(whole, func(m *LargeModel) *int { return &m.Batch }),
		Meaning: "sequences of a step, over all replicas",
		Also:    []string{"global_batch_size", "batch_size"},
	},
	{
		Path: "model.steps", Default: "1", Min: "1", Max: "1000000",
		value:   inModel(whole, func(m *LargeModel) *int { return &m.Steps }),
		Meaning: "how many, all alike",
	},
	{
		Path: "model.precision", Default: BF16, Choices: ModelPrecisions,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Precision }),
		Meaning: "in which format numbers lie and travel, and which peak the device model takes",
		Also:    []string{"dtype"},
	},
	{
		Path: "model.gradients", Choices: Wires, Default: "fp32",
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Gradients }),
		Meaning: "as what gradients are added up",
		Source:  "Megatron-LM: accumulate-allreduce-grads-in-fp32",
	},
	{
		Path: "model.optimiser", Default: "adam", Choices: ModelOptimisers,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Optimiser }),
		Meaning: "how weights follow their gradients",
		Also:    []string{"optimizer"},
	},
	{
		Path: "model.recompute", Default: "none", Choices: Recomputes,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Recompute }),
		Meaning: "what backward makes again instead of keeping it",
		Source:  "Korthikanti and others, arXiv 2205.05198, section 5",
		Also:    []string{"recompute_granularity", "activation_checkpointing", "checkpointing"},
	},
	{
		Path: "model.overlap", Default: "all", Choices: Overlaps,
		value:   inModel(choice, func(m *LargeModel) *string { return &m.Overlap }),
		Meaning: "what runs beside computing",
		Source:  "Railyard's choice; Megatron-LM has it for sums with --overlap-grad-reduce, for sends with interleaved stages",
		Also:    []string{"overlap_grad_reduce", "overlap_p2p_communication"},
	},
	{
		Path: "model.bucket", Default: "layer", Word: "layer", Min: "4B", Max: "1TB",
		value:   inModel(opt(byteCount), func(m *LargeModel) *Opt[unit.Bytes] { return &m.Bucket }),
		Meaning: "gradients are summed in pieces of this size; layer: one for each half of a block",
		Also:    []string{"bucket_size", "ddp_bucket_size"},
	},
	{
		Path: "model.times", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "the path of a file of measured operators such as times.csv",
		value:   inModel(opt(text), func(m *LargeModel) *Opt[string] { return &m.Times }),
		Meaning: "CSV file of operators that were measured: operator, shape, microseconds; the device model times what it lacks, " +
			"and check lists that: see docs/models.md",
		Also: []string{"measured", "kernel_times"},
	},
}

// onlyLarge says that a field belongs to scenarios with a large model.
var onlyLarge = where(func(s *Scenario) string {
	for i := range s.Jobs {
		if s.Jobs[i].Model != nil {
			return ""
		}
	}
	return "it belongs to job.model, which is not there"
})

// onlyInside says that a field belongs to scenarios with collectives that nothing real goes by.
var onlyInside = where(func(s *Scenario) string {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Model != nil || j.Replay != nil || len(j.Collectives) > 0 {
			return ""
		}
	}
	return "it belongs to job.model, job.replay and job.collectives, which are not there: what is real goes by messages"
})

// InsideByFormula reports whether collectives of a job whose ranks are all on one host take what a formula says.
func (s *Scenario) InsideByFormula(j *Job) bool {
	switch s.Cluster.NVLinkCollectives {
	case autoProtocol:
		return j.Model != nil
	case "formula":
		return j.Model != nil || j.Replay != nil || len(j.Collectives) > 0
	}
	return false
}

// onlySteps says that a field belongs to scenarios with a job that takes steps.
var onlySteps = where(func(s *Scenario) string {
	for i := range s.Jobs {
		if onlySums(&s.Jobs[i]) == "" {
			return ""
		}
	}
	return "it belongs to job.train, job.model and job.replay, which are not there: no job takes steps"
})

// Values of run.reuse.
const (
	ReuseOff  = "off"
	ReuseAuto = "auto"
)

// onlyReplayed says that a field belongs to scenarios with a job that takes steps and computes nothing real.
var onlyReplayed = where(func(s *Scenario) string {
	for i := range s.Jobs {
		if s.Jobs[i].Model != nil || s.Jobs[i].Replay != nil {
			return ""
		}
	}
	return "it belongs to job.model and job.replay, which are not there: no job repeats steps without computing something real"
})

// onlyFP8 says that a field belongs to scenarios with a large model in FP8.
var onlyFP8 = where(func(s *Scenario) string {
	for i := range s.Jobs {
		if m := s.Jobs[i].Model; m != nil && m.Precision == "fp8" {
			return ""
		}
	}
	return "no job.model has precision: fp8"
})

// largeFields come behind the jobs: whether they have a meaning is known then.
var largeFields = []*Field{
	{Path: "run", Meaning: "what is simulated"},
	{
		Path: "run.network", Default: "packets", Choices: Networks, applies: onlyLarge,
		value:   in(choice, func(s *Scenario) *string { return &s.Run.Network }),
		Meaning: "how what goes between ranks is timed",
	},
	{
		Path: "run.reuse", Default: ReuseAuto, Choices: Reuses, applies: onlyReplayed,
		value: in(choice, func(s *Scenario) *string { return &s.Run.Reuse }),
		Meaning: "whether steps, layers and micro-batches that do again what earlier ones did, and rails that do what another does, " +
			"are simulated too: see docs/reuse.md",
		Also: []string{"repeat", "memoise", "memoize"},
	},
	{Path: "cost", Meaning: "what a step costs: for all GPUs of a job, whether they compute or wait"},
	{
		Path: "cost.gpu_hour", Default: "unknown", Word: "unknown", applies: onlySteps,
		example: "a price such as 2.50USD",
		value:   in(opt(amount), func(s *Scenario) *Opt[Amount] { return &s.Cost.GPUHour }),
		Meaning: "price of a GPU for an hour, with its part of the host and of the network",
		Source:  "of the reader's contract",
		Also:    []string{"price", "gpu_price"},
	},
	{
		Path: "cost.power", Default: "unknown", Word: "unknown", Min: "1W", Max: "1MW", applies: onlySteps,
		value:   in(opt(power), func(s *Scenario) *Opt[unit.Power] { return &s.Cost.Power }),
		Meaning: "what a GPU draws, with its part of the host and of the network",
		Source:  "of the reader's hosts; data sheets have 700W for an H100 SXM alone",
	},
	{
		Path: "cluster.nvlink_collectives", Default: autoProtocol, Choices: InsideCollectives, applies: onlyInside,
		value:   in(choice, func(s *Scenario) *string { return &s.Cluster.NVLinkCollectives }),
		Meaning: "how collectives of ranks that are all on one host are timed, of jobs that compute nothing real",
	},
	{
		Path: "cluster.host.flops_fp8", Min: "1GFLOP/s", Max: "1000PFLOP/s", Rule: "from the preset", applies: onlyFP8,
		value:   in(computeRate, func(s *Scenario) *FLOPS { return &s.Cluster.Host.FLOPSFP8 }),
		Meaning: "dense FP8 tensor peak of one GPU, for precision: fp8",
	},
}

// checkLargeModel reports sizes that are no model.
func (d *decoder) checkLargeModel(s *Scenario, j *Job) {
	m, at := j.Model, j.Path()+".model"
	if m == nil || !d.ok(at+".preset") {
		return
	}
	whole := true
	for _, key := range []string{"layers", "hidden", "ffn", "heads", "vocabulary", "sequence"} {
		if m.Preset == NoPreset && !d.given(at+"."+key) {
			d.problem(at+"."+key, "missing, want a size, or a preset such as llama3-8b", "")
			whole = false
		}
	}
	m.Shape.LayerNorm, m.Shape.Learned = m.Norm == "layer-norm", m.Positions == "learned"
	if p := m.preset(); p != nil {
		m.Shape.HeadNorm, m.Shape.Latent, m.Shape.Experts.RouterBias = p.HeadNorm, p.Latent, p.Experts.RouterBias
	}
	if !whole {
		return
	}
	if m.Precision == "fp8" && slices.Contains([]string{"hgx-a100", "cpu"}, s.Cluster.Host.Preset) && !d.given("cluster.host.flops_fp8") {
		d.problem(at+".precision", fmt.Sprintf("fp8: %s has no FP8 products, want %s, or give cluster.host.flops_fp8",
			s.Cluster.Host.Preset, BF16), "")
	}
	misfits := m.Shape.Misfits()
	for _, f := range misfits {
		if d.ok(at + "." + f.Key) { // else it has been said
			d.problem(at+"."+f.Key, f.Text, "")
		}
	}
	if len(misfits) > 0 || !d.clean(j.Path(), largeModelFields) {
		return
	}
	if p := &j.Parallel; d.okRanks(j) && d.ok(at+".batch", j.Path()+".parallel.micro_batches") {
		if n := p.DP * p.MicroBatches; m.Batch%n != 0 {
			d.problem(at+".batch", fmt.Sprintf("%d sequences for dp %d x micro_batches %d, want a multiple of %d", m.Batch, p.DP,
				p.MicroBatches, n), "")
		}
		if p.EP <= 1 && (m.Skew > 1 || m.Capacity > 0) {
			key, is := "skew", fmt.Sprint(m.Skew)
			if m.Skew == 1 {
				key, is = "capacity", fmt.Sprint(m.Capacity)
			}
			d.problem(at+"."+key, is+": "+j.Path()+".parallel.ep is 1: no positions go to experts elsewhere", "")
		}
		if p.Update == "each" {
			d.problem(j.Path()+".parallel.update", "each: a job.model updates at the end of a step, want end", "")
		}
	}
}
