package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// onlyTraining says that a field belongs to training jobs.
func onlyTraining(j *Job) string {
	if j.Train == nil {
		return "it belongs to " + j.Path() + ".train, which is not there"
	}
	return ""
}

// onlyLayers says that a field belongs to jobs whose ranks share the layers of a model.
func onlyLayers(j *Job) string {
	if j.Train == nil && j.Model == nil {
		return fmt.Sprintf("it belongs to %[1]s.train and %[1]s.model, which are not there", j.Path())
	}
	return ""
}

// onlyRanks says that a field belongs to jobs with ranks.
func onlyRanks(j *Job) string {
	if j.Kind() == FlowsJob {
		return fmt.Sprintf("it belongs to %[1]s.train, %[1]s.model, %[1]s.replay and %[1]s.collectives, which are not there", j.Path())
	}
	return ""
}

// onlySums says that a field belongs to jobs that sum gradients.
func onlySums(j *Job) string {
	if j.Train == nil && j.Replay == nil && j.Model == nil {
		return fmt.Sprintf("it belongs to %[1]s.train, %[1]s.model and %[1]s.replay, which are not there", j.Path())
	}
	return ""
}

// onlyLives says that a field belongs to jobs that may be aborted and go on.
func onlyLives(j *Job) string {
	if j.Train == nil && j.Replay == nil {
		return fmt.Sprintf("it belongs to %[1]s.train and %[1]s.replay, which are not there", j.Path())
	}
	return ""
}

// unlessRanks says that a field belongs to jobs of flows.
func unlessRanks(j *Job) string {
	job := ""
	switch {
	case j.Train != nil:
		job = j.Path() + ".train"
	case j.Model != nil:
		job = j.Path() + ".model"
	case j.Replay != nil:
		job = j.Path() + ".replay"
	case len(j.Collectives) > 0:
		job = j.Path() + ".collectives"
	default:
		return ""
	}
	return "the job is " + job + "; traffic beside it goes in background.flows"
}

// onlyCheckpoints says that a field belongs to weights that are kept during a training.
func onlyCheckpoints(j *Job) string {
	if j.Train == nil || j.Train.Checkpoint.Every.Word == "none" {
		return j.Path() + ".train.checkpoint.every is none"
	}
	return ""
}

// onlyOptimiser says that a field belongs to some optimisers.
func onlyOptimiser(names ...string) func(*Job) string {
	return func(j *Job) string {
		if why := onlyTraining(j); why != "" {
			return why
		}
		if o := j.Train.Optimiser; o != "" && !slices.Contains(names, o) { // "": it was not read, and that is reported
			return j.Path() + ".train.optimiser is " + j.Train.Optimiser
		}
		return ""
	}
}

// onlySchedule says that a field belongs to some schedules of the learning rate.
func onlySchedule(kinds ...string) func(*Job) string {
	return func(j *Job) string {
		if why := onlyTraining(j); why != "" {
			return why
		}
		if k := j.Train.Schedule.Kind; k != "" && !slices.Contains(kinds, k) { // likewise
			return j.Path() + ".train.schedule.kind is " + j.Train.Schedule.Kind
		}
		return ""
	}
}

// onlyNormalInit says that a field belongs to first weights of a normal distribution.
func onlyNormalInit(j *Job) string {
	if why := onlyTraining(j); why != "" {
		return why
	}
	if j.Train.Init != "normal" {
		return j.Path() + ".train.init is " + j.Train.Init
	}
	return ""
}

// onlyAdmitted says that a field belongs to receiver-driven admission.
func onlyAdmitted(j *Job) string {
	if why := onlyRanks(j); why != "" {
		return why
	}
	if !j.Collective.Admission.Slots.Set {
		return j.Path() + ".collective.admission.slots is none"
	}
	return ""
}

// onlySpread says that a field belongs to trainings whose experts are spread.
func onlySpread(j *Job) string {
	if why := onlyLayers(j); why != "" {
		return why
	}
	if j.Parallel.EP <= 1 {
		return j.Path() + ".parallel.ep is 1: no positions go to experts elsewhere"
	}
	return ""
}

