package cli

import (
	"fmt"
	"io"
	"os"

	"railyard/internal/shown"
)

// terminal is what a stream can show.
type terminal struct {
	width    func() int // columns; nil: no terminal
	rewrites bool       // a line can be drawn again in place
	colour   bool
}

// defaultColumns is the width where there is no terminal to ask.
const defaultColumns = 80

// terminalOf finds out what f can show.
func terminalOf(f *os.File) terminal {
	if columnsOf(f) <= 0 {
		return terminal{}
	}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == ""
	return terminal{
		width:    func() int { return columnsOf(f) },
		rewrites: !dumb,
		colour:   !dumb && os.Getenv("NO_COLOR") == "",
	}
}

// colourFlag names the flag that says whether there are colours, and colourWords what it may say.
const colourFlag = "color"

var colourWords = []string{"auto", "always", "never"}

// colours has both streams with colours, or without.
func (a *app) colours(on bool) {
	a.outTerm.colour, a.errTerm.colour = on, on
	for _, w := range []io.Writer{a.stdout, a.stderr} {
		if s, ok := w.(*shown.Writer); ok {
			s.Colour(on)
		}
	}
}

// known is columns where there is a terminal, else nil.
func (t terminal) known() func() int {
	if t.width == nil {
		return nil
	}
	return t.columns
}

// columns returns the width in columns now, at least 20.
func (t terminal) columns() int {
	if t.width == nil {
		return defaultColumns
	}
	if n := t.width(); n > 0 {
		return max(n, 20)
	}
	return defaultColumns
}

// screen is where progress is drawn.
func (a *app) screen() *shown.Writer {
	if w, ok := a.stderr.(*shown.Writer); ok {
		return w
	}
	return shown.NewWriter(a.stderr, a.errTerm.colour)
}

// tell prints a line on stderr, in place of a line of progress that may stand there.
func (a *app) tell(line string) {
	if a.errTerm.rewrites {
		a.screen().Erase()
	}
	fmt.Fprintln(a.stderr, line)
}
