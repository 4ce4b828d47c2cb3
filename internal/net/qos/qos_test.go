package qos

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

func draw(t *rapid.T, name string, low, high int) unit.Bytes {
	return unit.Bytes(rapid.IntRange(low, high).Draw(t, name))
}

// drawPolicy draws a policy with a class under PFC and one without, and the sites that it is for.
func drawPolicy(t *rapid.T) (Policy, []Site) {
	rate := func(name string) unit.Bitrate {
		return rapid.SampledFrom([]unit.Bitrate{1, 10, 25, 40, 100, 133, 200, 400, 800}).Draw(t,
			name) * unit.GigabitPerSec
	}
	low := draw(t, "ECN min", 1, 2_000_000)
	ecn := Curve(low, low+draw(t, "ECN max - min", 0, 5_000_000), unit.Ratio{Num: 1, Den: 5}, false)
	if rapid.Bool().Draw(t, "ECN by rate") {
		ecn.Min.Per = rate("port rate")
		ecn.Max.Per = ecn.Min.Per
	}
	p := Policy{Classes: []Class{{Lossless: true, ECN: ecn}, {}}, MTU: 9216,
		Frame: draw(t, "frame", 256, 9216), Pause: 84,
		Pipeline: 600 * unit.Nanosecond}
	p.PFC.Alpha.Num, p.PFC.Alpha.Den = rapid.Int64Range(1, 64).Draw(t, "alpha num"),
		rapid.Int64Range(1, 1024).Draw(t, "alpha den")
	p.PFC.ResumeOffset, p.PFC.Response.Tabulated = draw(t, "resume offset", 0, 100_000),
		rapid.Bool().Draw(t, "response by table")
	p.Buffer.Reserve, p.Buffer.CrossingInHeadroom = draw(t, "reserve", 0, 9000),
		rapid.Bool().Draw(t, "crossing in headroom")
	if rapid.Bool().Draw(t, "alpha by rate") {
		p.PFC.AlphaRate = rate("alpha rate")
	}
	if rapid.Bool().Draw(t, "no ECN") && rapid.Bool().Draw(t, "really") {
		p.Classes[0].ECN = nil
	}
	rules := []Headroom{FormulaHeadroom(p.MTU, p.Pipeline), DelaysHeadroom(3),
		FixedHeadroom(draw(t, "headroom", 0, 200_000))}
	p.PFC.Headroom = rules[rapid.IntRange(0, 2).Draw(t, "headroom by")]
	var sites []Site
	for _, kind := range []string{"leaf", "spine"} {
		s := Site{Kind: kind, Count: rapid.IntRange(1, 4).Draw(t, "switches")}
		for range rapid.IntRange(1, 8).Draw(t, "ports") {
			s.Links = append(s.Links, Link{Rate: rate("rate"), Delay: unit.Duration(draw(t, "cable", 10, 5000)) * unit.Nanosecond})
		}
		sites = append(sites, s)
		p.Buffer.Size = max(p.Buffer.Size, -p.split(s.Links).Shared+p.Buffer.Size)
	}
	p.Buffer.Size += draw(t, "shared", 20_000, 20_000_000)
	if rapid.Bool().Draw(t, "fixed") {
		p.PFC.Threshold = draw(t, "xOFF", 1000, int(p.Buffer.Size))
	}
	if rapid.IntRange(0, 3).Draw(t, "fixed too high") == 0 {
		p.PFC.Threshold = p.Buffer.Size
	}
	if rapid.Bool().Draw(t, "drop threshold") || rapid.Bool().Draw(t, "drop threshold after all") {
		p.Classes[0].Drop = Length{Bytes: draw(t, "drop", 1000, 8_000_000)}
	}
	return p, sites
}

