package topoform

import (
	"encoding/json"
	"testing"

	"railyard/internal/net/topo"
)

// Pods, planes and rails are counted from one, as names have them.
func TestPlacesCountFromOne(t *testing.T) {
	b, err := asJSON("n", &topo.Graph{Nodes: []topo.Node{{Name: "a", Place: topo.Place{Pod: 1, Plane: 3, Rail: 5}}}})
	if err != nil {
		t.Fatal(err)
	}
	var net Network
	if err := json.Unmarshal(b, &net); err != nil {
		t.Fatal(err)
	}
	if n := net.Nodes[0]; n.Pod != 2 || n.Plane != 4 || n.Rail != 6 {
		t.Errorf("%+v", n)
	}
}
