package lint_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"railyard/internal/lint"
	"railyard/internal/lint/linttest"
)

// misspell changes a letter of a keyword of a random line: one in small letters, which names here are not. It returns the
// line, from 1; 0: it found none.
func misspell(r *rand.Rand, text string) (string, int) {
	all := strings.Split(text, "\n")
	for range 100 {
		n := r.IntN(len(all))
		line := all[n]
		if t := strings.TrimSpace(line); t == "" || strings.ContainsRune("!#{}", rune(t[0])) || strings.Contains(line, "description") ||
			strings.HasPrefix(t, "hostname") || strings.Contains(t, "host-name") {
			continue
		}
		words := strings.Fields(line)
		w := words[r.IntN(len(words))]
		bare := strings.Trim(w, `"{}:,[]`)
		small := strings.IndexFunc(bare, func(c rune) bool { return !unicode.IsLower(c) && c != '-' && c != '_' }) < 0
		if len(bare) < 4 || !small || bare == "nv" {
			continue
		}
		at := 1 + r.IntN(len(bare)-2)
		var wrong string
		switch r.IntN(4) {
		case 0: // two letters swapped
			wrong = bare[:at] + bare[at+1:at+2] + bare[at:at+1] + bare[at+2:]
		case 1: // one left out
			wrong = bare[:at] + bare[at+1:]
		case 2: // one twice
			wrong = bare[:at+1] + bare[at:]
		default: // another one
			wrong = bare[:at] + "q" + bare[at+1:]
		}
		if wrong == bare {
			continue
		}
		all[n] = strings.Replace(line, w, strings.Replace(w, bare, wrong, 1), 1)
		return strings.Join(all, "\n"), n + 1
	}
	return text, 0
}

// A line that is misspelt is said not to be understood, and nothing is an error because it is not there: what it would
// have said is not known.
//
// False if the check of Hides is taken out of lacks or Missing, or a word out of the vocabulary that has no other near it.
func TestMisspelt(t *testing.T) {
	trials := 300
	if testing.Short() {
		trials = 60
	}
	for _, dialect := range []string{"nxos", "eos", "sonic", "nvue", "junos"} {
		clean := linttest.Render(t, dialect, linttest.Clean())
		r := rand.New(rand.NewPCG(33, uint64(len(dialect))))
		seen, values := 0, 0
		for range trials / 5 {
			text, at := misspell(r, clean)
			if at == 0 {
				continue
			}
			d := linttest.Read(dialect, "f", text)
			unread := false
			for _, u := range d.Unread {
				unread = unread || u.Line == at
			}
			if !unread { // a word that is a value: it is refused at its line, or means something else
				values++
				continue
			}
			seen++
			for _, f := range lint.Check([]*lint.Device{d}, nil) {
				if f.Severity == lint.Error {
					t.Errorf("%s: line %d is %q: %s %s at %d", dialect, at, strings.Split(text, "\n")[at-1], f.Rule, f.Text, f.Line)
				}
			}
		}
		if seen <= values { // names and values of tables are many
			t.Errorf("%s: %d lines not understood, %d taken as something else", dialect, seen, values)
		}
	}
}
