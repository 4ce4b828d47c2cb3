package web

import (
	"net/http"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// mostOutcome is how many flows, and how many links, an outcome lists.
const mostOutcome = 5_000

// outcome is what became of flows, and what links carried over the whole run.
type outcome struct {
	State   result.State         `json:"state"`
	Seed    uint64               `json:"seed"`
	End     unit.Time            `json:"end_ps"`
	Flows   []result.FlowFigures `json:"flows"`
	Links   []outcomeLink        `json:"links"`
	More    bool                 `json:"more"` // flows or links, of which the first are listed
	Marks   int64                `json:"ecn_marks"`
	Drops   int64                `json:"drops"`
	Resent  int64                `json:"retransmits"`
	Hops    int64                `json:"packet_hops"`
	Notes   []string             `json:"notes"`
	WallSec float64              `json:"wall_seconds"`
}

type outcomeLink struct {
	Port  string       `json:"port"`
	From  string       `json:"from"`
	To    string       `json:"to"`
	Rate  unit.Bitrate `json:"rate_bps"`
	Bytes int64        `json:"data_bytes"`
}

// apiOutcome reads run.json and links.parquet of a run that has ended.
func (s *Server) apiOutcome(w http.ResponseWriter, r *http.Request, q query) error {
	dir, known := s.runs.dir(q.text("run"))
	if !known {
		return refuse(http.StatusNotFound, "there is no run %q: api/runs lists them", q.text("run"))
	}
	free, err := place(r.Context(), s.work)
	if err != nil {
		return err
	}
	defer free()
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return err
	}
	sum := run.Summary
	a := outcome{State: sum.State, Seed: sum.Seed, End: sum.VirtualTime, Flows: append([]result.FlowFigures{}, sum.Flows...),
		Links: []outcomeLink{}, Marks: sum.ECNMarks, Drops: sum.Drops, Resent: sum.Retransmits, Hops: sum.PacketHops,
		Notes: append([]string{}, sum.Notes...), WallSec: sum.WallSeconds}
	if a.More = len(a.Flows) > mostOutcome; a.More {
		a.Flows = a.Flows[:mostOutcome]
	}
	for l, err := range run.Links() {
		if err != nil {
			return err
		}
		if len(a.Links) == mostOutcome {
			a.More = true
			break
		}
		a.Links = append(a.Links, outcomeLink{l.Port, l.From, l.To, l.Rate, int64(l.DataBytes)})
	}
	return writeJSON(w, a)
}
