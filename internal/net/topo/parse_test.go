package topo_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

const twoLeaves = `# two leaves, two cables to one spine
host host1
host host2
switch leaf1
switch leaf2 leaf
switch spine1 spine
link host1 leaf1 100Gb/s 20m
link host2 leaf2 100Gb/s 1us   # a delay instead of a length
link leaf1 spine1 400Gb/s 100m
link leaf2 spine1 400Gb/s 100m
link leaf2 spine1 400Gb/s 100m
`

func TestParseText(t *testing.T) {
	g, err := topo.ParseText("net.txt", []byte(twoLeaves), 2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range g.Ports {
		names = append(names, p.Name)
	}
	want := "host1/leaf1 leaf1/host1 host2/leaf2 leaf2/host2 leaf1/spine1 spine1/leaf1 leaf2/spine1#1 " +
		"spine1/leaf2#1 leaf2/spine1#2 spine1/leaf2#2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("ports %s, want %s", got, want)
	}
	if g.Links[0].Delay != 100*unit.Nanosecond || g.Links[1].Delay != unit.Microsecond || g.Hosts[1].GPUs != 2 {
		t.Errorf("%+v", g)
	}
}

// Each wrong line is named with line and column.
func TestParseTextErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"switch x\nhots host1", `net.txt:2:1: hots: want host, switch, link or vlans`},
		{"switch x\nhosts ö\nlink ö x\nlink x ö 1Gb/s 1m", "net.txt:2:1: hosts: want host, switch, link or vlans\n" +
			"net.txt:3:1: 3 words, want link NODE NODE RATE LENGTH-OR-DELAY [cost=N | nic=N]\nnet.txt:4:8: ö: no such node above " +
			"this line"},
		{"\ufeffhosts\nswitch x", "net.txt:1:1: hosts: want host, switch, link or vlans"},
		{"switch x\nhost host2", `net.txt:2:6: host2: hosts are host1, host2, ... in order, want host1`},
		{"switch x\nhost host1 4", `net.txt:2:12: 4: want pod=`},
		{"switch x\nhost host1 pod=1 pod=2", `net.txt:2:1: 4 words, want host NAME [pod=N]`},
		{"switch x\nhost host1 pod=0", `net.txt:2:12: pod=0: want pod=1 to pod=1048576`},
		{"switch x\nswitch s rail=1 rail=2 plan=3 model=", "net.txt:2:17: rail=2: a second rail, want one\n" +
			"net.txt:2:24: plan=3: want pod= or plane= or rail= or model=\n" +
			"net.txt:2:31: model=: want model= and a name of at most 64 letters, digits, _, . and -"},
		{"host host1\nswitch s\nlink host1 s 1Gb/s 1m cost=9", `net.txt:3:23: cost=9: want nic=`},
		{"switch r\nswitch s\nlink r s 1Gb/s 1m cost=9999", `net.txt:3:19: cost=9999: want cost=1 to cost=1024`},
		{"switch x\nswitch a/b", `net.txt:2:8: a/b: want a name of at most 64 letters, digits, _, . and -`},
		{"switch x\nswitch host7", `net.txt:2:8: host7: the name of a host, want another for a switch`},
		{"switch x\nswitch s spin", `net.txt:2:10: spin: want leaf, spine or superspine`},
		{"switch s\nswitch s", `net.txt:2:8: s: the name of another node too, want one of its own`},
		{"host host1\nlink host1 s 100Gb/s 1m", `net.txt:2:12: s: no such node above this line`},
		{"host host1\nswitch s\nlink host1 s 100G 1m",
			`net.txt:3:14: 100G: unknown unit "G", want bits (Gb/s) or bytes (GB/s)`},
		{"host host1\nswitch s\nlink host1 s 100Gb/s 1",
			`net.txt:3:22: 1: want a length such as 20m, or a delay such as 1us`},
		{"host host1\nswitch s\nlink host1 s 100Gb/s 0m",
			`net.txt:3:14: link host1/s: no length and no delay, want one of them above 0`},
		{"switch x\nvlans yes", `net.txt:2:7: yes: want isolated`},
		{"switch s\nlink s s 100Gb/s 1m", `net.txt:2:8: link s/s: both ends are the same node`},
		{"host host1\nswitch s", `net.txt: host1 has no NIC: connect it to a switch`},
		{"", `net.txt: the network has no nodes, want at least a host and a switch`},
	} {
		_, err := topo.ParseText("net.txt", []byte(c.src), 1)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.src, err, c.want)
		}
	}
}

// However many lines are wrong, so many are reported.
func TestParseTextIsBounded(t *testing.T) {
	_, err := topo.ParseText("net.txt", []byte("switch x\n"+strings.Repeat("hosts\n", 1000)), 1)
	var ps located.Problems
	if !errors.As(err, &ps) || len(ps) != located.Most+1 ||
		!strings.Contains(ps[located.Most].Message, "at least one more") {
		t.Errorf("%d problems, the last is %v", len(ps), ps[len(ps)-1])
	}
}

// Of a file that holds no line of a topology, say one that a scenario from elsewhere names, no word
// is shown.
func TestForeignFilesAreNotQuoted(t *testing.T) {
	for _, src := range []string{"root:x:0:0:secret:/root:/bin/sh\n", strings.Repeat("secret word\n", located.Most+1) +
		"host host1\n", "link secret secret secret secret", "host secret", "switch sec/ret\n# host host1"} {
		_, err := topo.ParseText("net.txt", []byte(src), 1)
		if err == nil || strings.Contains(err.Error(), "sec") ||
			!strings.Contains(err.Error(), "net.txt: holds no line of a topology") {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// What is generated can be written down and read back.
func TestWriteSourceReadsBack(t *testing.T) {
	delay := topo.Cable{Rate: 400 * unit.GigabitPerSec, Delay: unit.Microsecond}
	check := func(t *testing.T, g *topo.Graph) {
		var b bytes.Buffer
		if err := g.WriteSource(&b); err != nil {
			t.Fatal(err)
		}
		back, err := topo.ParseText("net.txt", b.Bytes(), g.Hosts[0].GPUs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Error(diff)
		}
	}
	each(t, check)
	check(t, must(t, topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 2, Spines: 2, SpineLink: delay,
		Parallel: 2}))
}

// No input makes the parser panic; what it takes it writes the same way again.
func FuzzParseText(f *testing.F) {
	f.Add([]byte(twoLeaves))
	f.Add([]byte("host host1\nswitch s\nlink host1 s 1Tb/s 1ps\nlink s host1 1b/s 3mm"))
	f.Add([]byte("host host1 pod=2\nswitch s\nswitch t spine model=x plane=1\nlink host1 s 1Tb/s 1m\nlink s t 1b/s 3mm cost=3"))
	f.Fuzz(func(t *testing.T, src []byte) {
		g, err := topo.ParseText("net.txt", src, 1)
		if err != nil {
			return
		}
		var b bytes.Buffer
		g.WriteSource(&b)
		back, err := topo.ParseText("net.txt", b.Bytes(), 1)
		if err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
		if d := cmp.Diff(g.Nodes, back.Nodes); d != "" {
			t.Fatal(d)
		}
		for i := range g.Links {
			if g.Links[i].Delay != back.Links[i].Delay || g.Links[i].Rate != back.Links[i].Rate {
				t.Fatalf("link %d: %+v and %+v", i, g.Links[i], back.Links[i])
			}
		}
	})
}
