package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
)

var (
	runAll = flag.Bool("labs.run", false, "run every command to try of every lab, also where what it promises is known without a run")
	drawn  = flag.Int("labs.drawn", 0, "so many drawn changes of each lab are run")
)

// noNumber is how a text prints what is no number.
var noNumber = regexp.MustCompile(`\b(NaN|Inf)\b`)

// sides keeps which branches of each condition of a text were read.
type sides map[*choice]map[int]bool

func (s sides) saw(c *choice, branch int) {
	if s[c] == nil {
		s[c] = map[int]bool{}
	}
	s[c][branch] = true
}

// read notes what is read of a text with the values there are, as far as they are known without a run.
func (s sides) read(g *ledger) {
	var visit func(in []inline)
	visit = func(in []inline) {
		for _, i := range in {
			if i.choice == nil {
				continue
			}
			found := len(i.choice.branches)
			for n, b := range i.choice.branches {
				holds := b.when == nil
				if !holds {
					var err error
					if holds, err = b.when.Holds(g.value); err != nil {
						found = -1
						break
					}
				}
				if holds {
					found = n
					break
				}
			}
			if found >= 0 {
				s.saw(i.choice, found)
			}
			if found >= 0 && found < len(i.choice.branches) {
				visit(i.choice.branches[found].text)
			}
		}
	}
	g.lab.text.texts(visit)
}

// unseen lists the branches of a lab's text that nobody has read.
func (s sides) unseen(l *Lab) (all []string) {
	l.text.texts(func(in []inline) {
		walk(in, func(i *inline) {
			if i.choice == nil {
				return
			}
			last := len(i.choice.branches)
			if i.choice.branches[last-1].when == nil {
				last-- // there is an else
			}
			for n := 0; n <= last; n++ {
				if !s[i.choice][n] {
					all = append(all, fmt.Sprintf("README.md:%d: branch %d of this condition", i.choice.at.Line, n+1))
				}
			}
		})
	})
	return all
}

// changesOf are the changes of a command to try; ok is false of one that is no lab's.
func changesOf(t *testing.T, command string) (set []Change, ok bool) {
	t.Helper()
	rest, ok := strings.CutPrefix(command, labCommand)
	for rest = strings.TrimSpace(rest); ok && rest != ""; rest = strings.TrimSpace(rest) {
		after, is := strings.CutPrefix(rest, "--set ")
		if !is {
			t.Fatalf("%s: only --set is known here", command)
		}
		word := after
		if strings.HasPrefix(after, "'") {
			word, rest, _ = strings.Cut(after[1:], "'")
		} else {
			word, rest, _ = strings.Cut(after, " ")
		}
		name, text, _ := strings.Cut(word, "=")
		set = append(set, Change{name, text})
	}
	return set, ok
}

// onPaper works a lab out with changes, but for what only a run says.
func onPaper(t *testing.T, l *Lab, set []Change) *ledger {
	t.Helper()
	g := &ledger{lab: l, scenario: l.Scenario}
	if err := g.change(set); err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	if ps := g.pass(); len(ps) > 0 {
		t.Fatalf("%v: %v", set, ps)
	}
	return g
}

// turn runs a lab with changes, and notes what is read.
func (s sides) turn(t *testing.T, l *Lab, set []Change) *Outcome {
	t.Helper()
	dir, err := os.MkdirTemp(".", "turned")
	if err != nil {
		t.Fatal(err)
	}
	o, err := l.Run(t.Context(), Options{Dir: filepath.Join(dir, "out"), Called: l.Name, Set: set})
	if err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	for c, branch := range o.taken {
		s.saw(c, branch)
	}
	return o
}

// keepsItsWord runs the commands that a lab has to try, as far as what they promise takes a run.
func (s sides) keepsItsWord(t *testing.T, l *Lab, was *Outcome) {
	t.Helper()
	n := -1
	for _, st := range l.statements {
		if st.verb != "try" {
			continue
		}
		n++
		set, ok := changesOf(t, st.words[0])
		switch {
		case !ok && len(st.prints) == 0:
			t.Errorf("%s: it says nothing of what is printed", st.words[0])
		case !ok: // the command line's tests run it
		case st.gives == nil:
			t.Errorf("%s: it promises nothing that can be checked", st.words[0])
		default:
			g := onPaper(t, l, set)
			s.read(g)
			kept, err := st.gives.Holds(g.promised(was.g))
			if errors.Is(err, errNotRun) || err != nil && strings.Contains(err.Error(), errNotRun.Error()) || *runAll {
				kept, err = s.turn(t, l, set).Kept(n, was)
			}
			if err != nil || !kept {
				t.Errorf("%s: what it promises did not come out: %v", st.words[0], err)
			}
		}
	}
}

// Every lab that comes with Railyard gives what it expects, does what its commands to try promise, and its text was read
// on every side of every condition: with nothing changed, as those commands change it, and as testdata/turned.txt does.
// With -labs.drawn changes are drawn as well, with -labs.run every command runs.
func TestLabs(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	more := turnedChanges(t)
	var outcomes []*Outcome
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := sides{}
			was := s.turn(t, l, nil)
			asExpected(t, was)
			outcomes = append(outcomes, was)
			s.keepsItsWord(t, l, was)
			for _, c := range more[l.Number] {
				if s.read(onPaper(t, l, c.set)); c.run {
					s.turn(t, l, c.set)
				}
			}
			for n := range max(20, *drawn) {
				s.drawnChange(t, l, n, n < *drawn)
			}
			for _, u := range s.unseen(l) {
				t.Errorf("%s was never read: add a change to testdata/turned.txt", u)
			}
		})
	}
	if len(outcomes) == len(all) {
		isASite(t, outcomes)
	}
}

