package nccltests

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/located"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

func read(t testing.TB, name string) (*Table, []byte) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return table, src
}

func text(t testing.TB, table *Table) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The logs of testdata are made up after the formats that src/util.cu (2.19.6) and src/common.cu,
// broadcast.cu (2.9.0) print; the bus bandwidths of h200.log are the published ones of 8 x H200.
// Each is read and printed.
func TestLogs(t *testing.T) {
	for _, name := range []string{"h200.log", "launcher.log", "old.log", "results.json"} {
		table, _ := read(t, name)
		got := text(t, table)
		scripttest.Golden(t, strings.TrimSuffix(strings.TrimSuffix(name, ".log"), ".json")+".txt", got)
		again, err := Read(name, []byte(got))
		if err != nil {
			t.Fatalf("%s: as printed: %v", name, err)
		}
		if name == "results.json" {
			continue // has more digits than are printed
		}
		if diff := cmp.Diff(table, again); diff != "" {
			t.Errorf("%s: read, printed and read (-first +second):\n%s", name, diff)
		}
	}
}

// The rows of a log of the newest version are printed as they stand.
func TestRowsAsTheyStand(t *testing.T) {
	table, src := read(t, "h200.log")
	printed := text(t, table)
	rows := 0
	for line := range strings.Lines(string(src)) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			rows++
			if !strings.Contains(printed, line) {
				t.Errorf("not printed: %s", line)
			}
		}
	}
	if rows != 6 {
		t.Errorf("%d rows, want 6", rows)
	}
}

func TestWhatLogsSay(t *testing.T) {
	table, _ := read(t, "h200.log")
	c, ok := table.Operation()
	if !ok || c.Collective != coll.AllReduce ||
		table.Ranks() != 8 || table.Hosts() != 1 || table.Devices[7].Bus != "0000:df:00" {
		t.Errorf("%v %v, %d ranks on %d hosts, last device %+v", c, ok, table.Ranks(), table.Hosts(), table.Devices[7])
	}
	want := Row{Bytes: unit.Mebibyte, Count: 262144, Type: "float", RedOp: "sum", Root: -1,
		Out: &Result{25_330_000, 41.40 * gBs, 72.45 * gBs, Errors{Checked: true}},
		In:  &Result{25_280_000, 41.48 * gBs, 72.60 * gBs, Errors{Checked: true}}}
	if diff := cmp.Diff(want, table.Rows[1]); diff != "" {
		t.Errorf("1 MiB (-want +got):\n%s", diff)
	}

	table, _ = read(t, "launcher.log")
	c, ok = table.Operation()
	if !ok || c.Collective != coll.AllGather || table.Ranks() != 2 || table.Hosts() != 2 || len(table.Rows) != 3 ||
		table.Rows[0].Out.Errors.Checked {
		t.Errorf("%v %v, %d ranks, %d rows", c, ok, table.Ranks(), len(table.Rows))
	}

	table, _ = read(t, "old.log")
	if r := table.Rows[1]; !table.Delta || r.Root != 0 || r.RedOp != "none" || r.Out.Errors.Value != 2e-7 ||
		r.In.Errors.Checked || r.Out.Time != 1432_600_000 {
		t.Errorf("%+v, errors %+v and %+v", r, r.Out.Errors, r.In.Errors)
	}

	table, _ = read(t, "results.json")
	if r := table.Rows; table.Program != "reduce_scatter_perf" || table.Ranks() != 2 || r[1].Out != nil ||
		r[0].In.Time != 18_500_001 || r[0].Out.BusBW != 28.444444*gBs || r[1].In.Errors.Checked {
		t.Errorf("%s, %d ranks, %+v", table.Program, table.Ranks(), r)
	}
}

const columns = "#       size         count      type   redop    root     time   algbw   busbw  #wrong     " +
	"time   algbw   busbw  #wrong\n"

const row = "           8             2     float     sum      -1    42.14    0.00    0.00       0    " +
	"40.06    0.00    0.00       0\n"

