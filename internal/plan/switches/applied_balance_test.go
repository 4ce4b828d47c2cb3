package switches_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/plan"
)

// twoSpines is twoLeaves with a choice.
var twoSpines = strings.Replace(twoLeaves, "spines: 1", "spines: 2", 1)

// balanced plans twoSpines with lines for the fabric, its switches configured in a dialect, with a change to leaf1.
func balanced(t *testing.T, fabric, dialect, old, with string) (*plan.Plan, error) {
	t.Helper()
	yaml := strings.Replace(twoSpines, "fabric:\n", "fabric:\n"+fabric, 1)
	return configure(t, yaml, rendered(t, yaml, dialect, func(name, text string) string {
		if name != "leaf1" {
			return text
		}
		changed := strings.Replace(text, old, with, 1)
		if old != "" && changed == text {
			t.Fatalf("no %q in\n%s", old, text)
		}
		return changed
	}))
}

// What configurations say of the choice among equal links is what switches do; what they leave open is said.
func TestConfiguredBalance(t *testing.T) {
	const sharing = "ip load-sharing address source-destination port source-destination"
	for _, c := range []struct {
		fabric, dialect, old, with string
		differs                    string // of leaf1
		assumed                    string // by leaf1
	}{
		{"", "nxos", "", "", "", "fabric.hash.seed same"},
		{"  hash: {seed: per-switch}\n", "nxos", "", "", "", "fabric.hash.function mix"},
		{"  hash: {seed: per-switch}\n", "nxos", "universal-id 5", "universal-id 77", "hash.seed 77 per-switch", ""},
		{"  hash: {fields: 5-tuple+qp}\n", "nxos", "", "", "hash.fields 5-tuple 5-tuple+qp", ""},
		{"", "nxos", sharing, "", "", "choice among equal links: fabric.balance ecmp"},
		{"  balance: dlb\n", "nxos", "", "", "", "how dlb weighs load and queue: fabric.dlb"},
		{"  balance: dlb\n", "nxos", "mode flowlet", "mode per-packet", "dlb.mode packet flowlet", ""},
		{"  balance: dlb\n", "nxos", "flowlet-aging 256", "flowlet-aging 99", "dlb.gap 99us 256us", ""},
		{"  balance: dlb\n", "nxos", "  flowlet-aging 256\n", "", "", "next burst after 256us"},
		{"  balance: dlb\n", "nxos", "  dlb-interface Eth1/3\n  dlb-interface Eth1/4\n", "  dlb-interface Eth1/1\n",
			"balance ecmp dlb", "dlb is on for no port that has equal ones"},
		{"", "nxos", sharing, "hardware profile dlb\n  dlb-interface all\n  mode per-packet",
			"balance dlb ecmp; dlb.mode packet flowlet", ""},
		{"  balance: pinned\n", "nxos", "hostname", sharing + "\nhostname", "", "fabric.balance pinned chooses whole paths"},
		{"  balance: dlb\n", "junos", "", "", "qos.ecn", "how dlb weighs"}, // Junos counts a queue in percent
		{"  balance: spray\n", "junos", "set system", "set forwarding-options enhanced-hash-key ecmp-dlb per-packet\nset system",
			"balance dlb spray; qos.ecn", ""},
	} {
		t.Run(c.fabric+c.old, func(t *testing.T) {
			p, err := balanced(t, c.fabric, c.dialect, c.old, c.with)
			if err != nil {
				t.Fatal(err)
			}
			var got, said []string
			for _, d := range p.Switches.Differing() {
				if strings.Contains(d.Match, "leaf1") {
					for _, k := range d.Keys {
						got = append(got, fmt.Sprintf("%s %s %s", k.Key, k.Own, k.Others))
					}
				}
			}
			if all := strings.Join(got, "; "); !strings.HasPrefix(all, c.differs) || c.differs == "" && all != "" {
				t.Errorf("differs in %q, want %q", all, c.differs)
			}
			for _, n := range p.Switches.Assumed() {
				if strings.Contains(fmt.Sprint(n.Switches), "leaf1") {
					said = append(said, n.Text)
				}
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, c.assumed) {
				t.Errorf("assumed\n%s\nwant %q", all, c.assumed)
			}
		})
	}
}

// Switches with one number of a seed hash alike, and numbers that the scenario's own seeds have make them again.
func TestConfiguredSeeds(t *testing.T) {
	const own = "  hash: {seed: per-switch}\n"
	picks := func(p *plan.Plan, name string) (all string) {
		by := p.Hash()
		for id, n := range p.Graph.Nodes {
			for port := uint16(0); n.Name == name && port < 64; port++ {
				all += fmt.Sprint(by.Hash(hash.Flow{SrcIP: 1, DstIP: 2, SrcPort: port}, id) % 2)
			}
		}
		return all
	}
	number := func(p *plan.Plan, name string) uint32 {
		for id, n := range p.Graph.Nodes {
			if n.Name == name {
				return p.Switches.SeedNumber(topo.NodeID(id))
			}
		}
		return 0
	}
	plain := planned(t, strings.Replace(twoSpines, "fabric:\n", "fabric:\n"+own, 1))
	id := number(plain, "leaf2")
	p, err := balanced(t, own, "nxos", fmt.Sprint("universal-id ", number(plain, "leaf1")), fmt.Sprint("universal-id ", id))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := picks(p, "leaf1"), picks(p, "leaf2"); a != b || a != picks(plain, "leaf2") || a == picks(plain, "leaf1") {
		t.Errorf("leaf1 %s, leaf2 %s with one number; as drawn %s and %s", a, b, picks(plain, "leaf1"), picks(plain, "leaf2"))
	}
}

// One seed for the switches of a role is one number.
func TestRoleSeeds(t *testing.T) {
	const roles = "  switches: [{match: \"leaf*\", hash: {seed: role}}, {match: \"spine*\", hash: {seed: role}}]\n"
	devices, err := configs.Devices(planned(t, strings.Replace(twoSpines, "fabric:\n", "fabric:\n"+roles, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := devices[0].Balance, devices[1].Balance; a.Seed == 0 || a.Seed != b.Seed {
		t.Errorf("%v, %v: want one seed", a, b)
	}
	for _, c := range []struct{ old, differs string }{{"", ""}, {"universal-id 5", "hash.seed"}} {
		p, err := balanced(t, roles, "nxos", c.old, "universal-id 9")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.Switches.Differing()); strings.Contains(got, "[leaf1] [{hash.seed 9 same}]") != (c.differs != "") {
			t.Errorf("%s: %s", c.old, got)
		}
	}
}

// Parameters of dlb that no switch uses are no part of a scenario.
func TestIdleParameters(t *testing.T) {
	const weight = "  dlb: {weight: 30%}\n"
	rendered := rendered(t, twoSpines, "nxos", nil)
	_, err := configure(t, strings.Replace(twoSpines, "fabric:\n", "fabric:\n"+weight, 1), rendered)
	const want = "fabric.dlb.weight: 30%: has no effect: neither fabric.balance nor a configuration is dlb"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := balanced(t, weight+"  balance: dlb\n", "nxos", "", ""); err != nil {
		t.Error(err)
	}
}

// A run has one method for a switch.
func TestPartlyDynamic(t *testing.T) {
	_, err := balanced(t, "  balance: dlb\n", "nxos", "  dlb-interface Eth1/4\n", "")
	const want = "Ethernet1/4: without dlb, and others that lead as far have it: a run has one method for a switch"
	if err == nil || !strings.Contains(err.Error(), "configs/leaf1/running-config:8:1: "+want) {
		t.Errorf("%v, want %s", err, want)
	}
}
