package scripttest

import (
	"strings"
	"testing"
)

// echo tells each command back.
type echo struct{ Log }

func (e *echo) Do(command []string) { e.WriteString(strings.Join(command, "+") + "\n") }

// TestPlay: outcomes take the place of those in the file; commands and remarks stay as written.
func TestPlay(t *testing.T) {
	got := play(&echo{}, "# a remark\n  say  two\nsay\n----\nwrong\nwrong\n\nagain\n----\n")
	want := "# a remark\n  say  two\nsay\n----\nsay+two\nsay\n\nagain\n----\nagain\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// reader tells each line back.
type reader struct{ echo }

func (r *reader) Read(line string) { r.WriteString("[" + line + "]\n") }

// A stage that reads has lines as they stand, with what they begin and end with.
func TestPlayToAReader(t *testing.T) {
	const text = "# a remark\n  say  two \n----\n[  say  two ]\n\nlast\n----\n[last]\n"
	if got := play(&reader{}, text); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ got, want, says string }{
		{"a\nb\n", "a\nc\n", `line 2: "b", want "c"`},
		{"a", "a\nb", "1 lines, want 2"},
	} {
		if says := firstDifference(c.got, c.want); says != c.says {
			t.Errorf("%q and %q: %s, want %s", c.got, c.want, says, c.says)
		}
	}
}

// Numbers are as Go writes them.
func TestNumber(t *testing.T) {
	for text, want := range map[string]int64{"12": 12, "-3": -3, "0xff": 255} {
		if n := Number(t, text); n != want {
			t.Errorf("%s: %d, want %d", text, n, want)
		}
	}
}
