package scenario

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/located"
)

const forFlows = `
cluster: {hosts: 3, host: {gpus: 2}}
job: {flows: [{name: first, from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`

// Columns are keys of a flow, in any order; cells that are empty have the key's default.
func TestReadFlows(t *testing.T) {
	s := parse(t, forFlows)
	flows, err := s.ReadFlows(&s.Jobs[0], "f.csv",
		[]byte("# a comment\nbytes, to, from, start, count, every, priority, path, name\n"+
			"1MB, host2/gpu1, host1/gpu1, 5us, 3, 1ms, other, host1>rail2>host2, a\r\n2 "+
			"kB,host3/nic0,host1/gpu0,,,,,auto,\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := flows[0], flows[1]
	if a.Name != "a" || a.Line != 3 || a.Bytes != 1_000_000 || a.Count != 3 || a.Priority != "other" ||
		strings.Join(a.Path, " ") != "host1 rail2 host2" || a.Back != nil {
		t.Errorf("%+v", a)
	}
	if b.Name != "flow2" || b.Line != 4 || b.Bytes != 2000 || b.Count != 1 || b.Priority != "data" || b.Path != nil ||
		b.To.String() != "host3/nic0" {
		t.Errorf("%+v", b)
	}
}

func TestReadFlowsProblems(t *testing.T) {
	s := parse(t, forFlows)
	for _, c := range []struct{ src, want string }{
		{"", "f.csv:1:1: no flows, want a first line such as name,from,to,bytes,start and a line for each flow"},
		{"from,to,bytes\n", "f.csv:1:1: no flows, want a first line such as name,from,to,bytes,start and a line for " +
			"each flow"},
		{"name,form,to,bytes\n", "f.csv:1:1: no column from, want columns from, to and bytes at least\nf.csv:1:6: " +
			"form: unknown key; did you mean from?"},
		{"src,to,bytes\n", "f.csv:1:1: no column from, want columns from, to and bytes at least\nf.csv:1:1: src: " +
			"unknown key; did you mean from?"},
		{"root:x:0:0,secret\nsecret\n", "f.csv: the first line names no key of a flow, want columns from, to and " +
			"bytes at least: name, from, to, bytes, start, count, every, priority, enabled, path or back"},
		{"from,to,to,bytes\n", "f.csv:1:9: to: named twice"},
		{"from,to,bytes\nhost1/gpu0,host2/gpu0\n", "f.csv:2:1: 2 cells, want 3, as the first line has"},
		{"from,to,bytes\nhost1/gpu0,host2/gpu0,10\n",
			"f.csv:2:23: bytes: 10: no unit, want bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB)"},
		{"from,to,bytes\nhost1/gpu0,host4/gpu0,1B\n", "f.csv:2:12: to: host4/gpu0: no such host, want host1 to host3"},
		{"from,to,bytes\nhost1/gpu0,,1B\n", "f.csv:2:1: to: missing, want an endpoint such as host1/gpu0"},
		{"from,to,bytes\nhost1/gpu0,host1/gpu0,1B\n", "f.csv:2:12: to: host1/gpu0: the sender too, want another host"},
		{"from,to,bytes,name\nhost1/gpu0,host2/gpu0,1B,first\n",
			"f.csv:2:26: name: first: the name of job.flows[0] of the scenario too, want one of its own"},
		{"from,to,bytes,name\nhost1/gpu0,host2/gpu0,1B,x\nhost1/gpu0,host2/gpu0,1B,x\n",
			"f.csv:3:26: name: x: the name of the flow of line 2 too, want one of its own"},
		{"from,to,bytes,path\nhost1/gpu0,host2/gpu0,1B,host1>a b>host2\n",
			`f.csv:2:26: path: entry 2: "a b": want a node such as leaf1, or leaf1#2 for the second of parallel links to it`},
		{"from,to,bytes,count\nhost1/gpu0,host2/gpu0,1B,2\n",
			"f.csv:2:26: count: 2: no period, want every: as well, such as every: 100us"},
		{"from,to,bytes\n\"host1/gpu0,host2/gpu0,1B\n", "f.csv:2:26: extraneous or missing \" in quoted-field"},
		{"\ufeffname,from,to,bytes\näöü, host1/gpu0, host4/gpu0,1B\n",
			"f.csv:2:1: name: äöü: want a name of at most 64 lower-case letters, digits and -, not starting with " +
				"-\nf.csv:2:18: to: host4/gpu0: no such host, want host1 to host3"},
		{"from,to,bytes\nhost1/gpu0,host2/gpu0,1B\x00\n",
			"f.csv:2:25: a byte that is no UTF-8 text; save the file as UTF-8"},
	} {
		_, err := s.ReadFlows(&s.Jobs[0], "f.csv", []byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

// What is found wrong with a flow after it was read points at its cell, or at its line.
func TestFlowProblem(t *testing.T) {
	src := []byte("\ufeff# paths\nname, from,to,bytes, " +
		"path\nä,host1/gpu0,host2/gpu0,1B,\n\nü,host1/gpu0,host2/gpu0,1B,  host1>host2\n")
	for _, c := range []struct {
		line int
		key  string
		want string
	}{
		{5, "path", "f.csv:5:30: path: wrong (11)"},
		{5, "name", "f.csv:5:1: name: wrong (1)"},
		{5, "", "f.csv:5:1: wrong (1)"},
		{3, "path", "f.csv:3:1: path: wrong (1)"},   // an empty cell
		{3, "count", "f.csv:3:1: count: wrong (1)"}, // no such column
	} {
		p := FlowProblem("f.csv", src, c.line, c.key, "wrong").(located.Problems)[0]
		if got := fmt.Sprintf("%s (%d)", p, p.Width); got != c.want {
			t.Errorf("%q of line %d: %s, want %s", c.key, c.line, got, c.want)
		}
	}
}

// No input makes the reader panic; every problem is one line and points into the file, or at the
// whole of it.
func FuzzReadFlows(f *testing.F) {
	f.Add([]byte("name,from,to,bytes,start,path\na,host1/gpu0,host2/gpu1,1MB,5us,host1>rail1>host2\n"))
	f.Add([]byte("from,to,bytes\n\"host1/gpu0\",,1B\n#x\n\nhost1/gpu0,host2/gpu0,9TB,7\n"))
	s := parse(f, forFlows)
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := s.ReadFlows(&s.Jobs[0], "f.csv", src)
		if err == nil {
			return
		}
		lines := strings.Count(string(src), "\n") + 1
		for _, p := range err.(located.Problems) {
			if p.Line < 0 || p.Line > lines || strings.ContainsAny(p.String(), "\n\r") {
				t.Fatalf("%q", p.String())
			}
		}
	})
}

// A file has at most so many flows; the line of the first beyond is named.
func TestAFileOfFlowsIsBounded(t *testing.T) {
	s := parse(t, "cluster: {hosts: 2, host: {gpus: 1}}\njob: {flows_csv: f.csv}\n")
	src := "from,to,bytes\n" + strings.Repeat("host1/gpu0,host2/gpu0,1B\n", maxFileFlows)
	if flows, err := s.ReadFlows(&s.Jobs[0], "f.csv", []byte(src)); err != nil || len(flows) != maxFileFlows {
		t.Errorf("%d flows, %v", len(flows), err)
	}
	_, err := s.ReadFlows(&s.Jobs[0], "f.csv", []byte(src+"host1/gpu0,host2/gpu0,1B\n"))
	if want := "f.csv:400002:1: more than 400000 flows"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