// unlessScheduled says that a field has no meaning where a file holds the schedule.
func unlessScheduled(j *Job) string {
	if why := onlySums(j); why != "" {
		return why
	}
	if j.Collective.Schedule.Set {
		return j.Path() + ".collective.schedule says who sends what"
	}
	return ""
}

// unlessFromFile says that a field belongs to jobs with ranks whose schedule is not in a file.
func unlessFromFile(j *Job) string {
	if j.Collective.Schedule.Set {
		return unlessScheduled(j)
	}
	return onlyRanks(j)
}

// onlyRules says that a field belongs to jobs whose GPUs a rule finds.
func onlyRules(j *Job) string {
	if why := onlyRanks(j); why != "" {
		return why
	}
	if len(j.Placement.GPUs) > 0 {
		return j.Path() + ".placement lists the GPUs"
	}
	return ""
}

// jobFields: one job: job, or an entry of jobs.
var jobFields = slices.Concat(workFields, dataFields, modelFields, trainFields, largeModelFields, survivalFields, parallelFields, sumFields)

// workFields: what a job is, and the network that it trains.
var workFields = []*Field{
	{
		Path: "name", Rule: "job; in jobs job1, job2, ...", check: checkName, pattern: namePattern,
		value:   in(text, func(j *Job) *string { return &j.Name }),
		derive:  jobName,
		Meaning: "name in tables and reports",
	},
	{
		Path: "start", Default: "0s", Min: "0s", Max: "1h",
		value:   in(duration, func(j *Job) *unit.Duration { return &j.Start }),
		Meaning: "virtual time at which the job begins: its ranks, or the clock of its flows",
		Also:    []string{"at", "delay"},
	},
	{
		Path:    "train",
		open:    func(b any) { b.(*Job).Train = &Train{} },
		Meaning: "a network that is really trained",
	},
	{
		Path: "train.model", Default: "mlp", Choices: Models,
		value:   inTrain(choice, func(t *Train) *string { return &t.Model }),
		Meaning: "kind of network",
	},
	{
		Path: "train.layers", Required: true, chooser: "train.model", Min: "1", Max: "1000000", applies: where(onlyModel("mlp")),
		value:   inTrain(wholes, func(t *Train) *[]int { return &t.Layers }),
		Meaning: "units per layer, inputs first, classes last",
		Also:    []string{"sizes", "hidden"},
	},
	{
		Path: "train.network", Required: true, chooser: "train.model", check: checkFile, pattern: pathPattern,
		example: "the path of a file that lists layers", applies: where(onlyModel("file")),
		value:   inTrain(text, func(t *Train) *string { return &t.Network }),
		Meaning: "file that says what an example is and lists the layers, one a line: see docs/networks.md",
	},
	{
		Path: "train.activation", Default: "relu", Choices: Activations, applies: where(onlyModel("mlp", "cnn")),
		value:   inTrain(choice, func(t *Train) *string { return &t.Activation }),
		Meaning: "between the layers",
	},
	{
		Path: "train.loss", Default: "cross-entropy", Choices: Losses, applies: where(onlyModel("mlp", "cnn")),
		value:   inTrain(choice, func(t *Train) *string { return &t.Loss }),
		Meaning: "what training makes small",
	},
}

