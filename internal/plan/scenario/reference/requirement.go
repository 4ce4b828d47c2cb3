package reference

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/plan/scenario"
)

// Requirement returns docs/requirement.md.
func Requirement() []byte {
	var b strings.Builder
	b.WriteString(requirementHead)
	writeRows(&b, scenario.RequirementTable())
	b.WriteString("\n## Names\n")
	for _, f := range scenario.RequirementTable() {
		if len(f.Choices) > 0 && f.Path != "host.preset" {
			writeChoices(&b, &f)
		}
	}
	writeCatalogue(&b)
	return []byte(b.String())
}

// writeRows writes the rows of a table of fields.
func writeRows(b *strings.Builder, table []scenario.Field) {
	for _, f := range table {
		if f.Kind == scenario.Group {
			fmt.Fprintf(b, "| **`%s`** | *%s* | | | |\n", f.Path, cell(f.Meaning))
			continue
		}
		source := f.Source
		if source == "" && f.Default != "" && f.Default != f.Word {
			source = f.DefaultSource()
		}
		row(b, "`"+f.Path+"`", cell(f.Meaning), defaultCell(&f), cell(f.Accepts()), cell(source))
	}
}

const requirementHead = `# The requirement file

<!-- Made from the table of fields in internal/plan/scenario by the test of package reference, -update. Do not edit. -->

What ` + "`railyard design`" + ` reads: see [design.md](design.md). The rules are those of a scenario file
([scenario.md](scenario.md)): units are mandatory, unknown keys are errors, all problems are
reported at once. ` + "`railyard schema requirement`" + ` prints its JSON Schema.

## Keys

| key | meaning | default | accepts | source of the default |
|---|---|---|---|---|
`

// writeCatalogue writes what is known of equipment.
func writeCatalogue(b *strings.Builder) {
	b.WriteString("\n## Switches of the catalogue\n\n`models` adds others, or takes the place of one of the same name.\n\n")
	row(b, "model", "what it is", "ports", "split into", "for uplinks alone", "buffer", "power", "typical", "height",
		"source")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	known := func(is bool, text string) string {
		if !is {
			return "unknown"
		}
		return text
	}
	for _, s := range catalogue.Switches {
		uplinks := "-"
		if s.Uplinks > 0 {
			uplinks = fmt.Sprintf("%d x %v", s.Uplinks, s.UplinkRate)
		}
		row(b, "`"+s.Name+"`", s.About, fmt.Sprintf("%d x %v", s.Ports, s.Rate),
			known(s.Breakout > 0, strconv.Itoa(s.Breakout)), uplinks, known(s.Buffer > 0, s.Buffer.String()),
			known(s.Power > 0, s.Power.String()), known(s.Typical > 0, s.Typical.String()),
			known(s.Height > 0, scenario.RackUnit(s.Height).String()), cell(s.Source))
	}
	b.WriteString("\nA port of which it is not known into how many it may be split is not split.\n\n## Cables of the catalogue\n\n" +
		"The first one that carries the rate so far is taken.\n\n")
	row(b, "medium", "rates", "reach", "transceivers", "power at a switch", "power at a NIC", "source")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	watts := func(p unit.Power) string { return known(p > 0, p.String()) }
	for _, m := range catalogue.Media {
		optics := "no"
		if m.Optics {
			optics = "yes"
		}
		from := "up to"
		if m.Least > unit.GigabitPerSec+1 {
			from = m.Least.String() + " to"
		} else if m.Least > 0 {
			from = "above 1Gb/s, below"
		}
		most := m.Most
		if m.Most%unit.GigabitPerSec != 0 {
			most++
		}
		row(b, m.Name, from+" "+most.String(), m.Reach.String(), optics, watts(m.SwitchEnd), watts(m.NICEnd), cell(m.Source))
	}
}
