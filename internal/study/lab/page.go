package lab

import (
	_ "embed" // the page's template and style
	"fmt"
	"html/template"
	"strings"

	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/out/chart"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("lab").Parse(pageText))

// page is what the template shows.
type page struct {
	Heading  string
	Version  string
	Style    template.CSS
	Question template.HTML
	Guesses  []Guess
	Changed  []Change
	Body     []template.HTML
	Verdict  string
	Bad      bool
	Ways     []Way
}

// A Way is a link of a page of a site to another one.
type Way struct{ Text, File string }

// writePage writes the page of the outcome, which links to nothing.
func (o *Outcome) writePage(folder *output.Folder) error {
	b, err := o.page(nil)
	if err != nil {
		return err
	}
	return folder.Write(pageFile, b)
}

// page is the page of the outcome.
func (o *Outcome) page(ways []Way) ([]byte, error) {
	p := page{Ways: ways, Heading: o.Lab.heading(), Version: result.Version, Style: template.CSS(report.Style() + pageStyle),
		Changed: o.Changed, Guesses: o.Guesses, Verdict: o.Verdict(), Bad: len(o.Failed()) > 0}
	w := &writer{o: o, done: map[string]bool{}}
	p.Question = w.inlines(o.Lab.text.question)
	for _, b := range o.text.blocks {
		w.block(&b)
	}
	w.rest()
	if w.err != nil {
		return nil, w.err
	}
	p.Body = w.out
	var b strings.Builder
	err := pageTemplate.ExecuteTemplate(&b, "page", p)
	return []byte(shown.Lines(b.String())), err
}

// writer turns a text and its places into HTML.
type writer struct {
	o    *Outcome
	out  []template.HTML
	done map[string]bool // places that were filled
	err  error
}

func (w *writer) add(h string) { w.out = append(w.out, template.HTML(h)) }

// template adds a part of the template.
func (w *writer) template(name string, data any) {
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, name, data); err != nil && w.err == nil {
		w.err = err
	}
	w.add(b.String())
}

func (w *writer) block(b *block) {
	switch b.kind {
	case heading:
		w.wrapped("h2", b.items)
	case paragraph:
		w.wrapped("p", b.items)
	case display:
		w.add(`<p class="display">` + string(w.inlines(b.items[0])) + `</p>`)
	case bullets, numbered:
		tag := map[blockKind]string{bullets: "ul", numbered: "ol"}[b.kind]
		w.add("<" + tag + ">")
		w.wrapped("li", b.items)
		w.add("</" + tag + ">")
	case grid:
		w.grid(b)
	case fenced:
		w.add(`<pre tabindex="0">` + template.HTMLEscapeString(strings.Join(b.lines, "\n")) + `</pre>`)
	case place:
		w.place(b.place.Text, b.name)
	}
}

func (w *writer) wrapped(tag string, items [][]inline) {
	for _, in := range items {
		w.add("<" + tag + ">" + string(w.inlines(in)) + "</" + tag + ">")
	}
}

func (w *writer) grid(b *block) {
	var h strings.Builder
	h.WriteString(`<div class="scroll"><table>`)
	for r, row := range b.rows {
		if r == 0 {
			h.WriteString("<thead>")
		}
		h.WriteString("<tr>")
		for _, cell := range row {
			tag := "td"
			if r == 0 {
				tag = `th scope="col"`
			}
			fmt.Fprintf(&h, "<%s>%s</%s>", tag, w.inlines(cell), tag[:2])
		}
		h.WriteString("</tr>")
		if r == 0 {
			h.WriteString("</thead><tbody>")
		}
	}
	h.WriteString("</tbody></table></div>")
	w.add(h.String())
}