// trainFields: how it is trained, and what else a job may do.
var trainFields = []*Field{
	{
		Path: "train.batch", Required: true, Min: "1", Max: "1000000",
		value:   inTrain(whole, func(t *Train) *int { return &t.Batch }),
		Meaning: "samples per replica and step",
		Also:    []string{"batch_size"},
	},
	{
		Path: "train.epochs", Default: "1", Min: "1", Max: "1000000",
		value:   inTrain(whole, func(t *Train) *int { return &t.Epochs }),
		Meaning: "passes over the training data",
	},
	{
		Path: "train.steps", Default: "all", Word: "all", Min: "1", Max: "1000000000",
		value:   inTrain(opt(whole), func(t *Train) *Opt[int] { return &t.Steps }),
		Meaning: "stop after so many steps; all: when the epochs are done",
		Also:    []string{"max_steps"},
	},
	{
		Path: "train.optimiser", Default: "sgd", Choices: Optimisers,
		value:   inTrain(choice, func(t *Train) *string { return &t.Optimiser }),
		Meaning: "how weights follow their gradients",
		Also:    []string{"optimizer"},
	},
	{
		Path: "train.lr", Required: true, Min: "0.000000001", Max: "1000",
		value:   inTrain(number, func(t *Train) *float64 { return &t.LR }),
		Meaning: "learning rate",
		Also:    []string{"learning_rate", "rate"},
	},
	{
		Path: "train.momentum", Default: "0", Min: "0", Max: "0.999999",
		value:   inTrain(number, func(t *Train) *float64 { return &t.Momentum }),
		applies: where(onlyOptimiser("sgd", "rmsprop")),
		Meaning: "momentum of SGD and RMSprop",
	},
	{
		Path: "train.nesterov", Default: "false", applies: where(onlyOptimiser("sgd")),
		value:   inTrain(boolean, func(t *Train) *bool { return &t.Nesterov }),
		Meaning: "Nesterov's momentum: the step looks ahead along the velocity",
		Source:  "Sutskever et al., ICML 2013; torch.optim.SGD",
	},
	{
		Path: "train.alpha", Default: "0.99", Min: "0", Max: "0.999999999", applies: where(onlyOptimiser("rmsprop")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Alpha }),
		Meaning: "of RMSprop's mean of squares, what stays of it at each update",
		Source:  "torch.optim.RMSprop",
	},
	{
		Path: "train.beta1", Default: "0.9", Min: "0", Max: "0.999999", applies: where(onlyOptimiser("adam", "adamw")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Beta1 }),
		Meaning: "of Adam's mean of gradients, what stays of it at each update",
		Source:  "Kingma and Ba, ICLR 2015; PyTorch", Also: []string{"betas"},
	},
	{
		Path: "train.beta2", Default: "0.999", Min: "0", Max: "0.999999999", applies: where(onlyOptimiser("adam", "adamw")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Beta2 }),
		Meaning: "the same of its mean of squares",
		Source:  "Kingma and Ba, ICLR 2015; PyTorch",
	},
	{
		Path: "train.epsilon", Default: "0.00000001", Min: "0.000000000001", Max: "1",
		applies: where(onlyOptimiser("adam", "adamw", "rmsprop")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Epsilon }),
		Meaning: "what Adam and RMSprop add to the root that they divide by",
		Source:  "Kingma and Ba, ICLR 2015; PyTorch", Also: []string{"eps"},
	},
	{
		Path: "train.weight_decay", Default: "0", Min: "0", Max: "1", applies: where(onlyTraining),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Decay }),
		Meaning: "how much of each weight goes with each update, times the learning rate; biases and gains too, as in PyTorch",
	},
	{
		Path: "train.clip", Default: "0", Min: "0", Max: "1e6", applies: where(onlyTraining),
		value: inTrain(number, func(t *Train) *float64 { return &t.Clip }),
		Meaning: "the norm that the gradients of all parameters together have at most: longer ones are shortened before an " +
			"update; 0: any",
		Source: "torch.nn.utils.clip_grad_norm_",
		Also:   []string{"clip_grad", "gradient_clipping", "max_grad_norm", "grad_clip"},
	},
	{Path: "train.schedule", Meaning: "how the learning rate goes over the steps of the training"},
	{
		Path: "train.schedule.kind", Default: "constant", Choices: Schedules,
		value:   inTrain(choice, func(t *Train) *string { return &t.Schedule.Kind }),
		Meaning: "after the warm-up",
	},
	{
		Path: "train.schedule.warmup", Default: "0", Min: "0", Max: "1000000000",
		value:   inTrain(whole, func(t *Train) *int { return &t.Schedule.Warmup }),
		Meaning: "steps in which the rate grows in equal parts to all of it",
		Also:    []string{"warmup_steps", "warm_up"},
	},
	{
		Path: "train.schedule.every", Default: "1000", Min: "1", Max: "1000000000", applies: where(onlySchedule("step")),
		value:   inTrain(whole, func(t *Train) *int { return &t.Schedule.Every }),
		Meaning: "steps from one cut of the rate to the next, counted from the end of the warm-up",
		Also:    []string{"step_size"},
	},
	{
		Path: "train.schedule.factor", Default: "0.1", Min: "0.000001", Max: "1", applies: where(onlySchedule("step")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Schedule.Factor }),
		Meaning: "by which it is multiplied",
		Source:  "torch.optim.lr_scheduler.StepLR", Also: []string{"gamma"},
	},
	{
		Path: "train.schedule.end", Default: "0", Min: "0", Max: "1", applies: where(onlySchedule("cosine", "linear")),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Schedule.End }),
		Meaning: "the rate at the last step, as a part of lr",
		Also:    []string{"min_lr", "eta_min"},
	},
	{
		Path: "train.init", Default: "layer", Choices: Inits,
		value:   inTrain(choice, func(t *Train) *string { return &t.Init }),
		Meaning: "how first weights are drawn, by the seed; norms begin as they do in any case",
		Also:    []string{"initialisation", "initialization"},
	},
	{
		Path: "train.init_deviation", Default: "0.02", Min: "0.000001", Max: "10", applies: where(onlyNormalInit),
		value:   inTrain(number, func(t *Train) *float64 { return &t.Deviation }),
		Meaning: "standard deviation of first weights",
		Source:  "GPT-2", Also: []string{"init_std", "std"},
	},
	{
		Path: "train.bucket", Default: "25MB", Word: "layer", Min: "4B", Max: "100GB",
		value:   inTrain(opt(byteCount), func(t *Train) *Opt[unit.Bytes] { return &t.Bucket }),
		Meaning: "gradients are all-reduced in pieces of this size; layer: one per layer",
		Source:  "PyTorch DistributedDataParallel: bucket_cap_mb", Also: []string{"bucket_size", "bucket_cap"},
	},
	{
		Path: "train.start", Default: "broadcast", Choices: Starts,
		value:   inTrain(choice, func(t *Train) *string { return &t.Start }),
		Meaning: "how all ranks come to the same parameters before step 0",
		Source:  "PyTorch DistributedDataParallel: it broadcasts them from rank 0 when it is made",
	},
	{
		Path: "train.prefetch", Default: "false",
		value: inTrain(boolean, func(t *Train) *bool { return &t.Prefetch }),
		Meaning: "each GPU copies the next batch from host memory over its PCIe while a step computes, as float32 with " +
			"labels of 8 bytes; false: batches are there, nothing is copied",
		Source: "PyTorch's labels are int64; false: assumed",
		Also:   []string{"copy_stream", "pin_memory", "prefetch_factor"},
	},
	{
		Path: "train.precision", Default: "tf32", Choices: Precisions,
		Synonyms: map[string]string{"float32": "tf32", "fp32": "tf32", "bfloat16": BF16},
		value:    inTrain(choice, func(t *Train) *string { return &t.Precision }),
		Meaning: "in which format numbers lie and travel, and which peak the device model takes; products are summed in float32 in " +
			"any",
		Also: []string{"mixed_precision", "dtype", "torch_dtype"},
	},
	{
		Path: "train.kernel", Default: "portable", Choices: Kernels,
		value:   inTrain(choice, func(t *Train) *string { return &t.Kernel }),
		Meaning: "code that computes the matrix products",
	},
	{
		Path: "train.inside", Default: "false",
		value: inTrain(boolean, func(t *Train) *bool { return &t.Inside }),
		Meaning: "keep what the network looks like inside for one example, before and after: weights, activations, gradients, " +
			"attention, gates, embedding. Of at most 4,194,304 parameters",
		Also: []string{"probe", "look"},
	},
	{Path: "train.checkpoint", Meaning: "weights that are kept during the training; those at its end always are"},
	{
		Path: "train.checkpoint.every", Default: "none", Word: "none", Other: "epoch", Min: "1", Max: "1000000000",
		value:   inTrain(either(whole), func(t *Train) *Either[int] { return &t.Checkpoint.Every }),
		Meaning: "after so many steps, or after each epoch; writing takes no virtual time",
		Also:    []string{"interval", "steps"},
	},
	{
		Path: "train.checkpoint.keep", Default: "2", Min: "1", Max: "1000000", applies: where(onlyCheckpoints),
		value:   inTrain(whole, func(t *Train) *int { return &t.Checkpoint.Keep }),
		Meaning: "how many of them stay, the newest",
	},
	{
		Path: "replay",
		open: func(b any) { b.(*Job).Replay = &Replay{} },
		Meaning: "a data-parallel training replayed from durations and byte counts over all GPUs of the job: nothing " +
			"real is computed or sent",
		Also: []string{"trace"},
	},
	{
		Path: "replay.steps", Default: "1", Min: "1", Max: "1000000",
		value:   inReplay(whole, func(r *Replay) *int { return &r.Steps }),
		Meaning: "how many, all alike",
	},
	{
		Path: "replay.forward", Default: "0s", Min: "0s", Max: "1h",
		value:   inReplay(duration, func(r *Replay) *unit.Duration { return &r.Forward }),
		Meaning: "how long each GPU computes in a step before the backward of its first bucket",
	},
	{
		Path:    "replay.buckets",
		value:   inReplay(bucketList, func(r *Replay) *[]ReplayBucket { return &r.Buckets }),
		Meaning: "the gradients, in the order in which they are there; each is all-reduced while the next is computed",
		Also:    []string{"gradients"},
	},
	{
		Path: "replay.update", Default: "0s", Min: "0s", Max: "1h",
		value:   inReplay(duration, func(r *Replay) *unit.Duration { return &r.Update }),
		Meaning: "how long each GPU computes once all gradients are summed",
	},
	{
		Path:    "collectives",
		value:   in(rowList, func(j *Job) *[]CollectiveRow { return &j.Collectives }),
		Meaning: "collectives over all GPUs of the job, one after the other, as a benchmark runs them; they carry no real numbers",
		Also:    []string{"perf", "nccl_tests", "benchmark"},
	},
	{
		Path: "placement", Default: "packed", Choices: Placements, applies: where(onlyRanks),
		value:   in(placement, func(j *Job) *Placement { return &j.Placement }),
		Meaning: "which GPU each rank runs on: a rule that takes those of hosts and gpus, or a list with a GPU for each rank",
	},
	{
		Path: "hosts", Default: "all", Word: "all", applies: where(onlyRules),
		value:   in(hosts, func(j *Job) *Selection { return &j.Hosts }),
		Meaning: "the hosts that the job's ranks run on",
		Also:    []string{"nodes"},
	},
	{
		Path: "gpus", Default: "all", Word: "all", applies: where(onlyRules),
		value:   in(gpus, func(j *Job) *Selection { return &j.GPUs }),
		Meaning: "the GPUs of each of those hosts that they run on",
	},
}

