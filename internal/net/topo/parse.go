package topo

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// MaxText is the largest topology in source form, in bytes.
const MaxText = 64 << 20

// ParseText reads a graph in source form, as WriteSource writes it; name is used in errors. Each
// line is one of
//
//	host host1 [pod=1]
//	switch leaf1 [leaf|spine|superspine] [pod=1] [plane=1] [rail=1] [model=NAME]
//	link host1 leaf1 100Gb/s 20m
//	link host1 leaf2 100Gb/s 20m nic=0
//	link leaf1 spine1 400Gb/s 1us [cost=1]
//	vlans isolated
//
// A link has a rate and a length, or a one-way delay instead. Hosts are host1, host2, ... in order,
// each with so many GPUs; links to a host are its nic0, nic1, ... in order, on the rail of that
// index; with nic= a link is one more port of a NIC above. Pods, planes and rails count from 1. With the
// last line nothing routes between rails. `#`
// begins a comment. The error is located.Problems: all wrong lines, but of a file
// without a right one no word is quoted; what only the whole graph shows has no line.
func ParseText(name string, src []byte, gpus int) (*Graph, error) {
	p := &textParser{name: name, gpus: gpus, b: NewBuilder(), nodes: map[string]NodeID{}}
	if len(src) > MaxText {
		return nil, p.whole("%d bytes, want at most %d", len(src), MaxText)
	}
	if err := located.LongLine(name, src); err != nil {
		return nil, err
	}
	var words []located.Word
	for text := range strings.SplitSeq(string(bytes.TrimPrefix(src, located.BOM)), "\n") {
		p.line++
		text, _, _ = strings.Cut(text, "#")
		if words = located.AppendWords(words[:0], text); len(words) > 0 {
			before := len(p.problems)
			p.statement(words)
			p.valid = p.valid || len(p.problems) == before
		}
		if p.problems.Full() {
			break
		}
	}
	switch {
	case len(p.problems) > 0 && !p.valid:
		return nil, p.whole("holds no line of a topology, want lines such as host host1, switch leaf1 and link " +
			"host1 leaf1 100Gb/s 20m")
	case len(p.problems) > 0:
		return nil, p.problems.Err()
	}
	g, err := p.b.Build()
	if err != nil {
		return nil, p.whole("%v", err)
	}
	return g, nil
}

type textParser struct {
	name  string
	line  int
	gpus  int
	hosts int
	b     *Builder
	nodes map[string]NodeID
	valid bool // a line was right: only then are words quoted, for else this may be any file of the reader's

	problems located.Problems
}

// whole is what is wrong with the topology as a whole.
func (p *textParser) whole(format string, args ...any) error {
	return located.Problems{{File: p.name, Message: fmt.Sprintf(format, args...)}}
}

func (p *textParser) wrong(w located.Word, format string, args ...any) {
	p.problems = append(p.problems, located.Problem{File: p.name, Line: p.line, Column: w.Column, Width: w.Width(),
		Message: fmt.Sprintf(format, args...)})
}

// statements says how many words each kind of line has, and what they are.
var statements = map[string]struct {
	least, most int
	form        string
}{
	"host":   {2, 3, "host NAME [pod=N]"},
	"switch": {2, 7, "switch NAME [leaf|spine|superspine] [pod=N] [plane=N] [rail=N] [model=NAME]"},
	"vlans":  {2, 2, "vlans isolated"},
	"link":   {5, 6, "link NODE NODE RATE LENGTH-OR-DELAY [cost=N | nic=N]"},
}

