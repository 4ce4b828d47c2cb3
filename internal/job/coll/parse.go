package coll

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// Bounds of a schedule in text form.
const (
	MaxText      = 16 << 20 // bytes
	maxTextParts = 1 << 16  // ranks * channels
	maxTextCells = 1 << 22  // ranks * chunks and ranks * slots, so that Check's memory is bounded
)

// ParseText reads a schedule in the form of WriteText. name is used in errors.
// It is strict: every rank and channel in order, ops numbered from 0, fields in
// the order printed, numbers in range. `#` begins a comment; empty lines and the
// amount of blank space do not matter. The error is located.Problems: all wrong
// lines. It does not prove the schedule: see Check.
func ParseText(name string, src []byte) (*Table, error) {
	whole := func(format string, args ...any) error {
		return located.Problems{{File: name, Message: fmt.Sprintf(format, args...)}}
	}
	if len(src) > MaxText {
		return nil, whole("%d bytes, want at most %d", len(src), MaxText)
	}
	if err := located.LongLine(name, src); err != nil {
		return nil, err
	}
	p := parser{name: name, rest: string(bytes.TrimPrefix(src, located.BOM)), t: &Table{slices: 1}, part: -1}
	if p.next(); len(p.words) > 0 && p.words[0].Text != "schedule" {
		// It may be any file of the reader's: no word of it is shown, and no line.
		return nil, whole("no schedule: want schedule as the first word, as railyard show schedule prints it")
	}
	if p.header() {
		p.body()
	}
	if len(p.problems) > 0 {
		return nil, p.problems.Err()
	}
	return p.t, nil
}

type parser struct {
	name string
	rest string
	t    *Table
	part int // index of the (rank, channel) being read

	problems located.Problems

	line  int // of words
	words []located.Word
	taken located.Word // the word taken last
	end   located.Word // the place after the line's last word
}

// next reads the next line that is not empty, false at the end.
func (p *parser) next() bool {
	for p.rest != "" {
		var line string
		line, p.rest, _ = strings.Cut(p.rest, "\n")
		p.line++
		p.split(line)
		if len(p.words) > 0 {
			return true
		}
	}
	p.line++
	p.words, p.end = nil, located.Word{Column: 1}
	return false
}

func (p *parser) split(line string) {
	line, _, _ = strings.Cut(line, "#")
	p.words, p.end = located.AppendWords(nil, line), located.Word{Column: 1}
	if n := len(p.words); n > 0 {
		p.end.Column = p.words[n-1].Column + p.words[n-1].Width()
	}
}

// fail notes a mistake; false, for the caller to return.
func (p *parser) fail(at located.Word, format string, args ...any) bool {
	p.problems = append(p.problems, located.Problem{File: p.name, Line: p.line, Column: at.Column,
		Width: max(1, at.Width()), Message: fmt.Sprintf(format, args...)})
	return false
}

// take removes the line's next word; an error names what was wanted.
func (p *parser) take(want string) (located.Word, bool) {
	if len(p.words) == 0 {
		return located.Word{}, p.fail(p.end, "the line ends, want %s", want)
	}
	w := p.words[0]
	p.words, p.taken = p.words[1:], w
	return w, true
}

// keyword takes the word key.
func (p *parser) keyword(key string) bool {
	w, ok := p.take(key)
	if ok && w.Text != key {
		return p.fail(w, "%s, want %s", quote(w.Text), key)
	}
	return ok
}

// number takes a decimal number from lo to hi.
func (p *parser) number(what string, lo, hi int) (int, bool) {
	want := fmt.Sprintf("%s (%d to %d)", what, lo, hi)
	switch {
	case hi == lo:
		want = fmt.Sprintf("%s %d", what, lo)
	case hi < lo:
		want = fmt.Sprintf("no %s here: there is none to name", what)
	}
	w, ok := p.take(want)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(w.Text)
	if err != nil || strconv.Itoa(v) != w.Text || v < lo || v > hi {
		return 0, p.fail(w, "%s %s, want %s", what, quote(w.Text), want)
	}
	return v, true
}

