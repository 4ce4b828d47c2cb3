package commission

import (
	"bytes"
	"fmt"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Measured is what was measured, by key.
type Measured map[string]Value

// Read reads lines of a key and its value. The error is located.Problems: keys that no check has,
// values without the right unit, keys said twice, no value at all.
func Read(file string, text []byte, checks []Check) (Measured, error) {
	m, byKey := Measured{}, make(map[string]*Check, len(checks))
	for i := range checks {
		byKey[checks[i].Key] = &checks[i]
	}
	if err := located.LongLine(file, text); err != nil {
		return nil, err
	}
	var wrong located.Problems
	known := false // some line begins with a key
	text = bytes.TrimPrefix(text, located.BOM)
	for n := 1; len(text) > 0 && !wrong.Full(); n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		words := located.AppendWords(nil, string(line))
		if len(words) == 0 || strings.HasPrefix(words[0].Text, "#") {
			continue
		}
		at, why := words[0], ""
		c := byKey[words[0].Text]
		known = known || c != nil
		switch {
		case c == nil:
			why = located.Shown(words[0].Text) + ": no check has this key" + nearest(words[0].Text, checks)
		case len(words) != 2:
			why = fmt.Sprintf("%s: %s, want one such as %s", c.Key, unit.CountOf(int64(len(words)-1), "value"), c.Expect)
		default:
			at = words[1]
			v, err := c.Expect.Kind.parse(words[1].Text)
			switch _, twice := m[c.Key]; {
			case err != nil:
				why = located.Bare(words[1].Text, err).Error()
			case twice:
				at, why = words[0], c.Key+": a second time"
			default:
				m[c.Key] = v
			}
		}
		if why != "" {
			wrong = append(wrong, located.Problem{File: file, Line: n, Column: at.Column, Width: at.Width(), Message: why})
		}
	}
	empty := len(m) == 0 && len(wrong) == 0
	if empty {
		wrong = located.Problems{{File: file, Line: 1, Column: 1, Width: 1, Message: "no value" + nearest("", checks)}}
	}
	if !known && len(wrong) > 0 && !empty {
		// Likely another file: none of its words is shown.
		wrong = located.Problems{{File: file, Message: "no key of a check" + nearest("", checks)}}
	}
	return m, wrong.Err()
}

// nearest names the key of the same group that begins most alike, or the first that is of no single port.
func nearest(key string, checks []Check) string {
	group, _, _ := strings.Cut(key, ".")
	best, most := "", -1
	for i := range checks {
		k := checks[i].Key
		if g, _, _ := strings.Cut(k, "."); g != group {
			continue
		}
		same := 0
		for same < min(len(k), len(key)) && k[same] == key[same] {
			same++
		}
		if same > most {
			best, most = k, same
		}
	}
	if best != "" {
		return ", want one such as " + best
	}
	for i := range checks {
		if checks[i].port == nil {
			return ", want one such as " + checks[i].Key
		}
	}
	return ""
}

// State is what became of a check.
type State string

// The states.
const (
	Passed   State = "passed"
	Deviates State = "deviates"
	Missing  State = "not measured"
)

// A Verdict is a check with what was measured.
type Verdict struct {
	Check    *Check
	Measured *Value // nil: it was not
	State    State
}

// Judge holds what was measured against the checks; first is the first that deviates, -1: none.
func Judge(checks []Check, m Measured) (all []Verdict, first int) {
	first = -1
	for i := range checks {
		c := &checks[i]
		v := Verdict{Check: c, State: Missing}
		if got, known := m[c.Key]; known {
			v.Measured, v.State = &got, Passed
			if !c.accepts(got) {
				v.State = Deviates
				if first < 0 {
					first = i
				}
			}
		}
		all = append(all, v)
	}
	return all, first
}

// Layer is where the first deviation likely lies. One rail that is slow is that rail; all of them alike are the hosts.
func Layer(all []Verdict, first int) string {
	c := all[first].Check
	if c.port != nil {
		return suspect(all, &all[first])
	}
	if c.Stage != Write {
		return c.Layer
	}
	slow, measured := 0, 0
	for _, v := range all {
		if v.Check.Stage == Write && v.State != Missing {
			measured++
			if v.State == Deviates {
				slow++
			}
		}
	}
	if slow == measured && slow > 1 {
		return wholeHost
	}
	return c.Layer
}
