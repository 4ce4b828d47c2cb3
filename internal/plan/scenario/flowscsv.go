package scenario

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// MaxFlows bounds the flows that a job has by patterns.
const MaxFlows = 1_000_000

// Bounds of a file of flows.
const (
	MaxFlowBytes = 40 << 20 // a hundred for each of as many flows as there may be
	maxFileFlows = 400_000
	maxFlowLine  = 64 << 10 // bytes of a flow: all lines of a quoted cell
)

// FileFlow is a flow of a CSV file and the line it stands on.
type FileFlow struct {
	Flow
	Line int
}

// ReadFlows reads the flows of a CSV file (RFC 4180) for a job of this scenario; name stands for the file in
// problems. The first line names keys of a flow, in any order; an empty cell is a key that is not
// given; a path is written host1>leaf1>host2. Lines that begin with # are comments. The error, if
// any, is located.Problems.
//
//	name,from,to,bytes,start,path
//	a,host1/nic0,host3/nic0,10MB,0us,host1>leaf1>spine2>leaf2>host3
func (s *Scenario) ReadFlows(j *Job, name string, src []byte) ([]FileFlow, error) {
	r := &flowReader{s: s, d: newDecoder(name), names: map[string]string{}, lines: map[string]int{}}
	for i := range j.Flows {
		r.names[j.Flows[i].Name] = j.FlowPath(i) + " of the scenario"
	}
	src = bytes.TrimPrefix(src, located.BOM)
	switch i := bytes.IndexFunc(src,
		func(c rune) bool { return c == utf8.RuneError || c < ' ' && c != '\n' && c != '\r' && c != '\t' }); {
	case len(src) > MaxFlowBytes:
		r.d.at("", span{1, 1, 1}, fmt.Sprintf("%d bytes, want at most %d", len(src), MaxFlowBytes), "")
	case i >= 0 && !namesKeys(src):
		r.noKeys()
	case i >= 0:
		line := 1 + bytes.Count(src[:i], []byte("\n"))
		column := i - bytes.LastIndexByte(src[:i], '\n')
		r.d.at("", span{line, column, 1}, "a byte that is no UTF-8 text", "save the file as UTF-8")
	default:
		line := longRecord(src)
		if line > 0 && !namesKeys(src) {
			r.noKeys()
			break
		}
		if line > 0 {
			r.d.at("", span{line, 1, 1}, fmt.Sprintf("more than %d bytes from here on without an end of the line, "+
				"or of a quote: want at most that for a flow", maxFlowLine), "")
			break
		}
		r.read(src)
	}
	if len(r.d.problems) > 0 {
		r.d.problems.InCharacters(src)
		return nil, r.d.problems.Sorted()
	}
	return r.flows, nil
}

// longRecord returns the line in which a record begins that is over maxFlowLine, 0 if there is none:
// the reader of CSV takes some times the room of one.
func longRecord(src []byte) int {
	begin, size, open, n := 1, 0, false, 0
	for line := range bytes.Lines(src) {
		n++
		if !open {
			begin, size = n, 0
		}
		if size += len(line); size > maxFlowLine {
			return begin
		}
		if open || line[0] != '#' {
			open = open != (bytes.Count(line, []byte(`"`))%2 == 1)
		}
	}
	return 0
}

// FlowProblem is what is wrong with a key of a flow that ReadFlows took from a line of src, found
// later; it points at the key's cell or, where that is empty or key is "", at the line. The error
// is located.Problems.
func FlowProblem(name string, src []byte, line int, key, message string) error {
	src = bytes.TrimPrefix(src, located.BOM)
	p := located.Problem{File: name, Line: line, Column: 1, Width: 1, Path: key, Message: message}
	c := newFlowsReader(src)
	for keys := []string(nil); ; {
		row, err := c.Read()
		if err != nil {
			break
		}
		if keys == nil {
			keys = slices.Clone(row)
			continue
		}
		if at, _ := c.FieldPos(0); at != line {
			continue
		}
		i := slices.IndexFunc(keys, func(k string) bool { return strings.TrimSpace(k) == key })
		if i >= 0 && strings.TrimSpace(row[i]) != "" {
			p.Line, p.Column = c.FieldPos(i)
			p.Width = utf8.RuneCountInString(strings.TrimSpace(row[i]))
		}
		break
	}
	ps := located.Problems{p}
	ps.InCharacters(src)
	return ps
}

