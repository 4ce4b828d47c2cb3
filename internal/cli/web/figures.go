package web

import (
	"cmp"
	"encoding/json"
	"net/http"

	"railyard/internal/out/chart"
	"railyard/internal/out/chart/svg"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// Widths of a drawing, in pixels.
const narrowest, widest = 200, 4000

// figuresAnswer is what /api/figures answers. Each drawing is of the figure with the same index, as SVG, and has its colours by
// classes, which DarkRules set anew on a dark page.
type figuresAnswer struct {
	Figures  json.RawMessage `json:"figures"`
	Drawings []string        `json:"drawings"` // none, if no width was given
	Dark     string          `json:"dark_rules"`
}

// apiFigures lists figures as values, the JSON of chart.Figure: all of the report, or those of a piece, for which less is read.
func (s *Server) apiFigures(w http.ResponseWriter, r *http.Request, q query) error {
	width, err := q.number("width", 0, 0, widest)
	if err != nil {
		return err
	}
	figures, err := s.figures(r, q.text("run"), report.Piece(q.text("of")))
	if err != nil {
		return err
	}
	a := figuresAnswer{Drawings: []string{}}
	if a.Figures, err = json.Marshal(figures); err != nil {
		return err
	}
	if width > 0 {
		a.Dark = svg.DarkRules()
		for i := range figures {
			a.Drawings = append(a.Drawings, svg.Draw(&figures[i], float64(max(width, narrowest))).String())
		}
	}
	return writeJSON(w, a)
}

func (s *Server) figures(r *http.Request, id string, of report.Piece) (all []chart.Figure, err error) {
	all = []chart.Figure{}
	if of == "" {
		d, free, err := s.whole(r, id)
		if err != nil {
			return nil, err
		}
		defer free()
		return append(all, report.Charts(d)...), nil
	}
	dir, known := s.runs.dir(id)
	if !known {
		return nil, refuse(http.StatusNotFound, "there is no run %q: api/runs lists them", id)
	}
	free, err := place(r.Context(), s.large)
	if err != nil {
		return nil, err
	}
	defer free()
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return nil, err
	}
	figures, err := report.FiguresOf(run, of)
	return append(all, figures...), cmp.Or(err, r.Context().Err())
}
