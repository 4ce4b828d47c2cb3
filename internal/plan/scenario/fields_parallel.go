package scenario

import "strconv"

// onlyStages says that a field belongs to trainings with stages.
func onlyStages(j *Job) string {
	if why := onlyLayers(j); why != "" {
		return why
	}
	if j.Parallel.PP < 2 {
		return j.Path() + ".parallel.pp is 1"
	}
	return ""
}

// onlyParts says that a field belongs to trainings whose layers are in parts.
func onlyParts(j *Job) string {
	if why := onlyLayers(j); why != "" {
		return why
	}
	if j.Parallel.TP < 2 {
		return j.Path() + ".parallel.tp is 1"
	}
	return ""
}

// unlessReplicas says that a field has no meaning with replicas alone.
func unlessReplicas(j *Job) string {
	if onlyStages(j) != "" && onlyParts(j) != "" {
		if why := onlyLayers(j); why != "" {
			return why
		}
		return j.Path() + ".parallel.tp and pp are 1"
	}
	return ""
}

func onlyInterleaved(j *Job) string {
	if why := onlyStages(j); why != "" {
		return why
	}
	if j.Parallel.Schedule != "interleaved" {
		return j.Path() + ".parallel.schedule is " + j.Parallel.Schedule
	}
	return ""
}

func onlyEach(j *Job) string {
	if why := onlyLayers(j); why != "" {
		return why
	}
	if j.Parallel.Update != "each" {
		return j.Path() + ".parallel.update is end"
	}
	return ""
}

const (
	contextParallel = "context parallelism"
)

// parallelFields: how ranks share a training. tp and pp come first, for dp follows from them.
var parallelFields = []*Field{
	{
		Path: "parallel", Meaning: "how the ranks share the training: dp x tp x pp of them",
		absent: map[string]string{
			"cp": contextParallel, "context_parallel": contextParallel, "context_parallel_size": contextParallel,
		},
	},
	{
		Path: "parallel.tp", Default: "1", Min: "1", Max: "1024", applies: where(onlyLayers),
		value:   in(whole, func(j *Job) *int { return &j.Parallel.TP }),
		Meaning: "parts of each layer, on as many ranks",
		Also:    []string{"tensor_parallel", "tensor_parallel_size", "tensor_model_parallel_size"},
	},
	{
		Path: "parallel.pp", Default: "1", Min: "1", Max: "1024", applies: where(onlyLayers),
		value:   in(whole, func(j *Job) *int { return &j.Parallel.PP }),
		Meaning: "stages: layers that follow each other, on as many ranks one after the other",
		Also:    []string{"pipeline_parallel", "pipeline_parallel_size", "pipeline_model_parallel_size", "stages"},
	},
	{
		Path: "parallel.dp", Min: "1", Max: "32768", Rule: "GPUs of the job / (tp x pp)", applies: where(onlyLayers),
		value: in(whole, func(j *Job) *int { return &j.Parallel.DP }),
		derive: func(d *decoder, b any, _ string) string {
			j := b.(*Job)
			return strconv.Itoa(max(1, d.scenario.rankPlaces(j)/max(1, j.Parallel.TP*j.Parallel.PP)))
		},
		Meaning: "replicas of the model, each with samples of its own",
		Also:    []string{"data_parallel", "ranks", "world_size"},
	},
	{
		Path: "parallel.ep", Default: "1", Min: "1", Max: "1024", applies: where(onlyLayers),
		value: in(whole, func(j *Job) *int { return &j.Parallel.EP }),
		Meaning: "replicas over which the experts of a network are spread, which divide dp: each has some, and positions go to " +
			"them; 1: each has all",
		Also: []string{"expert_parallel", "expert_parallel_size", "expert_model_parallel_size"},
	},
	{
		Path: "parallel.zero", Default: "0", Min: "0", Max: "3", applies: where(onlyLayers),
		value: in(whole, func(j *Job) *int { return &j.Parallel.Zero }),
		Meaning: "ZeRO: replicas hold shards, each its own, of the optimiser's state (1), of gradients too (2), of weights " +
			"too (3)",
		Source: "Rajbhandari et al., SC 2020",
		Also:   []string{"zero_stage", "zero_optimization", "fsdp"},
	},
	{
		Path: "parallel.order", Default: "tp-dp-pp", Choices: RankOrders, applies: where(unlessReplicas),
		value:   in(choice, func(j *Job) *string { return &j.Parallel.Order }),
		Meaning: "in which order ranks are numbered, the innermost axis first; job.placement says where they run",
		Source:  "Megatron-LM",
	},
	{
		Path: "parallel.micro_batches", Default: "1", Min: "1", Max: "1000000", applies: where(onlyLayers),
		value:   in(whole, func(j *Job) *int { return &j.Parallel.MicroBatches }),
		Meaning: "into which a replica's batch is cut; their gradients are added up",
		Also:    []string{"microbatches", "num_micro_batches", "gradient_accumulation", "accumulation_steps"},
	},
	{
		Path: "parallel.schedule", Default: "1f1b", Choices: PipelineSchedules, applies: where(onlyStages),
		value:   in(choice, func(j *Job) *string { return &j.Parallel.Schedule }),
		Meaning: "in which order a stage takes micro-batches forward and backward",
		Source:  "Megatron-LM",
		Also:    []string{"timetable", "pipeline"},
	},
	{
		Path: "parallel.virtual_stages", Default: "2", Min: "2", Max: "1024", applies: where(onlyInterleaved),
		value:   in(whole, func(j *Job) *int { return &j.Parallel.VirtualStages }),
		Meaning: "virtual stages of each stage: layers that follow each other, not next to those of the stage's others",
		Also:    []string{"virtual", "virtual_pipeline", "interleave"},
	},
	{
		Path: "parallel.tensor", Default: "megatron", Choices: TensorStyles, applies: where(onlyParts),
		value:   in(choice, func(j *Job) *string { return &j.Parallel.Tensor }),
		Meaning: "how layers are cut into parts",
		Source:  "Megatron-LM",
	},
	{
		Path: "parallel.sequence", Default: "false", applies: where(onlyParts),
		value: in(boolean, func(j *Job) *bool { return &j.Parallel.Sequence }),
		Meaning: "sequence parallel: between the products of a transformer's blocks the ranks that share layers have a part " +
			"of the positions each, so that an all-gather and a reduce-scatter take the place of each all-reduce",
		Source: "Korthikanti et al., 2022, section 4.2.2",
		Also:   []string{"sequence_parallel"},
	},
	{
		Path: "parallel.update", Default: "end", Choices: UpdateTimes, applies: where(onlyLayers),
		value:   in(choice, func(j *Job) *string { return &j.Parallel.Update }),
		Meaning: "when a stage updates its weights",
	},
	{
		Path: "parallel.stash", Default: "false", applies: where(onlyEach),
		value:   in(boolean, func(j *Job) *bool { return &j.Parallel.Stash }),
		Meaning: "a stage keeps the weights of each forward for its backward",
		Source:  "PipeDream, SOSP 2019",
	},
}
