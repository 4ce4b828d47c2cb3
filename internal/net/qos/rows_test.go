package qos

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// row is a row of switches of a kind and what names them, with thresholds in bytes.
func row(kind, match string, rate unit.Bitrate, xoff, low, high unit.Bytes) Row {
	r := Row{Switch: kind, Match: match, Port: Port{Rate: rate * unit.GigabitPerSec}}
	if xoff > 0 {
		r.PFC = Pausing{XOFF: xoff, FirstPause: xoff}
	}
	if high > 0 {
		r.ECN = Marking{Min: low, Max: high}
	}
	return r
}

// Rows of a switch are those of the entries that match its name, of the longest list; without one, those of all others.
func TestRowsOfASwitch(t *testing.T) {
	rows := []Row{row("leaf", "", 100, 1, 0, 0), row("leaf", "", 200, 2, 0, 0), row("leaf", "leaf1*", 100, 3, 0, 0),
		row("leaf", "leaf1*, leaf12", 100, 4, 0, 0), row("spine", "", 100, 5, 0, 0), row("leaf", "leaf1*", 200, 6, 0, 0)}
	for _, c := range []struct {
		kind, name string
		want       []unit.Bytes // xOFF
	}{{"leaf", "leaf2", []unit.Bytes{1, 2}}, {"leaf", "leaf11", []unit.Bytes{3, 6}}, {"leaf", "leaf12", []unit.Bytes{4}},
		{"spine", "leaf12", []unit.Bytes{5}}, {"super-spine", "leaf12", nil}} {
		var got []unit.Bytes
		for _, r := range Of(rows, c.kind, c.name) {
			got = append(got, r.PFC.XOFF)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.kind, c.name, got, c.want)
		}
	}
}

// The profile of a rate is that of the first port which marks; the range of xOFF is of those that pause.
func TestOfAllRows(t *testing.T) {
	rows := []Row{row("leaf", "", 100, 0, 0, 0), row("leaf", "", 100, 30, 5, 9), row("leaf", "", 200, 20, 0, 0),
		row("spine", "", 200, 50, 7, 8), row("spine", "", 400, 0, 0, 0)}
	for rate, want := range map[unit.Bitrate]unit.Bytes{100: 5, 200: 7, 400: 0, 800: 0} {
		if m, ok := MarkingOf(rows, rate*unit.GigabitPerSec); m.Min != want || ok != (want > 0) {
			t.Errorf("%dG: marks from %d, %v; want %d", rate, m.Min, ok, want)
		}
	}
	if low, high, ok := XOFFRange(rows); low != 20 || high != 50 || !ok {
		t.Errorf("xOFF %d to %d, %v; want 20 to 50", low, high, ok)
	}
	if low, high, ok := XOFFRange(rows[:1]); low != 0 || high != 0 || ok {
		t.Errorf("without PFC xOFF is %d to %d, %v", low, high, ok)
	}
}

// What acts first on one sender alone, at the edges, and in words.
func TestWhatActsFirst(t *testing.T) {
	for _, c := range []struct {
		xoff, low, high unit.Bytes
		reacts          bool
		want            Order
		says            string
	}{
		{0, 0, 0, true, Neither, "PFC is off, and no mark"},
		{0, 1000, 2000, false, Neither, "PFC is off, and no mark"},
		{0, 1000, 2000, true, MarksOnly, "PFC is off: marking begins at 1 kB"},
		{3000, 0, 0, true, PausesOnly, "paused with 3 kB in the switch, and no mark slows it down"},
		{3000, 1000, 2000, false, PausesOnly, "and no mark slows it down"},
		{2000, 1000, 2000, true, MarksFirst, "above 2 kB everything is marked"},
		{1999, 1000, 2000, true, MarksBegin, "marking begins before that, at 1 kB, but everything is marked only above 2 kB"},
		{1001, 1000, 2000, true, MarksBegin, "marking begins before that"},
		{1000, 1000, 2000, true, PausesFirst, "and nothing is marked below 1 kB"},
	} {
		r := row("leaf", "", 100, c.xoff, c.low, c.high)
		o := r.order(c.reacts)
		if says := r.reason(o); o != c.want || !strings.Contains(says, c.says) {
			t.Errorf("xOFF %d, ECN %d to %d, reacts %v: %s, %q; want %s, %q", c.xoff, c.low, c.high, c.reacts, o, says,
				c.want, c.says)
		}
	}
	r := row("leaf", "", 100, 3000, 1000, 2000)
	for bound, says := range map[unit.Bytes]string{
		1001: "Whatever the traffic, ECN comes before PFC: marking begins at 1 kB, below the bound of 1",
		1000: "With many senders PFC can come before ECN: marking begins at 1 kB, and ECN comes first " +
			"whatever the traffic only below 1 kB",
	} {
		if r.PFC.SafeMark = bound; !strings.HasPrefix(r.MarksBeforePauses(), says) {
			t.Errorf("bound %d: %q, want %q", bound, r.MarksBeforePauses(), says)
		}
	}
}

