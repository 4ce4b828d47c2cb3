package nxos

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
)

// A line is one of a configuration whose blocks are made by indentation.
type line struct {
	Words  []located.Word
	File   string
	Number int // from 1
	Below  []*line
	indent int
}

// Text returns the words with one space between them, from the n-th on.
func (l *line) Text(n int) string {
	var texts []string
	for _, w := range l.Words[min(n, len(l.Words)):] {
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, " ")
}

// Is reports whether the line begins with these words.
func (l *line) Is(words ...string) bool {
	if len(l.Words) < len(words) {
		return false
	}
	for i, w := range words {
		if l.Words[i].Text != w {
			return false
		}
	}
	return true
}

// Word returns the n-th word; "": there is none.
func (l *line) Word(n int) string {
	if n >= len(l.Words) {
		return ""
	}
	return l.Words[n].Text
}

// blocks reads a text as blocks: a line that is further in than the one before it is below it. Lines
// that are empty or begin with ! or # are comments.
func blocks(file string, text []byte) (top []*line) {
	var open []*line
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		words := located.AppendWords(nil, strings.TrimRight(string(raw), "\r\n"))
		if len(words) == 0 || strings.HasPrefix(words[0].Text, "!") || strings.HasPrefix(words[0].Text, "#") {
			continue
		}
		l := &line{Words: words, File: file, Number: number, indent: words[0].Column}
		for len(open) > 0 && open[len(open)-1].indent >= l.indent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			top = append(top, l)
		} else {
			above := open[len(open)-1]
			above.Below = append(above.Below, l)
		}
		open = append(open, l)
	}
	return top
}

// A source gathers what files say, and what was not understood.
type source struct{ *netconf.Parsed }

// newSource returns a reader of files that adds to what others have said.
func newSource(into *netconf.Parsed) *source {
	if into.Places == nil {
		into.Places = map[string]netconf.Place{}
	}
	if into.Device == nil {
		into.Device = &netconf.Device{}
	}
	return &source{into}
}

// At notes where a thing is said: the last time counts, as on a device.
func (r *source) At(l *line, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: l.File, Line: l.Number}
}

// Finish puts what was said against lines in their order, each once.
func (r *source) Finish() {
	r.Problems = slices.Compact(r.Problems.Sorted()) // lines of a range are read for each port
	slices.SortStableFunc(r.Slips, func(a, b netconf.Slip) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	r.Slips = slices.Compact(r.Slips)
}

// Unknown reports a line that is not understood, and those below it. It is a warning: a
// configuration holds much that is not netconf's.
func (r *source) Unknown(l *line) {
	r.Wrong(l, 0, "%s: not understood", located.Shown(l.Text(0)))
	r.Problems[len(r.Problems)-1].Warning = true
	for _, b := range l.Below {
		r.Unknown(b)
	}
}

// Wrong reports a word of a line.
func (r *source) Wrong(l *line, word int, format string, args ...any) {
	p := located.Problem{File: l.File, Line: l.Number, Column: 1, Width: 1, Message: fmt.Sprintf(format, args...)}
	if word < len(l.Words) {
		p.Column, p.Width = l.Words[word].Column, l.Words[word].Width()
	}
	r.Problems = append(r.Problems, p)
}

// Slip reports a form that is a known mistake of a rule of package lint.
func (r *source) Slip(rule string, l *line, format string, args ...any) {
	at := netconf.Place{File: l.File, Line: l.Number}
	r.Slips = append(r.Slips, netconf.Slip{Rule: rule, Place: at, Text: fmt.Sprintf(format, args...)})
}

// None reports lines below one that takes none.
func (r *source) None(l *line) {
	for _, b := range l.Below {
		r.Unknown(b)
	}
}
