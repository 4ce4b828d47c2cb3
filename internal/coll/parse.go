package coll

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a schedule in text form.
const (
	MaxText      = 16 << 20 // bytes
	maxTextParts = 1 << 16  // ranks * channels
	maxTextCells = 1 << 22  // ranks * chunks and ranks * slots, so that Check's memory is bounded
	maxTextError = 20       // errors reported at once
)

// TextError is a mistake in a schedule's text, at a line and a column (in bytes)
// counted from 1.
type TextError struct {
	Name      string
	Line, Col int
	What      string
}

// Error returns "name:line:column: what".
func (e *TextError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.What)
}

// ParseText reads a schedule in the form of WriteText. name is used in errors.
// It is strict: every rank and channel in order, ops numbered from 0, fields in
// the order printed, numbers in range. `#` begins a comment; empty lines and the
// amount of blank space do not matter. It reports up to 20 wrong lines at once
// (errors.As: *TextError). It does not prove the schedule: see Check.
func ParseText(name string, src []byte) (*Table, error) {
	if len(src) > MaxText {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", name, len(src), MaxText)
	}
	p := parser{name: name, rest: string(src), t: &Table{}, part: -1}
	if p.next(); len(p.words) > 0 && p.words[0].text != "schedule" {
		// It may be any file of the reader's: no word of it is shown, and no line.
		return nil, fmt.Errorf("%s: no schedule: want schedule as the first word, as railyard show schedule prints it", name)
	}
	if p.header() {
		p.body()
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.t, nil
}

// word is a blank-separated part of a line.
type word struct {
	text string
	col  int
}

type parser struct {
	name string
	rest string
	t    *Table
	part int // index of the (rank, channel) being read
	errs []error

	line  int // of words
	words []word
	col   int // column of the word taken last
	end   int // column after the line's last word
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
	p.words, p.end = nil, 1
	return false
}

func (p *parser) split(line string) {
	line, _, _ = strings.Cut(line, "#")
	p.words, p.end = p.words[:0], 1
	for i := 0; i < len(line); {
		if blank(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		p.words = append(p.words, word{line[from:i], from + 1})
		p.end = i + 1
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// fail notes a mistake; false, for the caller to return.
func (p *parser) fail(col int, format string, args ...any) bool {
	p.errs = append(p.errs, &TextError{p.name, p.line, col, fmt.Sprintf(format, args...)})
	return false
}

// take removes the line's next word; an error names what was wanted.
func (p *parser) take(want string) (word, bool) {
	if len(p.words) == 0 {
		return word{}, p.fail(p.end, "the line ends, want %s", want)
	}
	w := p.words[0]
	p.words, p.col = p.words[1:], w.col
	return w, true
}

// keyword takes the word key.
func (p *parser) keyword(key string) bool {
	w, ok := p.take(key)
	if ok && w.text != key {
		return p.fail(w.col, "%s, want %s", quote(w.text), key)
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
	v, err := strconv.Atoi(w.text)
	if err != nil || strconv.Itoa(v) != w.text || v < lo || v > hi {
		return 0, p.fail(w.col, "%s %s, want %s", what, quote(w.text), want)
	}
	return v, true
}

// ended refuses words that are left.
func (p *parser) ended() bool {
	if len(p.words) > 0 {
		return p.fail(p.words[0].col, "%s, want the end of the line", quote(p.words[0].text))
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
	if !validName(w.text) {
		return p.fail(w.col, "name %s, want at most 64 of a-z, 0-9 and -", quote(w.text))
	}
	p.t.name = w.text
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
		if len(p.errs) >= maxTextError {
			return
		}
		if p.words[0].text == "rank" {
			if !p.section() {
				return // what follows would be taken for another rank's
			}
			continue
		}
		if p.part < 0 {
			p.fail(p.words[0].col, "%s, want rank 0 channel 0", quote(p.words[0].text))
			return
		}
		op, ok := p.op(len(p.t.ops[p.part]))
		if !ok {
			op = Op{Kind: Send, Peer: -1, Slot: -1, After: -1, Acked: -1} // keeps the numbering for the lines after
		}
		p.t.ops[p.part] = append(p.t.ops[p.part], op)
	}
	if parts := p.t.ranks * p.t.channels; p.part+1 < parts {
		p.fail(1, "the text ends, want rank %d channel %d", (p.part+1)/p.t.channels, (p.part+1)%p.t.channels)
	}
}

// section reads "rank R channel C", which must be the next in order.
func (p *parser) section() bool {
	col := p.words[0].col
	part := p.part + 1
	if part == p.t.ranks*p.t.channels {
		return p.fail(col, "one more rank and channel, want %d ranks with %d channels", p.t.ranks, p.t.channels)
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
	w, ok := p.take("send, recv, reduce or copy")
	if !ok {
		return op, false
	}
	for op.Kind < kinds && op.Kind.String() != w.text {
		op.Kind++
	}
	if op.Kind == kinds {
		return op, p.fail(w.col, "%s, want send, recv, reduce or copy", quote(w.text))
	}
	ok = p.field("chunk", &op.Chunk, p.t.chunks-1)
	switch op.Kind {
	case Send:
		ok = ok && p.peer("to", &op.Peer)
	case Recv:
		ok = ok && p.peer("from", &op.Peer) && p.field("slot", &op.Slot, p.t.slots-1)
	default:
		ok = ok && p.field("slot", &op.Slot, p.t.slots-1)
	}
	return op, ok && p.depends(i, &op) && p.ended()
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
		return p.fail(p.col, "%s %d is the rank itself, want another rank", key, self)
	}
	return true
}

// depends takes the optional "after N" and "acked N".
func (p *parser) depends(i int, op *Op) bool {
	if len(p.words) > 0 && p.words[0].text == "after" && !p.field("after", &op.After, i-1) {
		return false
	}
	if len(p.words) == 0 || p.words[0].text != "acked" {
		return true
	}
	if !p.field("acked", &op.Acked, i-1) {
		return false
	}
	if of := p.t.ops[p.part][op.Acked]; of.Kind != Send {
		return p.fail(p.col, "acked %d is a %s, want a send", op.Acked, of.Kind)
	}
	return true
}

// quote prints a word of the text, shortened.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}
