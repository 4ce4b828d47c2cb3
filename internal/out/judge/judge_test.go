package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// shown is telemetry of two ports of leaf1, the NIC of host1, and six ranks on three hosts that take part in three collectives.
func shown(change func(r *telemetry.Row)) *telemetry.Telemetry {
	var b telemetry.Builder
	add := func(r telemetry.Row) {
		if change != nil {
			change(&r)
		}
		b.Add(&r)
	}
	for i := range 10 {
		at := unit.Time(i) * unit.Time(100*unit.Microsecond)
		for _, p := range []string{"leaf1/host1", "leaf1/spine1", "host1/leaf1"} {
			r := telemetry.NewRow(telemetry.Port, "leaf1", p, at)
			if strings.HasPrefix(p, "host") {
				r.Kind, r.Device = string(telemetry.NIC), "host1"
			}
			r.TxBytes, r.TxPackets, r.InErrors, r.LinkDowns, r.Oversize, r.Watchdog = int64(i)*1000_000, int64(i)*1000, 0, 0, 0, 0
			r.RxPause, r.RxPFC, r.TxPFC = 0, 0, 0
			if r.Speed = 200_000; r.Kind == string(telemetry.NIC) {
				r.PCIe = 208_000
			}
			add(r)
		}
		for g := range 6 {
			r := telemetry.NewRow(telemetry.GPU, fmt.Sprintf("host%d", 1+g/2), fmt.Sprintf("gpu%d", g%2), at)
			r.Power, r.Utilisation = 250_000, 100
			add(r)
		}
	}
	for seq := range 3 {
		for rank := range 6 {
			r := telemetry.NewRow(telemetry.Collective, fmt.Sprintf("host%d", 1+rank/2), fmt.Sprintf("gpu%d", rank%2),
				unit.Time(seq)*unit.Time(300*unit.Microsecond)+1)
			r.Rank, r.Comm, r.Seq, r.End = int32(rank), "0x1", int64(seq), r.Time.Add(100*unit.Microsecond)
			add(r)
		}
	}
	return b.Telemetry()
}

// cases are what a mechanism leaves, alone.
var cases = map[Mechanism]func(r *telemetry.Row){
	LossyOptic: func(r *telemetry.Row) {
		if r.Port == "leaf1/host1" {
			r.InErrors = int64(r.Time / unit.Time(100*unit.Microsecond))
		}
	},
	Flapping: func(r *telemetry.Row) {
		if r.Port == "leaf1/spine1" {
			r.LinkDowns = int64(r.Time / unit.Time(300*unit.Microsecond))
		}
	},
	SmallMTU: func(r *telemetry.Row) {
		if r.Port == "leaf1/spine1" {
			r.Oversize = int64(r.Time / unit.Time(200*unit.Microsecond))
		}
	},
	WatchdogActs: func(r *telemetry.Row) {
		if r.Port == "leaf1/host1" && r.Time > unit.Time(400*unit.Microsecond) {
			r.Watchdog = 1
		}
	},
	Degraded: func(r *telemetry.Row) {
		if r.Port == "leaf1/spine1" {
			r.Speed = 100_000
		}
	},
	SlowPCIe: func(r *telemetry.Row) {
		if r.Kind == string(telemetry.NIC) && r.Time > 0 {
			r.PCIe = 64_000
		}
	},
	SlowGPU: func(r *telemetry.Row) {
		if r.Kind == string(telemetry.Collective) && r.Rank == 3 {
			r.Time = r.Time.Add(50 * unit.Microsecond)
		}
	},
	DeadRank: func(r *telemetry.Row) {
		if r.Kind == string(telemetry.Collective) && r.Seq == 2 {
			r.End = telemetry.Unknown
		}
		if r.Kind == string(telemetry.GPU) && r.Device == "host2" && r.Port == "gpu0" && r.Time > unit.Time(400*unit.Microsecond) {
			r.Power = 90_000
		}
	},
}