// ended refuses words that are left.
func (p *parser) ended() bool {
	if len(p.words) > 0 {
		return p.fail(p.words[0], "%s, want the end of the line", quote(p.words[0].Text))
	}
	return true
}

// header reads the first five lines.
func (p *parser) header() bool {
	if !p.keyword("schedule") {
		return false
	}
	w, ok := p.take("the schedule's name")
	if !ok || !p.ended() {
		return false
	}
	if !validName(w.Text) {
		return p.fail(w, "name %s, want at most 64 of a-z, 0-9 and -", quote(w.Text))
	}
	p.t.name = w.Text
	t := p.t
	size := func(key string, v *int, lo, hi int) bool {
		p.next()
		ok := p.keyword(key)
		if ok {
			*v, ok = p.number(key, lo, hi)
		}
		return ok && p.ended()
	}
	return size("ranks", &t.ranks, 1, maxTextParts) &&
		size("channels", &t.channels, 1, min(maxChannels, maxTextParts/t.ranks)) &&
		size("chunks", &t.chunks, 1, maxTextCells/t.ranks) &&
		size("slots", &t.slots, 0, maxTextCells/t.ranks)
}

func validName(s string) bool {
	ok := len(s) > 0 && len(s) <= 64
	for _, c := range []byte(s) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
	}
	return ok
}

// body reads the programs.
func (p *parser) body() {
	for p.next() {
		if p.problems.Full() {
			return
		}
		if p.words[0].Text == "rank" {
			if !p.section() {
				return // what follows would be taken for another rank's
			}
			continue
		}
		if key := p.words[0].Text; p.part < 0 && (key == "inputs" || key == "slices") {
			if !p.option(key) {
				return
			}
			continue
		}
		if p.part < 0 {
			p.fail(p.words[0], "%s, want rank 0 channel 0", quote(p.words[0].Text))
			return
		}
		op, ok := p.op(len(p.t.ops[p.part]))
		if !ok {
			op = Op{Kind: Send, Peer: -1, Slot: -1, After: -1, Acked: -1} // keeps the numbering for the lines after
		}
		p.t.ops[p.part] = append(p.t.ops[p.part], op)
	}
	if parts := p.t.ranks * p.t.channels; p.part+1 < parts {
		p.fail(located.Word{Column: 1}, "the text ends, want rank %d channel %d",
			(p.part+1)/p.t.channels, (p.part+1)%p.t.channels)
	}
}

// option reads "inputs N" or "slices N", which stand after slots in this order.
func (p *parser) option(key string) bool {
	t, first := p.t, p.words[0]
	to, hi := &t.inputs, maxTextCells/t.ranks
	if key == "slices" {
		to, hi = &t.slices, t.chunks
	}
	if t.slices > 1 || key == "inputs" && t.inputs > 0 {
		return p.fail(first, "%s, want rank 0 channel 0", quote(key))
	}
	p.words = p.words[1:]
	v, ok := p.number(key, 1, hi)
	if *to = v; !ok || !p.ended() {
		return false
	}
	if t.slices == 0 || t.chunks%t.slices != 0 || t.inputs%t.slices != 0 {
		return p.fail(p.taken, "slices %d, want a number that %d chunks and %d inputs are a multiple of",
			t.slices, t.chunks, t.inputs)
	}
	return true
}

// section reads "rank R channel C", which must be the next in order.
func (p *parser) section() bool {
	first := p.words[0]
	part := p.part + 1
	if part == p.t.ranks*p.t.channels {
		return p.fail(first, "one more rank and channel, want %d ranks with %d channels", p.t.ranks, p.t.channels)
	}
	r, c := part/p.t.channels, part%p.t.channels
	p.words = p.words[1:]
	ok := false
	if _, ok = p.number("rank", r, r); ok && p.keyword("channel") {
		if _, ok = p.number("channel", c, c); ok && p.ended() {
			p.part = part
			p.t.ops = append(p.t.ops, nil)
			return true
		}
	}
	return false
}

