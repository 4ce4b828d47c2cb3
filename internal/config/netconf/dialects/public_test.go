package dialects

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/netconf"
)

// files are configurations of one's own: what is not understood of each is printed.
var files = flag.String("files", "", "print what is not understood of the files of a `pattern`")

// least is how much of relevant lines must be understood, in percent: those that are not known to be of no matter.
var least = map[string]float64{"sonic": 97, "nxos": 95, "eos": 90, "frr": 95, "nvue": 90, "junos": 85}

// Files in testdata/public are lines as public configurations have them; sources.md says which. Each is told apart by
// itself, nothing in it is a problem, and of a dialect's relevant lines as much is understood as is asked. A part of the
// lines is seen through in each, else a rule that knows everything would do.
//
// False if a rule or a known line is taken away, or a line is looked through that says something.
func TestPublicForms(t *testing.T) {
	for _, name := range Names() {
		var sum netconf.Lines
		all, _ := filepath.Glob(filepath.Join("testdata", "public", name, "*"))
		if len(all) < 8 {
			t.Errorf("%s: %d files, want 8", name, len(all))
		}
		for _, path := range all {
			p := parse(t, path, name)
			for _, u := range p.Unread {
				t.Logf("%s:%d: not understood: %s", path, u.Line, u.Text)
			}
			for _, x := range p.Problems {
				t.Errorf("%s:%d: %s", path, x.Line, x.Message)
			}
			sum.Understood += p.Lines.Understood
			sum.Known += p.Lines.Known
			sum.Unread += p.Lines.Unread
		}
		part := 100 * float64(sum.Understood) / float64(sum.Understood+sum.Unread)
		t.Logf("%s: %d files, %d relevant lines, %.1f%% understood; %d of no matter", name, len(all),
			sum.Understood+sum.Unread, part, sum.Known)
		if part < least[name] || sum.Understood < sum.Known {
			t.Errorf("%s: %.1f%% of relevant lines, want %.0f%%; %d understood, %d of no matter", name, part, least[name],
				sum.Understood, sum.Known)
		}
	}
}

// parse reads a file whose dialect Detect tells; name is which it is to be, "": any.
func parse(t *testing.T, path, name string) *netconf.Parsed {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	of := []netconf.File{netconf.NewFile(filepath.Base(path), text)}
	got, err := Detect(of)
	if name != "" && got != name || err != nil {
		t.Errorf("%s is of %s, want %s: %v", path, got, name, err)
		return &netconf.Parsed{}
	}
	return All[got].Parse(of)
}

// TestFiles prints what is not understood of files of one's own: go test -run TestFiles -files 'DIR/*'.
func TestFiles(t *testing.T) {
	all, _ := filepath.Glob(*files)
	for _, path := range all {
		p := parse(t, path, "")
		for _, u := range p.Unread {
			fmt.Printf("U %s:%d: %s\n", filepath.Base(path), u.Line, strings.TrimSpace(u.Text))
		}
		for _, x := range p.Problems {
			fmt.Printf("P %s:%d: %s\n", filepath.Base(path), x.Line, x.Message)
		}
		fmt.Printf("F %s: understood %d, of no matter %d, not understood %d\n", path, p.Lines.Understood, p.Lines.Known,
			p.Lines.Unread)
	}
}

// mutated is how many files TestMutated spoils, of each dialect.
var mutated = flag.Int("mutated", 40, "how many files TestMutated spoils, of each dialect")

// A file with bytes lost, put in, doubled or taken from another place is read without a panic, in its dialect.
func TestMutated(t *testing.T) {
	for _, name := range Names() {
		r := rand.New(rand.NewPCG(33, uint64(len(name))))
		all, _ := filepath.Glob(filepath.Join("testdata", "public", name, "*"))
		for n := range *mutated {
			text, err := os.ReadFile(all[n%len(all)])
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + r.IntN(8) {
				at := r.IntN(len(text))
				size := min(1+r.IntN(40), len(text)-at)
				from := r.IntN(len(text) - size + 1)
				switch r.IntN(5) {
				case 0:
					text = slices.Delete(text, at, at+size)
				case 1:
					text = slices.Insert(text, at, text[from:from+size]...)
				case 2:
					copy(text[at:at+size], text[from:from+size])
				case 3:
					text[at] = byte(r.IntN(256))
				default:
					text = slices.Insert(text, at, []byte(hostile[r.IntN(len(hostile))])...)
				}
				if len(text) < 2 {
					break
				}
			}
			All[name].Parse([]netconf.File{netconf.NewFile("f", text)}).Device.Facts()
		}
	}
}

// hostile are texts that readers of numbers, names and blocks must bear.
var hostile = []string{"99999999999999999999", "-1", "0", "::", "1.2.3.4/33", " ", "\n", "{", "}", "\"",
	";", "[", "|", ",", "-", "\x00", "no ", "\n!\n",
	"0-7", "7-0", "Ethernet", "swp1-9999", "vlan 1-4094", "%s", "\\", "\t\t"}

// Any text is told apart or refused, and read in every dialect without a panic; each line that is counted is of the text.
func FuzzPublic(f *testing.F) {
	all, _ := filepath.Glob(filepath.Join("testdata", "public", "*", "*"))
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		of := []netconf.File{netconf.NewFile("f", text)}
		names := []string{"eos", "nxos", "frr", "junos", "nvue", "sonic"}
		if d, err := Detect(of); err == nil {
			names = []string{d}
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, name := range names {
			p := All[name].Parse(of)
			for _, u := range p.Unread {
				if u.Line < 1 || u.Line > lines {
					t.Errorf("%s: line %d of %d", name, u.Line, lines)
				}
			}
			p.Device.Facts()
		}
	})
}