// sumFields: how gradients are summed, and the messages of jobs without ranks.
var sumFields = []*Field{
	{Path: "collective", Meaning: "how gradients are summed"},
	{
		Path: "collective.schedule", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "the path of a file such as railyard show schedule prints, or none", applies: where(onlyTraining),
		value: in(opt(text), func(j *Job) *Opt[string] { return &j.Collective.Schedule }),
		Meaning: "file with an all-reduce schedule, instead of an algorithm's; its ranks and channels must be " +
			"those of the job",
	},
	{
		Path: "collective.algorithm", Default: "ring", Choices: CollectiveAlgorithms,
		applies: where(unlessScheduled),
		value:   in(choice, func(j *Job) *string { return (*string)(&j.Collective.Algorithm) }),
		Meaning: "the schedule of sends, receives and sums",
	},
	{
		Path: "collective.protocol", Choices: RowProtocols, applies: where(onlySums), Rule: "auto of a job.model, else none",
		derive: func(_ *decoder, b any, _ string) string {
			if b.(*Job).Model != nil {
				return autoProtocol
			}
			return "none"
		},
		value: in(choice, func(j *Job) *string { return (*string)(&j.Collective.Protocol) }),
		Meaning: "how a receiver tells data from what is not there yet, and what that takes; auto, of a job.model: of each " +
			"collective",
		Source: "NCCL",
	},
	{
		Path: "collective.wire", Choices: Wires, applies: where(onlyLayers), Rule: "bf16 of a train's precision bf16; a model's " +
			"gradients; else fp32",
		derive: func(_ *decoder, b any, _ string) string {
			if m := b.(*Job).Model; m != nil && m.Gradients != "" {
				return m.Gradients
			}
			if t := b.(*Job).Train; t != nil && t.Precision == BF16 {
				return BF16
			}
			return "fp32"
		},
		value:   in(choice, func(j *Job) *string { return &j.Collective.Wire }),
		Meaning: "as what gradients go from replica to replica",
		Source:  "torch.distributed.algorithms.ddp_comm_hooks, bf16_compress_hook",
		Also:    []string{"wire_dtype", "grad_dtype", "compression"},
	},
	{
		Path: "collective.channels", Min: "1", Max: "64", Rule: "NICs per host", applies: where(onlySums),
		value:  in(whole, func(j *Job) *int { return &j.Collective.Channels }),
		derive: func(d *decoder, b any, _ string) string { return strconv.Itoa(d.scenario.NICsPerHost()) },
		Meaning: "side by side, each with its share of the data; channel c uses rail c modulo rails; ranks of a group " +
			"on some of the rails have channels in proportion",
		Source: "NCCL",
	},
	{
		Path: "collective.exit", Default: "channel", Choices: Exits, applies: where(onlyRanks),
		value:   in(choice, func(j *Job) *string { return &j.Collective.Exit }),
		Meaning: "by which NIC a message between hosts leaves, and at which it arrives",
		Source:  "NCCL",
	},
	{
		Path: "collective.all_to_all", Default: "direct", Choices: AllToAlls, applies: where(onlySpread),
		value:   in(choice, func(j *Job) *string { return (*string)(&j.Collective.AllToAll) }),
		Meaning: "by which way positions go to their experts, and back",
		Also:    []string{"dispatch"},
	},
	{
		Path: "collective.slices", Default: "auto", Word: "auto", Min: "1", Max: "1024",
		applies: where(unlessFromFile),
		value:   in(opt(whole), func(j *Job) *Opt[int] { return &j.Collective.Slices }),
		Meaning: "a rank sends on a slice as soon as it has it: of a ring's chunk so many; of a chain or tree, of " +
			"a channel's data; auto: as the protocol's buffer has them; without a protocol 1 for a ring, 8 for " +
			"chains and trees",
	},
	{
		Path: "collective.slots", Default: "none", Word: "none", Min: "1", Max: "1024",
		applies: where(unlessFromFile),
		value:   in(opt(whole), func(j *Job) *Opt[int] { return &j.Collective.Slots }),
		Meaning: "staging slots of a receiver for each connection, of a slice each, that serve in turn: a sender waits " +
			"for the credit that says that one is free; none: as many as the protocol's buffer holds; without a " +
			"protocol a slot for each message of a collective",
	},
	{
		Path: "collective.admission",
		Meaning: "receiver-driven admission: a sender posts what the receiver has sent a clear-to-send for " +
			"(Meta, SIGCOMM'24)",
	},
	{
		Path: "collective.admission.slots", Default: "none", Word: "none", Min: "1", Max: "1024",
		applies: where(onlyRanks),
		value:   in(opt(whole), func(j *Job) *Opt[int] { return &j.Collective.Admission.Slots }),
		Meaning: "buffer slots of a receiver for each connection; none: everything is admitted",
	},
	{
		Path: "collective.admission.bytes", Default: "512KiB", Min: "64B", Max: "1GB", applies: where(onlyAdmitted),
		value:   in(byteCount, func(j *Job) *unit.Bytes { return &j.Collective.Admission.Bytes }),
		Meaning: "size of a slot; longer messages are cut",
		Source:  "NCCL: 4 MiB buffer of a channel in 8 steps",
	},
	{
		Path: "flows_csv", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "the path of a CSV file whose first line names keys of a flow, or none", applies: where(unlessRanks),
		value: in(opt(text), func(j *Job) *Opt[string] { return &j.FlowsCSV }),
		Meaning: "CSV file with more flows: its first line names keys of a flow, such as " +
			"name,from,to,bytes,start; a path is written host1>leaf1>host2",
	},
	{
		Path:    "flows",
		value:   in(flowList, func(j *Job) *[]FlowEntry { return &j.Entries }),
		Meaning: "messages from GPU to GPU",
	},
}

