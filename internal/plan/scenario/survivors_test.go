package scenario

import (
	"strings"
	"testing"
)

// A name is suggested for a word that is a slip of it: not for no word, nor for one longer than any key.
func TestWhatIsSuggested(t *testing.T) {
	long := strings.Repeat("a", 40)
	for _, c := range []struct{ word, name, want string }{
		{"", "a", ""}, {"b", "a", "a"}, {"balanse", "balance", "balance"}, {"base-rtt", "base_rtt", "base_rtt"}, {"spine", "leaves", ""},
		{long, long + "a", long + "a"}, {long + "a", long, ""},
	} {
		if got := suggest(c.word, []string{c.name}); got != c.want {
			t.Errorf("for %q and the name %q: %q, want %q", c.word, c.name, got, c.want)
		}
	}
}

// Designs whose switches the scenario does not make say no number of ports.
func TestPortsOfSwitches(t *testing.T) {
	for fabric, want := range map[string]int{
		"design: custom, topology: t.txt": 0, "design: direct": 0, "design: single-switch": 16, "design: rail-optimized, spines: 3": 2 + 3,
		"design: leaf-spine, leaves: 2, spines: 3": 8 + 3,
	} {
		s, err := Parse("t.yaml", []byte("cluster: {hosts: 2, host: {gpus: 8}}\nfabric: {"+fabric+"}\n"+
			"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.SwitchPorts(); got != want {
			t.Errorf("%s: %d ports, want %d", fabric, got, want)
		}
	}
}

// What a change brings stands in no file: what is wrong in it has no line, on whatever level.
func TestWhatIsWrongInAChangeHasNoLine(t *testing.T) {
	s, err := Parse("t.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"{desing: single-switch}":     "fabric.desing: unknown key",
		"{qos: {pfc: {enabeld: no}}}": "fabric.qos.pfc.enabeld: unknown key",
		"{switches: [{matsch: a}]}":   "fabric.switches[0].matsch: unknown key",
	} {
		_, err := s.With(Change{Path: "fabric", Text: text})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "t.yaml:") {
			t.Errorf("%s: %v, want %s, at no line", text, err, want)
		}
	}
}

// A column of a file of flows that is no key of a flow is refused with these keys: where a key of its name belongs is of no use there.
func TestColumnsThatAreNoKeys(t *testing.T) {
	s, err := Parse("t.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}}\njob: {flows_csv: f.csv}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.ReadFlows(&s.Jobs[0], "f.csv", []byte("from,to,bytes,mtu\nhost1/gpu0,host2/gpu0,1MB,9000\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv:1:15: mtu: unknown key, want ") || strings.Contains(err.Error(), "fabric") {
		t.Errorf("%v", err)
	}
}