// A switch's parts sum to its buffer; xOFF is within the shared part, xON below xOFF, and
// FirstPause the least that is at xOFF.
func TestSwitchIsWithinItsBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, sites := drawPolicy(t)
		s, err := p.Switch(sites[0].Links)
		if err != nil {
			t.Fatal(err)
		}
		sum := s.Shared + s.Spare
		for i := range s.Ports {
			q := &s.Ports[i]
			sum += q.Reserve + q.PFC.Headroom
			if q.Lossless() != (i%2 == 0) {
				t.Fatalf("port %d: %+v", i, q)
			}
			if q.PFC.XOFF > s.Shared || q.PFC.XON > q.PFC.XOFF || q.PFC.XON < 0 {
				t.Errorf("xOFF %v, xON %v, shared %v", q.PFC.XOFF, q.PFC.XON, s.Shared)
			}
			x := p.PFC.XOFF(q.Rate)
			if !q.Lossless() || x.Fixed > 0 || q.PFC.FirstPause <= q.Reserve {
				continue
			}
			at := func(share int64) bool { return share >= x.At(int64(s.Shared)-share) }
			if share := int64(q.PFC.FirstPause - q.Reserve); !at(share) || at(share-1) {
				t.Errorf("alpha %v of %v: a share of %d is not the least at xOFF", x.Alpha, s.Shared, share)
			}
		}
		if sum != p.Buffer.Size {
			t.Errorf("parts of %v, buffer %v", sum, p.Buffer.Size)
		}
	})
}

// A switch without links has a buffer and no ports: spines that no leaf goes to, of fabric.spines_per_leaf.
func TestASwitchWithoutLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawPolicy(t)
		if s, err := p.Switch(nil); err != nil || len(s.Ports) > 0 || s.Shared <= 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// The bounds hold: with all queues of a switch just below SafeMark, filled through any one port,
// that port is not yet at xOFF; with all ports at SafeStatic the shared part is not full.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, sites := drawPolicy(t)
		links := sites[0].Links
		s, err := p.Switch(links)
		if err != nil {
			t.Fatal(err)
		}
		n := unit.Bytes(len(links))
		for i := 0; i < len(s.Ports); i += 2 {
			q := &s.Ports[i].PFC
			if n*q.SafeStatic > s.Shared {
				t.Errorf("%d ports at %v, %v shared", n, q.SafeStatic, s.Shared)
			}
			x := p.PFC.XOFF(s.Ports[i].Rate)
			if all := n * (q.SafeMark - 1); q.SafeMark > 0 &&
				int64(all) >= min(int64(s.Shared), x.At(int64(s.Shared-all))) {
				t.Errorf("%d queues of %v are at xOFF, alpha %v, fixed %v, %v shared", n, q.SafeMark-1,
					x.Alpha, x.Fixed, s.Shared)
			}
		}
	})
}