// op reads op i of the current rank and channel.
func (p *parser) op(i int) (Op, bool) {
	op := Op{Peer: -1, Slot: -1, After: -1, Acked: -1}
	if _, ok := p.number("op", i, i); !ok {
		return op, false
	}
	w, ok := p.take("send, recv, reduce, copy or keep")
	if !ok {
		return op, false
	}
	for op.Kind < kinds && op.Kind.String() != w.Text {
		op.Kind++
	}
	if op.Kind == kinds {
		return op, p.fail(w, "%s, want send, recv, reduce, copy or keep", quote(w.Text))
	}
	chunks := p.t.chunks
	if op.Kind == Send && p.optional("input") {
		op.Buffer, chunks = In, p.t.inputs
	}
	ok = p.field("chunk", &op.Chunk, chunks-1)
	switch op.Kind {
	case Send:
		ok = ok && p.peer("to", &op.Peer)
	case Recv:
		ok = ok && p.peer("from", &op.Peer) && p.field("slot", &op.Slot, p.t.slots-1)
	case Keep:
		ok = ok && p.field("source", &op.Source, p.t.inputs-1)
	default:
		ok = ok && p.field("slot", &op.Slot, p.t.slots-1)
	}
	return op, ok && p.depends(i, &op) && p.credit(&op) && p.bySwitch(&op) && p.ended()
}

// optional takes a word if it is the next one.
func (p *parser) optional(key string) bool {
	if len(p.words) == 0 || p.words[0].Text != key {
		return false
	}
	_, ok := p.take(key)
	return ok
}

// credit takes the optional "window N" of a send and "frees" of a reduce or copy.
func (p *parser) credit(op *Op) bool {
	switch {
	case op.Kind == Send && len(p.words) > 0 && p.words[0].Text == "window":
		p.words = p.words[1:]
		v, ok := p.number("window", 1, maxChunks)
		op.Window = int32(v)
		return ok
	case op.Kind == Reduce || op.Kind == Copy:
		op.Frees = p.optional("frees")
	}
	return true
}

// bySwitch takes the optional "adds N" or "copies N" of a send and "added" of a reduce.
func (p *parser) bySwitch(op *Op) bool {
	if op.Kind == Reduce && p.optional("added") {
		op.Switch = 1
	}
	if op.Kind != Send || len(p.words) == 0 {
		return true
	}
	key := p.words[0].Text
	if key != "adds" && key != "copies" {
		return true
	}
	p.words = p.words[1:]
	v, ok := p.number(key, 2, p.t.ranks)
	if op.Switch = int32(v); key == "copies" {
		op.Switch = -op.Switch
	}
	return ok
}

// field takes "key N", N from 0 to hi.
func (p *parser) field(key string, to *int32, hi int) bool {
	if !p.keyword(key) {
		return false
	}
	v, ok := p.number(key, 0, hi)
	*to = int32(v)
	return ok
}

// peer takes "to N" or "from N", another rank.
func (p *parser) peer(key string, to *int32) bool {
	if !p.field(key, to, p.t.ranks-1) {
		return false
	}
	if self := p.part / p.t.channels; int(*to) == self {
		return p.fail(p.taken, "%s %d is the rank itself, want another rank", key, self)
	}
	return true
}

// depends takes the optional "after N" and "acked N".
func (p *parser) depends(i int, op *Op) bool {
	if len(p.words) > 0 && p.words[0].Text == "after" && !p.field("after", &op.After, i-1) {
		return false
	}
	if len(p.words) == 0 || p.words[0].Text != "acked" {
		return true
	}
	if !p.field("acked", &op.Acked, i-1) {
		return false
	}
	if of := p.t.ops[p.part][op.Acked]; of.Kind != Send {
		return p.fail(p.taken, "acked %d is a %s, want a send", op.Acked, of.Kind)
	}
	return true
}

// quote prints a word of the text, shortened.
func quote(s string) string { return strconv.Quote(located.Cut(s)) }
