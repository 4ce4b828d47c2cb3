package containerlab

import "testing"

// A list with one item has it, and one with none is not there.
func TestListsOfALab(t *testing.T) {
	for want, items := range map[string][]string{
		"":                           nil,
		"      exec:\n        - a\n": {"a"},
		"      exec:\n        - a\n        - b\n": {"a", "b"},
	} {
		var l lab
		if l.list("exec", items); l.b.String() != want {
			t.Errorf("%q: %q, want %q", items, l.b.String(), want)
		}
	}
}
