package workload

import (
	"fmt"
	"slices"
)

// PipelineSchedule is in which order a stage takes its micro-batches forward and backward.
type PipelineSchedule uint8

// The schedules.
const (
	// OneFOneB is PipeDream-flush: each stage runs as many forwards ahead as there are stages after
	// it, then one forward and one backward in turn (Narayanan et al., "Memory-Efficient
	// Pipeline-Parallel DNN Training", ICML 2021, section 3.2).
	OneFOneB PipelineSchedule = iota
	// GPipe is all forwards, then all backwards (Huang et al., NeurIPS 2019, section 2.3).
	GPipe
	// Interleaved is 1F1B over several virtual stages per rank (Narayanan et al., "Efficient
	// Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021, section 2.2).
	Interleaved
	// BookOrder has, of p stages counted from 1, at stage s the forward of micro-batch m in slot
	// m+s-1 and its backward in slot m+2p-1-s, the forward of a slot first (Pasanen, "Deep Learning
	// for Network Engineers", 2025, chapter 8).
	BookOrder
	pipelineSchedules
)

var pipelineNames = [pipelineSchedules]string{"1f1b", "gpipe", "interleaved", "book"}

// String is the name that a scenario uses.
func (s PipelineSchedule) String() string { return pipelineNames[s] }

// PipelineScheduleNamed returns the schedule of a name.
func PipelineScheduleNamed(name string) (PipelineSchedule, bool) {
	i := slices.Index(pipelineNames[:], name)
	return PipelineSchedule(max(i, 0)), i >= 0
}

// Pass is a micro-batch's way through one virtual stage of a stage, forward or backward.
type Pass struct {
	Backward     bool
	Chunk, Micro int // the stage's virtual stage and the micro-batch, from 0
}

// check reports stages, virtual stages of each and micro-batches for which there is no timetable.
func (s PipelineSchedule) check(stages, virtual, micro int) error {
	switch {
	case s >= pipelineSchedules:
		return fmt.Errorf("schedule %d, want one of %v", s, pipelineNames)
	case s != Interleaved && virtual > 1:
		return fmt.Errorf("%d virtual stages with schedule %s, want 1, or interleaved", virtual, s)
	case s == Interleaved && stages < 2:
		return fmt.Errorf("schedule interleaved with %d stage, want at least 2", stages)
	case s == Interleaved && virtual < 2:
		return fmt.Errorf("schedule interleaved with %d virtual stages, want at least 2", virtual)
	case s == Interleaved && micro%stages != 0:
		return fmt.Errorf("schedule interleaved with %d micro-batches, want a multiple of %d stages", micro, stages)
	}
	return nil
}

// Timetable returns what a stage does in a step, in order. Micro-batches go through each run of
// layers in ascending order, forward and backward.
func (s PipelineSchedule) Timetable(stages, virtual, micro, stage int) []Pass {
	switch s {
	case GPipe:
		return inTurn(stages, virtual, micro, micro)
	case Interleaved:
		ahead := 2*(stages-1-stage) + (virtual-1)*stages
		if micro == stages { // as Megatron-LM does
			ahead = micro * virtual
		}
		return inTurn(stages, virtual, micro, ahead)
	case BookOrder:
		return bookOrder(stages, micro, stage)
	}
	return inTurn(stages, virtual, micro, stages-1-stage)
}

// inTurn runs so many forwards ahead, then a forward and a backward in turn, then the backwards that
// are left.
func inTurn(stages, virtual, micro, ahead int) (all []Pass) {
	total := micro * virtual
	ahead = min(ahead, total)
	for k := range total + ahead {
		if k < total {
			all = append(all, nth(stages, virtual, k, false))
		}
		if k >= ahead {
			all = append(all, nth(stages, virtual, k-ahead, true))
		}
	}
	return all
}

// nth is the k-th forward or backward of a stage: as many micro-batches as there are stages go
// through one virtual stage, then through the next.
//
//	forward of 2 stages with 2 runs each   k  0 1 2 3 4 5 6 7
//	                             micro-batch  0 1 0 1 2 3 2 3
//	                                     run  0 0 1 1 0 0 1 1
func nth(stages, virtual, k int, backward bool) Pass {
	if virtual == 1 {
		return Pass{Backward: backward, Micro: k}
	}
	round, in := k/(stages*virtual), k%(stages*virtual)
	p := Pass{Backward: backward, Chunk: in / stages, Micro: round*stages + in%stages}
	if backward {
		p.Chunk = virtual - 1 - p.Chunk
	}
	return p
}

// bookOrder goes through the slots.
func bookOrder(stages, micro, stage int) (all []Pass) {
	for slot := range bookSlots(stages, micro) {
		all = append(all, bookSlot(stages, micro, stage, slot)...)
	}
	return all
}

func bookSlots(stages, micro int) int { return micro + 2*stages - 2 }

// bookSlot is what a stage does in a slot, all from 0.
func bookSlot(stages, micro, stage, slot int) (all []Pass) {
	if m := slot - stage; m >= 0 && m < micro {
		all = append(all, Pass{Micro: m})
	}
	if m := slot - (2*stages - 2 - stage); m >= 0 && m < micro {
		all = append(all, Pass{Backward: true, Micro: m})
	}
	return all
}

// BookBusy returns how many of so many stages do anything in each slot of BookOrder.
func BookBusy(stages, micro int) []int {
	busy := make([]int, bookSlots(stages, micro))
	for slot := range busy {
		for stage := range stages {
			if len(bookSlot(stages, micro, stage, slot)) > 0 {
				busy[slot]++
			}
		}
	}
	return busy
}

// Orders returns the schedules, by their names, in whose timetables stages take these passes.
func Orders(stages, virtual, micro int, taken [][]Pass) (names []string) {
	for s := range pipelineSchedules {
		if s.check(stages, virtual, micro) != nil {
			continue
		}
		same := true
		for stage := range stages {
			same = same && slices.Equal(taken[stage], s.Timetable(stages, virtual, micro, stage))
		}
		if same {
			names = append(names, s.String())
		}
	}
	return names
}

// Bubble returns the share of time in which stages wait, as slots of how many, if all passes take
// equally long and nothing that goes from stage to stage takes time: (p-1)/(m+p-1) of GPipe and 1F1B,
// (p-1)/(vm+p-1) of v virtual stages (Narayanan et al., SC 2021, sections 2.2.1, 2.2.2).
func Bubble(stages, virtual, micro int) (waits, slots int) {
	return stages - 1, virtual*micro + stages - 1
}

// InFlight returns the most micro-batches whose forward through a virtual stage has begun
// and whose backward has not ended.
func InFlight(timetable []Pass, chunk int) int {
	now, most := 0, 0
	for _, p := range timetable {
		switch {
		case p.Chunk != chunk:
		case p.Backward:
			now--
		default:
			now++
			most = max(most, now)
		}
	}
	return most
}
