package manual

import (
	"crypto/sha256"
	_ "embed" // the template, the style and the script of pages
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/shown"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed search.js
	searchScript string

	pageTemplate = template.Must(template.New("manual").Parse(pageText))
)

// A File is one of the site's.
type File struct {
	Name string // path in the site, with slashes
	Data []byte
}

// front is the page that lists the others, in the documentation and in the site.
const front = "README.md"

// page is what the template shows.
type page struct {
	File, Title, Up, Version string
	Style                    template.CSS
	Labs                     bool
	Groups                   []group
	Body                     template.HTML
	Script                   string      // what the page may run, as Content-Security-Policy names it
	Code                     template.JS // that
}

// group is pages of one kind, as docs/README.md has them.
type group struct {
	Title   string
	Open    bool // it has the page that is shown
	Entries []entry
}

type entry struct{ File, Title string }

// Pages makes the site: its files in the order of their names. docs has Markdown and pictures, examples what the
// documentation links to below ../examples. labs says that the site has a folder labs with an index.html beside them.
func Pages(docs, examples fs.FS, labs bool) ([]File, error) {
	s := site{docs: map[string]*document{}, examples: map[string]string{}, labs: labs}
	if err := s.read(docs, examples); err != nil {
		return nil, err
	}
	for _, name := range s.names() {
		body, err := s.html(s.docs[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.add(s.docs[name].file, s.docs[name].title, body, "")
	}
	for _, name := range sorted(s.examples) {
		var b strings.Builder
		data := struct{ Name, Text string }{name, s.examples[name]}
		if err := pageTemplate.ExecuteTemplate(&b, "example", data); err != nil {
			return nil, err
		}
		s.add("examples/"+name+".html", name, template.HTML(b.String()), "")
	}
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, "search", nil); err != nil {
		return nil, err
	}
	parts, err := json.Marshal(s.parts()) // it escapes what could end a script
	if err != nil {
		return nil, err
	}
	s.add("search.html", "Search", template.HTML(b.String()), template.JS("const parts = "+string(parts)+";\n"+searchScript))
	slices.SortFunc(s.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return s.files, s.err
}

// site is what pages are made of, and those that are made.
type site struct {
	docs     map[string]*document // by path, README.md and so on
	examples map[string]string
	labs     bool
	groups   []group
	files    []File
	err      error
}

// read takes in all files. Pictures are the site's as they are.
func (s *site) read(docs, examples fs.FS) error {
	err := fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(docs, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			s.docs[name] = newDocument(name, b)
		} else {
			s.files = append(s.files, File{name, b})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if s.docs[front] == nil {
		return fmt.Errorf("there is no %s", front)
	}
	s.groups = s.docs[front].groups(s.docs)
	names, err := fs.Glob(examples, "*")
	for _, name := range names {
		b, err := fs.ReadFile(examples, name)
		if err != nil {
			return err
		}
		s.examples[name] = string(b)
	}
	return err
}

func (s *site) names() []string { return sorted(s.docs) }

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// add makes a page of a body.
func (s *site) add(file, title string, body template.HTML, code template.JS) {
	p := page{File: file, Title: title, Up: strings.Repeat("../", strings.Count(file, "/")), Version: result.Version,
		Style: template.CSS(report.Style() + pageStyle), Labs: s.labs, Body: body, Code: code}
	if code != "" {
		sum := sha256.Sum256([]byte(code))
		p.Script = "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	for _, g := range s.groups {
		g.Open = slices.ContainsFunc(g.Entries, func(e entry) bool { return e.File == file })
		p.Groups = append(p.Groups, g)
	}
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, "page", p); err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %w", file, err)
	}
	s.files = append(s.files, File{file, []byte(shown.Lines(b.String()))})
}

// parts are what is searched: pages cut at their headings.
func (s *site) parts() (all [][5]string) {
	for _, name := range s.names() {
		d := s.docs[name]
		for _, p := range d.parts() {
			all = append(all, [5]string{d.file, p.place, d.title, p.heading, p.text})
		}
	}
	for _, name := range sorted(s.examples) {
		all = append(all, [5]string{"examples/" + name + ".html", "", "examples", name, spaces(s.examples[name])})
	}
	return all
}

// spaces joins words with one blank.
func spaces(text string) string { return strings.Join(strings.Fields(text), " ") }
