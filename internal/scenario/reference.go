package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Reference returns docs/scenario.md: every key of a scenario file, from the table.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "| %s | %s |\n", k.Name, cell(k.Meaning))
	}
	b.WriteString(referenceKeys)
	for _, c := range tree.children {
		if c.field.Kind == Group || listings[c.field.Kind] != nil {
			referenceGroup(&b, c)
		}
	}
	b.WriteString("\n## Names\n\nWhat may be written where a key takes a name; `railyard list` prints the same.\n")
	for _, f := range Table() {
		if f.Kind == Name {
			referenceChoices(&b, &f)
		}
	}
	referencePresets(&b)
	return []byte(b.String())
}

const referenceHead = `# The scenario file

<!-- Made from the table of fields in internal/scenario by its test TestReference -update. Do not edit. -->

One YAML file describes a run. The smallest one trains a network on eight GPUs:

` + "```yaml" + `
cluster: {hosts: 2, host: {gpus: 4}}
job: {train: {layers: [784, 128, 10], data: {digits: {dir: data/digits}}, batch: 8, lr: 0.1}}
` + "```" + `

Everything else has a default. ` + "`railyard show scenario FILE`" + ` prints every value with where it comes from, ` + "`railyard check FILE`" + `
says what is wrong or unusual and what a run would cost, and [editors.md](editors.md) says how to get completion.

## Rules

- Units are mandatory: ` + "`speed: 400`" + ` is an error, ` + "`speed: 400Gb/s`" + ` is a value.
- Unknown keys are errors. Nothing is rounded or clamped in silence. All problems are reported at once.
- The value of a field is what the file says, else what the preset of its group says, else its default.
- Accepted is one YAML document of mappings, sequences and scalars. Anchors, aliases, tags, merge keys, block text and tabs are errors.
- Paths are relative to the directory in which railyard is run.
- "assumed" as a source means that no public source states the value: check it against your equipment.

## How values are written

| kind | written as |
|---|---|
`

const referenceKeys = `
## Keys

Top level:

| key | meaning | default | accepts |
|---|---|---|---|
`

// referenceGroup writes a table of one top-level group, under a heading of its own;
// before the first of them stand the keys of the top level.
func referenceGroup(b *strings.Builder, c *branch) {
	if !strings.Contains(b.String(), "\n### ") {
		for _, top := range tree.children {
			if top.field.Kind != Group && listings[top.field.Kind] == nil {
				f := top.field
				fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Path, cell(f.Meaning), code(f.DefaultText(), f.Default != ""), cell(f.Accepts()))
			}
		}
	}
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n| key | meaning | default | accepts | source of the default |\n|---|---|---|---|---|\n", c.name, sentence(c.field.Meaning))
	for _, f := range Table() {
		if !strings.HasPrefix(f.Path, c.name+".") && !strings.HasPrefix(f.Path, c.name+"[]") {
			continue
		}
		if f.Kind == Group {
			fmt.Fprintf(b, "| **`%s`** | *%s* | | | |\n", f.Path, cell(f.Meaning))
			continue
		}
		source := f.Source
		if source == "" && f.Default != "" {
			source = f.sourceless()
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Path, cell(f.Meaning), code(f.DefaultText(), f.Default != ""), cell(f.Accepts()), cell(source))
	}
	if c.name == "faults" {
		b.WriteString("\nA list of mappings. All entries with probabilities share one set of them; links differ.\n")
	}
	if c.name == "background" {
		b.WriteString("\nThe keys of a flow are those of `job.flows[]`.\n")
	}
}

func referenceChoices(b *strings.Builder, f *Field) {
	fmt.Fprintf(b, "\n`%s`:\n\n", f.Path)
	for _, c := range f.Choices {
		mark := ""
		if c.Name == f.Default {
			mark = " (default)"
		}
		fmt.Fprintf(b, "- `%s`%s: %s\n", c.Name, mark, c.Meaning)
	}
}

// referencePresets writes what each preset sets.
func referencePresets(b *strings.Builder) {
	b.WriteString("\n## What presets set\n")
	for _, f := range fields {
		group := presets[f.Path]
		if group == nil {
			continue
		}
		fmt.Fprintf(b, "\n`%s`:\n\n", f.Path)
		for _, c := range f.Choices {
			var set []string
			for path, text := range group[c.Name] {
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

// code marks a value as one.
func code(s string, value bool) string {
	if value {
		return "`" + s + "`"
	}
	return cell(s)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
