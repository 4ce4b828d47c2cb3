package lint_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
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

// falsify is how many files are misspelt: 1,000 take some seconds.
var falsify = flag.Int("falsify", 250, "how many files TestMisspelt misspells")

// clean is one that has no error, to be misspelt.
type cleanFile struct{ dialect, text string }

// cleanFiles are those that are rendered, those of package dialects, and devices of two fabrics.
func cleanFiles(t *testing.T) (all []cleanFile) {
	for _, dialect := range []string{"nxos", "eos", "sonic", "nvue", "junos"} {
		all = append(all, cleanFile{dialect, linttest.Render(t, dialect, linttest.Clean())})
	}
	paths, _ := filepath.Glob(filepath.Join("..", "netconf", "dialects", "testdata", "public", "*", "*"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cleanFile{filepath.Base(filepath.Dir(path)), string(text)})
	}
	for _, texts := range []map[string]string{fabric(), second(t), {"eos access": eosAccess}} {
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			dialect, _, _ := strings.Cut(key, " ")
			all = append(all, cleanFile{dialect, texts[key]})
		}
	}
	return all
}

// A line that is misspelt is said not to be understood, and nothing is an error because it is not there: what it would
// have said is not known.
//
// False if the check of Hides is taken out of lacks or Missing, or a word out of the vocabulary that has no other near it.
func TestMisspelt(t *testing.T) {
	trials := *falsify
	if testing.Short() {
		trials = 60
	}
	all := cleanFiles(t)
	r := rand.New(rand.NewPCG(33, 33))
	seen, values := map[string]int{}, map[string]int{}
	for n := range trials {
		f := all[n%len(all)]
		text, at := misspell(r, f.text)
		if at == 0 {
			continue
		}
		d := linttest.Read(f.dialect, "f", text)
		unread := slices.ContainsFunc(d.Unread, func(u netconf.Unread) bool { return u.Line == at })
		if !unread { // a word that is a value: it is refused at its line, or means something else
			values[f.dialect]++
			continue
		}
		seen[f.dialect]++
		for _, x := range lint.Check([]*lint.Device{d}, nil, lint.Hosts{}) {
			if x.Severity == lint.Error {
				t.Errorf("%s: line %d is %q: %s %s at %d", f.dialect, at, strings.Split(text, "\n")[at-1], x.Rule, x.Text, x.Line)
			}
		}
	}
	for _, dialect := range dialects.Names() {
		t.Logf("%s: %d lines not understood, %d taken as something else or of no matter", dialect, seen[dialect], values[dialect])
		if trials >= 250 && seen[dialect] == 0 {
			t.Errorf("%s: no line was not understood", dialect)
		}
	}
}