// TestMechanisms: each is named from what it leaves, and nothing where nothing is left.
func TestMechanisms(t *testing.T) {
	healthy := shown(nil)
	if v := Judge(Case{Now: healthy, Healthy: healthy}); v.Wrong {
		t.Errorf("nothing is wrong, but: %+v", v.Hypotheses)
	}
	for m, change := range cases {
		v := Judge(Case{Now: shown(change), Healthy: healthy})
		if len(v.Hypotheses) == 0 || v.Hypotheses[0].Mechanism != m {
			t.Errorf("%s: %+v", m, v.Hypotheses)
		}
	}
}

// TestAsInOrder: what counters show in order too is not named, whatever it is.
func TestAsInOrder(t *testing.T) {
	for m, change := range cases {
		if v := Judge(Case{Now: shown(change), Healthy: shown(change)}); v.Wrong && m != DeadRank {
			t.Errorf("%s is so in order, but: %+v", m, v.Hypotheses)
		}
	}
}

// TestAStall: no NIC sends any more in the middle of a run, and one has sent less than the others by then; the same where that one lost
// something, which may be what all wait for.
func TestAStall(t *testing.T) {
	of := func(stall bool, lost int64) *telemetry.Telemetry {
		var b telemetry.Builder
		for i := range 20 {
			for h := range 3 {
				r := telemetry.NewRow(telemetry.NIC, fmt.Sprintf("host%d", h+1), fmt.Sprintf("host%d/leaf1", h+1),
					unit.Time(i)*unit.Time(20*unit.Microsecond))
				sent := int64(i) * 10_000
				if stall && i >= 5 {
					sent = int64(max(5, i-10))*10_000 + int64(h)*1000
				}
				r.TxBytes, r.TxPackets, r.AckTimeouts = sent, sent/1000, lost*int64(i)
				b.Add(&r)
			}
		}
		return b.Telemetry()
	}
	v := Judge(Case{Now: of(true, 0), Healthy: of(false, 0)})
	if len(v.Hypotheses) != 1 || v.Hypotheses[0].Mechanism != HostHang || v.Hypotheses[0].Place.Name != "host1" {
		t.Errorf("host1 stands still: %+v", v.Hypotheses)
	}
	if v := Judge(Case{Now: of(false, 0), Healthy: of(false, 0)}); v.Wrong {
		t.Errorf("none stands still: %+v", v.Hypotheses)
	}
	if v := Judge(Case{Now: of(true, 1), Healthy: of(false, 0)}); v.Wrong {
		t.Errorf("timers ran out: %+v", v.Hypotheses)
	}
}

// TestEquallyLate: a rank that is as late before each collective is seen in the first, however often it is asked.
func TestEquallyLate(t *testing.T) {
	now := shown(cases[SlowGPU])
	for range 20 {
		v := Judge(Case{Now: now})
		if len(v.Hypotheses) != 1 || !strings.Contains(v.Hypotheses[0].For[0].Text, "began collective 0 ") {
			t.Fatalf("%+v", v.Hypotheses)
		}
	}
}

// TestClocks: a host whose clock goes 2 s late, or before the others, is not accused of it, and what is wrong is named as before, by its
// own clock.
func TestClocks(t *testing.T) {
	for _, by := range []unit.Duration{2 * unit.Second, -50 * unit.Millisecond} {
		of := func(change func(r *telemetry.Row)) *telemetry.Telemetry {
			return shown(func(r *telemetry.Row) {
				if change != nil {
					change(r)
				}
				if r.Time = r.Time.Add(unit.Second); r.End != telemetry.Unknown {
					r.End = r.End.Add(unit.Second)
				}
				if r.Device != "host2" {
					return
				}
				if r.Time = r.Time.Add(by); r.End != telemetry.Unknown {
					r.End = r.End.Add(by)
				}
			})
		}
		if v := Judge(Case{Now: of(nil), Healthy: shown(nil)}); v.Wrong {
			t.Errorf("nothing is wrong but a clock, by %v: %+v", by, v.Hypotheses)
		}
		for m, change := range cases {
			now := of(change)
			v := Judge(Case{Now: now, Healthy: shown(nil)})
			if len(v.Hypotheses) == 0 || v.Hypotheses[0].Mechanism != m {
				t.Errorf("%s, a clock by %v: %+v", m, by, v.Hypotheses)
				continue
			}
			known := readings(now)
			maps.Copy(known, readings(shown(nil)))
			for _, o := range v.Hypotheses[0].For {
				for _, n := range number.FindAllString(o.Text, -1) {
					if !known[n] {
						t.Errorf("%s, a clock by %v: %q mentions %s, which nothing has", m, by, o.Text, n)
					}
				}
			}
		}
	}
}

