package sweep

import (
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/out/headline"
	"railyard/internal/out/result"
)

// Refused is the state of a variant that cannot run: its row says why, and has no figures.
const Refused result.State = "refused"

// Row is what one run came to. Times are 0 where there is none.
type Row struct {
	Key   string       `json:"key"` // names the run: see Dir
	Set   []Value      `json:"set,omitempty"`
	Seed  uint64       `json:"seed"`
	State result.State `json:"state"`
	Error string       `json:"error,omitempty"` // why the run failed

	Steps       int64         `json:"steps,omitempty"`        // of a training
	StepTime    unit.Duration `json:"step_time_ps,omitempty"` // virtual time / steps
	StepP99     unit.Duration `json:"step_p99_ps,omitempty"`  // of each step's slowest rank
	MeanFCT     unit.Duration `json:"mean_fct_ps,omitempty"`  // over the messages of the job's own flows
	SlowestFCT  unit.Duration `json:"slowest_fct_ps,omitempty"`
	Unfinished  int           `json:"unfinished_flows,omitempty"`
	VirtualTime unit.Time     `json:"virtual_time_ps"`
	PacketHops  int64         `json:"packet_hops"`
	ECNMarks    int64         `json:"ecn_marks"`
	Pauses      int64         `json:"pauses"`
	Drops       int64         `json:"drops"`
	Retransmits int64         `json:"retransmits"`
	Paused      unit.Duration `json:"paused_ps,omitempty"`      // sum over ports
	QueueDelay  unit.Duration `json:"queue_delay_ps,omitempty"` // of the queue with the longest: see QueueFigures.Delay

	// Of a training: see mfu.Figures.
	MFU     float64       `json:"mfu,omitempty"`
	HFU     float64       `json:"hfu,omitempty"`
	Bubble  float64       `json:"bubble,omitempty"`              // part of the step that stages waited for each other
	Exposed unit.Duration `json:"exposed_ps,omitempty"`          // communication that ranks waited for in a step
	Memory  unit.Bytes    `json:"memory_bytes,omitempty"`        // tensors of the rank that holds most
	Bytes   unit.Bytes    `json:"bytes,omitempty"`               // that ranks send in a step, all together
	Between unit.Bytes    `json:"between_hosts_bytes,omitempty"` // of them, between hosts

	Digest string `json:"digest,omitempty"` // of a row in a file of its own: SHA-256 of all else

	// Figures are all headline figures that are numbers, by headline.Key. The table of a sweep has them in columns.
	Figures map[string]float64 `json:"figures,omitempty"`

	// Cost is no part of what is compared: a second run of the same costs otherwise.
	Cost Cost `json:"-"`
}

// Cost is what a run took of a machine. It is kept with the row, and stands in a table of its own.
type Cost struct {
	Worker  string  `json:"worker,omitempty"`  // who ran it
	Seconds float64 `json:"seconds,omitempty"` // by the clock, planning included
}

// Whole reports whether the run has the figures that it was made for.
func (r *Row) Whole() bool { return r.State == result.Complete && r.Unfinished == 0 }

// fill takes the figures of a run: of several jobs those of the first.
func (r *Row) fill(s *result.Summary) {
	r.State, r.Error, r.Seed = s.State, s.Error, s.Seed
	first := s.First()
	r.Steps, r.StepTime, r.StepP99 = first.Steps, first.StepTime, first.StepP99
	r.VirtualTime, r.PacketHops = s.VirtualTime, s.PacketHops
	r.ECNMarks, r.Pauses, r.Drops, r.Retransmits = s.ECNMarks, s.Pauses, s.Drops, s.Retransmits
	r.MeanFCT, r.SlowestFCT, r.Unfinished = FlowTimes(first, nil)
	if e := first.Efficiency; e != nil {
		r.MFU, r.HFU, r.Memory = e.MFU, e.HFU, e.Memory
		r.Bytes, r.Between = e.Sent()
		if e.Bubble != nil {
			r.Bubble = e.Bubble.Waited
		}
		for _, c := range e.Communication {
			r.Exposed += c.Exposed
		}
	}
	r.Figures = map[string]float64{}
	for _, f := range headline.Of(s) {
		if v := float64(f.Value); !math.IsNaN(v) && !math.IsInf(v, 0) {
			r.Figures[headline.Key(f.Name)] = v
		}
	}
	for i := range s.Pausing {
		r.Paused += s.Pausing[i].Paused
	}
	for i := range s.Queues {
		r.QueueDelay = max(r.QueueDelay, s.Queues[i].Delay())
	}
}

// FlowTimes returns the mean completion time of the messages of the job's own flows, that of the
// flow whose messages take longest, and how many flows did not finish. Flows in but are left out.
func FlowTimes(s *result.Summary, but map[string]bool) (mean, slowest unit.Duration, unfinished int) {
	messages, sum := int64(0), unit.Duration(0)
	for i := range s.Flows {
		f := &s.Flows[i]
		if f.Kind != result.KindJob || but[f.Name] {
			continue
		}
		if f.Status != result.StatusDone {
			unfinished++
			continue
		}
		messages += f.Done
		sum += f.Took() * unit.Duration(f.Done)
		slowest = max(slowest, f.Took())
	}
	if messages > 0 {
		mean = sum / unit.Duration(messages)
	}
	return mean, slowest, unfinished
}
