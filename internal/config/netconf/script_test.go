package netconf_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A stage has a device, which commands build (build_test.go), and says what functions of package netconf make of it.
type stage struct {
	scripttest.Log
	d, before *netconf.Device
	p         netconf.Parsed
}

// tell writes a line: none would end the outcome.
func (s *stage) tell(format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if line == "" {
		line = "nothing"
	}
	s.WriteString(line + "\n")
}

// Do builds a device, or says something of it.
func (s *stage) Do(command []string) {
	if s.build(command) {
		return
	}
	rest := command[1:]
	switch command[0] {
	case "facts":
		s.facts(s.d, strings.Join(rest, " "))
	case "diff":
		s.diff(s.before, s.d)
	case "fit":
		s.fit(rest[0], rest[1:])
	case "refuse":
		s.refuse(rest[0])
	case "order":
		s.d.Sort()
		s.order()
	case "frames":
		s.frames(rest)
	case "profiles":
		s.d.Intern()
		s.profiles()
	case "overlaid":
		s.tell("%v", s.d.Overlaid())
	default:
		s.value(command[0], rest)
	}
}

// facts tells those of a device whose names begin as a text, with their places.
func (s *stage) facts(d *netconf.Device, begin string) {
	for _, f := range d.Facts() {
		name := strings.TrimSpace(f.Port + " " + f.What)
		if !strings.HasPrefix(name, begin) || strings.HasPrefix(f.What, "DSCP ") && f.Value == "class 0" {
			continue
		}
		at := ""
		if f.Place != "" {
			at = " @ " + f.Place
		}
		s.tell("%s: %s%s", name, f.Value, at)
	}
}

func (s *stage) diff(a, b *netconf.Device) {
	dscps := 0
	for _, d := range netconf.Diff(a, b) {
		if strings.HasPrefix(d.What, "DSCP ") {
			dscps++
			continue
		}
		s.tell("%s", strings.TrimSpace(fmt.Sprintf("%s %s: %s -> %s", text(d.Ports), d.What, d.A, d.B)))
	}
	if dscps > 0 {
		s.tell("the classes of %d DSCPs", dscps)
	}
}

// fit cuts the device by a method, and tells what is left to the platform and what became other.
func (s *stage) fit(method string, args []string) {
	was := s.d.Clone()
	f := netconf.NewFitting(s.d)
	const platform = "P"
	switch method {
	case "read": // NewFitting alone
	case "NoRouting":
		f.NoRouting(platform)
	case "NoSVIDetails":
		f.NoSVIDetails(platform)
	case "MostPaths":
		f.MostPaths(platform, whole(args[0]))
	case "NoQoS":
		f.NoQoS(platform)
	case "NoSpeeds":
		f.NoSpeeds()
	case "Shares":
		f.Shares(platform)
	case "NoDescriptions":
		f.NoDescriptions(platform)
	case "NoCables":
		f.NoCables()
	case "PFCOn":
		f.PFCOn(platform)
	case "NoDropThresholds":
		f.NoDropThresholds(platform)
	case "NoPools":
		f.NoPools(platform)
	case "Buffers":
		f.Buffers(platform, "why", func(b *netconf.Buffer) bool { return b.XOFF > 0 })
	case "NoBalance":
		f.NoBalance(platform, func(b *netconf.Balance) bool { return b.Method == "ecmp" })
	case "NoLLDP":
		f.NoLLDP(platform)
	case "NoPeer":
		f.NoPeer(platform)
	case "NoChannels":
		f.NoChannels(platform)
	case "NoOverlay":
		f.NoOverlay(platform)
	case "WatchdogTimes":
		f.WatchdogTimes(platform)
	case "WatchdogWithin":
		l := netconf.WatchdogLimits{Step: unit.Millisecond, LeastPoll: 5 * unit.Millisecond, MostDetect: unit.Second,
			MostRestore: 2 * unit.Second, Forwards: len(args) > 0}
		f.WatchdogWithin(platform, l)
	default:
		panic(method)
	}
	for _, l := range f.Left {
		s.tell("left: %s", l)
	}
	if now := s.d.Clone(); len(netconf.Diff(was, now)) > 0 {
		s.tell("the device itself changed")
	}
	s.details(was, f.Device)
	s.diff(was, f.Device)
}

// details tells of ports what is no fact and has changed.
func (s *stage) details(a, b *netconf.Device) {
	for i := range a.Interfaces {
		was, now := &a.Interfaces[i], b.Port(a.Interfaces[i].Name)
		if now == nil {
			continue
		}
		if was.Speed != now.Speed {
			s.tell("%s speed: %v -> %v", now.Name, was.Speed, now.Speed)
		}
		if was.Description != now.Description {
			s.tell("%s text: %q -> %q", now.Name, was.Description, now.Description)
		}
		if was.Routed != now.Routed || len(was.Allowed) != len(now.Allowed) {
			s.tell("%s routed, allowed: %v %v -> %v %v", now.Name, was.Routed, was.Allowed, now.Routed, now.Allowed)
		}
	}
}

func (s *stage) refuse(what string) {
	r := netconf.Refusals{Platform: "P"}
	switch what {
	case "channels":
		r.NoChannels(s.d)
	case "peer":
		r.NoPeer(s.d)
	case "overlay":
		r.NoOverlay(s.d)
	case "nothing":
	default:
		panic(what)
	}
	s.tell("%v", r.Err())
}

