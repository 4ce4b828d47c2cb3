package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

func smallNetwork(t testing.TB) *topo.Graph {
	t.Helper()
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Length: 20 * unit.Metre}
	g, err := topo.LeafSpine{Hosts: 2, GPUs: 1, NICs: 1, Bond: 2, HostLink: cable, Leaves: 2, Spines: 1, Parallel: 2,
		SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func formOf(t testing.TB, name string) string {
	t.Helper()
	out, err := TopoForms[name]("a net", smallNetwork(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A network of two hosts, dual-homed, in each form.
func TestForms(t *testing.T) {
	for name, want := range map[string][]string{
		"dot":     {`graph "a net" {`, `{ rank=same; "leaf1"; "leaf2"; }`, `"spine1" -- "leaf1" [label="2 x 100Gb/s"];`},
		"mermaid": {"flowchart TB\n", `n4["spine1"]`, `n2 ---|"100Gb/s"| n0`},
	} {
		got := formOf(t, name)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", name, w, got)
			}
		}
	}
}

// JSON holds what the source form does: a graph made of it again is the same.
func TestJSONHoldsTheWholeGraph(t *testing.T) {
	g := smallNetwork(t)
	var net formNetwork
	if err := json.Unmarshal([]byte(formOf(t, "json")), &net); err != nil {
		t.Fatal(err)
	}
	var src strings.Builder
	for _, n := range net.Nodes {
		if n.Role == "host" {
			fmt.Fprintf(&src, "host %s\n", n.Name)
			continue
		}
		fmt.Fprintf(&src, "switch %s %s\n", n.Name, n.Role)
	}
	seen := map[string]bool{}
	for _, l := range net.Links {
		nic := ""
		if _, index, _ := strings.Cut(l.NIC, "/nic"); seen[l.NIC] && l.NIC != "" {
			nic = " nic=" + index
		}
		seen[l.NIC] = true
		fmt.Fprintf(&src, "link %s %s %v %vm%s\n", l.A, l.B, l.Rate, l.Metres, nic)
	}
	again, err := topo.ParseText("net", []byte(src.String()), 1)
	if err != nil {
		t.Fatal(err)
	}
	var a, b strings.Builder
	if err := g.WriteText(&a); err != nil {
		t.Fatal(err)
	}
	if err := again.WriteText(&b); err != nil || a.String() != b.String() {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), a.String())
	}
}

// Pods, planes and rails are counted from one, as names have them.
func TestPlacesCountFromOne(t *testing.T) {
	b, err := asJSON("n", &topo.Graph{Nodes: []topo.Node{{Name: "a", Place: topo.Place{Pod: 1, Plane: 3, Rail: 5}}}})
	if err != nil {
		t.Fatal(err)
	}
	var net formNetwork
	if err := json.Unmarshal(b, &net); err != nil {
		t.Fatal(err)
	}
	if n := net.Nodes[0]; n.Pod != 2 || n.Plane != 4 || n.Rail != 6 {
		t.Errorf("%+v", n)
	}
}
