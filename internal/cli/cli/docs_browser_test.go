//go:build unix

package cli

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The site of the documentation opens from a folder: a page asks for nothing that is not there, and a search from
// it finds parts whose links lead to them.
func TestBrowserSearchesTheDocumentation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "manual")
	execute(t, "docs", "--html", dir)
	b := startBrowser(t)
	page := func(name, query string) string {
		return (&url.URL{Scheme: "file", Path: filepath.Join(dir, name), RawQuery: query}).String()
	}
	for _, at := range []string{page("report.html", ""), page("search.html", "q=polarisation+hash")} {
		for _, e := range b.open(at) {
			picture := e.Method == "Network.requestWillBeSent" && strings.Contains(string(e.Params), dir+"/pictures/")
			if e.alarming(at) && !picture {
				t.Errorf("while %s is loaded: %v", at, e)
			}
		}
	}
	var found []string
	b.run(`[...document.querySelectorAll('#found a')].map(a => a.getAttribute('href'))`, &found)
	if len(found) < 3 || !strings.HasPrefix(found[0], "balancing.html#") {
		t.Errorf("searched for polarisation and hash, and found %q", found)
	}
	var said string
	b.run(`document.getElementById('said').textContent`, &said)
	if !strings.Contains(said, "part") {
		t.Errorf("the page says %q", said)
	}
	b.run(`(ask.value = "nosuchwordatall", ask.dispatchEvent(new Event("input")), document.getElementById('said').textContent)`, &said)
	if said != "0 parts" {
		t.Errorf("of a word that nothing has the page says %q", said)
	}
	if to := os.Getenv("RAILYARD_SCREENS_TO"); to != "" {
		for _, name := range []string{"index.html", "tune.html", "search.html"} {
			b.open(page(name, "q=polarisation"))
			for _, scheme := range []string{"light", "dark"} {
				for width, suffix := range map[int]string{375: "narrow", 1440: "wide"} {
					file := filepath.Join(to, name+"-"+scheme+"-"+suffix+".png")
					if err := os.WriteFile(file, b.screen(width, scheme), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	for _, width := range []int{375, 1440} {
		b.show(width, "light")
		var wide int
		b.run("document.documentElement.scrollWidth", &wide)
		if wide > width {
			t.Errorf("at %d pixels the page is %d wide", width, wide)
		}
	}
}
