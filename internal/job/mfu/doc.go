// Package mfu says how well a step uses the arithmetic of its GPUs, and where its time goes.
//
//	FLOP of the model ----> MFU = FLOP / (step time x GPUs x peak)
//	FLOP that ranks run --> HFU, likewise
//	times of ranks -------> waterfall: bars that sum to the step time, to the picosecond
//
// MFU (model FLOPs utilisation) counts what the model's step needs, matrix products alone. HFU (hardware FLOPs
// utilisation) counts what ranks compute of them: recomputation, and what several ranks do alike (Chowdhery et al., "PaLM",
// arXiv 2204.02311, appendix B; Korthikanti et al., arXiv 2205.05198, section 6.1). Dense: a map of attention is counted
// whole, also where a mask hides half of it, as both papers do. Causal: half of it, as tables of Llama training count.
//
// Bars are means over ranks and steps: computing at the peak, what computing takes beyond that, and every instant in
// which a rank does not compute, by what it waits for. So the bars of products at the peak are HFU x the step time.
//
// Not here: what an operation computes (workload), when ranks wait (exec, record), and how it is shown (headline, report).
//
// Invariants:
//   - bars sum to the step time;
//   - a figure follows from values alone: those of a plan or of a run, whatever the kind of job.
package mfu
