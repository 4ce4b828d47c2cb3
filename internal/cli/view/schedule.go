package view

import (
	"errors"

	"railyard/internal/job/coll"
	"railyard/internal/plan/plan"
)

// ScheduleOf returns the schedule of a job, or why it has none.
func ScheduleOf(j *plan.Job) (coll.Schedule, error) {
	switch {
	case j.Work == nil:
		return nil, ErrNoRanks
	case len(j.Rows) > 0:
		s := j.Work.Collectives[j.Rows[0].First].Schedule
		for i := range j.Rows {
			if j.Work.Collectives[j.Rows[i].First].Schedule != s {
				return nil, errors.New("the rows of job.collectives have several schedules: leave in one algorithm, cut one way, " +
					"with one number of channels")
			}
		}
		return s, nil
	case j.Schedule == nil && j.Ranks() > 1:
		return nil, errors.New("ranks hold parts of the model: each group has a schedule of its own: " +
			"railyard show groups says what it sends")
	case j.Schedule == nil:
		return nil, errors.New("one rank: it sums nothing with anybody, so there is no schedule")
	}
	return j.Schedule, nil
}

// A programJSON is what one rank does in one channel.
type programJSON struct {
	Rank    int      `json:"rank"`
	Channel int      `json:"channel"`
	Ops     []opJSON `json:"ops"`
}

// An opJSON is one op; fields that an op does not have are absent.
type opJSON struct {
	Kind   string `json:"kind"`
	Buffer string `json:"buffer,omitempty"` // of a send: input, if that is what it reads
	Chunk  int32  `json:"chunk"`
	Source *int32 `json:"source,omitempty"` // of a keep: chunk of the input
	Peer   *int32 `json:"peer,omitempty"`
	Slot   *int32 `json:"slot,omitempty"`
	After  *int32 `json:"after,omitempty"`
	Acked  *int32 `json:"acked,omitempty"`
	Window int32  `json:"window,omitempty"`
	Frees  bool   `json:"frees,omitempty"`
}

func opData(op coll.Op) opJSON {
	there := func(v int32) *int32 {
		if v < 0 {
			return nil
		}
		return &v
	}
	o := opJSON{Kind: op.Kind.String(), Chunk: op.Chunk, Peer: there(op.Peer), Slot: there(op.Slot),
		After: there(op.After), Acked: there(op.Acked), Window: op.Window, Frees: op.Frees}
	if op.Buffer != coll.Out {
		o.Buffer = op.Buffer.String()
	}
	if op.Kind == coll.Keep {
		o.Source = &op.Source
	}
	return o
}

// ScheduleData is who sends what to whom in a collective as data.
func ScheduleData(_ *plan.Plan, j *plan.Job) (any, error) {
	s, err := ScheduleOf(j)
	if err != nil {
		return nil, err
	}
	out := struct {
		Name       string        `json:"name"`
		Ranks      int           `json:"ranks"`
		Channels   int           `json:"channels"`
		Chunks     int           `json:"chunks"`
		Slots      int           `json:"slots"`
		Inputs     int           `json:"inputs,omitempty"`      // chunks of the input, per channel
		Slices     int           `json:"slices"`                // chunks in a row that are one part
		SwitchAdds bool          `json:"switch_adds,omitempty"` // a switch adds up and copies messages
		Programs   []programJSON `json:"programs"`
	}{s.Name(), s.Ranks(), s.Channels(), s.Chunks(), s.Slots(), coll.Inputs(s), coll.Slices(s), coll.SwitchAdds(s), nil}
	for r := range s.Ranks() {
		for c := range s.Channels() {
			prog := programJSON{r, c, []opJSON{}}
			for i := range s.Len(r, c) {
				prog.Ops = append(prog.Ops, opData(s.Op(r, c, i)))
			}
			out.Programs = append(out.Programs, prog)
		}
	}
	return out, nil
}
