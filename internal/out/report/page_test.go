package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

func pageOf(t *testing.T, d *Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePage(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var scripts = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)

// The page asks for nothing outside itself, runs one script, which its policy names by
// its hash, and takes names as text.
func TestPage(t *testing.T) {
	d := load(t, small(t, true))
	const evil = `</script><script src="x">`
	d.Summary.Name, d.Flows.Slowest[0].Name, d.Summary.Flows[0].Name = `<img src="x">`, evil, evil
	page := pageOf(t, d)
	if page != pageOf(t, d) {
		t.Error("two pages of one run differ")
	}
	var run []string
	for _, m := range scripts.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "":
			run = append(run, m[2])
		case !strings.HasPrefix(m[1], ` type="application/json"`):
			t.Errorf("a script element with %q", m[1])
		case !json.Valid([]byte(m[2])):
			t.Errorf("no JSON: %s", m[2])
		}
	}
	if len(run) != 1 || run[0] != pageScript {
		t.Fatalf("%d scripts, or not the page's own", len(run))
	}
	sum := sha256.Sum256([]byte(run[0]))
	policy := "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'\">"
	if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), policy) {
		t.Errorf("the page has not the policy %s", policy)
	}
	rest := strings.ReplaceAll(scripts.ReplaceAllString(page, ""), "src=&#34;", "")
	for _, s := range []string{"<script", "<img", "<link", " src=", "@import", "url(", "https:"} {
		if strings.Contains(rest, s) {
			t.Errorf("the page contains %q", s)
		}
	}
	rest = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
	if rest = strings.ReplaceAll(rest, `const ns = 'http://www.w3.org/2000/svg'`, ""); strings.Contains(rest, "http:") {
		t.Error("the page names another address than the SVG namespace")
	}
	if n := len(pageScript); n > 18_500 {
		t.Errorf("the script has %d bytes, want at most 18.5 kB", n)
	}
}

// The answer comes first, then the picture, then the other figures and the tables; the
// contents name each of them.
func TestPageOrder(t *testing.T) {
	d := load(t, small(t, true))
	page := pageOf(t, d)
	sentence, _ := Answer(d)
	at := 0
	for _, s := range []string{"<h1>small</h1>", `<p class="sentence">` + strings.Fields(sentence)[0],
		`<figure id="causes"`, `<section id="headline"`,
		`<figure id="timeline"`, `<section class="table" id="table-flows"`, `<section id="notes"`,
		`<section id="scenario"`} {
		next := strings.Index(page[at:], s)
		if next < 0 {
			t.Fatalf("no %s after what comes before it in\n%s", s, page[:at])
		}
		at += next
	}
	ids := regexp.MustCompile(`<(?:figure|section|header)[^>]* id="([^"]+)"`).FindAllStringSubmatch(page, -1)
	links := regexp.MustCompile(`<a href="#([^"]+)">`).FindAllStringSubmatch(page, -1)
	names := func(all [][]string) (out []string) {
		for _, m := range all {
			out = append(out, m[1])
		}
		return out
	}
	if got, want := fmt.Sprint(names(links)), fmt.Sprint(names(ids)); got != want {
		t.Errorf("contents %s, want %s", got, want)
	}
}

// A table that is too long for the page has as many rows as fit, and says what is left.
func TestTableBudget(t *testing.T) {
	d := &Data{Summary: &result.Summary{}}
	const ports = 9000
	for i := range ports {
		d.Links = append(d.Links, result.LinkRow{Port: fmt.Sprintf("leaf%d/host%d", i/16, i), Tier: result.TierLeaf,
			Rate: 400 * unit.GigabitPerSec, Utilisation: float64(i) / ports, TxBytes: unit.Bytes(i) * unit.Megabyte})
	}
	full := portTable(d)
	p, err := pageTableOf(full)
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		First   int
		Columns []Column
		Rows    [][]any
	}
	if err := json.Unmarshal([]byte(p.JSON), &data); err != nil {
		t.Fatal(err)
	}
	n := len(data.Rows)
	if len(p.JSON) > tableBytes+1000 || len(p.JSON) < tableBytes-1000 || n >= ports {
		t.Errorf("%d rows in %d bytes, want about %d bytes", n, len(p.JSON), tableBytes)
	}
	if want := fmt.Sprintf("Not shown here: %s rows more, in links.parquet.",
		unit.Count(int64(ports-n))); p.Left != want {
		t.Errorf("%q, want %q", p.Left, want)
	}
	want := "The first 20 of " + unit.Count(int64(n)) +
		" rows. All are in links.parquet, and here where script may run."
	if p.Folded != want {
		t.Errorf("%q, want %q", p.Folded, want)
	}
	if p.Rows[0][0] != "leaf562/host8999" || p.Rows[0][3] != "100.0 %" && p.Rows[0][3] != ">99.9 %" ||
		len(p.Rows) != firstRows {
		t.Errorf("%d rows, the first %v", len(p.Rows), p.Rows[0])
	}
}