// order tells names in the order of the device.
func (s *stage) order() {
	for i := range s.d.Interfaces {
		s.tell("%s %s", s.d.Interfaces[i].Name, text(s.d.Interfaces[i].Addresses))
	}
	if b := s.d.BGP; b != nil {
		for i := range b.Neighbours {
			s.tell("neighbour %s", b.Neighbours[i].Name())
		}
		s.tell("networks %s", text(b.Networks))
		s.tell("aggregates %s", text(b.Aggregates))
	}
	if t := s.d.Tunnels; t != nil {
		s.tell("VNIs %s", text(t.VNIs))
	}
}

// frames tells the largest frame of each interface by defaults: of a port that is switched, of one that is routed, of an SVI.
func (s *stage) frames(defaults []string) {
	s.p.Defaults = netconf.Defaults{SwitchedMTU: size(defaults[0]), RoutedMTU: size(defaults[1]), SVIMTU: size(defaults[2])}
	for i := range s.d.Interfaces {
		frame, said := s.p.Frame(&s.d.Interfaces[i])
		s.tell("%s: %v, said %v; VLANs %v", s.d.Interfaces[i].Name, frame, said, s.d.Interfaces[i].InVLANs())
	}
}

// profiles tells which ports have which, and their classes.
func (s *stage) profiles() {
	for i := range s.d.Interfaces {
		if q := s.d.Interfaces[i].QoS; q != nil {
			s.tell("%s: profile %d", s.d.Interfaces[i].Name, q.Profile)
		}
	}
	if s.d.QoS == nil {
		s.tell("nothing is said")
		return
	}
	s.tell("%d profiles", len(s.d.QoS.Profiles))
	for n := range s.d.QoS.Profiles {
		p := &s.d.QoS.Profiles[n]
		s.tell("profile %d: the rest is class %d", n, p.Default())
		for _, c := range p.Classes {
			marks, pauses := "", ""
			if c.ECN != nil {
				marks = fmt.Sprintf(", %v", c.ECN)
			}
			if c.Pause != nil {
				pauses = fmt.Sprintf(", pauses %d, buffer %v", c.Pause.Priority, c.Buffer() != nil)
			}
			dscps := text(netconf.Ranges(p.DSCPs(c.TC)))
			s.tell("  class %d in queue %d, %s%s%s, DSCPs %s", c.TC, c.Queue, c.Served(), marks, pauses, dscps)
		}
	}
}

// value says what a function makes of a text.
func (s *stage) value(of string, words []string) {
	all := strings.Join(words, " ")
	switch of {
	case "vlans":
		s.tell("%v", netconf.ReadVLANs(words[0]))
	case "split":
		number, part, ok := netconf.SplitPort(words[0])
		s.tell("%d %d %v", number, part, ok)
	case "join":
		s.tell("%s", netconf.JoinPort(whole(words[0]), whole(words[1])))
	case "ranges":
		var numbers []int
		for _, w := range words {
			numbers = append(numbers, whole(w))
		}
		s.tell("%s", text(netconf.Ranges(numbers)))
	case "numbered":
		s.tell("%v", (&netconf.Peer{Domain: words[0]}).Numbered(whole(words[1])))
	case "new-watchdog":
		s.tell("%v", netconf.NewWatchdog(duration(words[0]), duration(words[1]), words[2]))
	case "frame-of":
		s.tell("%d", netconf.FrameOf(size(words[0])))
	case "kind":
		s.tell("%q", (&netconf.Unread{Text: all}).Kind())
	case "unread", "unread-of", "hides", "missing", "no-such", "count":
		s.notUnderstood(of, words)
	default:
		panic(of)
	}
}

// topics are names of what a line may be about.
var topics = []struct {
	name string
	of   netconf.Topic
}{{"qos", netconf.AboutQoS}, {"routing", netconf.AboutRouting}, {"mtu", netconf.AboutMTU}, {"lldp", netconf.AboutLLDP}}

// notUnderstood notes lines, and says what they may hide.
func (s *stage) notUnderstood(of string, words []string) {
	switch of {
	case "unread":
		s.p.NotUnderstood(netconf.Unread{Text: strings.Join(words, " ")})
	case "unread-of":
		s.p.NotUnderstood(netconf.Unread{Port: words[0], Text: strings.Join(words[1:], " ")})
	case "count":
		for range whole(words[0]) {
			s.p.NotUnderstood(netconf.Unread{Text: "x"})
		}
		s.tell("%d of %d are listed", len(s.p.Unread), s.p.Lines.Unread)
		return
	case "hides":
		port := ""
		if len(words) > 0 {
			port = words[0]
		}
		for _, t := range topics {
			if s.p.Hides(t.of, port) {
				s.tell("%s", t.name)
			}
		}
		s.p = netconf.Parsed{}
		return
	case "missing":
		s.p.Missing(netconf.AboutQoS, netconf.Place{File: "f", Line: 7}, "", "no %s", words[0])
	case "no-such":
		s.p.NoSuch(netconf.AboutQoS, words[0] == "others", netconf.Place{File: "f", Line: 7}, "no %s", words[1])
	}
	for _, q := range s.p.Problems {
		s.tell("%v", q)
	}
	s.p.Problems = nil
}

// Functions of values that a configuration means, each by a device and what becomes of it.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}