// runFields: the jobs, traffic beside them, what is written.
var runFields = []*Field{
	{
		Path:    "job",
		value:   in(oneJob, func(s *Scenario) *[]Job { return &s.Jobs }),
		Meaning: "what the cluster does: exactly one of train, model, replay, collectives and flows",
	},
	{
		Path:    "jobs",
		value:   in(jobList, func(s *Scenario) *[]Job { return &s.Jobs }),
		Meaning: "several jobs side by side, instead of job: each has its own GPUs, all share the fabric",
	},
	{Path: "background", Meaning: "traffic beside the jobs; a run ends when its jobs have ended"},
	{
		Path:    "background.flows",
		value:   in(flowList, func(s *Scenario) *[]FlowEntry { return &s.Background.Entries }),
		Meaning: "messages from GPU to GPU",
	},
	{
		Path:  "faults",
		value: in(faultList, func(s *Scenario) *[]Fault { return &s.Faults }),
		Meaning: "what goes wrong, when and where; where several entries of one kind hold at once for a thing, " +
			"the last one does",
	},
	{Path: "output", Meaning: "what the run directory holds"},
	{
		Path: "output.sample", Default: "1us", Min: "10ns", Max: "1s",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Output.Sample }),
		Meaning: "queue lengths are sampled once in this time",
	},
	{
		Path: "output.queues", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Queues }),
		Meaning: "write the table of queue lengths",
	},
	{
		Path: "output.flows", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Flows }),
		Meaning: "write the table of flows",
	},
	{
		Path: "output.operations", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Operations }),
		Meaning: "write the table of operations",
	},
	{
		Path: "output.gradients", Default: "false",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Gradients }),
		Meaning: "write the table of gradients back through time: of recurrent layers, by step, rank and position",
	},
	{
		Path: "output.experts", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Experts }),
		Meaning: "write the table of the tokens of experts, of a network that has them: by step, rank, layer and expert",
	},
	{
		Path: "output.events", Default: "false", Also: []string{"log"},
		value: in(boolean, func(s *Scenario) *bool { return &s.Output.Events }),
		Meaning: "write the table of events: marks, pauses, drops, CNPs, NAKs, timeouts, rates, paths, links, queues that cross " +
			"thresholds",
	},
	{
		Path: "output.events_kept", Default: "10000", Min: "1", Max: "10000000", applies: where(onlyEvents),
		value:   in(whole, func(s *Scenario) *int { return &s.Output.EventsKept }),
		Meaning: "so many of each kind at each port and of each queue pair, the first; of the others, how many",
	},
	{
		Path: "output.series", Default: "false",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Output.Series }),
		Meaning: "write the table of links, queues and queue pairs over time",
	},
	{
		Path: "output.series_interval", Default: "auto", Word: "auto", Min: "100ns", Max: "1s", applies: where(onlySeries),
		value: in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Output.SeriesInterval }),
		Meaning: "one row in so much time; auto: 1 us, doubled until the run has at most 512 intervals, in large " +
			"networks fewer",
	},
	{
		Path: "output.telemetry", Default: "none", Word: "none", Min: "10us", Max: "1h",
		value: in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Output.Telemetry }),
		Meaning: "write what devices show to those who run them, read once in so much time: counters of ports and NICs, GPUs, " +
			"collectives, steps, lines of logs",
		Also: []string{"counters"},
	},
}

