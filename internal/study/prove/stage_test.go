package prove

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
	"railyard/internal/net/qos"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// stage is what both runs of a proof left, a device of which something was found, and a host.
type stage struct {
	scripttest.Log
	t      *testing.T
	sums   map[string]*result.Summary // broken, mended
	device *netconf.Device
	design *lint.Design
	host   *hostinfo.Host
}

// What a proof says of two runs, what it runs, and what it changes for the second run are what scripts say.
//
// They fail if a figure is read from elsewhere, if what became worse is called better, if a claim is made of a figure that did
// not move, if a recipe draws other flows than its words, or mends something else than it says.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage {
		s := &stage{t: t}
		s.afresh()
		return s
	})
}

func (s *stage) afresh() {
	s.sums = map[string]*result.Summary{"broken": {}, "mended": {}}
	s.device, s.design, s.host = linttest.Clean(), nil, &hostinfo.Host{Name: "host1"}
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *stage) number(text string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, text)
}

// Do implements scripttest.Stage.
func (s *stage) Do(command []string) {
	verb, args := command[0], command[1:]
	switch verb {
	case "afresh":
		s.afresh()
	case "broken", "mended":
		for _, a := range args {
			s.left(s.sums[verb], a)
		}
	case "flow": // WHICH NAME FCT: - where it was not done, KIND
		s.flow(args)
	case "figures":
		p := s.proof()
		p.weigh()
		s.figures(p.Figures)
		s.say("better: %s; pays: %s", strings.Join(p.Better, ", "), strings.Join(p.Pays, ", "))
	case "cost":
		var failed error
		if len(args) > 0 {
			failed = errors.New(strings.Join(args, " "))
		}
		p := &Proof{Network: "the job"}
		p.cost(s.sums["broken"], s.sums["mended"], failed)
		s.figures(p.Figures)
		s.say("%s: %s (shown %v, unmoved %v)", p.Network, p.Claim, p.Shown, p.Unmoved)
	case "port", "class", "watchdog", "design":
		s.configure(verb, args)
	case "finding":
		s.finding(args)
	case "pcie", "nic", "mtu", "otherdscp", "words":
		s.ofHost(verb, args)
	default:
		s.t.Fatalf("no command %s", verb)
	}
}

// left puts KEY=VALUE into what a run left.
func (s *stage) left(sum *result.Summary, arg string) {
	key, text, _ := strings.Cut(arg, "=")
	v := s.number(text)
	switch key {
	case "drops":
		sum.Drops = v
	case "watchdog":
		sum.Watchdog = append(sum.Watchdog, result.WatchdogFigures{Dropped: v})
	case "again":
		sum.Retransmits = v
	case "pauses":
		sum.Pauses = v
	case "marks":
		sum.ECNMarks = v
	case "queue":
		sum.BusiestLinks = append(sum.BusiestLinks, result.LinkFigures{MaxQueue: unit.Bytes(v)})
	case "shared":
		sum.Thresholds = append(sum.Thresholds, qos.Row{Port: qos.Port{Shared: unit.Bytes(v)}})
	case "step":
		sum.StepTime = unit.Duration(v)
	case "busbw":
		sum.Collectives = append(sum.Collectives, result.Collective{Name: fmt.Sprint("c", len(sum.Collectives)), BusBW: float64(v)})
	default:
		s.t.Fatalf("no %s of a run", key)
	}
}

func (s *stage) flow(args []string) {
	f := result.FlowFigures{Name: args[1], Posted: 1}
	if args[2] != "-" {
		fct := unit.Duration(s.number(args[2]))
		f.FCT, f.Done = &fct, 1
	}
	if len(args) > 3 {
		f.Kind = args[3]
	}
	s.sums[args[0]].Flows = append(s.sums[args[0]].Flows, f)
}

// proof has all figures of both runs.
func (s *stage) proof() *Proof {
	p := &Proof{}
	for _, name := range append([]string{"shared buffer"}, always...) {
		of := figures[name]
		p.Figures = append(p.Figures, Figure{name, of.unit, of.value(s.sums["broken"]), of.value(s.sums["mended"])})
	}
	return p
}

func (s *stage) figures(all []Figure) {
	for _, f := range all {
		if f.Broken != absent && f.Broken|f.Mended != 0 {
			s.say("%s: %s, mended %s", f.Name, f.Text(f.Broken), f.Text(f.Mended))
		}
	}
}

// configure changes the device: port KEY VALUE of the first, class N KEY VALUE.
func (s *stage) configure(verb string, args []string) {
	port, p := &s.device.Interfaces[0], &s.device.QoS.Profiles[0]
	v := s.number(args[len(args)-1])
	switch verb + " " + strings.Join(args[:len(args)-1], " ") {
	case "port mtu":
		port.MTU = unit.Bytes(v)
	case "port gbps":
		port.Speed = unit.Bitrate(v) * unit.GigabitPerSec
	case "port pfc":
		port.QoS.PFC = []netconf.PFCMode{netconf.PFCOff, netconf.PFCOn}[v]
	case "port lldp":
		s.device.LLDP = nil
	case "watchdog on":
		s.device.QoS.Watchdog.On = v > 0
	case "port qos":
		port.QoS = nil
	case "class data": // which takes DSCP 26
		p.Classify[26] = uint8(v)
	case "class cnps": // which takes DSCP 48
		p.Classify[48] = uint8(v)
	case "class others":
		p.Classify[0] = uint8(v)
	case "class late": // marking begins where it ends
		p.Classes[v].ECN.Min = p.Classes[v].ECN.Max
	case "class ends": // marking, at so many MB
		p.Classes[1].ECN.Max = unit.Bytes(v) * unit.Megabyte
	case "class also": // pauses as data does
		p.Classes[v].Pause = &netconf.Pause{Priority: 5}
	case "class marks":
		p.Classes[v].ECN = nil
	case "class pauses":
		p.Classes[v].Pause = nil
	case "watchdog detect":
		s.device.QoS.Watchdog.Detect = unit.Duration(v) * unit.Millisecond
	case "design gbps":
		meant := linttest.Clean()
		meant.Interfaces[0].Speed = unit.Bitrate(v) * unit.GigabitPerSec
		s.design = &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{"leaf1": meant},
			Delay: func(string, string) unit.Duration { return 500 * unit.Nanosecond }}
	default:
		s.t.Fatalf("no %s %v", verb, args)
	}
}

