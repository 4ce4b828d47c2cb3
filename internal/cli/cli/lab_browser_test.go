//go:build unix

package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/study/lab"
)

// cutTables lists the tables of which one sees a part alone, by what stands in their first row.
const cutTables = `[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth)
  .map(e => e.querySelector("tr").innerText)`

// The page of every lab, as a browser shows it: at the width of a phone, of half a screen and of a
// whole one, in both colour schemes, without a network. With RAILYARD_SCREENS_TO pictures of
// them are left in that folder, for people to look at.
func TestBrowserLabs(t *testing.T) {
	b := startBrowser(t)
	all, err := lab.All()
	if err != nil {
		t.Fatal(err)
	}
	screens := os.Getenv("RAILYARD_SCREENS_TO")
	t.Chdir(t.TempDir())
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			defer func(before *testing.T) { b.t = before }(b.t)
			b.t = t
			out, err := filepath.Abs(l.Name)
			if err != nil {
				t.Fatal(err)
			}
			o, err := l.Run(t.Context(), lab.Options{Dir: out, Called: fmt.Sprint(l.Number)})
			if err != nil {
				t.Fatal(err)
			}
			page := (&url.URL{Scheme: "file", Path: o.Page}).String()
			for _, e := range b.open(page) {
				if e.alarming(page) {
					t.Errorf("while the page is loaded: %v", e)
				}
			}
			for _, width := range []int{375, 800, 1440} {
				for _, scheme := range []string{"light", "dark"} {
					b.show(width, scheme)
					var a audit
					b.run(auditScript, &a)
					for _, p := range a.problems() {
						t.Errorf("%d pixels, %s: %s", width, scheme, p)
					}
					if a.Width != width || a.Texts < 50 || !strings.HasSuffix(a.Title, " - Railyard lab") ||
						len(a.Figures) != len(o.Figures) {
						t.Errorf("%d pixels, %s: this is no lab: width %d, %d texts, title %q, %d figures", width, scheme,
							a.Width, a.Texts, a.Title, len(a.Figures))
					}
					var cut []string
					if b.run(cutTables, &cut); width == 1440 && len(cut) > 0 {
						t.Errorf("%d pixels, %s: tables are wider than the text: %q", width, scheme, cut)
					}
					if screens != "" {
						path := filepath.Join(screens, fmt.Sprintf("%s-%d-%s.png", l.Name, width, scheme))
						if err := os.WriteFile(path, b.screen(width, scheme), 0o644); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		})
	}
}
