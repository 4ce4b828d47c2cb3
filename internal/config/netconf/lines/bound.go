package lines

import (
	"bytes"
	"fmt"

	"railyard/internal/base/located"
)

// Bounds of a file of commands. The largest switches have some ten thousand lines; a line of theirs has a
// few hundred bytes.
const (
	MaxLines = 200_000
	MaxLine  = 16 << 10 // bytes
)

// Bounded returns a text up to the first line that is over a bound, and says which that is. The
// problem has no place, so that it quotes nothing: the text may be any.
func Bounded(file string, text []byte) (kept []byte, problems located.Problems) {
	over := func(format string, args ...any) located.Problems {
		return located.Problems{{File: file, Message: fmt.Sprintf(format, args...) + ": nothing is read from there on"}}
	}
	at, n := 0, 0
	for line := range bytes.Lines(text) {
		n++
		switch {
		case n > MaxLines:
			return text[:at], over("more than %d lines, want at most that", MaxLines)
		case len(line) > MaxLine:
			return text[:at], over("line %d has %d bytes, want at most %d", n, len(line), MaxLine)
		}
		at += len(line)
	}
	return text, nil
}