// finding says what is simulated of a rule that is broken at the first port, with words of the finding behind it.
func (s *stage) finding(args []string) {
	d := &lint.Device{Parsed: &netconf.Parsed{Device: s.device}, Dialect: "nxos", File: "f"}
	f := &lint.Finding{Rule: args[0], Device: s.device.Name, Interface: s.device.Interfaces[0].Name,
		Text:  strings.Join(args[1:], " "),
		Place: netconf.Place{File: "f"}}
	sub, why := newSubject(f, []*lint.Device{d}, s.design)
	if why == "" {
		var sc *scene
		if sc, why = recipes[args[0]].scene(sub); why == "" {
			s.scene(sc)
			return
		}
	}
	s.say("%s: %s", args[0], why)
}

func (s *stage) scene(sc *scene) {
	s.say("%s", sc.network)
	s.say("mended: %s", sc.how)
	for _, key := range []string{"cluster: ", "  switch: ", "congestion: ", "faults: "} {
		for line := range strings.Lines(sc.yaml) {
			if strings.HasPrefix(line, key) {
				s.say("| %s", strings.TrimSpace(line))
			}
		}
	}
	s.flows(sc.yaml)
	for k, sw := range []string{"leaf1", "", "spine1"} {
		if sw == "" {
			continue
		}
		if was, is := portOf(sc.broken(sw, k)), portOf(sc.mended(sw, k)); was != is {
			s.say("%s, port %d: %s\nbecomes %s", sw, k, was, is)
		} else {
			s.say("%s, port %d: the same", sw, k)
		}
	}
}

var flowOf = regexp.MustCompile(`\{(?:name: (\w+), )?from: (\w+)/gpu0, to: (\w+)/gpu0, bytes: (\w+)\}`)

// flows says who sends what to whom, one line for those that send as much to the same.
func (s *stage) flows(yaml string) {
	var last string
	for line := range strings.Lines(yaml) {
		section, _, _ := strings.Cut(line, ":")
		for _, f := range flowOf.FindAllStringSubmatch(line, -1) {
			what := fmt.Sprintf("%s:%s %s to %s from", section, strings.TrimSuffix(" ("+f[1]+")", " ()"), f[4], f[3])
			if what == last {
				s.WriteString(" " + f[2])
				continue
			}
			if last != "" {
				s.WriteString("\n")
			}
			fmt.Fprintf(s, "| %s %s", what, f[2])
			last = what
		}
	}
	s.WriteString("\n")
}

// portOf says how data and CNPs are treated at a port.
func portOf(x side) string {
	text := fmt.Sprintf("MTU %d, PFC %v, watchdog %v, LLDP %v, seed %d", x.port.MTU, x.port.QoS.PFC,
		x.device.QoS.Watchdog.On && x.port.QoS.Watchdog, x.device.LLDP != nil && x.device.LLDP.On, x.device.Balance.Seed)
	p := x.device.ProfileOf(x.port)
	for _, of := range []struct {
		what string
		dscp int
	}{{"data", 26}, {"CNPs", 48}, {"others", 0}} {
		c := p.Class(p.Classify[of.dscp])
		text += fmt.Sprintf("; %s: class %d", of.what, p.Classify[of.dscp])
		if c == nil {
			continue
		}
		if c.Pause != nil {
			text += fmt.Sprintf(", pauses %d", c.Pause.Priority)
			if c.Pause.Buffer != nil {
				text += fmt.Sprintf(" with %v of headroom", c.Pause.Buffer.Headroom)
			}
		}
		if c.ECN != nil {
			text += fmt.Sprintf(", marks %v to %v", c.ECN.Min, c.ECN.Max)
		}
		if c.Strict {
			text += ", strict"
		}
	}
	return text
}

func (s *stage) ofHost(verb string, args []string) {
	switch verb {
	case "pcie": // SPEED in MT/s, LANES
		d := &hostinfo.PCI{}
		d.Is.Speed.Value, d.Is.Width.Value = int(s.number(args[0])), int(s.number(args[1]))
		s.say("%s", carries(d))
	case "nic": // the RDMA MTU of one more
		r := &hostinfo.RDMA{Name: fmt.Sprint("mlx5_", len(s.host.RDMA))}
		r.MTU.Value = int(s.number(args[0]))
		r.MTU.At.Line = 1
		s.host.RDMA = append(s.host.RDMA, r)
	case "mtu":
		x := smallMTU(s.host)
		s.say("%s%s", x.words(), x.why)
	case "otherdscp":
		s.say("%d", otherDSCP(&scenario.QoS{DSCP: int(s.number(args[0])), CNPDSCP: int(s.number(args[1]))}))
	case "words": // of faults
		sc, err := scenario.Parse("s.yaml", []byte("name: s\ncluster: {hosts: 2}\n"+
			"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"))
		if err != nil {
			s.t.Fatal(err)
		}
		x := ill{faults: args, note: "of all"}
		for _, c := range x.changes(sc) {
			s.say("%s = %s", c.Path, c.Text)
		}
		s.say("%s", x.words())
	}
}
