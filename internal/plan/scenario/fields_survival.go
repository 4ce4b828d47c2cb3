package scenario

import "railyard/internal/base/unit"

// onlySaved says that a field belongs to jobs that keep checkpoints.
func onlySaved(j *Job) string {
	if why := onlyLives(j); why != "" {
		return why
	}
	if !j.Survival.Saves() {
		return j.Path() + ".checkpoint.steps and " + j.Path() + ".checkpoint.interval are none"
	}
	return ""
}

// onlyRestarted says that a field belongs to jobs that start again.
func onlyRestarted(j *Job) string {
	if why := onlyLives(j); why != "" {
		return why
	}
	if !j.Survival.Restart.Set {
		return j.Path() + ".restart is none"
	}
	return ""
}

// onlySpared says that a field belongs to jobs that start again on hosts that a rule finds.
func onlySpared(j *Job) string {
	if why := onlyRestarted(j); why != "" {
		return why
	}
	return onlyRules(j)
}

// survivalFields: what ends a job before its time, and how it goes on.
var survivalFields = []*Field{
	{
		Path: "watchdog", Default: "10min", Word: "none", Min: "1us", Max: "24h", applies: where(onlyRanks),
		value: in(opt(duration), func(j *Job) *Opt[unit.Duration] { return &j.Watchdog }),
		Meaning: "a job is aborted when one of its ranks has been in a collective for so long; none: it hangs, if nothing else " +
			"ends it",
		Source: "PyTorch, ProcessGroupNCCL: kProcessGroupNCCLDefaultTimeout",
		Also:   []string{"nccl_timeout", "collective_timeout", "timeout"},
	},
	{Path: "checkpoint", Meaning: "what the job writes now and then, to go on from after an abort; its ranks stand still meanwhile"},
	{
		Path: "checkpoint.steps", Default: "none", Word: "none", Min: "1", Max: "1000000000", applies: where(onlyLives),
		value:   in(opt(whole), func(j *Job) *Opt[int] { return &j.Survival.Steps }),
		Meaning: "after each so many steps; none: see interval",
		Also:    []string{"every", "save_steps"},
	},
	{
		Path: "checkpoint.interval", Default: "none", Word: "none", Min: "1us", Max: "24h", applies: where(onlyLives),
		value: in(opt(duration), func(j *Job) *Opt[unit.Duration] { return &j.Survival.Interval }),
		Meaning: "when so much time has passed since the last one, or since the start: after the step that the foremost rank is " +
			"in then; none: see steps",
	},
	{
		Path: "checkpoint.storage", Default: "unlimited", Word: "unlimited", Min: "1MB/s", Max: "1000TB/s", applies: where(onlySaved),
		value:   in(opt(byteRate), func(j *Job) *Opt[unit.Bitrate] { return &j.Survival.Storage }),
		Meaning: "what the storage takes from all ranks together; unlimited: writing takes no time",
		Also:    []string{"bandwidth"},
	},
	{
		Path: "checkpoint.bytes", Default: "auto", Word: "auto", Min: "1B", Max: "1000TB", applies: where(onlySaved),
		value: in(opt(byteCount), func(j *Job) *Opt[unit.Bytes] { return &j.Survival.Bytes }),
		Meaning: "of one checkpoint; auto: the weights and what the optimiser keeps beside them, each once, as float32; of a " +
			"replay as much as its buckets",
		Also: []string{"size"},
	},
	{
		Path: "restart", Default: "none", Word: "none", Min: "0s", Max: "24h", applies: where(onlyLives),
		value: in(opt(duration), func(j *Job) *Opt[unit.Duration] { return &j.Survival.Restart }),
		Meaning: "from an abort until the job's ranks start again, from its last checkpoint: finding it out, hosts, processes, " +
			"reading; none: the job ends",
	},
	{
		Path: "restarts", Default: "3", Min: "1", Max: "1000000", applies: where(onlyRestarted),
		value:   in(whole, func(j *Job) *int { return &j.Survival.Restarts }),
		Meaning: "how often it starts again at the most",
		Source:  "PyTorch, torch.distributed.launcher: max_restarts of LaunchConfig",
		Also:    []string{"max_restarts"},
	},
	{
		Path: "spares", Default: "0", Min: "0", Max: "32768", applies: where(onlySpared),
		value: in(whole, func(j *Job) *int { return &j.Survival.Spares }),
		Meaning: "how many of the job's hosts, the last, stand by: at a restart each takes the place of one that is down, hangs or " +
			"cannot be reached",
		Also: []string{"spare_hosts"},
	},
}
