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
	for begin := 0; len(src)-begin > MostLine; {
		if end := bytes.LastIndexByte(src[begin:begin+MostLine], '\n'); end >= 0 {
			begin += end + 1
			continue
		}
		length := len(src) - begin
		if end := bytes.IndexByte(src[begin:], '\n'); end >= 0 {
			length = end + 1
		}
		return Problems{{File: file, Message: fmt.Sprintf("line %d has %d bytes, want at most %d",
			1+bytes.Count(src[:begin], []byte("\n")), length, MostLine)}}
	}
	return nil
}