// isASite writes the pages of labs as a site, and follows every link.
func isASite(t *testing.T, all []*Outcome) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	site, err := NewSite(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Write(all); err != nil {
		t.Fatal(err)
	}
	site.Close()
	links := map[string]int{}
	for _, name := range append(pagesOf(all), indexFile) {
		page := readFile(t, filepath.Join(dir, name))
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"#][^"]*)"`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil || strings.ContainsAny(m[1], ":/") {
				t.Errorf("%s links to %s, which is no page beside it", name, m[1])
			}
			links[m[1]]++
		}
	}
	for i, name := range pagesOf(all) {
		want := 1 + 2*btoi(i > 0) + 2*btoi(i < len(all)-1) // the index; each neighbour at its top and its end
		if links[name] != want {
			t.Errorf("%d links to %s, want %d", links[name], name, want)
		}
	}
	if links[indexFile] != 2*len(all) {
		t.Errorf("%d links to the index, want two of each page", links[indexFile])
	}
	if _, err := NewSite(dir); err == nil || !strings.Contains(err.Error(), "want a new or an empty folder") {
		t.Errorf("a site over another one: %v", err)
	}
}

func pagesOf(all []*Outcome) (names []string) {
	for _, o := range all {
		names = append(names, o.Lab.Name+".html")
	}
	return names
}

// asExpected holds the outcome of a lab as it is.
func asExpected(t *testing.T, o *Outcome) {
	t.Helper()
	if len(o.Failed()) > 0 || len(o.Judged()) == 0 {
		t.Error(o.Verdict())
	}
	if o.Lab.Takes == "" || len(o.Figures) == 0 || len(o.Tries) == 0 {
		t.Errorf("takes %q, %d figures, %d commands to try: want some of each", o.Lab.Takes, len(o.Figures), len(o.Tries))
	}
	var b strings.Builder
	if err := o.WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The lab that is made to start from gives what it expects.
func TestFreshLab(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := New("fresh"); err != nil {
		t.Fatal(err)
	}
	l, err := Parse("fresh", os.DirFS("fresh"))
	if err != nil {
		t.Fatal(err)
	}
	asExpected(t, sides{}.turn(t, l, nil))
}

// turnedChange is a line of testdata/turned.txt.
type turnedChange struct {
	set []Change
	run bool
}

// turnedChanges reads testdata/turned.txt: a lab, what is set, and "run" before it where only a run says what is read.
func turnedChanges(t *testing.T) map[int][]turnedChange {
	t.Helper()
	out := map[int][]turnedChange{}
	for _, line := range strings.Split(readFile(t, "testdata/turned.txt"), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		number, rest, _ := strings.Cut(line, " ")
		var lab int
		if _, err := fmt.Sscan(number, &lab); err != nil {
			t.Fatalf("testdata/turned.txt: %s: want the number of a lab first", line)
		}
		var c turnedChange
		rest, c.run = strings.CutPrefix(strings.TrimSpace(rest), "run ")
		for _, word := range strings.Split(rest, " & ") {
			name, text, _ := strings.Cut(strings.TrimSpace(word), "=")
			c.set = append(c.set, Change{name, text})
		}
		out[lab] = append(out[lab], c)
	}
	return out
}

// drawnChange turns one or two inputs by a drawn factor, on paper; where all is run also a key of the scenario. What the
// lab refuses is told in one error; anything else is read without one, and no value is none.
func (s sides) drawnChange(t *testing.T, l *Lab, n int, run bool) {
	t.Helper()
	draw := splitmix.Stream(l.Number*1000 + n)
	var set []Change
	inputs := l.inputNames()
	for range 1 + int(draw.Next()%2) {
		if len(inputs) == 0 {
			break
		}
		name := inputs[draw.Next()%uint64(len(inputs))]
		g := onPaper(t, l, nil)
		factor := []float64{0, 0.5, 0.9, 1.5, 2, 3, -1}[draw.Next()%7]
		set = append(set, Change{name, fmt.Sprint(g.all[name].Value * factor)})
	}
	keys := []Change{{"cluster.nic.speed", "100Gb/s"}, {"cluster.nic.speed", "400Gb/s"}, {"job.train.batch", "8"},
		{"job.train.steps", "4"}, {"job.train.bucket", "25MB"}, {"fabric.links.length", "200m"}, {"seed", "7"}}
	if !run {
		g := &ledger{lab: l, scenario: l.Scenario}
		if err := g.change(set); err != nil || len(g.pass()) > 0 {
			return
		}
		s.read(g)
		for name, q := range g.all {
			if !q.unknown && math.IsNaN(q.Value) {
				t.Errorf("%v: %s is no number", set, name)
			}
		}
		return
	}
	if l.Scenario != nil {
		set = append(set, keys[draw.Next()%uint64(len(keys))])
	}
	o, err := l.Run(context.Background(), Options{Dir: filepath.Join(t.TempDir(), "out"), Called: l.Name, Set: set})
	if err != nil {
		t.Logf("%v is refused: %v", set, err)
		return
	}
	for c, branch := range o.taken {
		s.saw(c, branch)
	}
	var b strings.Builder
	if err := o.WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if len([]rune(line)) > 80 || noNumber.MatchString(line) {
			t.Errorf("%v: %s", set, line)
		}
	}
	if page := readFile(t, o.Page); strings.Contains(page, "NaN") {
		t.Errorf("%v: the page has NaN", set)
	}
}
