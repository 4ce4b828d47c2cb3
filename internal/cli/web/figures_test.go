package web

import (
	"net/http"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// Figures are values; their drawings, one of each, are as wide as they are asked for, within bounds. What this notices: drawings that
// nobody asked for, of another width, or fewer than there are figures; figures of a run that is not there.
func TestDrawingsAreAsWideAsAskedFor(t *testing.T) {
	root := t.TempDir()
	d := draw(300)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	type answer struct {
		Figures  []any
		Drawings []string
		Dark     string `json:"dark_rules"`
	}
	for width, want := range map[string]string{"": "", "0": "", "1": `width="200"`, "200": `width="200"`, "900": `width="900"`,
		"4000": `width="4000"`} {
		var a answer
		x.get("api/figures?run=one&width="+width, &a)
		if len(a.Figures) == 0 || (want == "") != (len(a.Drawings) == 0) || (want == "") != (a.Dark == "") {
			t.Errorf("width %q: %d figures, %d drawings, %d bytes of dark rules", width, len(a.Figures), len(a.Drawings), len(a.Dark))
		}
		if want != "" && len(a.Drawings) != len(a.Figures) {
			t.Errorf("width %q: %d drawings of %d figures", width, len(a.Drawings), len(a.Figures))
		}
		for _, d := range a.Drawings {
			if head, _, _ := strings.Cut(d, ">"); !strings.Contains(head, want) {
				t.Errorf("width %q: %s, want %s", width, head, want)
			}
		}
	}
	for path, want := range map[string]int{"run=one&width=4001": http.StatusBadRequest, "run=one&width=-1": http.StatusBadRequest,
		"run=other": http.StatusNotFound, "run=other&of=traffic": http.StatusNotFound} {
		if code, body := x.ask("api/figures?" + path); code != want {
			t.Errorf("%s: %d %s, want %d", path, code, body, want)
		}
	}
}
