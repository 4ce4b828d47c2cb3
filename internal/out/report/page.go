package report

import (
	"crypto/sha256"
	_ "embed" // the page's template, style and script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/chart/svg"
	"railyard/internal/out/headline"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageFigure is a figure as the page shows it, drawn for each of some widths.
type pageFigure struct {
	Name, Title, Caption string
	Class                string
	Drawings             []pageDrawing
	Job                  string      // of several, whose it is
	Causes               []Finding   // said in words below it
	JSON                 template.JS // for the script; "": nothing to read or to zoom
}

// shortBars is how many bars are about as high as a plot of lines.
const shortBars = 9

// pageDrawing is a figure at a width. The style sheet shows the one that fits.
type pageDrawing struct {
	Class string
	SVG   template.HTML
}

// Widths at which a page has each figure: for a telephone, for a column of two, three
// or four, for a column alone, and, of what needs room, for two columns.
var (
	pairedWidths = []drawnWidth{{"narrow", 340}, {"middle", 560}, {"wide", 760}}
	broadWidths  = []drawnWidth{{"narrow", 340}, {"wide", 760}, {"broad", 1160}}
)

type drawnWidth struct {
	class string
	width float64
}

// fileWidth is the width of a figure in a file of its own.
const fileWidth = 760

type pageTable struct {
	Table
	Columns []pageColumn
	Rows    [][]string  // the first
	JSON    template.JS // columns and rows for the script
	Folded  string      // where the rows are that a page without script does not show
	Left    string      // where the rows are that no page shows
	Job     string      // of several, whose it is
}

type pageColumn struct {
	Name  string
	Class string // of its cells: "n" numbers, "words" sentences, which are broken into lines
}

// longWords is from how many characters on words are a sentence.
const longWords = 24

// classOf is the class of a column's cells.
func (t *Table) classOf(c int) string {
	if t.Columns[c].Unit != Words {
		return "n"
	}
	sentence := func(row []Cell) bool {
		text := t.Text(c, row[c])
		return len(text) > longWords && strings.Contains(text, " ")
	}
	if slices.ContainsFunc(t.Rows[:min(firstRows, len(t.Rows))], sentence) {
		return "words"
	}
	return ""
}

// pageSection is an entry of the contents.
type pageSection struct{ ID, Title, Job string }

// Page is what a page shows, before it is drawn.
type Page struct {
	Name, About string
	Kind        string // what it is, but for the report of a run: tune, sweep, comparison
	Version     string // of the Railyard that made what is shown
	Subject     string // of the answer, in the contents: "What limited it"
	Sentence    string
	Bullets     []string
	Notes       []string // what is wrong with what was read, a sentence each
	Figures     []chart.Figure
	Causes      []Finding // said in words below the first figure
	Headline    []headline.Figure
	Compared    *Compared // figures of several runs side by side
	Tables      []Table
	RunNotes    []string
	Scenario    string
	Jobs        []string // names of several: what begins with one is shown where it is chosen
}

type pageData struct {
	Name, About string
	Kind        string
	Style       template.CSS
	Units       template.JS // names of the multiples of each unit
	Script      template.JS
	ScriptHash  string
	Contents    []pageSection
	Notes       []string
	Sentence    string
	Bullets     []string
	First       *pageFigure // the picture
	Figures     []*pageFigure
	Headline    []headlineFigure
	Compared    *Compared
	Tables      []pageTable
	RunNotes    []string
	Scenario    string
	Version     string
}

// WritePage writes the report as one HTML page that needs nothing beside itself.
func WritePage(w io.Writer, d *Data) error { return PageOf(d).Write(w) }

// PageOf is the page of a run.
func PageOf(d *Data) *Page {
	s := d.Summary
	p := &Page{Name: s.Name, Subject: "What limited it", Version: s.Version, Notes: d.Notes, Figures: Charts(d),
		Headline: d.Headline(), Tables: Tables(d), RunNotes: s.Notes, Scenario: s.ScenarioYAML}
	p.Sentence, p.Bullets = Answer(d)
	first := d
	if len(d.Jobs) > 0 {
		first = d.Jobs[0]
	}
	for _, j := range d.Jobs {
		p.Jobs = append(p.Jobs, j.job)
	}
	_, _, p.Causes = Findings(first)
	about := []string{string(s.State), "seed " + strconv.FormatUint(s.Seed, 10)}
	if s.Kernel != "" {
		about = append(about, "kernel "+s.Kernel)
	}
	p.About = strings.Join(about, ", ")
	return p
}

// Write draws a page and writes it.
func (p *Page) Write(w io.Writer) error {
	out := pageData{Name: p.Name, Kind: p.Kind, About: p.About, Script: template.JS(pageScript), ScriptHash: hashOf(pageScript),
		Style: template.CSS(Style()),
		Notes: p.Notes, Sentence: p.Sentence, Bullets: slices.Clone(p.Bullets), Compared: p.Compared,
		RunNotes: p.RunNotes, Scenario: p.Scenario, Version: p.Version}
	if out.Name == "" {
		out.Name = "run"
	}
	for _, f := range p.Headline {
		out.Headline = append(out.Headline, headlineFigure{f.Name, f.Text(), f.Meaning, p.jobOf("", f.Name)})
	}
	units, err := scriptJSON(chart.Multiples())
	if err != nil {
		return err
	}
	out.Units = template.JS(units)
	if err := out.draw(p); err != nil {
		return err
	}
	for _, t := range p.Tables {
		shown, err := pageTableOf(t)
		if err != nil {
			return err
		}
		shown.Job = p.jobOf("Job ", t.Title)
		out.Tables = append(out.Tables, shown)
	}
	out.contents(p.Subject)
	out.unbreak()
	door := shown.NewWriter(w, false)
	if err := pageTemplate.Execute(door, &out); err != nil {
		return err
	}
	return door.Flush()
}

// jobOf is the job whose name a title begins with, after a word. "": none of several.
func (p *Page) jobOf(word, title string) string {
	for _, job := range p.Jobs {
		if strings.HasPrefix(title, word+job+": ") {
			return job
		}
	}
	return ""
}

// hashOf is what a content security policy names a script by (CSP 3, section 2.3.1).
func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// draw makes the figures. The first is the picture of the answer, and has its causes in words.
func (p *pageData) draw(page *Page) error {
	for i, f := range page.Figures {
		g, err := pageFigureOf(&f, i == 0)
		if err != nil {
			return err
		}
		g.Job = page.jobOf("Job ", f.Title)
		if i == 0 {
			g.Causes = slices.Clone(page.Causes)
			p.First = g
		} else {
			p.Figures = append(p.Figures, g)
		}
	}
	return nil
}

// pageFigureOf draws a figure for all widths. What has values over an axis, or in cells, goes
// to the script, too, which reads them out and zooms.
func pageFigureOf(f *chart.Figure, first bool) (*pageFigure, error) {
	g := &pageFigure{Name: f.Name, Title: f.Title, Caption: f.Caption, Class: "paired"}
	if f.Map != nil && f.Map.X == nil || f.Bars != nil && len(f.Bars.Rows) > shortBars {
		g.Class = "paired tall" // two others have room beside it
	}
	widths := pairedWidths
	if first || f.Lanes != nil || f.Graph != nil || f.Map != nil && f.Map.X != nil {
		g.Class, widths = "broad", broadWidths
	}
	for _, w := range widths {
		g.Drawings = append(g.Drawings, pageDrawing{w.class, template.HTML(svg.Draw(f, w.width).String())})
	}
	if f.Lines != nil || f.Map != nil || f.Lanes != nil {
		var v any = f
		if f.Lanes != nil { // what lies where is in the drawing
			v = map[string]any{"lanes": map[string]any{"x": f.Lanes.X}}
		}
		values, err := scriptJSON(v)
		if err != nil {
			return nil, fmt.Errorf("report: figure %s: %w", f.Name, err)
		}
		g.JSON = template.JS(values)
	}
	return g, nil
}

// pageTableOf prints the first rows of a table, and encodes all for the script.
func pageTableOf(t Table) (pageTable, error) {
	out := pageTable{Table: t}
	for c := range t.Columns {
		out.Columns = append(out.Columns, pageColumn{t.Columns[c].Name, t.classOf(c)})
	}
	rows, n, err := t.encode()
	if err != nil {
		return out, err
	}
	for _, row := range t.Rows[:min(firstRows, n)] {
		var texts []string
		for c, cell := range row {
			texts = append(texts, t.Text(c, cell))
		}
		out.Rows = append(out.Rows, texts)
	}
	columns, err := scriptJSON(t.Columns)
	if err != nil {
		return out, err
	}
	out.JSON = template.JS(fmt.Sprintf(`{"first":%d,"columns":%s,"rows":%s}`, firstRows, columns, rows))
	all := int64(len(t.Rows))
	if int64(len(out.Rows)) < all {
		out.Folded = fmt.Sprintf("The first %d of %s rows. All are in %s, and here where script may run.",
			len(out.Rows), unit.Count(int64(n)), t.File)
	}
	left := t.Left
	if more := all - int64(n); more > 0 {
		left = join(unit.CountOf(more, "row")+" more", left)
	}
	if left != "" {
		out.Left = "Not shown here: " + left + ", in " + t.File + "."
	}
	return out, nil
}

// contents lists what a reader may want to go to.
func (p *pageData) contents(subject string) {
	add := func(id, title, job string) { p.Contents = append(p.Contents, pageSection{id, title, job}) }
	add("answer", subject, "")
	if p.First != nil {
		add(p.First.Name, p.First.Title, p.First.Job)
	}
	if len(p.Headline) > 0 {
		add("headline", "Figures of the run", "")
	}
	if p.Compared != nil {
		add("compared", p.Compared.Title, "")
	}
	for _, f := range p.Figures {
		add(f.Name, f.Title, f.Job)
	}
	for _, t := range p.Tables {
		add("table-"+t.Name, t.Title, t.Job)
	}
	if len(p.RunNotes) > 0 {
		add("notes", "Notes of the run", "")
	}
	if p.Scenario != "" {
		add("scenario", "Resolved scenario", "")
	}
}

var quantities = regexp.MustCompile(`(\d) (%|[pnum]?s\b|[kMGT]?B\b|[kMGT]?b/s)`)

// unbreak keeps a figure and its unit on one line.
func (p *pageData) unbreak() {
	join := func(s *string) { *s = quantities.ReplaceAllString(*s, "$1\u00a0$2") }
	join(&p.Sentence)
	for i := range p.Bullets {
		join(&p.Bullets[i])
	}
	for i := range p.Headline {
		join(&p.Headline[i].Value)
	}
	for _, f := range p.Figures {
		join(&f.Caption)
	}
	if p.First != nil {
		join(&p.First.Caption)
		for i := range p.First.Causes {
			join(&p.First.Causes[i].Text)
		}
	}
}

// ShareText prints a cause's share for the page.
func (f Finding) ShareText() string { return unit.Percent(f.Share) }

// TimeText prints a cause's time for the page.
func (f Finding) TimeText() string { return f.Time.Human() }

// Meaning says what the cause stands for.
func (f Finding) Meaning() string { return "time in which " + f.Cause.Meaning() }

// headlineFigure is a headline figure as text.
type headlineFigure struct{ Name, Value, Meaning, Job string }

// WriteFile writes the page to a file that the user names: whole or not at all.
func (p *Page) WriteFile(path string) error { return output.WriteBy(path, p.Write) }

// WriteSVGs writes each figure as NAME.svg into a folder, and returns the files' paths.
func (p *Page) WriteSVGs(folder *output.Folder) ([]string, error) {
	var out []string
	for _, f := range p.Figures {
		name := f.Name + ".svg"
		if err := folder.Write(name, []byte(svg.Draw(&f, fileWidth).File())); err != nil {
			return out, err
		}
		out = append(out, filepath.Join(folder.Path(), name))
	}
	return out, nil
}

// Style is the style sheet of pages, that of their drawings on dark paper included.
func Style() string {
	return pageStyle + "@media screen and (prefers-color-scheme: dark) {\n" + svg.DarkRules() + "}\n"
}

// FigureHTML draws a figure for a page that has Style and no script.
func FigureHTML(f *chart.Figure) (template.HTML, error) {
	g, err := pageFigureOf(f, false)
	if err != nil {
		return "", err
	}
	g.JSON = ""
	var b strings.Builder
	err = pageTemplate.ExecuteTemplate(&b, "figure", g)
	return template.HTML(b.String()), err
}
