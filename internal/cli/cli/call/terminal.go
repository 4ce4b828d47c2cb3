package call

import (
	"fmt"
	"io"
	"os"

	"railyard/internal/base/shown"
)

// Terminal is what a stream can show.
type Terminal struct {
	Width    func() int // columns; nil: no terminal
	rewrites bool       // a line can be drawn again in place
	Colour   bool
}

// DefaultColumns is the width where there is no terminal to ask.
const DefaultColumns = 80

// TerminalOf finds out what f can show.
func TerminalOf(f *os.File) Terminal {
	if ColumnsOf(f) <= 0 {
		return Terminal{}
	}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == ""
	return Terminal{
		Width:    func() int { return ColumnsOf(f) },
		rewrites: !dumb,
		Colour:   !dumb && os.Getenv("NO_COLOR") == "",
	}
}

// ColourFlag names the flag that says whether there are colours, and colourWords what it may say.
const ColourFlag = "color"

var ColourWords = []string{"auto", "always", "never"}

// colours has both streams with colours, or without.
func (a *App) colours(on bool) {
	a.OutTerm.Colour, a.ErrTerm.Colour = on, on
	for _, w := range []io.Writer{a.Stdout, a.Stderr} {
		if s, ok := w.(*shown.Writer); ok {
			s.Colour(on)
		}
	}
}

// Known is columns where there is a terminal, else nil.
func (t Terminal) Known() func() int {
	if t.Width == nil {
		return nil
	}
	return t.Columns
}

// Columns returns the width in columns now, at least 20.
func (t Terminal) Columns() int {
	if t.Width == nil {
		return DefaultColumns
	}
	if n := t.Width(); n > 0 {
		return max(n, 20)
	}
	return DefaultColumns
}

// screen is where progress is drawn.
func (a *App) screen() *shown.Writer {
	if w, ok := a.Stderr.(*shown.Writer); ok {
		return w
	}
	return shown.NewWriter(a.Stderr, a.ErrTerm.Colour)
}

// Tell prints a line on stderr, in place of a line of progress that may stand there.
func (a *App) Tell(line string) {
	if a.ErrTerm.rewrites {
		a.screen().Erase()
	}
	fmt.Fprintln(a.Stderr, line)
}
