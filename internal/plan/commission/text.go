package commission

import (
	"fmt"
	"io"
	"strings"

	"railyard/internal/base/sheet"
)

// WriteTemplate writes a file of measured values, with those that are expected; of single ports where that is asked for.
func WriteTemplate(w io.Writer, checks []Check, ports bool) error {
	var b strings.Builder
	var last Stage
	for i := range checks {
		c := &checks[i]
		if c.port != nil && !ports {
			continue
		}
		if c.Stage != last {
			fmt.Fprintf(&b, "# %s\n", c.Stage)
			last = c.Stage
		}
		fmt.Fprintf(&b, "%s %s\n", c.Key, c.Expect)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Print lists checks stage by stage; measured: with what was measured. Of all those that are listed may be fewer (Fewer).
func Print(s *sheet.Sheet, all []Verdict, first int, listed []Verdict, measured bool) {
	if !measured {
		s.Wrap("", "What to check, in this order; stop at the first that deviates.")
	} else {
		s.Wrap("", sentence(all, first))
	}
	all = listed
	for i := 0; i < len(all); {
		stage, notes := all[i].Check.Stage, []string{}
		ports := [][]string{{"port", "expected", "measured"}}
		head := []string{"check", "expected", "accepted", "by"}
		if measured {
			head = []string{"check", "expected", "accepted", "measured", "by"}
		}
		rows := [][]string{head}
		for ; i < len(all) && all[i].Check.Stage == stage; i++ {
			v := &all[i]
			c := v.Check
			if c.port != nil {
				ports = append(ports, []string{c.Key, c.Expect.Short(), v.shown()})
				continue
			}
			row := []string{c.Key, c.Expect.Short(), c.Accepted()}
			if measured {
				row = append(row, v.shown())
			}
			rows = append(rows, append(row, string(c.Source)))
			if n := len(notes); c.Note != "" && stage != Collectives && (n == 0 || notes[n-1] != c.Note) {
				notes = append(notes, c.Note)
			}
		}
		s.Title(string(stage))
		s.Grid(map[bool]string{false: "lrlw", true: "lrllw"}[measured], rows)
		if len(ports) > 1 {
			s.Grid("llw", ports)
		}
		for _, n := range notes {
			s.Wrap("  ", n)
		}
	}
}

// shown is what was measured, marked if it deviates.
func (v *Verdict) shown() string {
	switch v.State {
	case Missing:
		return "-"
	case Deviates:
		return v.Measured.Short() + " !"
	}
	return v.Measured.Short()
}

// sentence is the answer: the first deviation, or that there is none.
func sentence(all []Verdict, first int) string {
	missing, ports := 0, 0
	counted := Fewer(all)
	for _, v := range counted {
		if v.State == Missing {
			missing++
		}
		if v.Check.port != nil && v.State == Deviates {
			ports++
		}
	}
	if first < 0 {
		return fmt.Sprintf("Nothing deviates: %d of %d checks were measured.", len(counted)-missing, len(counted))
	}
	v := &all[first]
	text := fmt.Sprintf("First deviation: %s (%s) is %s, accepted is %s. Likely layer: %s.", v.Check.Key, v.Check.What,
		v.Measured.Short(), v.Check.Accepted(), Layer(all, first))
	switch {
	case v.Check.port != nil && ports > 1:
		text += fmt.Sprintf(" In all %d values of single ports deviate.", ports)
	case v.Check.port == nil && (v.Check.Layer == cables || v.Check.Key == "bgp.sessions") && ports == 0:
		text += " Which cable it is the values of single ports say: --ports lists them."
	}
	for _, before := range Fewer(all[:first]) {
		if before.State == Missing {
			return text + " Checks before it were not measured: it may rest on one of them."
		}
	}
	return text
}

// A checkJSON is a check as data. Numbers are in the unit of the value's text: counts, bits per
// second, picoseconds, parts per million.
type checkJSON struct {
	Key      string  `json:"key"`
	Stage    Stage   `json:"stage"`
	What     string  `json:"what"`
	Expected string  `json:"expected"`
	Number   int64   `json:"expected_number"`
	Low      *int64  `json:"least_accepted,omitempty"`
	High     *int64  `json:"most_accepted,omitempty"`
	Source   Source  `json:"by"`
	Note     string  `json:"note,omitempty"`
	Measured *string `json:"measured,omitempty"`
	State    State   `json:"state"`
	Layer    string  `json:"likely_layer,omitempty"` // of a deviation
}

// Data is the checks as data, those that are listed.
func Data(all []Verdict, first int, listed []Verdict) any {
	out := struct {
		First  string      `json:"first_deviation,omitempty"`
		Layer  string      `json:"likely_layer,omitempty"`
		Checks []checkJSON `json:"checks"`
	}{Checks: []checkJSON{}}
	if first >= 0 {
		out.First, out.Layer = all[first].Check.Key, Layer(all, first)
	}
	for _, v := range listed {
		c := v.Check
		j := checkJSON{c.Key, c.Stage, c.What, c.Expect.String(), c.Expect.N, c.Low, c.High, c.Source, c.Note, nil, v.State, ""}
		if v.Measured != nil {
			text := v.Measured.String()
			j.Measured = &text
		}
		if v.State == Deviates {
			j.Layer = c.Layer
		}
		out.Checks = append(out.Checks, j)
	}
	return out
}
