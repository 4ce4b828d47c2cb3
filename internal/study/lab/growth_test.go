package lab

import (
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// Four times as long a line of a text takes about four times as long: the column of a character was once counted
// from the beginning of its line, which makes it sixteen. Time is that of the process, the least of some.
func TestLongLinesTakeTheirTimeOnce(t *testing.T) {
	took := func(n int) time.Duration {
		text, least := "# A\n\n> What?\n\n"+strings.Repeat("x", n), time.Hour
		for range 3 {
			begin := processTime(t)
			parseText(text)
			least = min(least, processTime(t)-begin)
		}
		return least
	}
	if small, large := took(8_000), took(32_000); large > 9*small+10*time.Millisecond {
		t.Errorf("8,000 letters take %v, 32,000 take %v", small, large)
	}
}

func processTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
