package lab

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
)

// The markup of README.md is a small part of Markdown, so that a text means the same here and on
// any site that shows Markdown:
//
//	# title             the first line
//	> question          after it
//	## heading
//	paragraphs, - lists, 1. lists, | tables |, ``` blocks, ```fixed ones whose figures nothing changes
//	`code`, **strong**, *stressed*
//	{{value NAME}} in a text or in code, {{PLACE}} or {{PLACE NAME}} on a line of its own
//	{{if CONDITION}} ... {{else if CONDITION}} ... {{else}} ... {{end}} in a text
//	{{book 0.734}} a figure that the book prints, {{fixed 28 x 28}} one that nothing changes
//
// A paragraph of one code span is a displayed formula. There are no links, pictures and HTML: a
// page asks for nothing.

// blockKind is what a block of a text is.
type blockKind string

const (
	heading   blockKind = "heading"
	paragraph blockKind = "paragraph"
	display   blockKind = "display" // a formula
	bullets   blockKind = "bullets"
	numbered  blockKind = "numbered"
	grid      blockKind = "table"
	fenced    blockKind = "fenced"
	place     blockKind = "place"
)

// block is a part of a text.
type block struct {
	kind  blockKind
	items [][]inline    // of a heading and a paragraph one
	rows  [][][]inline  // of a table; the first is its head
	lines []string      // fenced
	fixed bool          // fenced: ```fixed, its figures are those of no input
	place formula.Token // its text is the place, its name follows
	name  string
}

// inline is a run of characters that look alike.
type inline struct {
	style  string // "", "code", "strong", "em"
	text   string
	source string // of figures in the text: book, fixed
	value  string // of a place: the name of the value, instead of a text
	show   digits // decimals, auto: as the value says
	at     formula.Token
	choice *choice // a condition with its branches, instead of a text
	mark   *mark   // while it is read: a directive of a condition
}

// readme is README.md, read.
type readme struct {
	title    string
	question []inline
	blocks   []block
}

// places are what may stand on a line of its own in {{ }}, and whether a name follows.
var places = map[string]bool{
	"given": false, "predicted": false, "measured": false, "checks": false, "errata": false, "try": false, "again": false,
	"steps": true, "table": true, "figure": true, "config": true,
}

// inText are the words in {{ }} that stand within a text.
var inText = map[string]bool{"value": true, "if": true, "else": true, "end": true, "book": true, "fixed": true}

// reader reads README.md.
type reader struct {
	lines    []string
	n        int // the line that is next
	problems located.Problems
	out      readme
}