// TestClocksByReads: without ranks a device's clock is told by its first and its last read, and one that was not there from the beginning
// has the right time.
func TestClocksByReads(t *testing.T) {
	for _, c := range []struct {
		what    string
		by      unit.Duration
		missing int
		want    unit.Duration
	}{{"right", 0, 0, 0}, {"2 s late", 2 * unit.Second, 0, 2 * unit.Second}, {"1 ms early", -unit.Millisecond, 0, -unit.Millisecond},
		{"less than two intervals", 35 * unit.Microsecond, 0, 0}, {"it came later", 0, 10, 0}} {
		var b telemetry.Builder
		for h := range 4 {
			for i := range 20 {
				r := telemetry.NewRow(telemetry.NIC, fmt.Sprintf("host%d", h), fmt.Sprintf("host%d/leaf1", h),
					unit.Time(unit.Second)+unit.Time(i)*unit.Time(20*unit.Microsecond)+unit.Time(h)*unit.Time(unit.Microsecond))
				if r.TxBytes = int64(i); h == 2 {
					r.Time = r.Time.Add(c.by)
				}
				if h != 2 || i >= c.missing {
					b.Add(&r)
				}
			}
		}
		late := clocks(b.Telemetry())
		if d := late["host2"] - c.want; d < -5*unit.Microsecond || d > 5*unit.Microsecond || len(late) > 1 {
			t.Errorf("%s: %v, want %v of host2", c.what, late, c.want)
		}
	}
}

// TestEvidenceQuotes: each number that an observation mentions is a reading of the input.
func TestEvidenceQuotes(t *testing.T) {
	for m, change := range cases {
		now := shown(change)
		known := readings(now)
		maps.Copy(known, readings(shown(nil)))
		for _, h := range Judge(Case{Now: now, Healthy: shown(nil)}).Hypotheses {
			for _, o := range append(h.For, h.Against...) {
				for _, n := range number.FindAllString(o.Text, -1) {
					if !known[n] {
						t.Errorf("%s: %q mentions %s, which nothing has", m, o.Text, n)
					}
				}
			}
		}
	}
}

// TestEachMechanismIsWhole: it has a noun of the room, and a measurement that would decide.
func TestEachMechanismIsWhole(t *testing.T) {
	for _, m := range slices.Sorted(maps.Keys(about)) {
		if !m.Noun().Known() || len(about[m].decide) < 20 {
			t.Errorf("%s: noun %q, %q", m, m.Noun(), about[m].decide)
		}
	}
}

// TestEachMechanismIsAnsweredFor: a mechanism is named, ruled out, or cannot be known, and in one way only; with nothing read none is
// ruled out.
func TestEachMechanismIsAnsweredFor(t *testing.T) {
	for m, change := range cases {
		v := Judge(Case{Now: shown(change), Healthy: shown(nil)})
		times := map[Mechanism]int{}
		for _, h := range v.Hypotheses {
			times[h.Mechanism]++
		}
		for _, r := range v.RuledOut {
			if times[r.Mechanism]++; len(r.Why) < 20 || !r.Noun.Known() {
				t.Errorf("%s: ruled out as %q", r.Mechanism, r.Why)
			}
		}
		for _, u := range v.Unknown {
			name, _, _ := strings.Cut(u, ": want ")
			times[Mechanism(name)]++
		}
		for _, x := range Mechanisms() {
			if times[x] != 1 {
				t.Errorf("%s: %s is answered for %d times", m, x, times[x])
			}
		}
	}
	if v := Judge(Case{Now: &telemetry.Telemetry{}}); v.Wrong || len(v.RuledOut) > 0 || len(v.Unknown) < len(Mechanisms()) {
		t.Errorf("of nothing: %+v", v)
	}
}

