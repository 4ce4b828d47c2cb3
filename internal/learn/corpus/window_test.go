package corpus

import (
	"slices"
	"strings"
	"testing"
)

// What a network with a window of 5 pieces sees of a text.
func TestRecent(t *testing.T) {
	for _, c := range []struct {
		by        By
		sentences bool
		text      string
		want      string
	}{
		{Words, true, "a b.", "a b ."},
		{Words, true, "a b. c d", "a b . c d"},
		{Words, true, "a b. c d e", "c d e"},
		{Words, true, "a. b c d e f", "b c d e f"},          // a sentence begins with the window
		{Words, true, "a b c d e. f. g", "f . g"},           // the first that begins within it
		{Words, true, "a b c d e f g", "c d e f g"},         // none does
		{Words, true, "a. b c d e f.", "c d e f ."},         // the next one has not begun
		{Words, false, "a b. c d e", "b . c d e"},           // windows begin anywhere
		{Words, true, "\u00fc x. \u00e9 b c", "\u00e9 b c"}, // pieces, not bytes
		{Characters, true, "ab. cd", "c|d"},
		{Characters, false, "ab. cd", "b|.| |c|d"},
	} {
		v := newVocabulary(Cut{By: c.by}, nil)
		between := " "
		if c.by == Characters {
			between = "|"
		}
		got := strings.Join(v.Recent(slices.Collect(v.Pieces(c.text)), 5, c.sentences), between)
		if got != c.want {
			t.Errorf("%s of %q, at sentences %v: %q, want %q", c.by, c.text, c.sentences, got, c.want)
		}
	}
}
