package scenario

import "testing"

// What is said of each protocol: each that scenarios may name stands here.
func TestWhatProtocolsAre(t *testing.T) {
	type says struct{ named, lines bool }
	want := map[NCCLProtocol]says{
		ProtocolAuto:   {},
		ProtocolNone:   {},
		ProtocolLL:     {named: true, lines: true},
		ProtocolLL128:  {named: true, lines: true},
		ProtocolSimple: {named: true},
	}
	for _, choice := range RowProtocols {
		p := NCCLProtocol(choice.Name)
		is, there := want[p]
		if got := (says{p.Named(), p.HasLines()}); got != is || !there {
			t.Errorf("%s: %+v, want %+v (%t)", p, got, is, there)
		}
		delete(want, p)
	}
	if len(want) > 0 {
		t.Errorf("no scenario may name %v", want)
	}
}
