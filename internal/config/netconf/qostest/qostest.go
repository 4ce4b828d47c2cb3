// Package qostest is what every dialect of quality of service must do: it draws devices, renders
// them and reads them back.
package qostest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A Shape is what devices are drawn for a platform: the choices that it has words for. What Fit
// cuts off may be drawn as well.
type Shape struct {
	MTUs        []unit.Bytes // of a port; several: each port its own
	QueueIsTC   bool         // a queue has the number of its class
	OneProfile  bool         // all ports treat classes alike
	SamePause   bool         // all ports pause the same classes
	OneClassify bool         // all ports have the same DSCPs in a class
	Static      bool         // xOFF is fixed where it is set
	EachHasDSCP bool         // a class that pauses has a DSCP
	// NoShareOfStrict draws no share for a queue that is strict.
	NoShareOfStrict bool
	DCBX            []netconf.DCBX
	Profile         func(t *rapid.T) netconf.Profile // in place of any
	PFC             []netconf.PFCMode
	Watchdog        func(t *rapid.T) netconf.Watchdog // nil: on or off, of each port too
	WatchdogAll     bool                              // it is on for all ports with PFC, or for none
	Balance         func(t *rapid.T) *netconf.Balance // nil: none
	Pools           func(t *rapid.T) netconf.Pools    // nil: none
	Cables          []unit.Length                     // of all ports
}

func of[T any](t *rapid.T, name string, all ...T) T { return rapid.SampledFrom(all).Draw(t, name) }

func yes(t *rapid.T, name string) bool { return rapid.Bool().Draw(t, name) }

// Draw returns a device in the order and with the profiles that Parse would give it.
func Draw(t *rapid.T, s *Shape) *netconf.Device {
	d := &netconf.Device{Name: of(t, "name", "rail1", "spine2", "leaf-3"), QoS: &netconf.QoS{}}
	if yes(t, "lldp") && len(s.DCBX) > 0 {
		d.LLDP = &netconf.LLDP{On: true}
	}
	if s.Balance != nil {
		d.Balance = s.Balance(t)
	}
	if s.Pools != nil {
		d.QoS.Pools = s.Pools(t)
	}
	d.QoS.Watchdog.On = yes(t, "watchdog")
	if s.Watchdog != nil {
		d.QoS.Watchdog = s.Watchdog(t)
	}
	d.QoS.Profiles = profiles(t, s)
	cable := unit.Length(0)
	if len(s.Cables) > 0 {
		cable = of(t, "cable", s.Cables...)
	}
	mode := of(t, "pfc", s.PFC...)
	for i := range rapid.IntRange(1, 5).Draw(t, "ports") {
		p := netconf.Interface{Name: netconf.JoinPort(i+1, 0), MTU: of(t, "mtu", s.MTUs...)}
		if i > 0 && len(s.MTUs) > 0 && s.SamePause { // one for all
			p.MTU = d.Interfaces[0].MTU
		}
		if yes(t, "described") {
			p.Description = "to host1 nic0"
		}
		which := rapid.IntRange(0, len(d.QoS.Profiles)-1).Draw(t, "profile")
		p.QoS = &netconf.PortQoS{Profile: which, PFC: mode, Cable: cable}
		switch {
		case s.WatchdogAll:
			p.QoS.Watchdog = d.QoS.Watchdog.On && mode != netconf.PFCOff
		case d.QoS.Watchdog.On || s.Watchdog == nil:
			p.QoS.Watchdog = yes(t, "watched")
		}
		if len(s.DCBX) > 0 {
			p.LLDP.DCBX = of(t, "dcbx", s.DCBX...)
		}
		d.Interfaces = append(d.Interfaces, p)
	}
	d.Intern()
	d.Sort()
	return d
}

func profiles(t *rapid.T, s *Shape) []netconf.Profile {
	n := 1
	if !s.OneProfile {
		n = rapid.IntRange(1, 3).Draw(t, "profiles")
	}
	all := make([]netconf.Profile, n)
	numbers := []uint8{0, 3, 7}
	if yes(t, "fourth") {
		numbers = []uint8{0, 3, 5, 7}
	}
	var pauses [netconf.Classes]*netconf.Pause
	for i := range all {
		if s.Profile != nil {
			all[i] = s.Profile(t)
		} else {
			all[i] = profile(t, s, numbers)
		}
		for k := range all[i].Classes {
			c := &all[i].Classes[k]
			if s.SamePause && i > 0 { // whatever it drew, it pauses as the first one does
				had := c.Pause
				c.Pause = nil
				if p := pauses[c.TC]; p != nil {
					c.Pause = &netconf.Pause{Priority: p.Priority}
					if had != nil {
						c.Pause.Buffer = had.Buffer
					}
				}
			}
			if i == 0 {
				pauses[c.TC] = c.Pause
			}
		}
		if s.EachHasDSCP {
			all[i].Classify[3], all[i].Classify[5] = 3, numbers[len(numbers)-2]
		}
		if s.OneClassify {
			all[i].Classify = all[0].Classify
		}
		all[i].Tidy()
	}
	return all
}