// apply sets the keys of cures as the scenario's decoder would.
func apply(t *rapid.T, p Policy, cures []Cure) Policy {
	p.Classes = append([]Class(nil), p.Classes...)
	ecn := DefaultECN
	if e := p.Classes[0].ECN; e != nil {
		ecn = *e
	}
	bytes := func(s string) unit.Bytes {
		b, err := unit.ParseBytes(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range cures {
		switch key := strings.TrimPrefix(c.Path, "fabric.qos."); {
		case key == "ecn.port_rate" && c.Value == "any", key == "ecn.enabled" && c.Value == "true":
		case key == "pfc.headroom_delays" && c.Value == "none":
		case key == "drop_threshold" && c.Value == "none":
			p.Classes[0].Drop = Length{}
		case key == "ecn.min":
			ecn.Min = Length{Bytes: bytes(c.Value)}
		case key == "ecn.max":
			ecn.Max = Length{Bytes: bytes(c.Value)}
		case key == "pfc.alpha":
			if err := p.PFC.Alpha.UnmarshalText([]byte(c.Value)); err != nil {
				t.Fatal(err)
			}
		case key == "pfc.threshold" && c.Value == "none":
			p.PFC.Threshold = 0
		case key == "pfc.threshold":
			p.PFC.Threshold = bytes(c.Value)
		case key == "pfc.headroom" && c.Value == "auto":
			p.PFC.Headroom = FormulaHeadroom(p.MTU, p.Pipeline)
		case key == "pfc.headroom":
			p.PFC.Headroom = FixedHeadroom(bytes(c.Value))
		default:
			t.Fatalf("no such change: %+v", c)
		}
	}
	p.Classes[0].ECN = &ecn
	if ecn.Min.At(unit.GigabitPerSec) > ecn.Max.At(unit.GigabitPerSec) {
		t.Errorf("ECN min %v above max %v", ecn.Min, ecn.Max)
	}
	return p
}

// Each cure, applied, leaves no such mistake, and the buffer holds what it must.
func TestCuresCure(t *testing.T) {
	cured, seen := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p, sites := drawPolicy(t)
		before, err := p.Mistakes(sites, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range before {
			seen[m.Name]++
			if len(m.Cures) == 0 {
				if m.Name == HeadroomShort { // then the buffer is too small for what is needed
					q := p
					q.PFC.Headroom = FormulaHeadroom(p.MTU, p.Pipeline)
					after, err := q.Mistakes(sites, 0, true)
					if err == nil && !slices.ContainsFunc(after, func(n Mistake) bool { return n.Name == m.Name }) {
						t.Errorf("%s: the formula would do, and is not told", m.Reason)
					}
				}
				continue
			}
			cured[m.Name]++
			q := apply(t, p, m.Cures)
			after, err := q.Mistakes(sites, 0, true)
			if err != nil {
				t.Fatalf("%s, with %+v: %v", m.Name, m.Cures, err)
			}
			for _, n := range after {
				if n.Name == m.Name {
					t.Errorf("%s, with %+v: still %s", m.Reason, m.Cures, n.Reason)
				}
			}
		}
	})
	t.Logf("seen %v, cured %v", seen, cured)
	for _, name := range []string{PFCBeforeECN, HeadroomShort, XOFFAboveBuffer, MarksMissing, DropsBeforeECN, DropsBeforePFC} {
		if cured[name] == 0 {
			t.Errorf("%s: %d cured of %d", name, cured[name], seen[name])
		}
	}
}

// With every delay at the value of the table, what can arrive after xOFF is the headroom of the
// formula.
func TestFormulaIsWhatCanArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Link{Rate: unit.Bitrate(draw(t, "Gb/s", 1, 800)) * unit.GigabitPerSec,
			Delay:    unit.Duration(draw(t, "cable", 0, 10_000)) * unit.Nanosecond,
			Arriving: unit.Bitrate(draw(t, "Gb/s of the other end", 0, 800)) * unit.GigabitPerSec}
		interfaces, _, _ := Delays(l.Rate)
		p := Policy{Frame: draw(t, "frame", 64, 9216), Pause: 84,
			Pipeline: l.Rate.TransmitTime(unit.Bytes(interfaces / 8))}
		p.PFC.Response.Tabulated = true
		need, have := p.needed(l), FormulaHeadroom(p.Frame, p.Pipeline).At(l)
		if d := need - have; d < -2 || d > 2 { // bits to bytes, rounded up once more
			t.Errorf("%v at %v: %v can arrive, the formula keeps %v", l.Delay, l.Rate, need, have)
		}
	})
}

// Each port is in one row, and a row is as its ports.
func TestRowsCountEveryPort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, sites := drawPolicy(t)
		rows, err := p.Rows(sites, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		ports := 0
		for i, r := range rows {
			ports += r.Ports
			for _, o := range rows[:i] {
				if o.Port == r.Port && o.Switch == r.Switch {
					t.Errorf("two rows of %+v", r)
				}
			}
		}
		if want := sites[0].Count*len(sites[0].Links) + sites[1].Count*len(sites[1].Links); ports != want {
			t.Errorf("rows of %d ports, want %d", ports, want)
		}
		for _, r := range rows { // a contradiction in words
			if r.First == PausesFirst && r.ECN.Min < r.PFC.SafeMark {
				t.Errorf("PFC acts first, but %s", r.MarksBeforePauses())
			}
		}
	})
}

// What a run directory keeps is read as it was written.
func TestRowsAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, sites := drawPolicy(t)
		rows, err := p.Rows(sites, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		var back []Row
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, back); diff != "" {
			t.Errorf("-written +read:\n%s", diff)
		}
	})
}

// A cure that is tried changes nothing of the policy that it is tried on.
func TestATriedCureChangesNothing(t *testing.T) {
	c := &problem{policy: Policy{Classes: []Class{{}, {}}}}
	func() {
		defer func() { _ = recover() }() // there are no sites: what it comes to is of no account
		c.with(func(p *Policy) { p.Classes[0].Lossless = true })
	}()
	if c.policy.Classes[0].Lossless {
		t.Error("the policy was changed")
	}
}