// What is not understood is a problem with its place.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no table of nccl-tests"},
		{"hello\n", "no table of nccl-tests"},
		{columns, "the table has no row"},
		{row + columns + row, "f:1:12: a row before the line that names the columns"},
		{columns + row + columns, "f:3:9: a second table begins here"},
		{columns + row + "# Collective test starting: x\n", "a second table begins here"},
		{columns + "      8   2  float  sum  -1  42.14\n", "f:2:30: a row of 6 columns ends here, want 13"},
		{columns + row[:len(row)-1] + " 7\n", "f:2:120: a row of 14 columns ends here, want 13"},
		{columns + strings.Replace(row, "42.14", "  abc", 1), "f:2:59: time: abc: want a number, 0 or more"},
		{columns + strings.Replace(row, "42.14", "   -1", 1), "f:2:60: time: -1: want a number, 0 or more"},
		{columns + strings.Replace(row, "42.14", "1e300", 1), "f:2:57: time: 1e300: want a number"},
		{columns + strings.Replace(row, "42.14", "9e15 ", 1), "f:2:57: time: 9e15: too large"},
		{columns + strings.Replace(row, "float     sum      -1", "float     sum     0.5", 1),
			"root: 0.5: want a whole number from -1"},
		{columns + strings.Replace(row, "       0    40", "     bad    40", 1),
			"#wrong: bad: want a number, 0 or more, or N/A"},
		{columns + row + "node1: Test NCCL failure common.cu:958 'unhandled cuda error'\n",
			"f:3:1: the test failed: "},
		{columns + row + "what is this\n", "f:3:1: what is no row of the table"},
		{strings.Replace(columns, "algbw", "speed", 1) + row, "columns "},
		{"size count type time x time 0 0\n0 0 0 0 0 0 0 0\n", "columns "},
		{"#  Rank  x Group  0 Pid 3 on node1 device  0 [0x18] GPU\n" + columns + row,
			"f:1:10: Rank of a device: x: want a whole number"},
		{"#  Rank  0 Group  0 Pid 3 on node1\n" + columns + row, "a device that is not whole"},
		{"{", "f:1:2: not JSON: the text ends inside a value"},
		{`{"results": [}`, "not JSON"},
		{`{"x": 1}`, "f: no results"},
		{`{"results": []}`, "f:1:13: results: the list is empty"},
		{`{"results": [3]}`, "f:1:14: results: want a list of objects"},
		{"{\"results\": [\n {\"size\": 8, \"colour\": 1}]}", "f:2:14: colour of a result: unknown"},
		{`{"results": [{"size": 8}]}`, "f:1:14: a result without count and type"},
		{`{"results": [{"size": 8, "count": 2, "type": "float", "out_of_place": {"time": "nan"}}]}`,
			"time: nan: want a number"},
		{`{"results": [{"size": 8, "size": 8}]}`, "size: given twice"},
		{`{"results": [{"size": 8, "count": 2, "type": "float", "in_place": null}]}`,
			"without out_of_place and in_place"},
		{`{"results": [{"size": 8, "count": 2, "type": "float", "in_place": {"time": 1}}]}`,
			"in_place without alg_bw and bus_bw and nwrong"},
		{`{"results": [1]} 7`, "more after the end"},
		{`{"x": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`, "more than 32 levels"},
	} {
		table, err := Read("f", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n%v, %v\nwant %s", c.text, table, err, c.want)
		}
	}
}

