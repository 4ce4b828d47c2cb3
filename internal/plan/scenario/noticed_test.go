package scenario

import (
	"testing"

	"railyard/internal/base/unit"
)

// Without a drop threshold nothing is dropped by it.
func TestNoDropThreshold(t *testing.T) {
	var q QoS
	if got := q.Drops(); got.Bytes != 0 {
		t.Errorf("%v", got)
	}
}

// What a file says is given; of the rest the source is that of the default.
func TestSourcesOfValues(t *testing.T) {
	s, err := Parse("a.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 200Gb/s}}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, f := range s.Fields() {
		given[f.Path] = f.Source == "given"
	}
	for path, want := range map[string]bool{"cluster.nic.speed": true, "cluster.hosts": true, "transport.mtu": false, "seed": false} {
		if given[path] != want {
			t.Errorf("%s is given: %v, want %v", path, given[path], want)
		}
	}
}

// What a set writes is read back alike: a number with a sign as it is, other text that YAML would read otherwise in quotes.
func TestPlainYAML(t *testing.T) {
	for text, want := range map[string]string{"": "~", "-5": "-5", "+5": "+5", "-": `"-"`, "+x": `"+x"`, "a-b": "a-b", "a b": `"a b"`,
		"5%": "5%", "%5": `"%5"`} {
		if got := plainYAML(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

// Files above the folder in which railyard runs are named, at their places; those below it are not.
func TestFilesOutside(t *testing.T) {
	for name, want := range map[string]string{
		"flows.csv": "", "a/../flows.csv": "",
		"../flows.csv": "a.yaml:2:18: job.flows_csv: ../flows.csv: leads out of the folder in which railyard runs (--local), " +
			"want a name below it",
	} {
		s, err := Parse("a.yaml", []byte("cluster: {hosts: 2, host: {gpus: 1}}\njob: {flows_csv: "+name+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if all := s.Outside(); len(all) > 0 {
			got = all.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Chance has a say where some frames are lost, come twice or late, and not all.
func TestWhatDrawsLosses(t *testing.T) {
	none, some, all := unit.Ratio{Den: 1}, unit.Ratio{Num: 1, Den: 2}, unit.Ratio{Num: 1, Den: 1}
	for i, c := range []struct {
		f    Fault
		want bool
	}{
		{Fault{Drop: none, Duplicate: none, Reorder: none}, false}, {Fault{Drop: all, Duplicate: all, Reorder: all}, false},
		{Fault{Drop: some, Duplicate: none, Reorder: none}, true}, {Fault{Drop: none, Duplicate: some, Reorder: none}, true},
		{Fault{Drop: none, Duplicate: none, Reorder: some}, true}, {Fault{BitErrors: some}, true}, {Fault{BitErrors: all}, true},
	} {
		if got := (&Scenario{Faults: []Fault{c.f}}).DrawsLosses(); got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}

// A switch that has headroom of its own has none in delays of the others.
func TestHeadroomOfASwitch(t *testing.T) {
	var f Fabric
	f.QoS.PFC.HeadroomDelays = Some(3)
	p := &SwitchProfile{}
	if got := f.With(p).QoS.PFC.HeadroomDelays; !got.Set || got.Value != 3 {
		t.Errorf("without its own: %+v", got)
	}
	p.PFC.Headroom = Some(unit.Bytes(5000))
	if got := f.With(p).QoS.PFC; got.HeadroomDelays.Set || got.Headroom.Value != 5000 {
		t.Errorf("with its own: %+v", got)
	}
}
