package shown

import (
	"strings"
	"testing"
)

// A character whose bytes come in two writes is one; what asks how wide a terminal is hears it.
func TestWriterOfPieces(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out, false)
	for _, piece := range []string{"a\xc3", "\xa9b", "\xe2\x80", "\xae", "\xc3"} {
		if _, err := w.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil || out.String() != "a\u00e9b"+`\u202e\xc3` {
		t.Errorf("%v: %q", err, out.String())
	}
	if Columns(w) != 0 {
		t.Error("no terminal has columns")
	}
	w.Of(func() int { return 77 })
	if got := Columns(w); got != 77 {
		t.Errorf("%d columns", got)
	}
}

// Escapes of JSON that stand for something hidden become visible ones, pairs of surrogates too; others stay.
func TestEscapesOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`"\u202e"`:       `"\\u202e"`,
		`"\u001b[2J"`:    `"\\x1b[2J"`,
		`"\u00e9\n"`:     `"\u00e9\n"`,
		`"\udb40\udc41"`: `"\\U000e0041"`,
		`"\u20"`:         `"\u20"`,
	} {
		if got := string(VisibleJSON([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
