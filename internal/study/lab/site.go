package lab

import (
	"fmt"
	"html/template"
	"strings"

	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// A Site is pages of labs in a folder, which link to each other and to nothing else: it opens without a server.
type Site struct{ folder *output.Folder }

// indexFile is the page that lists the others.
const indexFile = "index.html"

// NewSite opens a new or an empty folder for the pages, into which nobody else may then write.
func NewSite(dir string) (*Site, error) {
	folder, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Site{folder}, nil
}

// Close lets others write into the folder.
func (s *Site) Close() { s.folder.Close() }

// Write leaves a page for each outcome, in their order, and the index.
func (s *Site) Write(all []*Outcome) error {
	type listed struct{ File, Title, Question, Verdict string }
	index := struct {
		Version string
		Style   template.CSS
		Labs    []listed
	}{Version: result.Version, Style: template.CSS(report.Style() + pageStyle)}
	file := func(o *Outcome) string { return o.Lab.Name + ".html" }
	for i, o := range all {
		var ways []Way
		if i > 0 {
			ways = append(ways, Way{"before: " + all[i-1].Lab.heading(), file(all[i-1])})
		}
		ways = append(ways, Way{"all labs", indexFile})
		if i < len(all)-1 {
			ways = append(ways, Way{"next: " + all[i+1].Lab.heading(), file(all[i+1])})
		}
		b, err := o.page(ways)
		if err != nil {
			return fmt.Errorf("lab %d: %w", o.Lab.Number, err)
		}
		if err := s.folder.Write(file(o), b); err != nil {
			return err
		}
		index.Labs = append(index.Labs, listed{file(o), o.Lab.heading(), o.Lab.Question, o.Verdict()})
	}
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, "index", index); err != nil {
		return err
	}
	return s.folder.Write(indexFile, []byte(shown.Lines(b.String())))
}
