package ns3

import (
	"runtime"
	"strings"
	"testing"
)

// Words are made as they are wanted: a file is read in about the room of its text, not in that of all of its words.
func TestWordsTakeTheRoomOfALine(t *testing.T) {
	const size = 4 << 20
	for name, text := range map[string]string{
		"one line": strings.Repeat("x ", size/2), "lines of a letter": "CC_MODE 3\n" + strings.Repeat("x\n", size/2),
		"comments": strings.Repeat("{x}\n", size/4), "numbers": "1000000\n" + strings.Repeat("0 1 3 100 10 2\n", size/15),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tok := tokenize("f", []byte(text))
		for len(tok.problems) == 0 && tok.more() {
			tok.take("a word")
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 3*size {
			t.Errorf("%s: %d bytes taken for %d", name, took, size)
		}
	}
}

// What is over a bound ends the file with one problem.
func TestBoundsOfWords(t *testing.T) {
	for text, want := range map[string]string{
		"1 " + strings.Repeat("1 ", maxLine/2): "f:1:1: a line of 1048578 bytes, want at most 1048576",
		strings.Repeat("1 2\n", maxWords/2+1):  "f:4000001:1: more than 8000000 words, want at most that",
	} {
		tok := tokenize("f", []byte(text))
		for {
			if _, ok := tok.take("a word"); !ok {
				break
			}
		}
		if err := tok.err(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
