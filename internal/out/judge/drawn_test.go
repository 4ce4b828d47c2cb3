package judge

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// drawn is telemetry of a network with whatever values: counters that rise, fall, begin anew, or were not read.
func drawn(s *splitmix.Stream, g *topo.Graph) *telemetry.Telemetry {
	var b telemetry.Builder
	below := func(n uint64) int64 { return int64(s.Next() % n) }
	var unread [telemetry.CounterCount]bool
	for c := range unread {
		unread[c] = below(6) == 0
	}
	for i := range g.Ports {
		p := &g.Ports[i]
		n := &g.Nodes[p.Node]
		if below(12) == 0 {
			continue // nobody read it
		}
		kind := telemetry.Port
		if n.Kind == topo.HostKind {
			kind = telemetry.NIC
		}
		var steps, at [telemetry.CounterCount]int64
		for c := range steps {
			if below(3) == 0 {
				steps[c] = below(1 << uint(below(24)))
			}
		}
		for k := range 1 + below(12) {
			r := telemetry.NewRow(kind, n.Name, p.Name, unit.Time(k)*unit.Time(20*unit.Microsecond)+unit.Time(i%3))
			for c := range telemetry.CounterCount {
				if unread[c] || below(15) == 0 {
					continue
				}
				if at[c] += below(uint64(steps[c]) + 1); below(40) == 0 {
					at[c] = 0
				}
				r.Set(c, at[c])
			}
			if r.Priority = int32(below(8)); below(10) == 0 {
				r.Kind = string(telemetry.Queue)
			}
			b.Add(&r)
		}
	}
	ranks := int32(below(9))
	for seq := range below(4) {
		for rank := range ranks {
			if below(10) == 0 {
				continue
			}
			for _, kind := range []telemetry.Kind{telemetry.Collective, telemetry.Step, telemetry.GPU} {
				r := telemetry.NewRow(kind, fmt.Sprintf("host%d", 1+rank/2), fmt.Sprintf("gpu%d", rank%2), unit.Time(1+below(1e9)))
				if kind == telemetry.GPU {
					r.Power = below(700_000)
				} else if r.Rank, r.Seq = rank, seq; below(8) > 0 {
					r.End = r.Time.Add(unit.Duration(below(1e8)))
				}
				b.Add(&r)
			}
		}
	}
	for range below(3) {
		p := &g.Ports[below(uint64(len(g.Ports)))]
		r := telemetry.NewRow(telemetry.Line, g.Nodes[p.Node].Name, p.Name, unit.Time(below(1e9)))
		r.Text = []string{"PFC Watchdog detected PFC storm", "Set operation status down", "%ADJCHANGE: neighbor Down",
			"Channel [send] via NET/IB/nic0", "Channel [send] via NET/IB/nic0/GDRDMA"}[below(5)]
		b.Add(&r)
	}
	return b.Telemetry()
}

// TestDrawn: whatever is read, with or without a topology and a fabric in order, the judge gives three answers at most, the likeliest
// first, twice the same, and each number in its evidence is one of the input.
func TestDrawn(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 1, HostLink: cable, Leaves: 2, Spines: 2, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Mechanism]bool{}
	for n := range uint64(500) {
		s := splitmix.Stream(splitmix.Mix(n))
		c := Case{Now: drawn(&s, g)}
		known := readings(c.Now)
		if s.Next()%4 > 0 {
			c.Healthy = drawn(&s, g)
			for x := range readings(c.Healthy) {
				known[x] = true
			}
		}
		if s.Next()%4 > 0 {
			c.Graph = g
		}
		v := Judge(c)
		if v.Wrong != (len(v.Hypotheses) > 0) || len(v.Hypotheses) > 3 || !reflect.DeepEqual(v, Judge(c)) {
			t.Fatalf("draw %d: %+v", n, v)
		}
		for i, h := range v.Hypotheses {
			seen[h.Mechanism] = true
			if i > 0 && h.Likelihood > v.Hypotheses[i-1].Likelihood || !(h.Probability > 0 && h.Probability <= 1) || len(h.For) == 0 ||
				h.Place.Kind != "job" && h.Where() == "" {
				t.Errorf("draw %d: %+v", n, h)
			}
			for _, o := range slices.Concat(h.For, h.Against) {
				for _, x := range number.FindAllString(o.Text, -1) {
					if !known[x] {
						t.Errorf("draw %d, %s: %q mentions %s, which nothing has", n, h.Mechanism, o.Text, x)
					}
				}
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("draws have %d mechanisms named, want most of them: %v", len(seen), seen)
	}
}

// TestDrawnAgainstItself: what is as it is in order is not named, but what is wrong whatever was so before: a link slower than it was built
// for, ranks that never end (and what lines of logs say). One draw in five has no traffic at all between switches.
func TestDrawnAgainstItself(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 1, HostLink: cable, Leaves: 2, Spines: 2, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(500) {
		s := splitmix.Stream(splitmix.Mix(n))
		was := drawn(&s, g)
		was.Lines = nil
		if n%5 == 0 {
			for i := range was.Series {
				if x := &was.Series[i]; !strings.Contains(x.Port, "host") {
					*x = telemetry.Series{Kind: x.Kind, Device: x.Device, Port: x.Port}
				}
			}
		}
		for _, graph := range []*topo.Graph{nil, g} {
			for _, h := range Judge(Case{Now: was, Healthy: was, Graph: graph}).Hypotheses {
				if !slices.Contains([]Mechanism{DeadRank, HostHang, Degraded}, h.Mechanism) {
					t.Errorf("draw %d: %s at %s: %+v", n, h.Mechanism, h.Where(), h.For)
				}
			}
		}
	}
}

var number = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// readings are the numbers of telemetry, as evidence quotes them.
func readings(of *telemetry.Telemetry) map[string]bool {
	known := map[string]bool{}
	for i := range of.Series {
		known[fmt.Sprint(of.Series[i].Priority)] = true
		for _, values := range of.Series[i].Values {
			for _, x := range values {
				known[fmt.Sprint(x)] = true
			}
		}
	}
	for _, p := range slices.Concat(of.Collectives, of.Steps) {
		known[fmt.Sprint(p.Seq)], known[fmt.Sprint(p.Rank)] = true, true
		for _, at := range []unit.Time{p.Start, p.End} {
			for _, x := range number.FindAllString(when(at), -1) {
				known[x] = true
			}
		}
	}
	return known
}
