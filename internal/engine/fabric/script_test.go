package fabric

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// TestScripts plays testdata/*.txt: what a switch does, event by event. A script is blocks of
// commands, a line of dashes and what comes of them. `network` makes one switch with a host for each
// rate and sets its configuration; `send` has a host send frames; `run` goes on to an instant and
// tells every change on the way:
//
//	host1 account data 3000+0     of what came in by host1's link the switch holds 3,000 bytes, none in headroom
//	host2 queue data 2 = 2000     two frames wait for host2's link
//	host2 sends data of send 1, frame 3   a frame of the first `send` sets out, the link's third; or so many PFC frames
//	host1 held data by host2      host1's link is paused; the port that caused it
//	host2 marks, host2 drops      at the queue to host2
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

// stage is a switch with hosts, and what a script has had told of it.
type stage struct {
	t *testing.T
	scripttest.Log
	cfg   Config
	rates []unit.Bitrate
	eng   *sim.Engine
	fab   *Fabric
	hosts []actor
	sends int32
	seen  map[string]string

	mishaps [][]string // see addMishaps
	shelf   shelf      // see shelve
	alone   alone      // see holds
}

// actor is a host: frames to send, lowest class first.
type actor struct {
	up     PortID // its own port
	queues [8][]Packet
}

const classAct = sim.Classes - 1

func (s *stage) Do(words []string) {
	s.t.Helper()
	args := map[string]string{}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		args[k] = v
	}
	switch words[0] {
	case "network":
		s.network(words[1:])
	case "send":
		s.send(args)
	case "run":
		s.run(args["until"])
	default:
		if !s.shelve(words[0], words[1:], args) && !s.holds(words[0], args) {
			s.t.Fatalf("unknown command %q", words[0])
		}
	}
}

func (s *stage) number(v string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, v)
}

func (s *stage) time(v string) unit.Duration {
	d, err := unit.ParseDuration(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// network reads `rates=100,10 class=data:lossless class=other:strict:... KEY=VALUE`.
func (s *stage) network(words []string) {
	s.cfg = Config{MTU: 9216, SwitchLatency: 500 * unit.Nanosecond, PauseFrame: 64, LinkOverhead: 20, Seed: 1,
		Buffer: Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}, FreeAtTxEnd: true}}
	s.rates, s.eng, s.sends, s.seen, s.mishaps = nil, nil, 0, map[string]string{}, nil
	for _, w := range words {
		key, v, _ := strings.Cut(w, "=")
		switch key {
		case "rates":
			for _, r := range strings.Split(v, ",") {
				s.rates = append(s.rates, unit.Bitrate(s.number(r))*unit.GigabitPerSec)
			}
		case "class":
			s.class(strings.Split(v, ":"))
		case "buffer":
			s.cfg.Buffer.Size = unit.Bytes(s.number(v))
		case "mtu":
			s.cfg.MTU = unit.Bytes(s.number(v))
		case "reserve":
			s.cfg.Buffer.Reserve = unit.Bytes(s.number(v))
		case "xoff":
			s.cfg.PFC.Threshold = unit.Bytes(s.number(v))
		case "alpha":
			s.cfg.PFC.Alpha = unit.Ratio{Num: 1, Den: s.number(v)}
		case "lossy-alpha":
			s.cfg.Buffer.LossyAlpha = unit.Ratio{Num: 1, Den: s.number(v)}
		case "xon":
			s.cfg.PFC.ResumeOffset = unit.Bytes(s.number(v))
		case "headroom":
			s.cfg.PFC.Headroom = qos.FixedHeadroom(unit.Bytes(s.number(v)))
		case "quanta":
			s.cfg.PFC.Quanta = uint16(s.number(v))
		case "refresh":
			s.cfg.PFC.Refresh = unit.Ratio{Num: 1, Den: s.number(v)}
		case "response":
			s.cfg.PFC.Response.After = s.time(v)
		case "release":
			s.cfg.Buffer.FreeAtTxEnd = v == "end"
		case "dscp": // that hosts write, class by class
			for _, d := range strings.Split(v, ",") {
				s.cfg.DSCP = append(s.cfg.DSCP, uint8(s.number(d)))
			}
		case "takes": // the switch puts a DSCP into a class
			s.own().ClassOf = new([codePoints]uint8)
			for _, of := range strings.Split(v, ",") {
				dscp, class, _ := strings.Cut(of, ":")
				s.own().ClassOf[s.number(dscp)] = s.classOf(class)
			}
		case "priority": // the switch gives a class another one
			class, priority, _ := strings.Cut(v, ":")
			s.own().Classes[s.classOf(class)].Priority = uint8(s.number(priority))
		case "port": // HOST:WORD/VALUE:... differs from the switch; after rates and classes
			s.port(strings.Split(v, ":"))
		case "down", "rate", "set", "stuck", "storm", "leak", "reboot":
			s.mishaps = append(s.mishaps, strings.Split(key+":"+v, ":"))
		case "watchdog": // DETECT:RESTORE:drop
			w := strings.Split(v, ":")
			s.cfg.Watchdog = &Watchdog{Detect: s.time(w[0]), Restore: s.time(w[1]), Forward: w[2] == "forward"}
		case "crossing":
			s.cfg.Buffer.CrossingInHeadroom = v == "headroom"
		default:
			s.t.Fatalf("unknown key %q", key)
		}
	}
	s.build()
}