func onlyEvents(s *Scenario) string {
	if !s.Output.Events {
		return "output.events is false"
	}
	return ""
}

func onlySeries(s *Scenario) string {
	if !s.Output.Series {
		return "output.series is false"
	}
	return ""
}

// rowFields: one entry of job.collectives.
var rowFields = []*Field{
	{
		Path: "op", Required: true, Choices: CollectiveOps,
		value:   in(choice, func(c *CollectiveRow) *string { return &c.Op }),
		Meaning: "the collective",
		Also:    []string{"collective", "operation", "name"},
	},
	{
		Path: "bytes", Required: true, Min: "0B", Max: "1TB", example: "bytes such as 64MB",
		value:   in(byteCount, func(c *CollectiveRow) *unit.Bytes { return &c.Bytes }),
		Meaning: "size as nccl-tests counts it: the larger of a rank's input and output; whole float32 numbers",
		Also:    []string{"size", "length"},
	},
	{
		Path: "algorithm", Default: "auto", Choices: RowAlgorithms,
		value:   in(choice, func(c *CollectiveRow) *string { return (*string)(&c.Algorithm) }),
		Meaning: "the schedule of sends, receives and sums",
	},
	{
		Path: "protocol", Default: string(ProtocolSimple), Choices: RowProtocols,
		value:   in(choice, func(c *CollectiveRow) *string { return (*string)(&c.Protocol) }),
		Meaning: "how a receiver tells data from what is not there yet, and what that takes",
		Source:  "NCCL",
	},
	{
		Path: "channels", Default: "auto", Word: "auto", Min: "1", Max: "64",
		value:   in(opt(whole), func(c *CollectiveRow) *Opt[int] { return &c.Channels }),
		Meaning: "side by side, each with its share of the data; channel c uses rail c modulo rails; auto: NICs per host",
		Source:  "NCCL",
	},
	{
		Path: "iterations", Default: "5", Min: "1", Max: "1000",
		value:   in(whole, func(c *CollectiveRow) *int { return &c.Iterations }),
		Meaning: "how often it is run and timed",
		Also:    []string{"iters", "count", "n"},
	},
	{
		Path: "warmup", Default: "1", Min: "0", Max: "1000",
		value:   in(whole, func(c *CollectiveRow) *int { return &c.Warmup }),
		Meaning: "how often it is run before that, not timed",
		Also:    []string{"warmup_iters", "w"},
	},
	{
		Path: "skew", Default: "1", Min: "1", Max: "1000",
		value: in(whole, func(c *CollectiveRow) *int { return &c.Skew }),
		Meaning: "of an all-to-all: how many times as much of what each rank sends goes to rank 0 as to each other; " +
			"1: all the same",
		Also: []string{"imbalance", "hot"},
	},
}

