package nxos

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
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

// begins is Is of a text with words.
func (l *line) begins(text string) bool {
	i := 0
	for w := range strings.FieldsSeq(text) {
		if i == len(l.Words) || l.Words[i].Text != w {
			return false
		}
		i++
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
//
// A text that is indented nowhere, as manuals print it, is put into blocks by what opens one.
func blocks(file string, text []byte) (top []*line) {
	var open []*line
	number := 0
	flat := !bytes.Contains(text, []byte("\n ")) && !bytes.Contains(text, []byte("\n\t"))
	for raw := range bytes.Lines(text) {
		number++
		words := located.AppendWords(nil, strings.TrimRight(string(raw), "\r\n"))
		if len(words) == 0 || strings.HasPrefix(words[0].Text, "!") || strings.HasPrefix(words[0].Text, "#") {
			continue
		}
		l := &line{Words: words, File: file, Number: number, indent: words[0].Column}
		if flat {
			l.indent = flatDepth(l, open) + 1
		}
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

// openers are lines that begin a block of the device.
var openers = [][]string{{"interface"}, {"class-map"}, {"policy-map"}, {"system", "qos"}, {"router"}, {"vlan"},
	{"vrf", "context"},
	{"hardware", "profile", "dlb"}, {"vpc", "domain"}, {"line"}, {"control-plane"}, {"ip", "access-list"},
	{"route-map"}}

// closers are lines of the device that open none.
var closers = [][]string{{"hostname"}, {"switchname"}, {"feature"}, {"no", "feature"}, {"ip", "route"}, {"ip",
	"load-sharing"}, {"version"},
	{"username"}, {"ntp"}, {"snmp-server"}, {"logging"}, {"boot"}, {"ip", "prefix-list"}, {"end"}}

// flatDepth is how deep a line is where nothing is indented, after lines of open blocks.
func flatDepth(l *line, open []*line) int {
	if len(open) == 0 || l.isAny(closers) || l.isAny(openers) || !open[0].isAny(openers) {
		return 0
	}
	switch top := open[0]; {
	case l.Is("priority-flow-control") && !top.Is("interface"):
		return 0
	case l.Word(1) == "type" && !l.Is("class") && !l.Is("service-policy"): // a block whose first word is misspelt
		return 0
	case top.Is("class-map") && !l.Is("match") && !l.Is("description"):
		return 0
	case top.Is("policy-map") && l.Is("class"):
		return 1
	case top.Is("policy-map"):
		return 2
	case top.Is("router", "bgp") && (l.Is("neighbor") || l.Is("template") || l.Is("router-id") || l.Is("vrf")):
		return 1
	case top.Is("router", "bgp") && l.Is("address-family"):
		if len(open) > 1 && (open[1].Is("neighbor") || open[1].Is("template")) {
			return 2
		}
		return 1
	case top.Is("router", "bgp"):
		return min(len(open), 3)
	}
	return 1
}

// isAny reports whether the line begins as one of some do.
func (l *line) isAny(all [][]string) bool {
	return slices.ContainsFunc(all, func(w []string) bool { return l.Is(w...) })
}

// A source gathers what files say, and what was not understood.
type source struct {
	*netconf.Parsed
	port  string // whose block is read; "": of the device, or of several ports
	lines map[netconf.Place]verdict
}

// verdict is what a line was found to be; the higher counts.
type verdict uint8

const (
	understood verdict = iota
	known
	unread
)

// newSource returns a reader of files that adds to what others have said.
func newSource(into *netconf.Parsed) *source {
	if into.Places == nil {
		into.Places = map[string]netconf.Place{}
	}
	if into.Device == nil {
		into.Device = &netconf.Device{}
	}
	return &source{Parsed: into, lines: map[netconf.Place]verdict{}}
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

// Unknown reports a line that is not understood, and those below it.
func (r *source) Unknown(l *line) {
	at := netconf.Place{File: l.File, Line: l.Number}
	if r.lines[at] != unread {
		r.lines[at] = unread
		r.NotUnderstood(netconf.Unread{Place: at, Column: l.indent, Text: located.Cut(l.Text(0)), Port: r.port})
	}
	for _, b := range l.Below {
		r.Unknown(b)
	}
}

// Known passes over a line that is of no matter, and those below it.
func (r *source) Known(l *line) {
	at := netconf.Place{File: l.File, Line: l.Number}
	r.lines[at] = max(r.lines[at], known)
	for _, b := range l.Below {
		r.Known(b)
	}
}

// Tell is Unknown, or Known where a line begins as one of those does.
func (r *source) Tell(l *line, begin []string) {
	for _, words := range begin {
		if l.begins(words) {
			r.Known(l)
			return
		}
	}
	r.Unknown(l)
}

// count counts lines by class.
func (r *source) count(all []*line) {
	for _, l := range all {
		switch r.lines[netconf.Place{File: l.File, Line: l.Number}] {
		case understood:
			r.Lines.Understood++
		case known:
			r.Lines.Known++
		}
		r.count(l.Below)
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