// own is the profile of the switch, which is as the network so far.
func (s *stage) own() *Profile {
	if len(s.cfg.Profiles) == 0 {
		p := s.cfg.all()
		p.Classes = slices.Clone(p.Classes)
		s.cfg.Profiles = []Profile{p}
	}
	return &s.cfg.Profiles[0]
}

// port has the port to a host differ from its switch.
func (s *stage) port(words []string) {
	own := s.own()
	if own.Ports == nil {
		own.Ports = make([]PortProfile, len(s.rates))
	}
	p := &own.Ports[s.number(words[0])-1]
	if p.Classes == nil {
		p.Classes = slices.Clone(own.Classes)
	}
	for _, w := range words[1:] {
		key, v, _ := strings.Cut(w, "/")
		switch key {
		case "lossy":
			p.Classes[s.classOf(v)].Lossless = false
		case "strict":
			p.Classes[s.classOf(v)].Strict = true
		case "step":
			p.Classes[0].ECN = qos.Curve(unit.Bytes(s.number(v)), unit.Bytes(s.number(v)), unit.Ratio{Num: 1, Den: 1}, false)
		case "xoff":
			p.XOFF = &qos.XOFF{Fixed: s.number(v)}
		case "headroom":
			b := unit.Bytes(s.number(v))
			p.Headroom = &b
		case "deaf":
			p.Deaf = 1 << s.classOf(v)
		case "takes": // every DSCP into a class
			p.ClassOf = new([codePoints]uint8)
			for d := range p.ClassOf {
				p.ClassOf[d] = s.classOf(v)
			}
		default:
			s.t.Fatalf("unknown word %q", w)
		}
	}
}

func (s *stage) classOf(name string) uint8 {
	return uint8(slices.IndexFunc(s.cfg.Classes, func(c Class) bool { return c.Name == name }))
}

func (s *stage) class(words []string) {
	c := Class{Name: words[0], Priority: uint8(len(s.cfg.Classes)), Weight: 1}
	for _, w := range words[1:] {
		key, v, _ := strings.Cut(w, "/")
		switch key {
		case "lossless":
			c.Lossless = true
		case "strict":
			c.Strict = true
		case "weight":
			c.Weight = int(s.number(v))
		case "drop":
			c.Drop = qos.Length{Bytes: unit.Bytes(s.number(v))}
		case "step": // marks above, with certainty
			c.ECN = qos.Curve(unit.Bytes(s.number(v)), unit.Bytes(s.number(v)), unit.Ratio{Num: 1, Den: 1}, false)
		case "step-out":
			c.ECN = qos.Curve(unit.Bytes(s.number(v)), unit.Bytes(s.number(v)), unit.Ratio{Num: 1, Den: 1}, true)
		default:
			s.t.Fatalf("unknown word %q", w)
		}
	}
	s.cfg.Classes = append(s.cfg.Classes, c)
}

func (s *stage) build() {
	b := topo.NewBuilder()
	sw := b.AddSwitch("switch", topo.Leaf)
	for i, r := range s.rates {
		b.ConnectRail(b.AddHost(fmt.Sprint("host", i+1), 1), sw, topo.Cable{Rate: r, Delay: 100 * unit.Nanosecond}, 0)
	}
	g, err := b.Build()
	if err != nil {
		s.t.Fatal(err)
	}
	if len(s.cfg.Profiles) > 0 {
		s.cfg.ProfileOf = slices.Repeat([]int32{-1}, len(g.Nodes))
		s.cfg.ProfileOf[sw] = 0
	}
	s.addMishaps(g, sw)
	s.eng = sim.New([]int{len(g.Ports)}, 0)
	if s.fab, err = New(s.eng, g, s.cfg, make([]int32, len(g.Nodes))); err != nil {
		s.WriteString(err.Error() + "\n")
		s.eng = nil
		return
	}
	s.hosts = nil
	for _, n := range g.NICs {
		s.hosts = append(s.hosts, actor{up: n.Port})
		s.fab.Attach(n.Port, s, s)
	}
	s.eng.Register(classAct, s)
	s.eng.CheckEvery(1)
	s.eng.OnCheck(func() bool { s.tell(); return true })
	s.tell()
}

