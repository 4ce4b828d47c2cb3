package shown

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"host1/gpu0":                "host1/gpu0",
		"Größe 3.5 µs → naïve שלום": "Größe 3.5 µs → naïve שלום",
		"e\u0301":                   "e\u0301",
		"\x1b]0;x\x07":              `\x1b]0;x\x07`,
		"\u009b31m":                 `\u009b31m`,
		"\x9b31m":                   `\x9b31m`,
		"a\u202eb\u2066c\u061cd":    `a\u202eb\u2066c\u061cd`,
		"a\u2028b":                  `a\u2028b`,
		"\ufeffx\u200bx\u00ad":      `\ufeffx\u200bx\u00ad`,
		"\U000e0041\ufe0f\u3164":    `\U000e0041\ufe0f\u3164`,
		"\ue000\uffff\x7f":          `\ue000\uffff\x7f`,
		"a\nb\tc\rd":                `a\nb\tc\rd`,
		"\ufffd":                    "\ufffd",
		`C:\x1b`:                    `C:\x1b`,
	} {
		if got := Text(s); got != want {
			t.Errorf("%+q: %s, want %s", s, got, want)
		}
		if got := Text(want); got != want {
			t.Errorf("%s became %s", want, got)
		}
	}
	if got := Lines("a\n\tb\r\n\x1b"); got != "a\n\tb\\r\n\\x1b" {
		t.Errorf("%q", got)
	}
}

// Whatever comes, in whatever pieces, nothing hidden goes out, and what goes out does not depend on
// the pieces.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("plain → text\n\x1b[2J\u202e\xff\xe2\x80"), 3)
	f.Add([]byte("\xf3\xa0\x81\x81"), 1)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		var whole, pieces bytes.Buffer
		w := NewWriter(&whole, true)
		w.Write(b)
		w.Flush()
		p := NewWriter(&pieces, false)
		for rest := b; len(rest) > 0; {
			n := min(max(cut, 1), len(rest))
			if got, err := p.Write(rest[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		p.Flush()
		if whole.String() != Lines(string(b)) || pieces.String() != whole.String() {
			t.Fatalf("%q became %q, in pieces %q", b, whole.String(), pieces.String())
		}
		if s := whole.String(); !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
			return Hidden(r) && r != '\n' && r != '\t'
		}) {
			t.Fatalf("%q became %q", b, s)
		}
	})
}

// JSON keeps its value and holds nothing hidden; VisibleJSON has the value that Lines gives.
func FuzzJSON(f *testing.F) {
	f.Add("a\x1b]0;\x07\r\b\f\n\t\\\"\\u202e")
	f.Add("\u202e\u2028\u009b\x7f\U000e0041</script>")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string][]string{s: {s}}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text []byte
			want string
		}{{JSON(plain.Bytes()), s}, {VisibleJSON(plain.Bytes()), Lines(s)}} {
			var back map[string][]string
			if err := json.Unmarshal(c.text, &back); err != nil || len(back[c.want]) != 1 || back[c.want][0] != c.want {
				t.Fatalf("%q: %s holds %q, %v; want %q", s, c.text, back, err, c.want)
			}
			if n := visible(c.text, "\n"); n != len(c.text) {
				t.Fatalf("%q: %q is hidden in it", s, c.text[n:])
			}
		}
	})
}

func TestStyles(t *testing.T) {
	for colours, want := range map[bool]string{
		true:  "\x1b[31m\\x1b[2J\x1b[0mx\ra\\x07\x1b[K\r\x1b[K",
		false: "\\x1b[2Jx\ra\\x07\x1b[K\r\x1b[K",
	} {
		var b bytes.Buffer
		w := NewWriter(&b, colours)
		Paint(w, Wrong, "\x1b[2J")
		Paint(w, Plain, "x")
		w.Redraw("a\x07")
		w.Erase()
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
	var b strings.Builder
	if Paint(&b, Hint, "x"); b.String() != "x" {
		t.Errorf("%q, want x", b.String())
	}
}
