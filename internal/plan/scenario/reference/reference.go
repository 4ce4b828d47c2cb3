package reference

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/plan/scenario"
)

// Markdown returns docs/scenario.md.
func Markdown() []byte {
	var b strings.Builder
	b.WriteString(head)
	for _, k := range scenario.Kinds() {
		fmt.Fprintf(&b, "| %s | %s |\n", k.Name, cell(k.Meaning))
	}
	b.WriteString(keysHead)
	for _, c := range scenario.Keys().Keys {
		if c.Field.Kind == scenario.Group || c.Field.List() != nil {
			writeGroup(&b, c)
		}
	}
	b.WriteString("\n## Names\n\nWhat may be written where a key takes a name; `railyard list` prints the same.\n")
	for _, f := range scenario.Table() {
		if len(f.Choices) > 0 {
			writeChoices(&b, &f)
		}
	}
	writePresets(&b)
	return []byte(b.String())
}

const head = `# The scenario file

<!-- Made from the table of fields in internal/plan/scenario by the test of package reference, -update. Do not edit. -->

One YAML file describes a run. The smallest one trains a network on eight GPUs:

` + "```yaml" + `
cluster: {hosts: 2, host: {gpus: 4}}
job: {train: {layers: [784, 128, 10], data: {digits: {dir: data/digits}}, batch: 8, lr: 0.1}}
` + "```" + `

Everything else has a default. ` + "`railyard show scenario FILE`" + ` prints every value with where it comes from,
` + "`railyard check FILE`" + ` says what is wrong or unusual and what a run would cost, and [editors.md](editors.md)
says how to get completion.

## Rules

- Units are mandatory: ` + "`speed: 400`" + ` is an error, ` + "`speed: 400Gb/s`" + ` is a value.
- Unknown keys are errors. Nothing is rounded or clamped in silence. All problems are reported at once.
- The value of a field is what the file says, else what the preset of its group says, else its default.
- Accepted is one YAML document of mappings, sequences and scalars. Anchors, aliases, tags, merge keys, block text
  and tabs are errors.
- Paths are relative to the directory in which railyard is run.
- "assumed" as a source means that no public source states the value: check it against your equipment.

## How values are written

| kind | written as |
|---|---|
`

const keysHead = `
## Keys

Top level:

| key | meaning | default | accepts |
|---|---|---|---|
`

// writeGroup writes a table of one top-level group, under a heading of its own;
// before the first of them stand the keys of the top level.
func writeGroup(b *strings.Builder, c *scenario.Key) {
	if !strings.Contains(b.String(), "\n### ") {
		for _, top := range scenario.Keys().Keys {
			if top.Field.Kind != scenario.Group && top.Field.List() == nil {
				f := top.Field
				row(b, "`"+f.Path+"`", cell(f.Meaning), defaultCell(f), cell(f.Accepts()))
			}
		}
	}
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n", c.Name, sentence(c.Field.Meaning))
	if c.Name == "jobs" {
		b.WriteString("A list of mappings. The keys of an entry are those of `job`.\n")
		return
	}
	row(b, "key", "meaning", "default", "accepts", "source of the default")
	b.WriteString("|---|---|---|---|---|\n")
	for _, f := range scenario.Table() {
		if !strings.HasPrefix(f.Path, c.Name+".") && !strings.HasPrefix(f.Path, c.Name+"[]") {
			continue
		}
		if f.Kind == scenario.Group {
			fmt.Fprintf(b, "| **`%s`** | *%s* | | | |\n", f.Path, cell(f.Meaning))
			continue
		}
		source := f.Source
		if source == "" && f.Default != "" {
			source = f.DefaultSource()
		}
		row(b, "`"+f.Path+"`", cell(f.Meaning), defaultCell(&f), cell(f.Accepts()), cell(source))
	}
	if c.Name == "faults" {
		b.WriteString("\nA list of mappings. A link has the probabilities of the last entry that names it and gives any.\n")
	}
	if c.Name == "job" {
		b.WriteString("\nOne entry of `flows` may make many: patterns, sizes, arrivals at a load: [flows.md](flows.md).\n")
	}
	if c.Name == "background" {
		b.WriteString("\nThe keys of a flow are those of `job.flows[]`.\n")
	}
}

func writeChoices(b *strings.Builder, f *scenario.Field) {
	fmt.Fprintf(b, "\n`%s`:\n\n", f.Path)
	for _, c := range f.Choices {
		mark := ""
		if c.Name == f.Default {
			mark = " (default)"
		}
		fmt.Fprintf(b, "- `%s`%s: %s\n", c.Name, mark, c.Meaning)
	}
}

// writePresets writes what each preset sets.
func writePresets(b *strings.Builder) {
	b.WriteString("\n## What presets set\n")
	for _, f := range scenario.Table() {
		presets := f.Presets()
		if presets == nil {
			continue
		}
		fmt.Fprintf(b, "\n`%s`:\n\n", f.Path)
		for _, c := range f.Choices {
			var set []string
			for path, text := range presets[c.Name] {
				set = append(set, fmt.Sprintf("`%s: %s`", path, text))
			}
			slices.Sort(set)
			if len(set) == 0 {
				set = []string{"the defaults"}
			}
			fmt.Fprintf(b, "- `%s`: %s\n", c.Name, strings.Join(set, ", "))
		}
	}
}

// cell makes text fit a cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// defaultCell is the default as a value, or the rule that finds it in words.
func defaultCell(f *scenario.Field) string {
	if f.Default != "" {
		return "`" + f.Default + "`"
	}
	return cell(f.DefaultText())
}

// row writes a row of a Markdown table.
func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