// send reads `from=1 to=2 frames=3 size=1000 class=0 at=0s`.
func (s *stage) send(args map[string]string) {
	from, to := s.number(args["from"])-1, s.number(args["to"])-1
	h := &s.hosts[from]
	r := s.fab.AddRoute([]PortID{h.up, s.hosts[to].up ^ 1})
	var class uint8
	if c := args["class"]; c != "" {
		class = s.classOf(c)
	}
	for i := range s.number(args["frames"]) {
		h.queues[class] = append(h.queues[class],
			Make(WriteMiddle, s.sends, uint32(i), r, class, unit.Bytes(s.number(args["size"]))))
	}
	s.sends++
	s.eng.At(0, s.eng.Now(), sim.MakeKey(sim.Host, classAct, int32(from)))
}

func (s *stage) Handle(isl *sim.Island, now unit.Time, owner int32) {
	s.fab.Kick(isl, now, s.hosts[owner].up)
}

func (s *stage) Pull(_ *sim.Island, _ unit.Time, port PortID, paused uint8, p *Packet) bool {
	h := &s.hosts[slices.IndexFunc(s.hosts, func(h actor) bool { return h.up == port })]
	for c := range h.queues {
		if q := h.queues[c]; len(q) > 0 && paused&(1<<c) == 0 {
			*p, h.queues[c] = q[0], q[1:]
			return true
		}
	}
	return false
}

func (s *stage) Paused(*sim.Island, unit.Time, PortID, uint8, bool) {}

func (s *stage) Deliver(*sim.Island, unit.Time, PortID, *Packet) {}

func (s *stage) run(until string) {
	if until == "" {
		s.eng.Run()
	} else {
		s.eng.RunUntil(unit.Time(s.time(until)))
	}
	if err := s.fab.Check(); err != nil {
		s.t.Error(err)
	}
}

// tell writes what is new since it was last asked.
func (s *stage) tell() {
	for _, c := range s.look() {
		if s.seen[c.of] != c.is {
			if s.seen[c.of] != "" || c.is != c.first {
				fmt.Fprintf(&s.Log, "%11v  %s %s\n", s.eng.Now(), c.of, c.is)
			}
			s.seen[c.of] = c.is
		}
	}
}

// fact is something about a port that changes; first is what it is in the beginning.
type fact struct{ of, is, first string }

func (s *stage) look() (facts []fact) {
	f := s.fab
	for i, h := range s.hosts {
		host := fmt.Sprint("host", i+1)
		down := &f.links.ports[h.up^1]
		add := func(of, is, first string) { facts = append(facts, fact{host + " " + of, is, first}) }
		for c, cl := range f.cfg.Classes {
			a := &f.buf.accounts[int(h.up)*f.nc+c]
			add("account "+cl.Name, fmt.Sprintf("%d+%d", a.used, a.headroom), "0+0")
			q := &f.egress.queues[int(h.up^1)*f.nc+c]
			add("queue "+cl.Name, fmt.Sprintf("%d = %d", q.n, q.bytes), "0 = 0")
			held := "no more"
			if f.links.ports[h.up].paused&(1<<c) != 0 {
				cause := f.PauseRoot(h.up, uint8(c))
				root := slices.IndexFunc(s.hosts, func(h actor) bool { return h.up^1 == cause })
				held = fmt.Sprintf("by host%d", root+1)
			}
			add("held "+cl.Name, held, "no more")
		}
		add("marks", fmt.Sprint(down.marks), "0")
		add("drops", fmt.Sprint(down.drops), "0")
		add("watchdog", fmt.Sprintf("%d seen, %d over, %d dropped", down.detected, down.restored, down.discarded),
			"0 seen, 0 over, 0 dropped")
		class := f.cfg.Classes[int(down.sent.account)%f.nc].Name
		sends := fmt.Sprintf("%s of send %d, frame %d", class, down.sent.flow+1, down.txFrames())
		switch on := down.pausesSent; {
		case down.txFrames()+down.pfcFrames == 0:
			sends = "nothing"
		case down.sent.op == 0:
			sends = fmt.Sprintf("xOFF %d, xON %d", on, down.pfcFrames-on)
		}
		add("sends", sends, "nothing")
	}
	return facts
}
