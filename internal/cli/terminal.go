package cli

import "os"

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

// erase returns what clears the line that stands on the terminal.
func (t terminal) erase() string {
	if !t.rewrites {
		return ""
	}
	return "\r\x1b[K"
}
