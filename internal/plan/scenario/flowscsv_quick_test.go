package scenario

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/machine/machinetest"
)

// What the quick way takes, the one that explains takes too, as the same flow; and rows of the
// usual keys do go the quick way.
func TestQuickRowsAreWhatExplainedRowsAre(t *testing.T) {
	s := parse(t, forFlows)
	cells := map[string][]string{
		"name":  {"", "a", "b.c", "first", "flow3", "-x", "a b", "7"},
		"from":  {"", "host1/gpu0", "host2/nic1", "host4/gpu0", "host1/gpu2", "x"},
		"to":    {"", "host2/gpu0", "host3/gpu1", "host1/nic0", "host0/gpu0"},
		"bytes": {"", "1B", "1MB", "1.5kB", "0B", "2TB", "1", "1e3B", "true", "~"},
		"start": {"", "0s", "5us", "2h", "-1s", "0.5ps"}, "count": {"", "1", "3", "0", "01", "1e3", "1000000"},
		"every":    {"", "0s", "1ms", "1h"},
		"priority": {"", "data", "other", "Data"}, "path": {"", "auto", "host1>rail1>host2", "a b>c"},
		"back":    {"", "auto", "x"},
		"enabled": {"", "true", "false", "yes"},
	}
	usual := map[string][]string{"name": {"", "b"}, "from": {"host1/gpu0"}, "to": {"host2/gpu0"},
		"bytes": {"1B", "1MB"}, "start": {"", "5us"}, "count": {"", "3"},
		"every": {"", "1ms"}, "priority": {"", "data"}, "path": {"", "auto"}, "back": {"", "auto"},
		"enabled": {"", "true", "false"}}
	quick, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var keys, row []string
		from := cells
		if rapid.Bool().Draw(t, "usual") {
			from = usual
		}
		for _, f := range flowFields {
			if f.Required || rapid.Bool().Draw(t, "has "+f.Path) {
				keys = append(keys, f.Path)
				row = append(row, rapid.SampledFrom(from[f.Path]).Draw(t, f.Path))
			}
		}
		read := func() (*flowReader, *csv.Reader) {
			r := &flowReader{s: s, d: newDecoder("f.csv"),
				names: map[string]string{"first": "job.flows[0] of the scenario"}, lines: map[string]int{"b.c": 2}}
			c := csv.NewReader(strings.NewReader(strings.Join(keys, ",") + "\n" + strings.Join(row, ",") + "\n"))
			head, err := c.Read()
			if err != nil || !r.header(c, head) {
				t.Fatalf("%v %v", err, r.d.problems)
			}
			return r, c
		}
		a, c := read()
		cellsRead, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		want := a.explained(c, cellsRead)
		b, _ := read()
		tried++
		if !b.quick(cellsRead, 2) {
			return
		}
		got := b.flows[0].Flow
		quick++
		if len(a.d.problems) > 0 {
			t.Fatalf("%q is taken, and has %v", cellsRead, a.d.problems)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: %s", cellsRead, d)
		}
	})
	if quick == 0 {
		t.Errorf("none of %d rows went the quick way", tried)
	}
	for i, row := range [][]string{{"a", "host1/gpu0", "host2/gpu1", "1MB", "5us"},
		{"", "host1/nic0", "host3/nic1", "1GB", ""}} {
		r := &flowReader{s: s, d: newDecoder("f.csv"), names: map[string]string{}, lines: map[string]int{}}
		c := csv.NewReader(strings.NewReader("name,from,to,bytes,start\n"))
		if head, _ := c.Read(); !r.header(c, head) {
			t.Fatal(r.d.problems)
		}
		if !r.quick(row, 2) {
			t.Errorf("row %d does not go the quick way", i)
			continue
		}
		if f := &r.flows[0]; f.Count != 1 || f.Priority != "data" || f.Name == "" || f.Line != 2 {
			t.Errorf("row %d: %+v", i, f)
		}
	}
}

// The time of a row: maxFileFlows should be read in a second or two.
func BenchmarkReadFlows(b *testing.B) {
	s := parse(b, "cluster: {hosts: 1000, host: {gpus: 8}}\njob: {flows_csv: f.csv}\n")
	const flows = 100_000
	var t strings.Builder
	t.WriteString("name,from,to,bytes,start\n")
	for i := range flows {
		fmt.Fprintf(&t, "flow%d,host%d/gpu%d,host%d/gpu%d,%dB,%dns\n", i+1, i%1000+1, i%8, (i+1)%1000+1, i%8, 1000+i, i)
	}
	src := []byte(t.String())
	b.SetBytes(int64(len(src)))
	cpu := machinetest.Start(b)
	for b.Loop() {
		if got, err := s.ReadFlows(&s.Jobs[0], "f.csv", src); err != nil || len(got) != flows {
			b.Fatal(len(got), err)
		}
	}
	b.ReportMetric(cpu.Report()*1e9/float64(b.N)/flows, "cpu-ns/flow")
}
