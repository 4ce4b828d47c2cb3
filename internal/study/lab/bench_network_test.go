package lab

import (
	"strings"
	"testing"
)

// called calls a bench with a text.
func called(b Bench, name, text string) (*Shown, error) {
	return b.Run(Args{name: text})
}

// The same four hosts on one switch, on four and on eight: fewer rails on a switch, more switches, and less of a
// host that fails with one.
func TestRailsOnASwitch(t *testing.T) {
	for _, c := range []struct {
		rails                            string
		switches, ports, nics, hosts, up float64
	}{{"8", 1, 32, 32, 4, 0}, {"2", 4, 40, 8, 0, 0.8}, {"1", 8, 48, 4, 0, 0.8}} {
		s, err := called(networkBench, "of", "cluster: {hosts: 4}, fabric: {design: rail-optimized, rails_per_leaf: "+c.rails+
			", spines: 2}")
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{"leaves": c.switches, "leaf_nics": c.nics, "leaf_hosts": c.hosts} {
			if got := stepOf(t, s, name); got != want {
				t.Errorf("%s rails on a switch: %s is %v, want %v", c.rails, name, got, want)
			}
		}
		if c.switches == 1 {
			continue
		}
		if got := stepOf(t, s, "leaf_up"); got != c.up {
			t.Errorf("%s rails on a switch: %v Tb/s up, want %v", c.rails, got, c.up)
		}
		if down, up := stepOf(t, s, "ports"), stepOf(t, s, "cables_leaf"); down != 32+2*up {
			t.Errorf("%s rails on a switch: %v ports in use, %v cables to spines", c.rails, down, up)
		}
	}
}

// What is no network, or no host, is refused with what would be one.
func TestBenchesOfNoNetwork(t *testing.T) {
	for _, c := range []struct {
		b                Bench
		name, text, want string
	}{
		{networkBench, "of", "preset: book-pot", "did you mean book-pod"},
		{networkBench, "of", "cluster: {hosts: 4}, fabric: {design: rail-only, rails_per_leaf: 3}", "rails_per_leaf"},
		{networkBench, "of", "cluster: {", "network:1:"},
		{boardBench, "preset", "hgx", `"hgx": no such host, want one of cpu, gb200-nvl72`},
	} {
		_, err := called(c.b, c.name, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// Four ports that follow each other are a range.
func TestPortsOfRails(t *testing.T) {
	s, err := called(networkBench, "of", "cluster: {hosts: 5}, fabric: {design: rail-only, rails_per_leaf: 8}")
	if err != nil {
		t.Fatal(err)
	}
	rails := s.Tables[len(s.Tables)-1]
	if row := strings.Join(rails.Rows[1], " "); row != "2 102 10.0.1.32/27 6 to 10" {
		t.Errorf("rail 2: %s", row)
	}
}

// With two ports a NIC is on two switches: none of them cuts it off. The link between the two carries nothing down.
func TestTwoSwitches(t *testing.T) {
	s, err := called(networkBench, "of", "cluster: {hosts: 2, nic: {speed: 200Gb/s, ports: 2}}, fabric: {design: dual-rail}")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"leaf_nics": 0, "leaf_down": 3.2, "ways": 2, "switches": 2} {
		if got := stepOf(t, s, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if across := stepOf(t, s, "leaf_across"); across <= 0 {
		t.Errorf("%v Tb/s between the two", across)
	}
}