// hypercube_perf leaves the column of the operation blank, and empty in its JSON.
func TestBlankOperation(t *testing.T) {
	with := strings.Replace(row, " sum ", "none ", 1)
	want, err := Read("f", []byte(columns+with))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read("f", []byte(columns+strings.Replace(with, "none", "    ", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-with none +blank):\n%s", diff)
	}
	got, err = Read("f", []byte(`{"results": [{"size": 8, "count": 2, "type": "float", "redop": "", "root": "  -1", `+
		`"in_place": {"time": 1, "alg_bw": 1, "bus_bw": 1, "nwrong": 0}}]}`))
	if err != nil || got.Rows[0].RedOp != "none" {
		t.Errorf("%+v, %v, want none", got, err)
	}
}

// A hostile file of many wrong keys is refused without a look at all of it for each.
func TestManyProblems(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"results": [{`)
	for i := range 20_000 {
		fmt.Fprintf(&b, "\"k%d\": 1,\n", i)
	}
	b.WriteString(`"x": 1}]}`)
	_, err := Read("f", []byte(b.String()))
	if err == nil || strings.Count(err.Error(), "\n") != located.Most {
		t.Errorf("%d problems, want %d and how many more", strings.Count(err.Error(), "\n"), located.Most)
	}
}

// Lines of NCCL, launcher tags and texts around the table do no harm.
func TestTolerance(t *testing.T) {
	plain, err := Read("f", []byte(columns+row+row))
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range []string{
		"\xef\xbb\xbfanything 1 2 3\n12 apples\n" + columns + row +
			"# a comment\n\n" + row + "# Out of bounds values : 0 OK\nwhat\n17\n",
		columns + row + "n1:2:3 [0] NCCL INFO Channel 00\nn1:2:3 [0] x.cc:1 NCCL WARN no\n" + row,
		strings.ReplaceAll(columns+row+row, "\n", "\r\n"),
		strings.ReplaceAll(columns, "#      ", "") + "(B) (elements) (us)\n" + row + row, // as web pages lose the #
		"[1,0]<stdout>:" + columns + "[1,0]<stdout>:" + row + "[1,0]<stdout>:" + row,
	} {
		got, err := Read("f", []byte(log))
		if err != nil {
			t.Errorf("%q: %v", log, err)
		} else if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("%q:\n%s", log, diff)
		}
	}
}

// Only in place, as traces are replayed: the columns out of place are blank.
func TestOneResult(t *testing.T) {
	res := &Result{Time: 12 * us, AlgBW: gBs, BusBW: gBs}
	for _, row := range []Row{{Bytes: 8, Count: 2, Type: "float", RedOp: "sum", Root: -1, In: res},
		{Bytes: 8, Count: 2, Type: "float", RedOp: "sum", Root: -1, Out: res}} {
		table := &Table{Rows: []Row{row}}
		got, err := Read("f", []byte(text(t, table)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table, got); diff != "" {
			t.Errorf("-wrote +read:\n%s", diff)
		}
	}
}

// A time stamp stands last, whichever result is blank.
func TestOneResultWithTimestamp(t *testing.T) {
	head := strings.TrimSuffix(columns, "\n") + "  timestamp\n"
	blank := strings.Repeat(" ", 33)
	whole := strings.TrimSuffix(row, "\n")
	end := len(whole) - 33
	for _, line := range []string{whole[:end] + blank, whole[:end-33] + blank + whole[end:]} {
		table, err := Read("f", []byte(head+line+"  2026-11-02 10:15:30\n"))
		if err != nil {
			t.Errorf("%q: %v", line, err)
		} else if r := table.Rows[0]; (r.Out == nil) == (r.In == nil) {
			t.Errorf("%q: %+v", line, r)
		}
	}
}

// Any table whose figures have the digits that are printed comes back.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hundredths := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
		result := func() *Result {
			r := &Result{Time: unit.Duration(hundredths("time", 999_999)) * us / 100,
				AlgBW: unit.Bitrate(hundredths("algbw", 99_999)) * (gBs / 100),
				BusBW: unit.Bitrate(hundredths("busbw", 99_999)) * (gBs / 100)}
			if rapid.Bool().Draw(t, "checked") {
				r.Errors = Errors{Checked: true, Value: float64(rapid.IntRange(0, 999_999).Draw(t, "wrong"))}
			}
			return r
		}
		table := &Table{Program: rapid.SampledFrom([]string{"", "all_reduce_perf"}).Draw(t, "program"),
			CPUTime: rapid.Bool().Draw(t, "cpu")}
		for i := range rapid.IntRange(0, 3).Draw(t, "devices") {
			table.Devices = append(table.Devices, Device{Rank: i, Pid: 100 * i, Host: "node1", Device: i, Bus: "0x1b",
				Name: rapid.SampledFrom([]string{"", "NVIDIA H200", "A"}).Draw(t, "name")})
		}
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			row := Row{Bytes: unit.Bytes(rapid.Int64Range(0, 1<<40).Draw(t, "bytes")),
				Count: rapid.Int64Range(0, 1<<40).Draw(t, "count"), Type: "bfloat16", RedOp: "none",
				Root: rapid.IntRange(-1, 7).Draw(t, "root"), Out: result(), In: result()}
			switch rapid.IntRange(0, 5).Draw(t, "one") {
			case 0:
				row.Out = nil
			case 1:
				row.In = nil
			}
			table.Rows = append(table.Rows, row)
		}
		var b bytes.Buffer
		if err := table.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		got, err := Read("f", b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := cmp.Diff(table, got); diff != "" {
			t.Fatalf("%s\n-wrote +read:\n%s", b.String(), diff)
		}
	})
}

// Times of the host, wrong elements, figures finer than a picosecond.
func TestSmallPrint(t *testing.T) {
	table, err := Read("f", []byte(`{"results": [{"size": 8, "count": 2, "type": "float",
		"out_of_place": {"cpu_time": 1.0000006, "alg_bw": 0.5, "bus_bw": 1e-2, "nwrong": 3.0}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Table{CPUTime: true, Rows: []Row{{Bytes: 8, Count: 2, Type: "float", RedOp: "none", Root: -1,
		Out: &Result{1_000_001, gBs / 2, gBs / 100, Errors{true, 3}}}}}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := text(t, table); !strings.Contains(got, "cputime") || !strings.Contains(got, "values : 1 FAILED\n") {
		t.Errorf("printed:\n%s", got)
	}
}

// Widths as the program has them: two decimals, one, none, an exponent.
func TestFitted(t *testing.T) {
	for _, c := range []struct {
		v     float64
		width int
		want  string
	}{{3.2, 6, "3.20"}, {480.7, 6, "480.70"}, {1234.56, 6, "1234.6"}, {123456.7, 6, "123457"}, {1234567, 6, "1e+06"},
		{65062.1, 7, "65062.1"}, {1234567.8, 7, "1234568"}, {12345678, 7, "1.2e+07"}} {
		if got := fitted(c.v, c.width); got != c.want {
			t.Errorf("%v in %d: %s, want %s", c.v, c.width, got, c.want)
		}
	}
}

// Bandwidths and counts by nccl-tests' definitions.
func TestDefinitions(t *testing.T) {
	r := NewResult(Operation{Collective: coll.AllGather}, 8, 8*unit.Gigabyte, unit.Second)
	if r.AlgBW != 8*gBs || r.BusBW != 7*gBs {
		t.Errorf("all-gather of 8 GB in 1 s over 8 ranks: %v, bus %v", r.AlgBW, r.BusBW)
	}
	cube := Operation{coll.AllGather, true}
	r = NewResult(cube, 8, 8*unit.Gigabyte, unit.Second)
	if r.AlgBW != 7*gBs || r.BusBW != 7*gBs || cube.BusFactor(8).Float() != 1 {
		t.Errorf("hypercube of 8 GB in 1 s over 8 ranks: %v, bus %v, want what a rank receives as both", r.AlgBW, r.BusBW)
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false, 6: false, 8: true, 12: false, 16: true} {
		if (cube.Check(n) == nil) != want || (Operation{Collective: coll.AllGather}).Check(n) != nil {
			t.Errorf("over %d ranks: %v", n, cube.Check(n))
		}
	}
	if n := Count(coll.AllGather, 8, 1024, 4); n != 32 {
		t.Errorf("all-gather of 1 KiB over 8 ranks: %d elements of 4 B each, want 32", n)
	}
	if n := Count(coll.AllReduce, 8, 1024, 4); n != 256 {
		t.Errorf("all-reduce of 1 KiB: %d elements of 4 B, want 256", n)
	}
	all := map[string]Operation{"hypercube_perf": cube}
	for name, c := range programs {
		all[name] = Operation{Collective: c}
	}
	for name, op := range all {
		if got, ok := (&Table{Program: "/x/" + name + "_mpi"}).Operation(); op.Program() != name || !ok || got != op {
			t.Errorf("%s: %v, back %s", name, got, op.Program())
		}
	}
}

// Whatever the text, reading ends with a table that can be printed and read, or with problems on
// one line each.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"h200.log", "launcher.log", "old.log", "results.json"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		table, err := Read("f", src)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f:") || strings.ContainsAny(line, "\r\x1b") {
					t.Fatalf("problem %q", line)
				}
			}
			return
		}
		if len(table.Rows) == 0 {
			t.Fatal("a table without rows")
		}
		table.AverageBusBW()
		text(t, table)
	})
}

