package topo

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/unit"
)

// Bounds of a topology in source form.
const (
	MaxText      = 64 << 20 // bytes
	maxTextError = 20       // errors reported at once
)

// TextError is a mistake in a topology's source, at a line and a column (in bytes) counted from 1.
type TextError struct {
	Name      string
	Line, Col int
	What      string
}

// Error returns "name:line:column: what".
func (e *TextError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.What)
}

// ParseText reads a graph in source form, of which WriteSource is the inverse; name is used in errors. Each line is one of
//
//	host host1
//	switch leaf1 [leaf|spine|superspine]
//	link host1 leaf1 100Gb/s 20m
//	link leaf1 spine1 400Gb/s 1us
//
// A link has a rate and a length, or a one-way delay instead. Hosts are host1, host2, ... in order, each with so many
// GPUs; links to a host are its nic0, nic1, ... in order, on the rail of that index. `#` begins a comment. It reports up
// to 20 wrong lines at once (errors.As: *TextError), quoting none of a file without a right one; what only the whole graph shows is an error without a line.
func ParseText(name string, src []byte, gpus int) (*Graph, error) {
	if len(src) > MaxText {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", name, len(src), MaxText)
	}
	p := &textParser{name: name, gpus: gpus, b: NewBuilder(), nodes: map[string]NodeID{}}
	for text := range strings.SplitSeq(string(src), "\n") {
		p.line++
		text, _, _ = strings.Cut(text, "#")
		if words := splitWords(text); len(words) > 0 {
			before := len(p.errs)
			p.statement(words)
			p.valid = p.valid || len(p.errs) == before
		}
		if len(p.errs) == maxTextError {
			break
		}
	}
	switch {
	case len(p.errs) > 0 && !p.valid:
		return nil, fmt.Errorf("%s: holds no line of a topology, want lines such as host host1, switch leaf1 and link host1 leaf1 100Gb/s 20m", name)
	case len(p.errs) > 0:
		return nil, errors.Join(p.errs...)
	}
	g, err := p.b.Build()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// textWord is a blank-separated part of a line.
type textWord struct {
	text string
	col  int
}

func splitWords(line string) (words []textWord) {
	for i := 0; i < len(line); {
		n := strings.IndexAny(line[i:], " \t\r")
		if n < 0 {
			n = len(line) - i
		}
		if n > 0 {
			words = append(words, textWord{line[i : i+n], i + 1})
		}
		i += n + 1
	}
	return words
}

type textParser struct {
	name  string
	line  int
	gpus  int
	hosts int
	b     *Builder
	nodes map[string]NodeID
	valid bool // a line was right: only then are words quoted, for else this may be any file of the reader's
	errs  []error
}

func (p *textParser) wrong(w textWord, format string, args ...any) {
	p.errs = append(p.errs, &TextError{p.name, p.line, w.col, fmt.Sprintf(format, args...)})
}

func (p *textParser) statement(w []textWord) {
	counts := map[string][2]int{"host": {2, 2}, "switch": {2, 3}, "link": {5, 5}}
	n, ok := counts[w[0].text]
	switch {
	case !ok:
		p.wrong(w[0], "%s: want host, switch or link", quoted(w[0].text))
	case len(w) < n[0] || len(w) > n[1]:
		p.wrong(w[0], "%d words, want %s", len(w), map[string]string{"host": "host NAME", "switch": "switch NAME [leaf|spine|superspine]", "link": "link NODE NODE RATE LENGTH-OR-DELAY"}[w[0].text])
	case w[0].text == "link":
		p.link(w)
	default:
		p.node(w)
	}
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (p *textParser) node(w []textWord) {
	name := w[1].text
	switch {
	case !nodeName.MatchString(name):
		p.wrong(w[1], "%s: want a name of at most 64 letters, digits, _, . and -", quoted(name))
		return
	case len(p.nodes) >= maxNodes:
		p.wrong(w[1], "%s: one node too many, want at most %d", name, maxNodes)
		return
	}
	if _, ok := p.nodes[name]; ok {
		p.wrong(w[1], "%s: the name of another node too, want one of its own", name)
		return
	}
	if w[0].text == "host" {
		p.hosts++
		if want := "host" + strconv.Itoa(p.hosts); name != want {
			p.wrong(w[1], "%s: hosts are host1, host2, ... in order, want %s", name, want)
			p.hosts--
			return
		}
		p.nodes[name] = p.b.AddHost(name, p.gpus)
		return
	}
	kind := Leaf
	if len(w) == 3 {
		for kind = Leaf; kind < kinds && kindNames[kind] != w[2].text; kind++ {
		}
		if kind == kinds {
			p.wrong(w[2], "%s: want leaf, spine or superspine", quoted(w[2].text))
			return
		}
	}
	if _, ok := index(name, "host"); ok {
		p.wrong(w[1], "%s: the name of a host, want another for a switch", name)
		return
	}
	p.nodes[name] = p.b.AddSwitch(name, kind)
}

func (p *textParser) link(w []textWord) {
	var ends [2]NodeID
	var c Cable
	for i, end := range w[1:3] {
		id, ok := p.nodes[end.text]
		if !ok {
			p.wrong(end, "%s: no such node above this line", quoted(end.text))
			return
		}
		ends[i] = id
	}
	var err error
	if c.Rate, err = unit.ParseBitrate(w[3].text); err != nil {
		p.wrong(w[3], "%v", err)
		return
	}
	if c.Length, err = unit.ParseLength(w[4].text); err != nil {
		c.Length = 0
		if c.Delay, err = unit.ParseDuration(w[4].text); err != nil {
			p.wrong(w[4], "%s: want a length such as 20m, or a delay such as 1us", quoted(w[4].text))
			return
		}
	}
	name := w[1].text + "/" + w[2].text
	switch a, b := p.b.hostOf[ends[0]] >= 0, p.b.hostOf[ends[1]] >= 0; {
	case ends[0] == ends[1]:
		p.wrong(w[2], "link %s: both ends are the same node", name)
	case a && b:
		p.wrong(w[2], "link %s: connects two hosts, want a switch between them", name)
	case len(p.b.g.Links) >= maxLinks:
		p.wrong(w[0], "link %s: one link too many, want at most %d", name, maxLinks)
	default:
		if err := c.check("link " + name); err != nil {
			p.wrong(w[3], "%v", err)
			return
		}
		p.b.Connect(ends[0], ends[1], c)
	}
}

// quoted shows a word that may hold anything.
func quoted(s string) string {
	if nodeName.MatchString(s) {
		return s
	}
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}

// WriteSource prints the graph in the form that ParseText reads. GPUs are not part of it.
func (g *Graph) WriteSource(w io.Writer) error {
	var b strings.Builder
	for _, n := range g.Nodes {
		if n.Kind == HostKind {
			fmt.Fprintf(&b, "host %s\n", n.Name)
			continue
		}
		fmt.Fprintf(&b, "switch %s %v\n", n.Name, n.Kind)
	}
	for _, l := range g.Links {
		far := l.Delay.String()
		if l.Length > 0 && (Cable{Length: l.Length}).propagation() == l.Delay {
			far = l.Length.String()
		}
		fmt.Fprintf(&b, "link %s %s %s %s\n", g.Nodes[l.A].Name, g.Nodes[l.B].Name, bits(l.Rate), far)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
