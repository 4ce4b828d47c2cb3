package shown

import (
	"io"
	"slices"
	"sync"
	"unicode/utf8"
)

// Style is how a piece of text stands out on a terminal that has colours.
type Style uint8

// The styles.
const (
	Plain Style = iota
	Place       // where something is
	Wrong       // what points at it
	Hint        // what would be accepted
)

// Codes of ECMA-48, section 8.3: the only ones that the program writes.
var codes = [...]string{Plain: "\x1b[0m", Place: "\x1b[1m", Wrong: "\x1b[31m", Hint: "\x1b[36m"}

const (
	toStart = "\r"
	toEnd   = "\x1b[K" // erases the rest of the line
)

// A Painter takes text in a style, and decides whether that shows.
type Painter interface {
	Paint(s Style, text string)
}

// Paint writes text in a style where w knows of styles, elsewhere as it is.
func Paint(w io.Writer, s Style, text string) {
	if p, ok := w.(Painter); ok {
		p.Paint(s, text)
		return
	}
	io.WriteString(w, text) //nolint:errcheck // as Fprint of a layout: who flushes it hears
}

// A Writer writes lines of text in which hidden characters are escapes. It may be shared by
// goroutines. A character whose bytes come in two writes is one: its first bytes wait.
type Writer struct {
	mu      sync.Mutex
	w       io.Writer
	colours bool
	columns func() int // nil: no terminal
	waiting []byte     // begin a character
}

// NewWriter returns a Writer to w, with colours where w is a terminal that has them.
func NewWriter(w io.Writer, colours bool) *Writer { return &Writer{w: w, colours: colours} }

// Of has the Writer ask how wide the terminal is that it writes to, in columns; nil: it is none.
func (w *Writer) Of(columns func() int) { w.columns = columns }

// Columns is how wide the terminal is that a writer writes to, 0 of what is none.
func Columns(w io.Writer) int {
	if s, ok := w.(*Writer); ok && s.columns != nil {
		return s.columns()
	}
	return 0
}

// Colour has the Writer use colours from now on, or not.
func (w *Writer) Colour(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.colours = on
}

// Write writes what is seen, and the rest as escapes.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := p
	if len(w.waiting) > 0 {
		b = slices.Concat(w.waiting, p)
	}
	whole := len(b) - unfinished(b)
	w.waiting = nil
	if whole < len(b) {
		w.waiting = slices.Clone(b[whole:])
	}
	if err := w.put(b[:whole]); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *Writer) put(b []byte) error {
	var err error
	switch {
	case len(b) == 0:
	case visible(b, layout) == len(b):
		_, err = w.w.Write(b)
	default:
		_, err = io.WriteString(w.w, Lines(string(b)))
	}
	return err
}

// unfinished returns how many bytes at the end begin a character.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Flush writes what waits for the rest of a character that never came.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.waiting
	w.waiting = nil
	return w.put(b)
}

// Paint writes text in a style.
func (w *Writer) Paint(s Style, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text = Lines(text)
	if w.colours && s != Plain {
		text = codes[s] + text + codes[Plain]
	}
	io.WriteString(w.w, text) //nolint:errcheck // as Fprint of a message: nothing is left to say it with
}

// Redraw draws a line in place of the one on which the terminal stands.
func (w *Writer) Redraw(line string) { w.raw(toStart + Text(line) + toEnd) }

// Erase clears the line on which the terminal stands.
func (w *Writer) Erase() { w.raw(toStart + toEnd) }

func (w *Writer) raw(codes string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	io.WriteString(w.w, codes) //nolint:errcheck // a display of progress: nothing depends on it
}