// A list of devices that the program cut short, between two words or inside a name, says so.
func TestDevicesCutShort(t *testing.T) {
	const rest = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n" +
		" 8 2 float sum -1 1.00 0.00 0.00 0 1.00 0.00 0.00 0\n"
	const whole = "#  Rank  0 Group  0 Pid  1 on  a device  0 [0x1b] NVIDIA H200\n"
	for text, cut := range map[string]bool{whole: false, whole + "#  Rank  1 Group  0 Pid...\n": true,
		"#  Rank  0 Group  0 Pid  1 on  a device  0 [0x1b] NVIDIA H...\n": true,
		"#  Rank  1 Group  0 Pid...\n" + whole:                            true} {
		table, err := Read("log", []byte(text+rest))
		if err != nil || table.Cut != cut || len(table.Devices) > 1 {
			t.Errorf("%s%v, %+v", text, err, table)
		}
	}
}

// Ranks is how many ranks the log names.
func (t *Table) Ranks() int {
	seen := map[int]bool{}
	for _, d := range t.Devices {
		seen[d.Rank] = true
	}
	return len(seen)
}

// Hosts is how many hosts the log names.
func (t *Table) Hosts() int {
	seen := map[string]bool{}
	for _, d := range t.Devices {
		seen[d.Host] = true
	}
	return len(seen)
}

// WriteText prints the table as nccl-tests does: devices, columns, rows, and what it says in the
// end.
func (t *Table) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	t.writeHead(b)
	for i := range t.Rows {
		t.writeRow(b, &t.Rows[i])
	}
	t.writeFoot(b)
	return b.Flush()
}

func (t *Table) writeFoot(b *bufio.Writer) {
	bad := 0
	for _, r := range t.Rows {
		for _, res := range []*Result{r.Out, r.In} {
			if res != nil && !t.Delta && res.Errors.Value > 0 {
				bad++
			}
		}
	}
	verdict := "OK"
	if bad > 0 {
		verdict = "FAILED"
	}
	line(b, "# %-20s : %d %s", "Out of bounds values", bad, verdict)
	line(b, "# %-20s : %.6g", "Avg bus bandwidth", t.AverageBusBW())
	line(b, "#")
}
