package lab

import (
	"strings"
	"testing"
	"testing/fstest"

	"railyard/internal/base/machine/machinetest"
)

// A long line of a text takes as long as many short ones: the column of a character was once counted from
// the beginning of its line.
func TestLongLinesTakeTheirTimeOnce(t *testing.T) {
	machinetest.Whole(t, "letters", 8_000, func(n int) {
		parseText("# A\n\n> What?\n\n" + strings.Repeat("x", n))
	})
}

// A file that is wrong all over is read until enough is wrong, and one that is too long not at all.
func TestBrokenLabsEnd(t *testing.T) {
	for _, line := range []string{"x\n", "{", "\x00", "'\n", "\"x\n", " x\n", "formula a = b \"x\"\n"} {
		if _, ps := parseExpect(expectFile, strings.Repeat(line, 100_000)); len(ps) > 500 {
			t.Errorf("%q: %d problems are kept", line, len(ps))
		}
	}
	files := fstest.MapFS{readmeFile: {Data: make([]byte, MaxPage+1)}, expectFile: {Data: make([]byte, MaxText+1)}}
	_, err := Parse("a", files)
	for _, want := range []string{"1048577 bytes, want at most 1048576", "262145 bytes, want at most 262144"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