// profile draws classes 0, 3 and 7, and maybe another, with all they may have.
func profile(t *rapid.T, s *Shape, numbers []uint8) (p netconf.Profile) {
	for d := range p.Classify {
		if d%8 == 0 && d > 0 {
			p.Classify[d] = of(t, fmt.Sprint("dscp", d), numbers...)
		}
	}
	for _, tc := range numbers {
		c := netconf.Class{TC: tc, Queue: tc}
		if !s.QueueIsTC && tc == 5 {
			c.Queue = 4
		}
		switch {
		case tc == 7:
			c.Strict = yes(t, "strict")
		case yes(t, "share"):
			c.Share = rapid.IntRange(1, 99).Draw(t, "percent")
		}
		if tc == 3 || tc == 5 && yes(t, "two pauses") {
			c.Pause = &netconf.Pause{Priority: tc}
			if yes(t, "buffer") {
				c.Pause.Buffer = buffer(t, s)
			}
			if yes(t, "ecn") {
				low := rapid.Int64Range(1, 5000).Draw(t, "min")
				c.ECN = &netconf.ECN{Min: unit.Bytes(low) * unit.Kilobyte,
					Max:         unit.Bytes(low+rapid.Int64Range(0, 5000).Draw(t, "more")) * unit.Kilobyte,
					Probability: rapid.IntRange(1, 100).Draw(t, "probability")}
			}
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

func buffer(t *rapid.T, s *Shape) *netconf.Buffer {
	b := &netconf.Buffer{Headroom: unit.Bytes(rapid.IntRange(0, 1_000_000).Draw(t, "headroom")),
		Resume: unit.Bytes(rapid.IntRange(0, 20_000).Draw(t, "resume"))}
	if s.Static {
		b.XOFF = b.Resume + unit.Bytes(rapid.IntRange(1, 1_000_000).Draw(t, "xoff"))
		return b
	}
	b.Alpha = of(t, "alpha", unit.Ratio{Num: 1, Den: 8}, unit.Ratio{Num: 1, Den: 1}, unit.Ratio{Num: 4, Den: 1})
	b.Reserve = unit.Bytes(rapid.IntRange(0, 20_000).Draw(t, "reserve"))
	return b
}

// RoundTrip renders what Fit makes of drawn devices, and wants the same from what is read back.
func RoundTrip(t *testing.T, dialect netconf.Dialect, s *Shape) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		want, left := dialect.Fit(Draw(t, s))
		if again, more := dialect.Fit(want); !cmp.Equal(again, want) || len(more) > 0 {
			t.Fatalf("cut twice: %v, then %v\n%s", left, more, cmp.Diff(want, again))
		}
		files, err := dialect.Render(want)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got := dialect.Parse(files)
		if len(got.Problems) > 0 || len(got.Slips) > 0 {
			t.Fatalf("%v %v\n%s", got.Problems, got.Slips, files[0].Text)
		}
		if !cmp.Equal(want, got.Device) {
			t.Fatalf("(-rendered +read)\n%s\n%s", cmp.Diff(want, got.Device), files[0].Text)
		}
		for _, l := range want.Interfaces {
			if _, known := got.Places["interface "+l.Name]; !known {
				t.Fatalf("no place of %s", l.Name)
			}
		}
	})
}

// Fuzz reads any text. Lines are understood, or said not to be.
func Fuzz(f *testing.F, dialect netconf.Dialect, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := dialect.Parse([]netconf.File{{Name: "f", Text: []byte(text)}})
		for _, w := range p.Problems {
			if w.Line < 1 || w.Column < 1 {
				t.Fatalf("a problem nowhere: %v", w)
			}
		}
		fitted, _ := dialect.Fit(p.Device)
		files, err := dialect.Render(fitted)
		if err != nil {
			return
		}
		again := dialect.Parse(files)
		if !cmp.Equal(again.Device, fitted) {
			t.Fatalf("(-rendered +read)\n%s\n%s", cmp.Diff(fitted, again.Device), files[0].Text)
		}
	})
}

// Modes are the modes of PFC.
var Modes = slices.Clip([]netconf.PFCMode{netconf.PFCOff, netconf.PFCOn, netconf.PFCAuto})
