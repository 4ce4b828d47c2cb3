package reference

import (
	"strings"

	"railyard/internal/plan/scenario"
)

// Sweep returns docs/sweep-file.md.
func Sweep() []byte {
	var b strings.Builder
	b.WriteString(sweepHead)
	writeRows(&b, scenario.SweepTable())
	b.WriteString("\n## Names\n")
	for _, f := range scenario.SweepTable() {
		if len(f.Choices) > 0 {
			writeChoices(&b, &f)
		}
	}
	return []byte(b.String())
}

const sweepHead = `# The sweep file

<!-- Made from the table of fields in internal/plan/scenario by the test of package reference, -update. Do not edit. -->

What ` + "`railyard sweep`" + ` reads: see [sweeps.md](sweeps.md). The rules are those of a scenario file
([scenario.md](scenario.md)): units are mandatory, unknown keys are errors, all problems are
reported at once. ` + "`railyard schema sweep`" + ` prints its JSON Schema.

## Keys

| key | meaning | default | accepts | source of the default |
|---|---|---|---|---|
`