// TestHalfRead: a counter that was read of hosts alone rules nothing out of switches, nor the other way round; what is named is not
// unknown.
func TestHalfRead(t *testing.T) {
	for kind, want := range map[telemetry.Kind]string{telemetry.Port: "oversize of switches", telemetry.NIC: "oversize of hosts"} {
		v := Judge(Case{Now: shown(func(r *telemetry.Row) {
			if r.Kind == string(kind) {
				r.Oversize = telemetry.Unknown
			}
		})})
		if !slices.Contains(v.Unknown, string(SmallMTU)+": want "+want) ||
			slices.ContainsFunc(v.RuledOut, func(r RuledOut) bool { return r.Mechanism == SmallMTU }) {
			t.Errorf("%s: unknown %q, ruled out %+v", kind, v.Unknown, v.RuledOut)
		}
	}
	v := Judge(Case{Now: shown(func(r *telemetry.Row) {
		cases[SmallMTU](r)
		if r.Kind == string(telemetry.NIC) {
			r.Oversize = telemetry.Unknown
		}
	})})
	if len(v.Hypotheses) != 1 || v.Hypotheses[0].Mechanism != SmallMTU || strings.Contains(strings.Join(v.Unknown, ""), string(SmallMTU)) {
		t.Errorf("%+v, unknown %q", v.Hypotheses, v.Unknown)
	}
}

// What a port drops for its size in order too is no smaller MTU, unless it is more than twice as much.
func TestAsManyOversizedAsInOrder(t *testing.T) {
	of := func(n int64) *telemetry.Telemetry {
		return shown(func(r *telemetry.Row) {
			if r.Port == "leaf1/spine1" {
				r.Oversize = n * int64(r.Time/unit.Time(100*unit.Microsecond))
			}
		})
	}
	for n, wrong := range map[int64]bool{0: false, 1: false, 10: false, 20: false, 21: true, 50: true} {
		v := Judge(Case{Now: of(n), Healthy: of(10)})
		if v.Wrong != wrong || wrong && v.Hypotheses[0].Mechanism != SmallMTU {
			t.Errorf("%d times a tenth of what is so in order: %+v", n, v.Hypotheses)
		}
	}
}

// Of a device's ports that which was held longest, and the rate of a port that the topology has.
func TestTheLongestHeldPort(t *testing.T) {
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Nanosecond}
	g, err := topo.LeafSpine{Hosts: 1, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 1, Spines: 1, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	held := shown(func(r *telemetry.Row) {
		for port, share := range map[string]int64{"leaf1/host1": 2, "leaf1/spine1": 5} {
			if r.Port == port {
				r.RxPause = share * int64(r.Time/unit.Time(unit.Microsecond)) / 10
			}
		}
	})
	v := newView(Case{Now: held, Graph: g})
	at, most := v.mostHeld("leaf1")
	if at == nil || at.Port != "leaf1/spine1" || most < 0.4 || most > 0.6 {
		t.Errorf("%+v for %v of its time", at, most)
	}
	if at, most := v.mostHeld("leaf9"); at != nil || most != 0 {
		t.Errorf("no port of leaf9: %+v, %v", at, most)
	}
	for i := range v.ports {
		p := &v.ports[i]
		if got := v.rate(p); p.id >= 0 && got != float64(100*unit.GigabitPerSec) {
			t.Errorf("%s: %v", p.Port, got)
		}
	}
	if got := newView(Case{Now: held}); got.rate(&got.ports[0]) != 0 {
		t.Error("a rate without a topology")
	}
}
