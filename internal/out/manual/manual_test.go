package manual

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"railyard/docs"
	"railyard/examples"
)

// pages makes the site of this repository's documentation.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all, err := Pages(docs.Files, examples.Files, false)
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]string{}
	for _, f := range all {
		if _, twice := site[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		site[f.Name] = string(f.Data)
	}
	return site
}

var (
	hrefs = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	ids   = regexp.MustCompile(`id="([^"]*)"`)
)

// broken lists the links of a site that lead nowhere.
func broken(site map[string]string) (all []string) {
	at := map[string]map[string]bool{}
	for name, text := range site {
		at[name] = map[string]bool{"": true}
		for _, m := range ids.FindAllStringSubmatch(text, -1) {
			at[name][m[1]] = true
		}
	}
	for name, text := range site {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range hrefs.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue // another site
			}
			file, place, _ := strings.Cut(m[1], "#")
			to := path.Join(path.Dir(name), file)
			if file == "" {
				to = name
			}
			if !at[to][place] {
				all = append(all, name+" -> "+m[1])
			}
		}
	}
	return all
}

// Every link of the site leads to a page and a place that are there.
func TestNoLinkIsBroken(t *testing.T) {
	site := pages(t)
	for _, b := range broken(site) {
		t.Error(b)
	}
	if n := len(site); n < 60 {
		t.Errorf("%d pages: is this the documentation?", n)
	}
	site["index.html"] += `<a href="tune.html#no-such-place">`
	if got := broken(site); len(got) != 1 {
		t.Errorf("a broken link more, and found %q", got)
	}
}

// Every page of the documentation is in the list beside each page, and every page has a title and one part at least.
func TestEveryPageIsListedAndFound(t *testing.T) {
	site := pages(t)
	_ = fs.WalkDir(docs.Files, ".", func(name string, _ fs.DirEntry, _ error) error {
		if path.Ext(name) != ".md" || name == front {
			return nil
		}
		if !strings.Contains(site["tune.html"], `href="`+siteName(name)+`"`) {
			t.Errorf("%s is not in the list of pages", name)
		}
		if !strings.Contains(site["search.html"], `["`+siteName(name)+`",`) {
			t.Errorf("%s is not searched", name)
		}
		return nil
	})
}

// A small documentation, page by page: links among pages, to examples and to what the site has not; places as GitHub
// names them; code and what looks like HTML; a table.
func TestASmallManual(t *testing.T) {
	md := fstest.MapFS{
		"README.md": {Data: []byte("# All\n\n## How to\n\n| page | for |\n|---|---|\n" +
			"| [a.md](a.md) | it |\n| [format/b.md](format/b.md) | that |\n")},
		"a.md": {Data: []byte("# A & co\n\n## `run_it` now, twice!\n\n" +
			"See [b](format/b.md#x), [an example](../examples/e.yaml), [the source](../cmd/main.go), " +
			"[out](https://example.org/x),\n[mail](mailto:me@example.org), [here](#x).\n\n## X\n\n## X\n")},
		"examples.md":    {Data: []byte("# Examples\n")},
		"format/b.md":    {Data: []byte("# B\n\n## X\n\nBack to [a](../a.md#x-1). `a < b`\n\n```yaml\njob: {}\n```\n")},
		"pictures/p.svg": {Data: []byte("<svg/>")},
	}
	example := fstest.MapFS{"e.yaml": {Data: []byte("name: <e>\n")}}
	all, err := Pages(md, example, true)
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]string{"labs/index.html": ""}
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
		site[f.Name] = string(f.Data)
	}
	const want = "a.html examples.html examples/e.yaml.html format/b.html index.html pictures/p.svg search.html"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the site has %s, want %s", got, want)
	}
	for _, b := range broken(site) {
		t.Error(b)
	}
	for file, want := range map[string][]string{
		"index.html": {`<a href="a.html">A &amp; co</a>`, `<a href="format/b.html">B</a>`},
		"a.html": {`<h2 id="run_it-now-twice">`, `<h2 id="x">`, `<h2 id="x-1">`, `<a href="format/b.html#x">b</a>`,
			`<a href="examples/e.yaml.html">an example</a>, the source, `,
			`<a href="https://example.org/x">out</a>`,
			`<a href="mailto:me@example.org">mail</a>`, `<a href="#x">here</a>`, `<title>A &amp; co - Railyard</title>`,
			`<a href="labs/index.html">`},
		"format/b.html":        {`<a href="../a.html#x-1">a</a>`, `<code>a &lt; b</code>`, `<details open><summary>How to</summary>`},
		"examples/e.yaml.html": {"name: &lt;e&gt;"},
		"search.html": {`["a.html","run_it-now-twice","A \u0026 co","run_it now, twice!",` +
			`"See b, an example, the source, out, mail, here."]`,
			`a \u003c b job: {}"]`},
	} {
		for _, w := range want {
			if !strings.Contains(site[file], w) {
				t.Errorf("%s has no %s:\n%s", file, w, site[file][strings.Index(site[file], "<main>"):])
			}
		}
	}
	if strings.Contains(site["a.html"], "<script") {
		t.Error("a page has a script")
	}
}

// All examples that the folder has are in the program.
func TestAllExamplesAreThere(t *testing.T) {
	entries, err := os.ReadDir("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) == ".go" {
			continue
		}
		if _, err := fs.Stat(examples.Files, e.Name()); err != nil {
			t.Error(err)
		}
	}
}