// What is no number is said in words, and has no place among the numbers.
func TestTableCells(t *testing.T) {
	d := &Data{Summary: &result.Summary{Flows: []result.FlowFigures{
		{Name: "stuck", Path: "host1>host2", Bytes: unit.Megabyte, Posted: 1, Status: result.StatusUnfinished},
		{Name: "done", Path: "host2>host1", Bytes: unit.Megabyte, Posted: 1, Done: 1,
			Status: result.StatusDone, FCT: new(80 * us)}}},
		Steps: &StepStats{Whole: 2, Time: []unit.Duration{10 * us, 0, 30 * us}, slowestRank: []int32{1, -1, 0},
			Loss: []float64{0.5, 1, math.NaN()}}}
	flows := flowTable(d)
	var lines []string
	for _, t := range []Table{flows, stepTable(d)} {
		for _, row := range t.Rows {
			var cells []string
			for c, cell := range row {
				cells = append(cells, t.Text(c, cell))
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
	}
	const want = `stuck|host1>host2|1 MB|1|0|unfinished||0|0|0
done|host2>host1|1 MB|1|1|80 us|100 Gb/s|0|0|0
2|30 us|0|||-
0|10 us|1|||0.5`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("rows\n%s\nwant\n%s", got, want)
	}
	if rows, _, err := flows.encode(); err != nil ||
		!strings.Contains(rows, `"host1>host2",1000000,1,0,"unfinished","",`) {
		t.Errorf("%s, %v", rows, err)
	}
	if c := flows.Columns[5]; c.Unit != chart.Time {
		t.Errorf("column %v", c)
	}
}

// large writes a run of 64 hosts with 8 GPUs each: more steps, messages and ports than any
// figure or table has room for.
func large(t *testing.T) string {
	t.Helper()
	const hosts, gpus, steps, spines = 64, 8, 200, 16
	path := filepath.Join(t.TempDir(), "large-1")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "large",
		ScenarioYAML: strings.Replace(smallScenario, "dp: 2", "dp: 512", 1),
		JobFigures:   result.JobFigures{StepsPlanned: steps}}
	s.Thresholds, s.Mistakes = smallThresholds(t)
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	host := func(rank int) string { return fmt.Sprintf("host%d", rank/gpus+1) }
	at := unit.Time(0)
	for step := range int32(steps) {
		wait := 40*us + unit.Duration(step*step%37)*us
		for rank := range hosts * gpus {
			writeStep(dir, step, int32(rank), at, wait) // with one message of two ranks that it makes up
			peer := (rank + gpus) % (hosts * gpus)
			if step%20 > 0 {
				continue
			}
			row := result.FlowRow{ID: int64(step)<<20 + int64(rank), Name: fmt.Sprintf("rank%d>rank%d#0", rank, peer),
				Kind: result.KindCollective,
				Src:  fmt.Sprintf("%s/gpu%d", host(rank), rank%gpus),
				Dst:  fmt.Sprintf("%s/gpu%d", host(peer), peer%gpus), Step: step,
				Bytes: 100 * unit.Kilobyte, Posted: at.Add(25 * us), Placed: at.Add(25*us + wait),
				Acked: at.Add(26*us + wait), FCT: wait + unit.Duration(rank)*1234,
				Status: result.StatusDone, Path: fmt.Sprintf("%s>rail%d>%s", host(rank), rank%gpus+1, host(peer)),
				Causes: result.Causes{Serialisation: 10 * us}}
			row.Queueing = row.FCT - 10*us
			dir.Flows().Add(row)
		}
		at = at.Add(31*us + wait)
	}
	writePath(dir, 2, unit.Time(200*us))
	port := func(from, to, tier string, used float64) {
		dir.Links().Add(result.LinkRow{Port: from + "/" + to, From: from, To: to, Tier: tier,
			Rate: 400 * unit.GigabitPerSec, TxBytes: unit.Bytes(used * 1e9),
			Utilisation: used, MaxQueue: unit.Bytes(used * 1e6), ECNMarks: int64(used * 1e5)})
	}
	for rail := range gpus {
		leaf := fmt.Sprintf("rail%d", rail+1)
		for h := range hosts {
			port(host(h*gpus), leaf, result.TierHost, float64(h*gpus+rail)/600)
			port(leaf, host(h*gpus), result.TierLeaf, float64(rail*hosts+h)/600)
		}
		for spine := range spines {
			port(leaf, fmt.Sprintf("spine%d", spine+1), result.TierLeaf, 0.1)
			port(fmt.Sprintf("spine%d", spine+1), leaf, result.TierSpine, 0.2)
		}
		for h := range hosts {
			for i := range 300 {
				dir.Queues().Add(result.QueueRow{Port: leaf + "/" + host(h*gpus), Class: 3,
					Time:  unit.Time(i) * unit.Time(us) * 40,
					Bytes: unit.Bytes((i*7919+h*31)%900) * unit.Kilobyte})
			}
		}
	}
	s.State, s.Steps, s.VirtualTime = result.Complete, steps, at
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	return path
}

// The page of 512 GPUs stays small.
func TestPageSize(t *testing.T) {
	d := load(t, large(t))
	page := pageOf(t, d)
	for _, f := range Charts(d) {
		t.Logf("figure %s", f.Name)
	}
	if n := len(page); n > 3e6 || n < 5e5 {
		t.Errorf("the page has %d bytes, want at most 3 MB, and more than of a small run", n)
	}
	for _, s := range []string{"The first 20 of", "1,280 rows. All are in links.parquet"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}
