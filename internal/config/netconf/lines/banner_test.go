package lines_test

import (
	"bytes"
	"testing"

	"railyard/internal/config/netconf/lines"
)

// What stands in a banner is no command, whatever it looks like, and lines keep their numbers.
func TestWithoutBanners(t *testing.T) {
	opens := func(line []byte) (int, string) {
		if rest, ok := bytes.CutPrefix(line, []byte("banner ")); ok && len(rest) > 0 {
			return len("banner ") + 1, string(rest[:1])
		}
		return 0, ""
	}
	for _, c := range [][2]string{
		{"a\nbanner #\nmtu 1\n# x\nb\n", "a\n\n\n\nb\n"},
		{"banner #one line#\nb", "\nb"},
		{"banner #no end\nb\n", "banner #no end\nb\n"},
		{"banner #\n#", "\n"},
		{"banner ", "banner "},
		{"", ""},
	} {
		if got := string(lines.WithoutBanners([]byte(c[0]), opens)); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