func parseText(src string) (readme, located.Problems) {
	r := &reader{lines: strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n")}
	if title, ok := strings.CutPrefix(r.lines[0], "# "); ok && strings.TrimSpace(title) != "" {
		r.out.title, r.n = strings.TrimSpace(title), 1
	} else {
		r.fail(1, 1, 1, "want # and the title of the lab in the first line")
	}
	for r.n < len(r.lines) && !r.problems.Full() {
		r.block()
	}
	if r.out.question == nil {
		r.fail(min(2, len(r.lines)), 1, 1, "want the question that the lab answers below the title, in a line that begins with > ")
	}
	return r.out, r.problems
}

func (r *reader) fail(line, column, width int, message string) {
	r.problems = append(r.problems,
		located.Problem{File: readmeFile, Line: line, Column: column, Width: width, Message: message})
}

var (
	placeLine  = regexp.MustCompile(`^\{\{([a-z]+)(?: +([^ }]+))?\}\}$`)
	numberItem = regexp.MustCompile(`^\d+\. `)
	tableRule  = regexp.MustCompile(`^\|(?: *:?-+:? *\|)+$`)
)

// block reads one block.
func (r *reader) block() {
	line := strings.TrimRight(r.lines[r.n], " \t")
	at := r.n + 1
	switch m := placeLine.FindStringSubmatch(line); {
	case line == "":
		r.n++
	case m != nil && !inText[m[1]]:
		r.n++
		named, known := places[m[1]]
		t := formula.Token{Kind: formula.Word, Text: m[1], Line: at, Column: 3, Width: utf8.RuneCountInString(line) - 4}
		switch {
		case !known:
			r.fail(at, 3, t.Width, "unknown place "+located.Shown(m[1])+", want value or "+located.OneOf(keys(places)))
		case named != (m[2] != ""):
			r.fail(at, 3, t.Width, "a place of this kind has "+map[bool]string{true: "a", false: "no"}[named]+" name")
		default:
			r.add(block{kind: place, place: t, name: m[2]})
		}
	case strings.HasPrefix(line, "> "):
		if r.out.question != nil || len(r.out.blocks) > 0 {
			r.fail(at, 1, 1, "only the question begins with >, and it stands once, below the title")
		}
		r.out.question = r.inlines(r.gather(func(l string) bool { return strings.HasPrefix(l, ">") }, "> "))
		for _, in := range r.out.question {
			if in.choice != nil {
				r.fail(in.choice.at.Line, in.choice.at.Column, 2, "the question is the same whatever comes out: no {{if}} here")
			}
		}
	case strings.HasPrefix(line, "## "):
		r.n++
		r.add(block{kind: heading, items: [][]inline{r.inlines([]span{{line[3:], at, 4}})}})
	case strings.HasPrefix(line, "#"):
		r.n++
		r.fail(at, 1, 1, "headings begin with ## and a blank")
	case strings.HasPrefix(line, "```"):
		r.fence()
	case strings.HasPrefix(line, "- "):
		r.list(bullets, func(l string) int { return 2 * btoi(strings.HasPrefix(l, "- ")) })
	case numberItem.MatchString(line):
		r.list(numbered, func(l string) int { return len(numberItem.FindString(l)) })
	case strings.HasPrefix(line, "|"):
		r.table()
	default:
		b := block{kind: paragraph, items: [][]inline{r.inlines(r.gather(func(l string) bool { return !begins(l) }, ""))}}
		if oneSpan(b.items[0]) {
			b.kind = display
		}
		r.add(b)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *reader) add(b block) { r.out.blocks = append(r.out.blocks, b) }

// oneSpan reports whether a paragraph is one code span.
func oneSpan(items []inline) bool {
	for _, in := range items {
		if in.style != "code" {
			return false
		}
	}
	return len(items) > 0
}

// begins reports whether a line begins a block other than a paragraph.
func begins(l string) bool {
	return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "- ") ||
		strings.HasPrefix(l, "|") ||
		strings.HasPrefix(l, "> ") || strings.HasPrefix(l, "```") || numberItem.MatchString(l) ||
		isPlace(l)
}

// isPlace reports whether a line is a place of its own.
func isPlace(l string) bool {
	m := placeLine.FindStringSubmatch(l)
	return m != nil && !inText[m[1]]
}

// span is a piece of a line and where it stands.
type span struct {
	text         string
	line, column int
}

// gather takes lines as long as they belong together, without what they begin with.
func (r *reader) gather(belongs func(string) bool, without string) (spans []span) {
	for first := true; r.n < len(r.lines) && (first || belongs(r.lines[r.n])); first = false {
		l := strings.TrimPrefix(r.lines[r.n], without)
		column := 1 + utf8.RuneCountInString(r.lines[r.n]) - utf8.RuneCountInString(l)
		r.n++
		spans = append(spans, span{l, r.n, column})
	}
	return spans
}

func (r *reader) fence() {
	b := block{kind: fenced, fixed: strings.TrimSpace(r.lines[r.n][3:]) == "fixed"}
	from := r.n + 1
	for r.n++; r.n < len(r.lines); r.n++ {
		if strings.HasPrefix(r.lines[r.n], "```") {
			r.n++
			r.add(b)
			return
		}
		b.lines = append(b.lines, r.lines[r.n])
	}
	r.fail(from, 1, 3, "this block is never closed, want ``` below it")
}

// list reads items; lines that begin with a blank go on with the item before them.
func (r *reader) list(k blockKind, lead func(string) int) {
	b := block{kind: k}
	for r.n < len(r.lines) {
		l := r.lines[r.n]
		n := lead(l)
		if n == 0 {
			break
		}
		spans := []span{{l[n:], r.n + 1, n + 1}}
		for r.n++; r.n < len(r.lines) && strings.HasPrefix(r.lines[r.n], " ") && strings.TrimSpace(r.lines[r.n]) != ""; r.n++ {
			spans = append(spans, span{r.lines[r.n], r.n + 1, 1})
		}
		b.items = append(b.items, r.inlines(spans))
	}
	r.add(b)
}

func (r *reader) table() {
	b := block{kind: grid}
	for first := r.n; r.n < len(r.lines) && strings.HasPrefix(r.lines[r.n], "|"); r.n++ {
		line := strings.TrimRight(r.lines[r.n], " \t")
		switch {
		case r.n == first+1 && tableRule.MatchString(line):
			continue
		case r.n == first+1:
			r.fail(r.n+1, 1, 1, "want |---|---| below the first row of a table")
		case !strings.HasSuffix(line, "|") || len(line) < 2:
			r.fail(r.n+1, 1, 1, "a row of a table ends with |")
			continue
		}
		var row [][]inline
		column := 2
		for cell := range strings.SplitSeq(line[1:len(line)-1], "|") {
			text := strings.TrimLeft(cell, " ")
			row = append(row, r.inlines([]span{{strings.TrimRight(text, " "), r.n + 1, column + len(cell) - len(text)}}))
			column += utf8.RuneCountInString(cell) + 1
		}
		if len(b.rows) > 0 && len(row) != len(b.rows[0]) {
			r.fail(r.n+1, 1, 1, "this row has another number of cells than the first one")
		}
		b.rows = append(b.rows, row)
	}
	r.add(b)
}

// inlines reads the characters of some lines as one text.
func (r *reader) inlines(spans []span) (out []inline) {
	style, opened := "", span{}
	var buf strings.Builder
	flush := func() {
		if buf.Len() > 0 {
			out = append(out, inline{style: style, text: buf.String(), show: auto})
			buf.Reset()
		}
	}
	toggle := func(s string, at span) {
		flush()
		if style == s {
			style = ""
		} else {
			style, opened = s, at
		}
	}
	for i, sp := range spans {
		if i > 0 {
			buf.WriteByte(' ')
			sp.column += len(sp.text) - len(strings.TrimLeft(sp.text, " "))
			sp.text = strings.TrimLeft(sp.text, " ")
		}
		column := sp.column
		for s := strings.TrimRight(sp.text, " \t"); s != ""; {
			here := span{s, sp.line, column}
			n := 1
			switch {
			case s[0] == '`' && (style == "" || style == "code"):
				toggle("code", here)
			case strings.HasPrefix(s, "{{"):
				closing := strings.Index(s, "}}")
				if closing < 0 {
					r.fail(here.line, here.column, 2, "{{ is never closed, want }} in the same line")
					return out
				}
				flush()
				if in, ok := r.placeOf(s[2:closing], here); ok {
					in.style = style
					out = append(out, in)
				}
				n = closing + 2
			case style == "code":
				_, n = utf8.DecodeRuneInString(s)
				buf.WriteString(s[:n])
			case strings.HasPrefix(s, "**") && (style == "" || style == "strong"):
				toggle("strong", here)
				n = 2
			case s[0] == '*' && (style == "em" || style == "" && len(s) > 1 && s[1] != ' '):
				toggle("em", here)
			default:
				r.refuse(s, here)
				_, n = utf8.DecodeRuneInString(s)
				buf.WriteString(s[:n])
			}
			column += utf8.RuneCountInString(s[:n])
			s = s[n:]
		}
	}
	if style != "" {
		r.fail(opened.line, opened.column, 1, "this "+map[string]string{"code": "`", "strong": "**", "em": "*"}[style]+
			" is never closed")
	}
	flush()
	return r.nested(out)
}

var htmlTag = regexp.MustCompile(`^</?[A-Za-z!]`)

// refuse tells of Markdown that is no part of the markup.
func (r *reader) refuse(s string, at span) {
	switch {
	case strings.HasPrefix(s, "]("):
		r.fail(at.line, at.column, 2, "links and pictures are no part of a lab's text: a page asks for nothing")
	case htmlTag.MatchString(s):
		r.fail(at.line, at.column, 1, "HTML is no part of a lab's text; a formula such as a<b stands in `code`")
	}
}

// placeOf reads the inside of {{ }} in a text.
func (r *reader) placeOf(inside string, at span) (inline, bool) {
	if m, ok := r.markOf(inside, at); ok {
		return inline{mark: m, show: auto}, true
	}
	for _, source := range []string{"book", "fixed"} {
		if text, ok := strings.CutPrefix(inside, source+" "); ok {
			return inline{text: strings.TrimSpace(text), source: source, show: auto}, true
		}
	}
	return r.valueOf(inside, at)
}

// valueOf reads the inside of {{value NAME}} or {{value NAME to 2}}.
func (r *reader) valueOf(inside string, at span) (inline, bool) {
	words := strings.Fields(inside)
	t := formula.Token{Kind: formula.Word, Line: at.line, Column: at.column + 2, Width: utf8.RuneCountInString(inside)}
	in := inline{show: auto, at: t}
	if len(words) == 4 && words[2] == "to" && len(words[3]) == 1 && words[3][0] >= '0' && words[3][0] <= '9' {
		in.show, words = digits(words[3][0]-'0'), words[:2]
	}
	if len(words) != 2 || words[0] != "value" {
		r.fail(at.line, at.column, 2, "want {{value NAME}}, {{value NAME to DECIMALS}}, {{if CONDITION}}, {{book "+
			"FIGURE}} or {{fixed FIGURE}}; other places stand on a line of their own")
		return in, false
	}
	in.value = words[1]
	return in, true
}