// inlines writes characters. Neighbours in code stay in one element, so that a formula is one.
func (w *writer) inlines(in []inline) template.HTML {
	var h strings.Builder
	open := ""
	turn := func(style string) {
		if style == open {
			return
		}
		if open != "" {
			h.WriteString("</" + open + ">")
		}
		if open = style; open != "" {
			h.WriteString("<" + open + ">")
		}
	}
	for _, i := range in {
		turn(i.style)
		if i.value == "" && i.source == "book" {
			fmt.Fprintf(&h, `<span class="book" title="the book's">%s</span>`, template.HTMLEscapeString(i.text))
			continue
		}
		if i.value == "" {
			h.WriteString(template.HTMLEscapeString(i.text))
			continue
		}
		q := *w.o.all[i.value]
		if i.show != auto {
			q.Digits = i.show
		}
		fmt.Fprintf(&h, `<span class="value" title="%s">%s</span>`, template.HTMLEscapeString(q.Name+": "+q.Meaning),
			template.HTMLEscapeString(strings.ReplaceAll(q.Text(), " ", "\u00a0")))
	}
	turn("")
	return template.HTML(h.String())
}

// place fills a place.
func (w *writer) place(kind, name string) {
	w.done[kind+" "+name] = true
	o := w.o
	switch kind {
	case "given":
		w.template("quantities", o.Given)
	case "predicted":
		w.template("quantities", o.Formula)
	case "measured":
		w.template("quantities", o.Measure)
	case "checks":
		w.template("checks", o.checks())
	case "errata":
		w.template("errata", o.Errata)
	case "try":
		w.template("try", o.Tries)
	case "again":
		w.template("try", o.commands())
	case "steps":
		for _, k := range o.Walks {
			if k.Name == name {
				w.template("quantities", k.Steps)
			}
		}
	case "table":
		for _, k := range o.Walks {
			for _, t := range k.Tables {
				if t.Name == name {
					w.template("table", tableOf(t))
				}
			}
		}
	case "config":
		for _, c := range o.Configs {
			if c.Name == name {
				w.template("config", c)
			}
		}
	case "figure":
		for i := range o.Figures {
			if o.Figures[i].Name == name {
				w.figure(&o.Figures[i])
			}
		}
	}
}

func (w *writer) figure(f *chart.Figure) {
	h, err := report.FigureHTML(f)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = append(w.out, h)
}

// rest adds what the text has no place for: what was measured and where the book errs as sections,
// every other number in a part that is folded.
func (w *writer) rest() {
	o := w.o
	for _, k := range o.Walks {
		for _, t := range k.Tables {
			if !w.done["table "+t.Name] {
				w.place("table", t.Name)
			}
		}
	}
	for i := range o.Figures {
		if !w.done["figure "+o.Figures[i].Name] {
			w.place("figure", o.Figures[i].Name)
		}
	}
	w.section("h2", "checks", "Measured beside expected", len(o.Rows) > 0)
	w.section("h2", "errata", "Where the book errs", len(o.Errata) > 0)
	w.section("h2", "try", "Change this and see", len(o.Tries) > 0)
	w.add(`<details class="all"><summary>Every other number</summary>`)
	before := len(w.out)
	w.section("h3", "given", "Given", len(o.Given) > 0)
	w.section("h3", "predicted", "Predicted by formula", len(o.Formula) > 0)
	for _, k := range o.Walks {
		if !w.done["steps "+k.Name] && len(k.Steps) > 0 {
			w.add("<h3>Step by step: " + template.HTMLEscapeString(k.Meaning) + "</h3>")
			w.place("steps", k.Name)
		}
	}
	w.section("h3", "measured", "Measured", len(o.Measure) > 0)
	w.section("h3", "again", "Run again, with keys set", len(o.Again) > 0)
	if len(w.out) == before {
		w.out = w.out[:before-1]
		return
	}
	w.add("</details>")
}

// section adds a place under a heading, unless the text has it.
func (w *writer) section(tag, place, title string, there bool) {
	if there && !w.done[place+" "] {
		w.add("<" + tag + ">" + title + "</" + tag + ">")
		w.place(place, "")
	}
}

// check is an expectation as the page shows it.
type check struct {
	Row
	Verdict string
}

func (o *Outcome) checks() (out []check) {
	for i := range o.Rows {
		out = append(out, check{o.Rows[i], o.judgement(&o.Rows[i])})
	}
	return out
}

// pageTable is a table with the side on which its cells stand.
type pageTable struct {
	Table
	Number []bool
}

func tableOf(t Table) pageTable {
	p := pageTable{Table: t}
	for _, a := range t.align() {
		p.Number = append(p.Number, a == 'r')
	}
	return p
}