// bucketFields: one entry of job.replay.buckets.
var bucketFields = []*Field{
	{
		Path: "compute", Default: "0s", Min: "0s", Max: "1h",
		value:   in(duration, func(b *ReplayBucket) *unit.Duration { return &b.Compute }),
		Meaning: "how long backward takes until its gradients are there, after those before it",
		Also:    []string{"backward", "duration"},
	},
	{
		Path: "bytes", Required: true, Min: "4B", Max: "1TB", example: "bytes such as 25MB",
		value:   in(byteCount, func(b *ReplayBucket) *unit.Bytes { return &b.Bytes }),
		Meaning: "its size; whole float32 numbers",
		Also:    []string{"size", "length"},
	},
}

// nthFlow is the name of a flow that has none, by its place in its list from 0.
func nthFlow(kind string, i int) string { return kind + strconv.Itoa(i+1) }

// jobName numbers the jobs of a list: jobs[0]. gives job1.
func jobName(_ *decoder, _ any, prefix string) string {
	if i, listed := entryOf(prefix); listed {
		return "job" + strconv.Itoa(i+1)
	}
	return "job"
}

// entryOf returns the last number in brackets of a prefix, if there is one.
func entryOf(prefix string) (int, bool) {
	digits, _, _ := strings.Cut(prefix[strings.LastIndexByte(prefix, '[')+1:], "]")
	i, err := strconv.Atoi(digits)
	return i, err == nil
}
