package lldp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A form is a text and what is read of it.
type form struct{ text, want string }

// forms reads testdata/forms.txt: texts, ---- and what is read, with an empty line between. A text may have empty lines.
func forms(t testing.TB) (all []form) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "forms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var f form
	out := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "# "):
		case line == "----\n":
			out = true
		case out && line == "\n":
			all, f, out = append(all, f), form{}, false
		case out:
			f.want += strings.TrimRight(line, " \n") + "\n"
		default:
			f.text += line
		}
	}
	return append(all, f)
}

// read is what is read of a text, a line each.
func read(text string) string {
	all, err := Parse(text)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, d := range all {
		for _, n := range d.Neighbours {
			b.WriteString(strings.TrimRight(strings.Join([]string{d.Host, n.Port, n.System, n.FarPort, n.FarPortSay}, " | "), " ") + "\n")
		}
	}
	return b.String()
}

// False if a column is cut elsewhere, or a key is another's.
func TestForms(t *testing.T) {
	all := forms(t)
	if len(all) < 13 {
		t.Fatalf("%d forms", len(all))
	}
	for _, f := range all {
		got := read(f.text)
		if message, is := strings.CutPrefix(f.want, "error: "); is {
			if !strings.HasPrefix(got, "error: "+strings.TrimSpace(message)) {
				t.Errorf("%s: %q, want %q", f.text, got, f.want)
			}
		} else if got != f.want {
			t.Errorf("%s:\n%swant\n%s", f.text, got, f.want)
		}
	}
}

// Several devices' may stand in one text, each behind its prompt: as in texts of their own.
func TestSeveralInOneText(t *testing.T) {
	var text, want string
	for _, f := range forms(t) {
		if !strings.HasPrefix(f.want, "error") && !strings.HasPrefix(f.want, " |") {
			text += f.text + "\n"
			want += f.want
		}
	}
	if got := read(text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Whatever is read, nothing but neighbours with a port comes out, and not more than the text has room for.
func FuzzParse(f *testing.F) {
	for _, x := range forms(f) {
		f.Add(x.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Parse(text)
		n := 0
		for _, d := range all {
			n += len(d.Neighbours)
		}
		if err == nil && n == 0 || n > len(text) {
			t.Errorf("%d neighbours of %d bytes, %v", n, len(text), err)
		}
	})
}

// A value of lldpctl's JSON is a text, an object that has one, or a list of just one of these.
func TestValuesOfJSON(t *testing.T) {
	object := map[string]any{"value": "x"}
	for _, c := range []struct {
		of   any
		want string
	}{
		{"x", "x"}, {object, "x"}, {[]any{"x"}, "x"}, {[]any{object}, "x"}, {[]any{}, ""}, {[]any{"x", "y"}, ""},
		{[]any{[]any{"x"}}, ""}, {nil, ""}, {map[string]any{"value": 1.0}, ""},
	} {
		if got := value(c.of); got != c.want {
			t.Errorf("%v: %q, want %q", c.of, got, c.want)
		}
	}
}
