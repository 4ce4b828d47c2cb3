package report

import (
	_ "embed" // the page's template and style
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/chart/svg"
	"railyard/internal/result"
	"railyard/internal/unit"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageFigure is a figure as the page shows it: once for wide and once for narrow windows.
type pageFigure struct {
	Name, Title, Caption string
	Wide, Narrow         template.HTML
}

type pageTable struct {
	Title string
	Words int // columns of words, not figures, beside the first
	Head  []string
	Rows  [][]string
	More  string
}

type pageData struct {
	Name, About string
	Style       template.CSS
	Notes       []string
	Paragraph   string
	Figures     []pageFigure
	Headline    [][2]string
	Causes      []Finding
	Subject     string
	Tables      []pageTable
	RunNotes    []string
	Scenario    string
	Version     string
}

// WritePage writes the report as one HTML page that needs nothing beside itself.
func WritePage(w io.Writer, d *Data) error {
	subject, whole, causes := Findings(d)
	s := d.Summary
	p := pageData{Name: s.Name, Style: template.CSS(pageStyle + "@media screen and (prefers-color-scheme: dark) {\n" + svg.DarkRules() + "}\n"),
		Notes: d.Notes, Paragraph: paragraphOf(Answer(d)), Headline: d.headlineRows(), Causes: causes, RunNotes: s.Notes,
		Scenario: s.ScenarioYAML, Version: s.Version}
	if p.Name == "" {
		p.Name = "run"
	}
	about := []string{string(s.State), "seed " + strconv.FormatUint(s.Seed, 10)}
	if s.Kernel != "" {
		about = append(about, "kernel "+s.Kernel)
	}
	p.About = strings.Join(about, ", ")
	if len(causes) > 0 {
		p.Subject = subject + ", " + whole.Human()
	}
	for _, f := range Figures(d) {
		p.Figures = append(p.Figures, pageFigure{Name: f.Name, Title: f.Title, Caption: f.Caption,
			Wide: template.HTML(f.Draw(wideFigure).String()), Narrow: template.HTML(f.Draw(narrowFigure).String())})
	}
	p.Tables = tables(d)
	p.unbreak()
	return pageTemplate.Execute(w, p)
}

var quantities = regexp.MustCompile(`(\d) (%|[pnum]?s\b|[kMGT]?B\b|[kMGT]?b/s)`)

// unbreak keeps a figure and its unit on one line.
func (p *pageData) unbreak() {
	join := func(s string) string { return quantities.ReplaceAllString(s, "$1\u00a0$2") }
	p.Paragraph = join(p.Paragraph)
	for i := range p.Headline {
		p.Headline[i][1] = join(p.Headline[i][1])
	}
	for i := range p.Figures {
		p.Figures[i].Caption = join(p.Figures[i].Caption)
	}
	for i := range p.Causes {
		p.Causes[i].Text = join(p.Causes[i].Text)
	}
}

// ShareText prints a cause's share for the page.
func (f Finding) ShareText() string { return unit.Percent(f.Share) }

// TimeText prints a cause's time for the page.
func (f Finding) TimeText() string { return f.Time.Human() }

// Meaning says what the cause stands for.
func (f Finding) Meaning() string { return "in which " + f.Cause.Meaning() }

// headlineRows is the run's headline figures, as name and value.
func (d *Data) headlineRows() (rows [][2]string) {
	for _, f := range d.Headline() {
		rows = append(rows, [2]string{f.Name, f.Text()})
	}
	return rows
}

// tableRows is how many rows a table of the page has at most.
const tableRows = 64

// tables is what the page shows as text beside the figures.
func tables(d *Data) []pageTable {
	s := d.Summary
	var out []pageTable
	add := func(t pageTable, file string) {
		if len(t.Rows) == 0 {
			return
		}
		if n := len(t.Rows) - tableRows; n > 0 {
			t.More = fmt.Sprintf("and %s more in %s", unit.Count(int64(n)), file)
			t.Rows = t.Rows[:tableRows]
		}
		out = append(out, t)
	}
	add(openTable(s), "run.json")
	t := pageTable{Title: "Collectives, mean over steps", Head: []string{"name", "count", "size", "time", "algbw", "bus bandwidth"}}
	for _, c := range s.Collectives {
		t.Rows = append(t.Rows, []string{c.Name, unit.Count(c.Count), c.Bytes.Human(), c.Time.Human(), unit.ByteRate(c.AlgBW), unit.ByteRate(c.BusBW)})
	}
	add(t, "run.json")
	t = pageTable{Title: "Flows", Words: 1, Head: []string{"name", "path", "size", "done", "completion", "rate", "marks", "CNPs", "sent again"}}
	for _, f := range slowestFlows(s.Flows, tableRows) {
		took, rate := f.Status, ""
		if d := f.Took(); d > 0 {
			took, rate = d.Human(), unit.Bitrate(8*float64(f.Bytes)/d.Seconds()).Human()
		}
		t.Rows = append(t.Rows, []string{f.Name, f.Path, f.Bytes.Human(), unit.Count(f.Done) + " of " + unit.Count(f.Posted), took, rate,
			unit.Count(f.Marks), unit.Count(f.CNPs), unit.Count(f.Retransmits)})
	}
	if n := len(s.Flows) - len(t.Rows); n > 0 {
		t.Title = fmt.Sprintf("The slowest %d of %s flows", len(t.Rows), unit.Count(int64(len(s.Flows))))
		t.More = fmt.Sprintf("and %s more in run.json", unit.Count(int64(n)))
	}
	add(t, "run.json")
	t = pageTable{Title: "Busiest ports", Head: []string{"port", "rate", "used", "sent", "deepest queue", "marks", "drops"}}
	for _, l := range s.BusiestLinks {
		t.Rows = append(t.Rows, []string{l.Port, l.Rate.Human(), unit.Percent(l.Utilisation), l.TxBytes.Human(), l.MaxQueue.Human(), unit.Count(l.ECNMarks), unit.Count(l.Drops)})
	}
	add(t, "links.parquet")
	return out
}

// openTable is the messages that were never acknowledged.
func openTable(s *result.Summary) pageTable {
	t := pageTable{Title: "Never acknowledged", Words: 2, Head: []string{"name", "path", "waits for", "size", "acknowledged", "posted", "last sent"}}
	for _, m := range s.Unfinished {
		left := "never"
		if m.Left != nil {
			left = instant(*m.Left)
		}
		t.Rows = append(t.Rows, []string{m.Name, m.Path, m.Waits, m.Bytes.Human(), m.Acked.Human(), instant(m.Posted), left})
	}
	if n := s.UnfinishedAll - int64(len(t.Rows)); n > 0 {
		t.More = fmt.Sprintf("and %s more in flows.parquet", unit.Count(n))
	}
	return t
}

// WritePageFile writes the page to path: whole or not at all.
func WritePageFile(path string, d *Data) error {
	var b strings.Builder
	if err := WritePage(&b, d); err != nil {
		return err
	}
	return writeFile(path, b.String())
}

// WriteSVGs writes each figure as NAME.svg into dir, which is made if it is missing,
// and returns the files' paths.
func WriteSVGs(dir string, d *Data) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var out []string
	for _, f := range Figures(d) {
		path := filepath.Join(dir, f.Name+".svg")
		if err := writeFile(path, f.Draw(wideFigure).File()); err != nil {
			return out, err
		}
		out = append(out, path)
	}
	return out, nil
}

// writeFile replaces a file by renaming a finished one.
func writeFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, content)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name()) // best effort: err says what went wrong
	}
	return err
}
