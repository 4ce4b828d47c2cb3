package reference

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

// pages are what is written, by name.
func pages() map[string]string {
	return map[string]string{"scenario": string(Markdown()), "requirement": string(Requirement()), "sweep": string(Sweep())}
}

// Each row of a table has the cells of its head: a | that is not escaped would be another cell, and what follows would be cut.
func TestRowsFitTheirTables(t *testing.T) {
	for name, page := range pages() {
		if rows, wrong := misfits(page); rows < 20 || len(wrong) > 0 {
			t.Errorf("%s: %d rows, and these have other cells than their heads:\n%s", name, rows, strings.Join(wrong, "\n"))
		}
	}
	if rows, wrong := misfits("| a | b |\n|---|---|\n| 1\\|2 | 3 |\n| 1|2 | 3 |\n\n| c |\n|---|\n| 4 | 5 |\n"); rows != 3 ||
		!slices.Equal(wrong, []string{"| 1|2 | 3 |", "| 4 | 5 |"}) {
		t.Errorf("of three rows, two broken, found %d, %q", rows, wrong)
	}
}

// misfits counts the rows of tables, below their heads, and returns those that do not fit.
func misfits(page string) (rows int, wrong []string) {
	cells := func(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") }
	head := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !strings.HasPrefix(line, "|"):
			head = ""
		case head == "":
			head = line
		case strings.HasPrefix(line, "|---") && cells(line) == cells(head):
		default:
			if rows++; cells(line) != cells(head) {
				wrong = append(wrong, line)
			}
		}
	}
	return rows, wrong
}

// No heading is there twice: what links to the second one would lead to the first.
func TestHeadingsAreUnique(t *testing.T) {
	for name, page := range pages() {
		seen := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s: %q is there twice", name, m[1])
			}
			seen[m[1]] = true
		}
	}
}

// The rules at the page's head are the decoder's: one that it gave up, or that the page says wrongly, is noticed here.
func TestRules(t *testing.T) {
	const rest = "\njob: {collectives: [{op: all-reduce, bytes: 1MB}]}\n"
	for _, c := range []struct{ rule, src, want string }{
		{"`speed: 400` is an error", "cluster: {hosts: 2, nic: {speed: 400}}", "no unit"},
		{"`speed: 400Gb/s` is a value", "cluster: {hosts: 2, nic: {speed: 400Gb/s}}", ""},
		{"Unknown keys are errors", "cluster: {hosts: 2, hots: 3}", "unknown key"},
		{"Nothing is rounded", "cluster: {hosts: 2.0}", "not plain digits"},
		{"or clamped in silence", "cluster: {hosts: 131073}", "too large"},
		{"All problems are reported at once", "seed: -1\ncluster: {hosts: 0}", "cluster.hosts: 0"},
		{"All problems are reported at once", "seed: -1\ncluster: {hosts: 0}", "seed: -1"},
		{"one YAML document", "cluster: {hosts: 2}\n---", "second document"},
		{"Anchors", "cluster: &a {hosts: 2}", "not accepted"},
		{"aliases", "cluster: {hosts: *a}", "not accepted"},
		{"tags", "cluster: {hosts: !!int 2}", "not accepted"},
		{"merge keys", "cluster: {hosts: 2, <<: {hosts: 3}}", "not accepted"},
		{"block text", "name: |\n  a\ncluster: {hosts: 2}", "not accepted"},
		{"and tabs are errors", "cluster:\n\thosts: 2", "tab"},
	} {
		_, rules, _ := strings.Cut(string(Markdown()), "\n## Rules\n")
		rules, _, _ = strings.Cut(rules, "\n## ")
		if !strings.Contains(strings.ReplaceAll(rules, "\n  ", " "), c.rule) {
			t.Errorf("the rules do not say %q", c.rule)
		}
		_, err := scenario.Parse("x.yaml", []byte(c.src+rest))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: of\n%s\nis said: %v, want %q", c.rule, c.src, err, c.want)
		}
	}
}

// What the page says that a preset sets has these values in a scenario with it: a preset that is listed and not obeyed is noticed, and
// a value that another one prints. A key that has no meaning beside the rest is not printed; most have one.
func TestPresetsSetWhatIsSaid(t *testing.T) {
	_, said, _ := strings.Cut(string(Markdown()), "\n## What presets set\n")
	plain, err := scenario.Parse("x.yaml", []byte("cluster: {hosts: 2}\ncongestion: {notify: ack}\n"+
		"job: {collectives: [{op: all-reduce, bytes: 1MB}]}\n")) // CNPs would have to have a size
	if err != nil {
		t.Fatal(err)
	}
	value, group, seen, presets := regexp.MustCompile("`([^`]*): ([^`]*)`"), "", 0, 0
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if g, ok := strings.CutSuffix(line, ":"); ok && strings.HasPrefix(g, "`") {
			group = strings.Trim(g, "`")
		}
		name, sets, ok := strings.Cut(strings.TrimPrefix(line, "- `"), "`: ")
		if !ok || !strings.HasPrefix(line, "- `") {
			continue
		}
		presets++
		s, err := plain.Set(group, name)
		if err != nil {
			t.Errorf("%s: %s: %v", group, name, err)
			continue
		}
		is := s.Fields()
		for _, m := range value.FindAllStringSubmatch(sets, -1) {
			i := slices.IndexFunc(is, func(f scenario.FieldValue) bool { return f.Path == m[1] })
			if i < 0 || is[i].Origin == "file" {
				continue
			}
			f := &is[i]
			same, err := s.Set(m[1], m[2]) // the same value may have another unit
			if err != nil {
				t.Fatal(err)
			}
			if seen++; valueOf(same, m[1]) != f.Value || f.Origin != "preset "+name {
				t.Errorf("%s: %s sets %s: %s, but it is %s by %s", group, name, m[1], m[2], f.Value, f.Origin)
			}
		}
	}
	if presets < 30 || seen < 150 {
		t.Errorf("%d presets with %d values that have a meaning: too few to compare", presets, seen)
	}
}

// valueOf is the value of a key as it is printed.
func valueOf(s *scenario.Scenario, path string) string {
	for _, f := range s.Fields() {
		if f.Path == path {
			return f.Value
		}
	}
	return "none"
}
