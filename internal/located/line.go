package located

import (
	"bytes"
	"fmt"
)

// MostLine is how many bytes a line of a text of statements may have: its words take some times the
// room, and no statement of ours is a hundredth of it.
const MostLine = 64 << 10

// LongLine says which line is the first that has more than MostLine bytes; nil: none. The problem has no
// place, so that it quotes nothing: the text may be any.
func LongLine(file string, src []byte) error {
	n := 0
	for line := range bytes.Lines(src) {
		if n++; len(line) > MostLine {
			return Problems{{File: file, Message: fmt.Sprintf("line %d has %d bytes, want at most %d", n, len(line), MostLine)}}
		}
	}
	return nil
}