// newFlowsReader reads the form of CSV that files of flows have.
func newFlowsReader(src []byte) *csv.Reader {
	c := csv.NewReader(bytes.NewReader(src))
	c.Comment, c.TrimLeadingSpace, c.ReuseRecord = '#', true, true
	return c
}

type flowReader struct {
	s     *Scenario
	d     *decoder          // its problems are those of the file
	names map[string]string // of the scenario's own flows: which one
	lines map[string]int    // of the flows read here
	keys  []entry           // the first line
	cells []*Field          // their fields
	blank Flow              // the defaults
	flows []FileFlow
}

func (r *flowReader) read(src []byte) {
	c := newFlowsReader(src)
	for !r.d.problems.Full() {
		row, err := c.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF && len(r.flows)+len(r.d.problems) == 0:
			r.d.at("", span{1, 1, 1},
				"no flows, want a first line such as name,from,to,bytes,start and a line for each flow", "")
			return
		case err == io.EOF:
			return
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := c.FieldPos(0)
			r.d.at("", span{line, 1, 1},
				fmt.Sprintf("%d cells, want %d, as the first line has", len(row), len(r.keys)), "")
		case errors.As(err, &bad) && r.keys == nil: // its first line is no line of ours: no word is shown
			r.d.at("", span{}, "the first line is no CSV: "+bad.Err.Error(), "")
			return
		case errors.As(err, &bad):
			r.d.at("", span{bad.Line, bad.Column, 1}, bad.Err.Error(), "")
			return
		case r.keys == nil:
			if !r.header(c, row) {
				return
			}
		case len(r.flows) == maxFileFlows:
			line, _ := c.FieldPos(0)
			r.d.at("", span{line, 1, 1}, fmt.Sprintf("more than %d flows", maxFileFlows), "")
			return
		default:
			r.row(c, row)
			if len(r.flows) == expectAfter {
				r.expect(int(int64(len(src)) * expectAfter / c.InputOffset()))
			}
		}
	}
}

// expectAfter is after how many flows it is guessed how many there are. Lines are no measure: they may be blank.
const expectAfter = 1000

// expect makes room for so many flows.
func (r *flowReader) expect(n int) {
	n = min(n, maxFileFlows)
	r.flows = slices.Grow(r.flows, max(0, n-len(r.flows)))
	lines := make(map[string]int, n)
	maps.Copy(lines, r.lines)
	r.lines = lines
}

// noKeys is all that is said of a file whose first line names no key of a flow. It may be any file of
// the reader's: no word of it is shown, and no line.
func (r *flowReader) noKeys() {
	r.d.at("", span{}, "the first line names no key of a flow, want columns from, to and bytes at least: "+
		located.OneOf(flowTree.names()), "")
}

// namesKeys reports whether the first line that is no comment has a key of a flow, of a text that
// cannot be read as CSV.
func namesKeys(src []byte) bool {
	for line := range bytes.Lines(src) {
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			continue
		}
		for cell := range bytes.SplitSeq(line, []byte(",")) {
			if len(cell) <= maxFlowLine && flowTree.child(strings.Trim(string(cell), " \t\r\n\"")) != nil {
				return true
			}
		}
		return false
	}
	return false
}

// header reads the first line: keys of a flow, each once, the required ones among them.
func (r *flowReader) header(c *csv.Reader, row []string) bool {
	given := map[string]bool{}
	if !slices.ContainsFunc(row, func(key string) bool { return flowTree.child(strings.TrimSpace(key)) != nil }) {
		r.noKeys()
		if len(row) == 1 && slices.ContainsFunc(strings.FieldsFunc(row[0], func(c rune) bool { return c == ';' || c == '\t' }),
			func(key string) bool { return flowTree.child(strings.TrimSpace(key)) != nil }) {
			r.d.problems[len(r.d.problems)-1].Hint = "columns are separated by commas"
		}
		return false
	}
	for i, key := range row {
		line, column := c.FieldPos(i)
		e := entry{key: strings.Clone(strings.TrimSpace(key)), at: span{line, column, max(1, len(key))}}
		switch b := flowTree.child(e.key); {
		case b == nil:
			r.unknown(e)
		case given[e.key]:
			r.d.at(e.key, e.at, "named twice", "")
		}
		given[e.key] = true
		if r.keys = append(r.keys, e); r.d.problems.Full() {
			return false
		}
	}
	for _, f := range flowFields {
		switch {
		case f.Required && !given[f.Path]:
			r.d.at("", r.keys[0].at, "no column "+f.Path+", want columns from, to and bytes at least", "")
		case !f.Required && f.derive == nil:
			if _, err := f.parseText(f.at(&r.blank), f.Default); err != nil {
				panic("scenario: default of " + f.Path + ": " + err.Error())
			}
		}
	}
	if len(r.d.problems) > 0 {
		return false
	}
	for _, k := range r.keys {
		r.cells = append(r.cells, flowTree.child(k.key).Field)
	}
	return true
}