// What is wrong with switches that differ is said with what names them, and without a cure; a port's own headroom and
// what is kept of it counts, too.
func TestMistakesOfSwitchesThatDiffer(t *testing.T) {
	policy := func(alpha int64) *Policy {
		p := &Policy{Classes: []Class{{Lossless: true, ECN: Curve(100_000, 400_000, unit.Ratio{Num: 1, Den: 5}, false)}},
			MTU:   4096,
			Frame: 4096, Pause: 84}
		p.PFC.Alpha, p.PFC.Headroom = unit.Ratio{Num: 1, Den: alpha}, FixedHeadroom(200_000)
		p.Buffer.Size = 32_000_000
		return p
	}
	link := Link{Rate: 100 * unit.GigabitPerSec, Delay: 25 * unit.Nanosecond}
	links := []Link{link, link}
	all, err := policy(1).Mistakes([]Site{{Kind: "leaf", Count: 2, Links: links},
		{Kind: "spine", Count: 1, Links: links, Match: "spine2", Own: policy(1024)}}, 0, true)
	if err != nil || len(all) != 1 || all[0].Name != PFCBeforeECN || all[0].Path != "fabric.switches" ||
		!strings.HasPrefix(all[0].Reason, "spine2: ") || all[0].Cures != nil {
		t.Errorf("%+v, %v: want one of spine2, without a cure", all, err)
	}
	p, own := policy(1), unit.Bytes(500_000)
	p.Ports = []PortPolicy{{Headroom: &own}, {}}
	s, err := p.Switch(links)
	if err != nil || s.Ports[0].PFC.Headroom != own || s.Ports[1].PFC.Headroom != 200_000 {
		t.Errorf("headroom %d and %d, %v; want that of the port and 200,000", s.Ports[0].PFC.Headroom,
			s.Ports[1].PFC.Headroom, err)
	}
}

// plain is a policy of one class under PFC on a buffer, with nothing wrong, and two ports.
func plain(change func(*Policy)) (*Policy, []Site) {
	p := &Policy{Classes: []Class{{Lossless: true, ECN: Curve(100_000, 400_000, unit.Ratio{Num: 1, Den: 5}, false)}},
		MTU:   4096,
		Frame: 4096, Pause: 84}
	p.PFC.Alpha, p.PFC.Headroom = unit.Ratio{Num: 1, Den: 1}, FixedHeadroom(200_000)
	p.Buffer.Size = 32_000_000
	change(p)
	link := Link{Rate: 100 * unit.GigabitPerSec, Delay: 25 * unit.Nanosecond}
	return p, []Site{{Kind: "leaf", Count: 1, Links: []Link{link, link}}}
}

// Mistakes and their first cures, each the only one of its kind.
func TestMistakesAndFirstCures(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*Policy)
		reacts bool
		want   string
	}{
		{"nothing", func(*Policy) {}, true, ""},
		{"headroom by delays", func(p *Policy) { p.PFC.Headroom = DelaysHeadroom(1) }, true,
			HeadroomShort + " fabric.qos.pfc.headroom_delays: fabric.qos.pfc.headroom_delays none, fabric.qos.pfc.headroom auto"},
		{"fixed headroom", func(p *Policy) { p.PFC.Headroom = FixedHeadroom(2000) }, true,
			HeadroomShort + " fabric.qos.pfc.headroom: fabric.qos.pfc.headroom auto"},
		{"none kept", func(p *Policy) { p.PFC.Headroom = Headroom{} }, true, ""},
		{"xOFF above the buffer", func(p *Policy) { p.PFC.Threshold = 40_000_000 }, true,
			XOFFAboveBuffer + " fabric.qos.pfc.threshold: fabric.qos.pfc.threshold none"},
		{"that, where a part of what is free would be too little", func(p *Policy) {
			p.PFC.Threshold, p.PFC.Alpha.Den = 40_000_000, 1024
		}, true, XOFFAboveBuffer + " fabric.qos.pfc.threshold: fabric.qos.pfc.threshold 15MB"}, // half of 32 MB less headroom
		{"drops in a curve that nobody looks at", func(p *Policy) { p.Classes[0].Drop = Length{Bytes: 200_000} }, false,
			DropsBeforePFC},
	} {
		p, sites := plain(c.change)
		all, err := p.Mistakes(sites, 0, c.reacts)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, m := range all {
			text := m.Name + " " + m.Path + ":"
			for i, cure := range m.Cures {
				text += []string{" ", ", "}[min(i, 1)] + cure.Path + " " + cure.Value
			}
			texts = append(texts, text)
		}
		if got := strings.Join(texts, "; "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || len(all) > 1 {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// A buffer of which nothing is left to share is refused; a byte more is not.
func TestTheLeastBuffer(t *testing.T) {
	p, sites := plain(func(*Policy) {})
	p.Buffer.Size -= p.split(sites[0].Links).Shared
	if _, err := p.Switch(sites[0].Links); err == nil {
		t.Errorf("%d B for reserves and headroom alone: no error", p.Buffer.Size)
	}
	p.Buffer.Size++
	if s, err := p.Switch(sites[0].Links); err != nil || s.Shared != 1 {
		t.Errorf("a byte more: %d B are shared, %v", s.Shared, err)
	}
}

// Headroom of the formula is assumed where the tables have no row for a rate; given headroom never is; none is none.
func TestAssumedHeadroom(t *testing.T) {
	link := Link{Rate: 133 * unit.GigabitPerSec, Delay: 25 * unit.Nanosecond}
	formula := FormulaHeadroom(4096, 0)
	if !formula.Assumed(link.Rate) || formula.Assumed(100*unit.GigabitPerSec) || FixedHeadroom(1).Assumed(link.Rate) {
		t.Error("of 133 Gb/s the formula's headroom is assumed, of 100 Gb/s it is not, nor is fixed headroom")
	}
	if none := (Headroom{}); none.At(link) != 0 || !none.None() || formula.None() {
		t.Error("no headroom is some, or some is none")
	}
}