func (p *textParser) statement(w []located.Word) {
	n, ok := statements[w[0].Text]
	switch {
	case !ok:
		p.wrong(w[0], "%s: want host, switch, link or vlans", located.Shown(w[0].Text))
	case len(w) < n.least || len(w) > n.most:
		p.wrong(w[0], "%d words, want %s", len(w), n.form)
	case w[0].Text == "vlans" && w[1].Text != "isolated":
		p.wrong(w[1], "%s: want isolated", located.Shown(w[1].Text))
	case w[0].Text == "vlans":
		p.b.g.Isolated = true
	case w[0].Text == "link":
		p.link(w)
	default:
		p.node(w)
	}
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (p *textParser) node(w []located.Word) {
	name := w[1].Text
	switch {
	case !nodeName.MatchString(name):
		p.wrong(w[1], "%s: want a name of at most 64 letters, digits, _, . and -", located.Shown(name))
		return
	case len(p.nodes) >= maxNodes:
		p.wrong(w[1], "%s: one node too many, want at most %d", name, maxNodes)
		return
	}
	if _, ok := p.nodes[name]; ok {
		p.wrong(w[1], "%s: the name of another node too, want one of its own", name)
		return
	}
	if w[0].Text == "host" {
		p.hosts++
		if want := "host" + strconv.Itoa(p.hosts); name != want {
			p.wrong(w[1], "%s: hosts are host1, host2, ... in order, want %s", name, want)
			p.hosts--
			return
		}
		p.nodes[name] = p.b.AddHost(name, p.gpus)
		p.attributes(w[2:], nodeAttributes(&p.b.g.Nodes[p.nodes[name]])[:1])
		return
	}
	kind, rest := Leaf, w[2:]
	if len(rest) > 0 && !strings.Contains(rest[0].Text, "=") {
		for kind = Leaf; kind < kinds && kindNames[kind] != rest[0].Text; kind++ {
		}
		if kind == kinds {
			p.wrong(rest[0], "%s: want leaf, spine or superspine", located.Shown(rest[0].Text))
			return
		}
		rest = rest[1:]
	}
	if _, ok := index(name, "host"); ok {
		p.wrong(w[1], "%s: the name of a host, want another for a switch", name)
		return
	}
	p.nodes[name] = p.b.AddSwitch(name, kind)
	p.attributes(rest, nodeAttributes(&p.b.g.Nodes[p.nodes[name]]))
}

func (p *textParser) link(w []located.Word) {
	var ends [2]NodeID
	var c Cable
	for i, end := range w[1:3] {
		id, ok := p.nodes[end.Text]
		if !ok {
			p.wrong(end, "%s: no such node above this line", located.Shown(end.Text))
			return
		}
		ends[i] = id
	}
	var err error
	if c.Rate, err = unit.ParseBitrate(w[3].Text); err != nil {
		p.wrong(w[3], "%v", located.Bare(w[3].Text, err))
		return
	}
	if c.Length, err = unit.ParseLength(w[4].Text); err != nil {
		c.Length = 0
		if c.Delay, err = unit.ParseDuration(w[4].Text); err != nil {
			p.wrong(w[4], "%s: want a length such as 20m, or a delay such as 1us", located.Shown(w[4].Text))
			return
		}
	}
	name := w[1].Text + "/" + w[2].Text
	switch a, b := p.b.hostOf[ends[0]] >= 0, p.b.hostOf[ends[1]] >= 0; {
	case ends[0] == ends[1]:
		p.wrong(w[2], "link %s: both ends are the same node", name)
	case len(p.b.g.Links) >= maxLinks:
		p.wrong(w[0], "link %s: one link too many, want at most %d", name, maxLinks)
	default:
		if err := c.check("link " + name); err != nil {
			p.wrong(w[3], "%v", err)
			return
		}
		if a || b {
			p.hostLink(w, ends, c)
			return
		}
		l := p.b.Connect(ends[0], ends[1], c)
		p.attributes(w[5:], linkAttributes(&p.b.g.Links[l]))
	}
}

// hostLink adds a link of a host: a new NIC, or a port of one above.
func (p *textParser) hostLink(w []located.Word, ends [2]NodeID, c Cable) {
	nic := -1
	p.attributes(w[5:], portAttributes(&nic))
	if nic < 0 {
		p.b.Connect(ends[0], ends[1], c)
		return
	}
	if p.b.hostOf[ends[0]] < 0 {
		ends[0], ends[1] = ends[1], ends[0]
	}
	nics := p.b.g.Hosts[p.b.hostOf[ends[0]]].NICs
	if nic >= len(nics) {
		p.wrong(w[5], "%s: %s has %s above this line, want one of them, from nic=0", w[5].Text, p.b.g.Nodes[ends[0]].Name,
			count(len(nics), "NIC", "NICs"))
		return
	}
	if err := p.b.mayBond(nics[nic], ends[1]); err != nil {
		p.wrong(w[5], "%v", err)
		return
	}
	p.b.Bond(nics[nic], ends[1], c)
}

// WriteSource prints the graph in the form that ParseText reads. GPUs are not part of it.
func (g *Graph) WriteSource(w io.Writer) error {
	var b strings.Builder
	if g.Isolated {
		b.WriteString("vlans isolated\n")
	}
	for _, n := range g.Nodes {
		if n.Kind == HostKind {
			fmt.Fprintf(&b, "host %s%s\n", n.Name, writeAttributes(nodeAttributes(&n)))
			continue
		}
		fmt.Fprintf(&b, "switch %s %v%s\n", n.Name, n.Kind, writeAttributes(nodeAttributes(&n)))
	}
	for i, l := range g.Links {
		far := l.Delay.String()
		if l.Length > 0 && (Cable{Length: l.Length}).propagation() == l.Delay {
			far = l.Length.String()
		}
		attributes := linkAttributes(&l)
		if nic := g.Ports[2*i].NIC; nic >= 0 {
			of := -1
			if g.NICs[nic].Port>>1 != PortID(i) && g.switched(g.NICs[nic].Port) {
				of = int(g.NICs[nic].Index)
			}
			attributes = portAttributes(&of)
		}
		fmt.Fprintf(&b, "link %s %s %s %s%s\n", g.Nodes[l.A].Name, g.Nodes[l.B].Name, bits(l.Rate), far,
			writeAttributes(attributes))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