// unknown reports a column that is no key of a flow; that another group has it is of no use here.
func (r *flowReader) unknown(e entry) {
	keys := *flowTree
	keys.entry = true
	r.d.unknown(&keys, e, "")
}

// row reads one flow.
func (r *flowReader) row(c *csv.Reader, row []string) {
	line, _ := c.FieldPos(0)
	if !r.quick(row, line) {
		r.flows = append(r.flows, FileFlow{r.explained(c, row), line})
	}
	r.lines[r.flows[len(r.flows)-1].Name] = line
}

// quick reads a row in which nothing is wrong, as nearly all are; of any other it only says that it
// is not one. What it takes, explained takes too, as the same flow.
func (r *flowReader) quick(row []string, line int) bool {
	r.flows = append(r.flows, FileFlow{r.blank, line})
	if last := len(r.flows) - 1; !r.plain(&r.flows[last].Flow, row, last) { // read where it stays
		r.flows = r.flows[:last]
		return false
	}
	return true
}

// plain reads the nth flow into f, which is blank, if nothing is wrong in it.
func (r *flowReader) plain(f *Flow, row []string, nth int) bool {
	for i, cell := range row {
		text := strings.TrimSpace(cell)
		if text == "" && r.cells[i].Required {
			return false
		}
		if text == "" {
			continue
		}
		c := r.cells[i]
		if c.Kind == Text || c.Kind == NameList {
			text = strings.Clone(text) // the row's memory is used again
		}
		if !quickCell(c, c.at(f), text) {
			return false
		}
	}
	if f.Name == "" {
		f.Name = nthFlow("flow", nth)
	}
	_, taken := r.names[f.Name]
	_, twice := r.lines[f.Name]
	return !taken && !twice && len(flowMistakes(r.s, f)) == 0
}

// quickCell reads a cell into the variable that v points to.
func quickCell(f *Field, v any, text string) bool {
	if f.Kind != NameList || text == f.Word {
		_, err := f.parseText(v, text)
		return err == nil
	}
	n := node{text: text}
	n.path(f)
	_, err := f.parseNode(v, &n)
	return err == nil
}

// path makes a list of the nodes of a path, which a cell has as host1>leaf1>host2.
func (n *node) path(f *Field) {
	if f.Kind != NameList || n.text == f.Word {
		return
	}
	n.shape = sequenceShape
	for hop := range strings.SplitSeq(n.text, ">") {
		n.items = append(n.items, &node{at: n.at, text: hop, quoted: true})
	}
}

// explained reads a row as the scenario's own flows are read, with all that is wrong in it and
// where.
func (r *flowReader) explained(c *csv.Reader, row []string) (f Flow) {
	d := newDecoder(r.d.file)
	prefix := fmt.Sprintf("[%d].", len(r.flows))
	line, _ := c.FieldPos(0)
	d.keys[parent(prefix)] = span{line, 1, 1}
	d.keys[prefix[:len(prefix)-1]] = span{line, 1, 1}
	for i, cell := range row {
		f, text := r.cells[i], strings.TrimSpace(cell)
		if text == "" {
			continue
		}
		line, column := c.FieldPos(i)
		n := &node{at: span{line, column, utf8.RuneCountInString(text)}, text: strings.Clone(text),
			quoted: slices.Contains([]Kind{Text, Name, End}, f.Kind)}
		n.path(f)
		d.values[prefix+f.Path] = n
	}
	d.resolve(flowFields, &f, prefix)
	names := map[string]string{}
	if other, ok := r.names[f.Name]; ok {
		names[f.Name] = other
	} else if line, ok := r.lines[f.Name]; ok {
		names[f.Name] = fmt.Sprintf("the flow of line %d", line)
	}
	d.checkFlow(r.s, &f, prefix[:len(prefix)-1], names)
	for _, p := range d.problems {
		p.Path = strings.TrimPrefix(p.Path, prefix)
		r.d.problems = append(r.d.problems, p)
	}
	return f
}
