package lab

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"railyard/internal/base/formula"
	"strings"
	"testing"
	"testing/fstest"
)

// folder is a lab in memory.
func folder(readme, expect string, scenario ...string) fstest.MapFS {
	fs := fstest.MapFS{readmeFile: {Data: []byte(readme)}, expectFile: {Data: []byte(expect)}}
	if len(scenario) > 0 {
		fs[scenarioFile] = &fstest.MapFile{Data: []byte(scenario[0])}
	}
	return fs
}

const (
	shortText = "# A\n> B?\n"
	twoHosts  = "name: two\ncluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 200Gb/s}}\nfabric: {design: single-switch}\n" +
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"
)

// outcome runs a lab that has no problem.
func outcome(t *testing.T, fs fstest.MapFS, set ...Change) *Outcome {
	t.Helper()
	l, err := Parse("my-lab", fs)
	if err != nil {
		t.Fatal(err)
	}
	o, err := l.Run(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "out"), Called: "my-lab", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// What is wrong with expect.txt is told with its place, all of it at once.
func TestProblemsOfExpect(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"inptu a = 1 \"x\"", `expect.txt:1:1: unknown statement inptu, want again, bench, erratum, event, figure, formula, guess, ` +
			`input, measure, takes, try or value; did you mean input?`},
		{"guess a \"x?\"", `expect.txt:1:7: unknown name a`},
		{"input a = 1 \"x\"\nguess a \"x\"", `expect.txt:2:9: "x": want a question, which ends in ?; the form is guess NAME`},
		{"input a = 1", `expect.txt:1:12: the end of the statement: want what it is in "quotes" here; the form is input NAME`},
		{"input a = 1 \"x", `expect.txt:1:13: this quote is never closed`},
		{"  input a = 1 \"x\"", `expect.txt:1:1: this line begins with a blank, so it goes on with the statement before it`},
		{"input a = 1 \"x\"\ninput a = 2 \"y\"", `expect.txt:2:7: a is defined already`},
		{"input run = 1 \"x\"", `expect.txt:1:7: the name run is taken`},
		{"input a = b + 1 \"x\"", `expect.txt:1:11: unknown name b; a name is defined above`},
		{"input length = 1 \"x\"\nformula b = lenght*2 \"y\"", `expect.txt:2:13: unknown name lenght; did you mean length?`},
		{"input a = 1/0 \"x\"", `expect.txt:1:12: this is no number: / of 1 and 0`},
		{"input a = tanh(1) \"x\"", `expect.txt:1:11: unknown function tanh, want abs,`},
		{"input a = min(1) \"x\"", `expect.txt:1:11: min takes 2, not 1`},
		{"input a = (1 \"x\"", `expect.txt:1:14: "x": want ) here`},
		{"input a = 1.2.3 \"x\"", `expect.txt:1:11: 1.2.3: want a number`},
		{"input a = 1 to 12 \"x\"", `expect.txt:1:16: 12: want 0 to 9 decimals`},
		{"input a = 1 \"x\" 7", `expect.txt:1:17: 7: the statement ends before this`},
		{"measure a = 1 \"x\"", `expect.txt:1:9: nothing here is measured, want run.KEY`},
		{"measure a = run.steps \"x\"", `expect.txt:1:13: run.steps: there is no scenario.yaml, so nothing is run`},
		{"formula a = scenario.seed \"x\"", `expect.txt:1:13: scenario.seed: there is no scenario.yaml`},
		{"bench n = neurn() \"x\"", `expect.txt:1:11: unknown bench neurn, want`},
		{"bench n = neuron(x: [1]) \"x\"", `expect.txt:1:11: bench neuron needs the argument w: weights`},
		{"bench n = neuron(x: [1], w: 1) \"x\"", `expect.txt:1:26: argument w: want a list such as [1, 2]`},
		{"bench n = neuron(x: [1], w: [1, 2]) \"x\"", `expect.txt:1:7: bench neuron: 1 inputs and 2 weights`},
		{"bench n = neuron(x: [1], v: [1]) \"x\"", `expect.txt:1:26: bench neuron has no argument v, want x, w`},
		{"bench n = neuron(x: [1e300], w: [1e300]) \"x\"", `expect.txt:1:7: bench neuron: `},
		{"bench n = neuron(x: [1], w: [1]) \"x\"\nformula a = n.z \"y\"",
			`expect.txt:2:13: a formula cannot use n.z, which is a step of a bench`},
		{"input a = 1 \"x\"\nvalue a = 1 exact \"y\"", `expect.txt:2:13: a value that is exact is judged: say within how much`},
		{"input a = 1 \"x\"\nvalue a = 1 within 1 illustrative \"y\"", `expect.txt:2:13: an illustrative value is not judged`},
		{"input a = 1 \"x\"\nvalue a = 1 within 1 about \"y\"", `expect.txt:2:22: about: want exact, shape or illustrative`},
		{"input a = 1 \"x\"\nvalue a = 1 within -1 exact \"y\"", `expect.txt:2:7: the tolerance is -1, want 0 or more`},
		{"value z = 1 within 1 exact \"y\"", `expect.txt:1:7: unknown name z`},
		{"again a = \"seed=2\" \"x\"", `expect.txt:1:7: there is no scenario.yaml to run again`},
		{"again a = \"seed=2\"", `expect.txt:1:19: want what is changed in "quotes" here, behind the keys`},
		{"event a = \"xof\" at \"p\" \"x\"", `expect.txt:1:11: unknown kind "xof", want one of`},
		{"event a = \"xoff\" at \"p\" \"x\"", `expect.txt:1:7: there is no scenario.yaml`},
		{"event a = \"xoff\" \"p\" \"x\"", `expect.txt:1:18: "p": want at here`},
		{"figure timeline \"x\"", `expect.txt:1:8: a figure of a run, and there is no scenario.yaml`},
		{"try \"rm -r /\" \"x\"", `expect.txt:1:5: "rm -r /": want a command that begins with railyard`},
		{"input a = 1 \"x\" ;", `expect.txt:1:17: unexpected ';'`},
	} {
		_, err := Parse("my-lab", folder(shortText, c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	_, err := Parse("my-lab", folder("x", "input a = b \"x\"\nvalue c = 1 within 0 exact \"y\""))
	var b *Broken
	if !errors.As(err, &b) || len(b.Problems) != 4 {
		t.Errorf("want 2 problems of each file, got %v", err)
	}
	_, err = Parse("my-lab", folder(shortText, "formula a = scenario.cluster.nic.sped \"x\"", twoHosts))
	if err == nil || !strings.HasSuffix(err.Error(), "the scenario has no key cluster.nic.sped; did you mean cluster.nic.speed?") {
		t.Errorf("a key that is not there: %v", err)
	}
	_, err = Parse("my-lab", folder(shortText, "again a = \"seed\" \"x\"\nagain b = \"sed=2\" \"x\"\nagain c = \"seed=2\" \"x\"\n"+
		"input c = 1 \"y\"\nformula d = c.seed \"y\"", twoHosts))
	for _, want := range []string{`expect.txt:1:7: "seed": want KEY=VALUE`, `expect.txt:2:7: --set sed: unknown key`,
		`expect.txt:4:7: c is defined already`, `expect.txt:5:13: a formula cannot use c.seed, which is measured`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a run again: %v, want %s", err, want)
		}
	}
	_, err = Parse("my-lab", fstest.MapFS{readmeFile: {Data: []byte(shortText)}})
	if err == nil || !strings.HasPrefix(err.Error(), "expect.txt: it is missing") {
		t.Errorf("a folder without expect.txt: %v", err)
	}
}

// A scenario that is run again differs by what is set, what the reader sets included.
func TestRunAgain(t *testing.T) {
	fs := folder(shortText, "measure once = run.flows[0].bytes in B \"first\"\nagain more = \"job.flows[0].bytes=3MB\" \"more\"\n"+
		"again other = \"seed=7\" \"another seed\"\nmeasure third = more.flows[0].bytes in B \"then\"\n"+
		"measure seeds = other.seed + more.seed \"sum\"\n", twoHosts)
	for _, c := range []struct {
		set   []Change
		seeds float64
	}{{nil, 8}, {[]Change{{"seed", "5"}}, 12}} {
		o := outcome(t, fs, c.set...)
		for i, want := range []float64{1e6, 3e6, c.seeds} {
			if got := o.Measure[i]; got.Value != want {
				t.Errorf("set %v: %s is %v, want %v", c.set, got.Name, got.Value, want)
			}
		}
		for _, a := range o.Again {
			if _, err := os.Stat(filepath.Join(a.Run, "run.json")); err != nil {
				t.Error(err)
			}
		}
		page, err := os.ReadFile(o.Page)
		if err != nil || !strings.Contains(string(page), "--set &#39;job.flows[0].bytes=3MB&#39;") {
			t.Errorf("the page has no command that does it again: %v", err)
		}
	}
}

// The text takes a part of Markdown, and refuses the rest instead of showing it as it is.
func TestProblemsOfText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"A\n> B?\n", "README.md:1:1: want # and the title"},
		{"# A\n", "README.md:2:1: want the question"},
		{"# A\n> B?\n\n> C?\n", "README.md:4:1: only the question begins with >"},
		{"# A\n> B?\n\n### C\n", "README.md:4:1: headings begin with ## and a blank"},
		{"# A\n> B?\n\nsee [this](http://x)\n", "README.md:4:10: links and pictures are no part"},
		{"# A\n> B?\n\na <b>c</b>\n", "README.md:4:3: HTML is no part"},
		{"# A\n> B?\n\nan `open span\n", "README.md:4:4: this ` is never closed"},
		{"# A\n> B?\n\n**open\n", "README.md:4:1: this ** is never closed"},
		{"# A\n> B?\n\nis {{value z}}\n", "README.md:4:6: unknown name z"},
		{"# A\n> B?\n\nis `x = {{value z}}`\n", "README.md:4:11: unknown name z"},
		{"# A\n> B?\n\nis {{z}}\n", "README.md:4:4: want {{value NAME}}"},
		{"# A\n> B?\n\nis {{value a\n", "README.md:4:4: {{ is never closed"},
		{"# A\n> B?\n\n{{sheets}}\n", "README.md:4:3: unknown place sheets, want value or again, checks,"},
		{"# A\n> B?\n\n{{figure none}}\n", "README.md:4:3: there is no figure none, none is defined"},
		{"# A\n> B?\n\n{{checks all}}\n", "README.md:4:3: a place of this kind has no name"},
		{"# A\n> B?\n\n| a | b |\n| 1 | 2 |\n", "README.md:5:1: want |---|---| below"},
		{"# A\n> B?\n\n| a | b |\n|---|---|\n| 1 |\n", "README.md:6:1: this row has another number of cells"},
		{"# A\n> B?\n\n```\nx\n", "README.md:4:1: this block is never closed"},
	} {
		_, err := Parse("my-lab", folder(c.text, "input a = 1 \"x\""))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Expressions bind as they do everywhere, and are written as they were.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		text, written string
		want          float64
	}{
		{"1 + 2*3", "", 7}, {"(1 + 2)*3", "", 9}, {"2^3^2", "", 512}, {"-2^2", "", -4}, {"8/2/2", "", 2},
		{"8/(2*2)", "", 2}, {"1 - (2 - 3)", "", 2}, {"1 - 2 - 3", "", -4}, {"2*-3", "2*(-3)", -6}, {"5%", "", 0.05},
		{"1_000 + 1e-3", "", 1000.001}, {"max(1, 2) - abs(-3)", "", -1}, {"round(4.84 - 4.3, 1)", "", 0.5},
		{"relu(-1) + sigmoid(0)", "", 0.5}, {"-ln(exp(2))", "", -2}, {"((3))", "3", 3}, {"1 + (2 + 3)", "1 + 2 + 3", 6},
	} {
		got, err := constant(c.text)
		if err != nil || abs(got-c.want) > 1e-12 {
			t.Errorf("%s is %v, %v, want %v", c.text, got, err, c.want)
		}
		tokens, _ := formula.Tokens(c.text, 1)
		e := formula.NewCursor(tokens).Expr()
		if c.written == "" {
			c.written = c.text
		}
		if text := e.Text(func(n string) string { return n }); text != c.written {
			t.Errorf("%s is written %s, want %s", c.text, text, c.written)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct {
		d    digits
		v    float64
		want string
	}{
		{auto, 4.84, "4.84"}, {auto, 0.99217, "0.9922"}, {auto, 131072, "131,072"}, {auto, 131072.6, "131,073"},
		{auto, 1.0000001, "1"}, {auto, math.Copysign(0, -1), "0"}, {auto, 0.1 + 0.2, "0.3"}, {auto, 12.346, "12.35"}, {auto, 1e-7, "1e-07"},
		{2, 1234.5, "1,234.50"}, {0, 0.4, "0"}, {3, -0.5, "-0.500"}, {auto, -1234.56, "-1,235"}, {2, -1234.5, "-1,234.50"},
	} {
		if got := c.d.text(c.v); got != c.want {
			t.Errorf("%v with %d decimals is %s, want %s", c.v, c.d, got, c.want)
		}
	}
}

// A value is judged by its tolerance: absolute, or relative to what is expected.
func TestTolerance(t *testing.T) {
	o := outcome(t, folder(shortText, `
input a = 4.84 "x"
value a = 4.84 within 0 exact "itself"
value a = 4.80 within 0.05 exact "rounded"
value a = 4.80 within 0.03 exact "not as far"
value a = 4.5  within 10% shape "about"
value a = 4.5  within 5% shape "not about"
value a = 100  illustrative "nobody knows"
erratum "it is 5" right a = 4.84 within 0.01 "it is not"
erratum "it is 6" right a = 6 within 0.01 "it is not"
`))
	var bad []string
	for _, r := range o.Failed() {
		bad = append(bad, r.Meaning)
	}
	if got := strings.Join(bad, ", "); got != "not as far, not about, it is not" {
		t.Errorf("outside their tolerance: %s", got)
	}
	const want = "3 of 7 values are out of bounds: a is 4.84, expected 4.80 within 0.03; a is 4.84, expected 4.5 within 5 %;"
	if got := o.Verdict(); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}

// A changed input changes what follows from it, and nothing is judged.
func TestChangedInput(t *testing.T) {
	fs := folder(shortText, "input a = 2 in B \"x\"\nformula b = a^2 \"y\"\nbench n = neuron(x: [a], w: [1], activation: \"relu\") \"z\"\n"+
		"value n.y = 2 within 0 exact \"output\"\nvalue b = 4 within 0 exact \"square\"")
	if o := outcome(t, fs); len(o.Failed()) != 0 || o.Formula[0].Value != 4 {
		t.Fatalf("%s", o.Verdict())
	}
	o := outcome(t, fs, Change{"a", "1/2"})
	if o.Formula[0].Value != 0.25 || o.Rows[0].Quantity.Value != 0.5 || len(o.Failed()) != 0 {
		t.Errorf("b is %v, n.y is %v, %d failed", o.Formula[0].Value, o.Rows[0].Quantity.Value, len(o.Failed()))
	}
	l, err := Parse("my-lab", fs)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[Change]string{
		{"c", "1"}:      "c: this lab has no such input, want a",
		{"a", "many"}:   "a=many: many is no number",
		{"a", ""}:       "a=: want a number such as -4 or 1/3, in B",
		{"a", "1 2"}:    "a=1 2: 2: want a number",
		{"a", "1e3000"}: "a=1e3000: 1e3000: want a number",
	} {
		_, err := l.Run(t.Context(), Options{Dir: t.TempDir(), Set: []Change{text}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", text, err, want)
		}
	}
}

// A lab with a scenario measures its run; a key of the scenario is an input of its formulas.
func TestRunIsMeasured(t *testing.T) {
	fs := folder(shortText+"\n{{figure causes}}\n", `
formula bits = scenario.job.flows[0].bytes*8 "bits"
formula wire = bits/scenario.cluster.nic.speed*1e6 in us "time on the wire"
measure took = run.flows[0].fct_ps/1e6 in us "completion"
measure ports = run.busiest_links[].rate_bps/scenario.cluster.nic.speed "ports, by the sum of their rates"
value ports = 4 within 0 exact "two hosts, two directions"
value took = wire within 20% shape "completion beside the wire"
figure causes "Completion."
try "railyard report {dir}/run" "the report"
`, twoHosts)
	o := outcome(t, fs)
	if f := o.Formula[1]; f.Value != 40 || len(o.Failed()) != 0 || o.Measure[0].Value <= 40 {
		t.Errorf("predicted %v, measured %v: %s", f.Value, o.Measure[0].Value, o.Verdict())
	}
	for _, name := range []string{"README.md", "expect.txt", "scenario.yaml", "lab.html", "lab.json", "causes.svg",
		"run/run.json"} {
		if info, err := os.Stat(filepath.Join(o.Dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if o.Tries[0].Command != "railyard report "+o.Dir+"/run" {
		t.Errorf("%s", o.Tries[0].Command)
	}
	half := outcome(t, fs, Change{"cluster.nic.speed", "100Gb/s"})
	if f := half.Formula[1]; f.Value != 80 || half.Measure[0].Value <= 80 {
		t.Errorf("at half the rate: predicted %v, measured %v", f.Value, half.Measure[0].Value)
	}
}

// What only a run can tell is told with its place, too.
func TestProblemsAfterTheRun(t *testing.T) {
	for expect, want := range map[string]string{
		"measure a = run.stepz \"x\"":           "expect.txt:1:13: run of this run has no stepz, it has ",
		"measure a = run.flows[7].fct_ps \"x\"": "expect.txt:1:13: run.flows has no entry 7: it has 1, counted from 0",
		"measure a = run.flows[] \"x\"":         "expect.txt:1:13: run.flows[] is no number",
		"measure a = run.steps[0] \"x\"":        "expect.txt:1:13: run.steps is no list",
		"measure a = run.steps.mean \"x\"":      "expect.txt:1:13: run.steps has no keys",
		"measure a = run.name \"x\"":            "expect.txt:1:13: run.name is no number",
		"figure timeline \"x\"":                 "expect.txt:1:8: the report of this run has no figure timeline, it has ",
	} {
		l, err := Parse("my-lab", folder(shortText, expect, twoHosts))
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Run(t.Context(), Options{Dir: t.TempDir()})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expect, err, want)
		}
	}
}

// docs/labs.md has every statement, bench, argument, place, function and lab.
func TestDocumented(t *testing.T) {
	b, err := os.ReadFile("../../../docs/labs.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Join(strings.Fields(string(b)), " ")
	var want []string
	for name := range verbs {
		want = append(want, " "+name+" ")
	}
	for name, bench := range benches {
		want = append(want, "| `"+name+"` |")
		for _, p := range bench.Params {
			want = append(want, p.Name)
		}
	}
	for name := range places {
		want = append(want, "`{{"+name)
	}
	want = append(want, formula.Functions()...)
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		want = append(want, "| "+l.number()+" "+l.Title+" |")
	}
	for _, w := range want {
		if !strings.Contains(doc, w) {
			t.Errorf("docs/labs.md says nothing of %q", w)
		}
	}
}
