package report

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// whatIfTable is what reruns with one thing changed came to, where `railyard whatif` has made them.
func whatIfTable(d *Data) Table {
	t := Table{Name: "whatif", Title: "What if: reruns with one thing changed", File: "whatif.json", Columns: []Column{
		{"change", Words}, {"attributed", chart.Time}, {"time", chart.Time}, {"saves", chart.Time}, {"of the time", chart.Fraction},
		{"keys", Words}}}
	if d.WhatIf == nil {
		return t
	}
	for i := range d.WhatIf.Changes {
		c := &d.WhatIf.Changes[i]
		name := c.Name
		if n := len(c.Seeds); n > 0 {
			name += ", mean of " + unit.CountOf(int64(n), "seed")
		}
		var attributed, took, saves, part Cell = "", "", "", ""
		if c.Attributed != nil {
			attributed = number(*c.Attributed)
		}
		switch worth, known := c.Worth(); {
		case known:
			took, saves, part = number(c.Held()-worth), number(worth), number(c.WorthPart())
		case c.Brings != "" && c.Time != nil:
			took, saves = number(*c.Time), c.Brings
		default:
			took = c.Why
		}
		t.Rows = append(t.Rows, []Cell{name, attributed, took, saves, part, setText(c.Set)})
	}
	if n := len(d.WhatIf.Untried); n > 0 {
		t.Left = unit.CountOf(int64(n), "change") + " that would have taken too many packet-hops (railyard whatif --full runs all)"
	}
	return t
}

// mostSet is how many keys of a change are shown.
const mostSet = 3

// setText is what a change sets.
func setText(all []result.WhatIfValue) string {
	var parts []string
	for _, v := range all[:min(len(all), mostSet)] {
		if v.Gone {
			parts = append(parts, "without "+v.Path)
			continue
		}
		parts = append(parts, v.Path+"="+v.Value)
	}
	if more := len(all) - mostSet; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}
