package nic_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/job/exec"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// TestScripts plays testdata/*.txt: what NICs do with messages and what they tell of them, on a network
// whose figures are counted by hand. Links carry a byte in a nanosecond; a packet has 900 B of payload and
// is a frame of 1,000 B, an ACK, NAK, CNP or PFC frame has 100 B; cables are 1 us long, switches take
// 500 ns. `net` makes hosts with a NIC and two GPUs on one switch, or on leaves and a spine:
//
//	net hosts=N [KEY=VALUE...]         see stage.set for the keys
//	flow FROM TO BYTES [at=T] [count=N] [every=T] [class=N]     messages of a flow
//	send FROM TO BYTES [at=T]          a message of a rank to another, which is told what it waited for
//	credit FROM TO [at=T]              a rank gives another a credit
//	run [until=T]                      each message as it is acknowledged, and what was told on the way
//	evidence FROM TO                   what packets met at each port, and their acknowledgements
//	totals                             queue pairs, marks, CNPs, packets sent again, frames of each host, the end
//
// Hosts are numbered from 1, and there is a queue pair for each pair of hosts and class, another for ranks.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

// stage is a network, and what a script has had told of it.
type stage struct {
	*rig
	t *testing.T
	scripttest.Log
	admit  nic.Admission
	qps    map[[4]int]int32 // from, to, class, 1: of ranks
	job    *host.Job
	ranks  []*scripted
	back   bool // the ways of acknowledgements are printed
	events bool
	rows   []nic.Flow
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.Log, format+"\n", args...) }

func (s *stage) Do(words []string) {
	s.t.Helper()
	var plain []int
	keys := map[string]string{}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			keys[k] = v
		} else if words[0] != "net" {
			plain = append(plain, int(s.number(w)))
		}
	}
	switch words[0] {
	case "net":
		s.begin(words[1:])
	case "flow":
		spec := host.FlowSpec{QP: s.qp(plain[0], plain[1], int(s.number(keys["class"])), 0), Bytes: unit.Bytes(plain[2]),
			Start: s.at(keys["at"]), Count: max(1, s.number(keys["count"])), Every: s.span(keys["every"])}
		s.hosts.AddFlow(int32(plain[0]-1), spec)
	case "send":
		s.qp(plain[0], plain[1], 0, 1)
		from := s.ranks[plain[0]-1]
		from.todo = append(from.todo, post{s.at(keys["at"]), int32(plain[1] - 1), int64(plain[2])})
	case "credit":
		s.qp(plain[1], plain[0], 0, 1)
		from := s.ranks[plain[0]-1]
		from.todo = append(from.todo, post{s.at(keys["at"]), int32(plain[1] - 1), -1})
	case "run":
		s.play(keys["until"])
	case "evidence":
		id := s.qp(plain[0], plain[1], 0, 0)
		s.evidence("data", id, false)
		s.evidence("answers", id, true)
	case "totals":
		s.say("%d queue pairs: %d marked, %d CNPs, %d sent again", s.net.QueuePairs(), s.net.Marks(), s.net.CNPs(),
			s.net.Retransmits())
		for i := range s.graph.Hosts {
			s.say("host%d sent %d frames", i+1, s.fab.Stats(s.eng.Now(), s.graph.NICs[s.card(i+1)].Port).Frames)
		}
		s.say("the run ends at %v", s.eng.Now())
	default:
		s.t.Fatalf("no command %q", words[0])
	}
}

func (s *stage) number(w string) int64 {
	s.t.Helper()
	if w == "" {
		return 0
	}
	return scripttest.Number(s.t, w)
}

func (s *stage) span(w string) unit.Duration {
	s.t.Helper()
	if w == "" {
		return 0
	}
	d, err := unit.ParseDuration(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *stage) at(w string) unit.Time { return unit.Time(s.span(w)) }

// begin makes a network.
func (s *stage) begin(args []string) {
	s.t.Helper()
	*s = stage{t: s.t, qps: map[[4]int]int32{}}
	p := topo.LeafSpine{Hosts: 2, GPUs: 2, NICs: 1}
	for _, a := range args {
		switch k, v, _ := strings.Cut(a, "="); k {
		case "hosts":
			p.Hosts = int(s.number(v))
		case "leaves":
			p.Leaves = int(s.number(v))
		case "nvlink": // the second GPU's own NIC is the second
			p.NICs = 2
		}
	}
	s.rig = &rig{graph: network(s.t, p),
		fabric: fabric.Config{
			Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 1, Lossless: true},
				{Name: "other", Priority: 0, Weight: 1}, {Name: "cnp", Priority: 7, Strict: true}},
			PFC:    fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 1}, ResumeOffset: 1000, Headroom: qos.FixedHeadroom(20_000)},
			Buffer: fabric.Buffer{Size: 10 * unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}, FreeAtTxEnd: true},
			MTU:    1500, PauseFrame: 100, SwitchLatency: 500 * unit.Nanosecond, Seed: 1},
		nic: nic.Config{Frames: wire.Sizes{Data: 100, ACK: 100, CNP: 100, PFC: 100}, CNPClass: 2, AckClass: 1,
			Controller: cc.None{}, Transport: roce.Params{MTU: 900, AckEvery: 1, Timeout: 100 * unit.Microsecond, Retries: 2,
				AckDuplicates: true}},
	}
	islands := 1
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		if k == "islands" {
			islands = int(s.number(v))
		}
		s.set(k, v)
	}
	s.parts, s.look = roundRobin(islands), unit.Microsecond
	s.nic.OnTimeout = func(_ int32, now unit.Time, qp int32, oldest int64) {
		if s.events {
			s.say("%v: %s timed out at packet %d", now, s.net.Name(qp), oldest)
		}
	}
	if s.events {
		s.nic.OnEvent = func(_ int32, e nic.Event) { s.event(e) }
	}
	s.build(s.t)
	s.net.OnFlow(func(_ int32, f *nic.Flow) {
		row := *f
		row.Hops = slices.Clone(f.Hops)
		s.rows = append(s.rows, row)
	})
	s.job = s.hosts.AddJob()
	for i := range int32(p.Hosts) {
		s.job.AddRank(i, 0)
		s.ranks = append(s.ranks, &scripted{s: s, id: i})
	}
}

// network is hosts on a switch or, of several leaves with a spine, on leaves.
func network(t *testing.T, p topo.LeafSpine) *topo.Graph {
	link := topo.Cable{Rate: 8 * unit.GigabitPerSec, Delay: unit.Microsecond}
	p.HostLink = link
	design := topo.Design(topo.SingleSwitch{Hosts: p.Hosts, GPUs: p.GPUs, NICs: p.NICs, HostLink: link})
	if p.Leaves > 0 {
		p.Spines, p.SpineLink = 1, link
		design = p
	}
	g, err := design.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// card returns the first NIC of a host.
func (s *stage) card(host int) topo.NICID { return s.graph.Hosts[host-1].NICs[0] }

// set is one key of a network.
func (s *stage) set(k, v string) {
	tr, f := &s.nic.Transport, &s.fabric
	switch k {
	case "hosts", "leaves", "islands":
	case "every": // packets to an acknowledgement
		tr.AckEvery = int(s.number(v))
	case "selective":
		tr.Selective, tr.Receiver = true, roce.Direct
	case "timeout":
		tr.Timeout = s.span(v)
	case "retries":
		tr.Retries = int(s.number(v))
	case "tunnel": // bytes around a frame between switches
		f.Tunnel = unit.Bytes(s.number(v))
	case "completes": // at the sender: with the last acknowledgement
		s.nic.CompleteAtSender, s.back = v == "sender", true
	case "events":
		s.events = true
	case "window": // bytes in flight, at the line's rate
		b := unit.Bytes(s.number(v))
		s.nic.Controller = cc.DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: 900, InitialWindow: b, MaxWindow: b}
	case "dcqcn":
		s.nic.Controller = cc.Presets["dcqcn-sigcomm15"].DCQCN
		tr.CNPInterval = s.span(v)
	case "mark": // each frame that finds so many bytes
		b := unit.Bytes(s.number(v))
		f.Classes[0].ECN = qos.Curve(b, b, unit.Ratio{Num: 1, Den: 1}, false)
	case "marked": // every frame
		f.Classes[0].ECN = everyFrame()
	case "xoff":
		f.PFC.Threshold, f.PFC.Alpha = unit.Bytes(s.number(v)), unit.Ratio{}
	case "pcie": // its rate; 200 ns
		s.host.PCIe = host.Pipe{Latency: 200 * unit.Nanosecond, Rate: s.rate(v)}
	case "receive": // SIZE, of packets that drop, or SIZE:XOFF:XON
		sizes := strings.Split(v, ":")
		r := &nic.ReceiveBuffer{Size: unit.Bytes(s.number(sizes[0]))}
		if r.Pauses = len(sizes) > 1; r.Pauses {
			r.XOFF, r.XON = unit.Bytes(s.number(sizes[1])), unit.Bytes(s.number(sizes[2]))
			f.HostsPause = true
		}
		s.nic.Receive = r
	case "nvlink": // its rate; 100 ns: messages are of GPUs that are not at the NIC
		s.host.NVLink = host.Pipe{Latency: 100 * unit.Nanosecond, Rate: s.rate(v)}
	case "nic-latency":
		s.host.NIC = s.span(v)
	case "ns3": // as in the HPCC authors' simulator: marks come back in ACKs, a NIC has one pacing timer
		s.nic.Controller, tr.EchoMarks = cc.Presets["hpcc-ns3"].DCQCN, true
		s.nic.Quirks = nic.Quirks{SharedTimer: true, Repace: true}
	case "acks": // their class
		s.nic.AckClass = uint8(s.number(v))
	case "pass":
		s.nic.AcksPass = true
	case "slots": // of so many bytes, two for each connection
		s.admit = nic.Admission{Slots: 2, Bytes: unit.Bytes(s.number(v))}
	case "down", "storm": // FROM..UNTIL:HOST, of its link; of the pause frames that its NIC sends
		when, who, _ := strings.Cut(v, ":")
		from, until, _ := strings.Cut(when, "..")
		f.PFC.Quanta, f.PFC.Refresh = 100, unit.Ratio{Num: 1, Den: 2} // 6.4 us, again each 3.2 us
		s.fault(k == "storm", s.at(from), s.at(until), s.graph.NICs[s.card(int(s.number(who)))].Port)
	default:
		s.t.Fatalf("no key %q", k)
	}
}

func (s *stage) fault(storm bool, from, until unit.Time, port topo.PortID) {
	if s.fabric.Faults == nil {
		none := unit.Ratio{Den: 1}
		s.fabric.Faults = &fabric.Faults{Chances: fabric.Chances{BitErrors: none, Drop: none, Duplicate: none, Reorder: none}}
	}
	f := s.fabric.Faults
	if storm {
		f.Storms = append(f.Storms, fabric.Storm{Port: port, From: from, Until: until})
	} else {
		f.Downs = append(f.Downs, fabric.Down{Link: s.graph.Ports[port].Link, From: from, Until: until})
	}
}

func (s *stage) rate(w string) unit.Bitrate {
	r, err := unit.ParseBitrate(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// qp returns the queue pair between two hosts in a class, of flows or of ranks.
func (s *stage) qp(from, to, class, ranks int) int32 {
	key := [4]int{from, to, class, ranks}
	if id, ok := s.qps[key]; ok {
		return id
	}
	a, b := s.card(from), s.card(to)
	routes := topo.NewRoutes(s.graph)
	path, err := routes.Path(a, b, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	back, err := routes.Path(b, a, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	q := nic.QueuePair{Name: fmt.Sprintf("%d>%d", from, to), From: a, To: b, Path: path, Back: back, Class: uint8(class),
		Log: ranks > 0, FromGPU: -1, ToGPU: -1, Stream: uint64(len(s.qps))}
	if s.host.PCIe.Rate > 0 {
		q.FromGPU, q.ToGPU = 0, 0
	}
	if s.host.NVLink.Rate > 0 {
		q.FromGPU, q.ToGPU = 1, 1
	}
	if ranks > 0 {
		q.Admission = s.admit
	}
	id := s.net.AddQP(q)
	if s.qps[key] = id; ranks > 0 {
		s.job.Connect(exec.Way{Src: int32(from - 1), Dst: int32(to - 1)}, id)
	}
	return id
}

// play runs to the end, or to an instant.
func (s *stage) play(until string) {
	s.t.Helper()
	for i, r := range s.ranks {
		slices.SortStableFunc(r.todo, func(a, b post) int { return cmp.Compare(a.at, b.at) })
		s.job.SetRank(int32(i), r, 0)
	}
	s.net.Build(func(int32) unit.Duration { return 6 * unit.Microsecond })
	if until != "" {
		s.eng.StopAt(s.at(until))
	}
	s.eng.Run()
	slices.SortStableFunc(s.rows, func(a, b nic.Flow) int {
		return cmp.Or(cmp.Compare(a.Acked, b.Acked), cmp.Compare(a.QP, b.QP), cmp.Compare(a.Posted, b.Posted))
	})
	for i := range s.rows {
		s.message(&s.rows[i])
	}
	for _, r := range s.ranks {
		s.WriteString(r.told.String())
	}
	s.net.Unfinished(func(f *nic.Flow) { s.unfinished(f) })
	if err := s.net.Err(); err != nil {
		s.say("%v", err)
	}
	if err := s.fab.Check(); err != nil {
		s.t.Error(err)
	}
}

// message prints one that is acknowledged: its times, its causes, and where it lost time.
func (s *stage) message(f *nic.Flow) {
	more := ""
	for _, c := range []struct {
		n    int64
		what string
	}{{f.Marks, "marked"}, {f.CNPs, "CNPs"}, {f.Retransmits, "sent again"}} {
		if c.n > 0 {
			more += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	s.say("%s %v: posted %v, placed %v, acked %v%s", s.net.Name(f.QP), f.Bytes, f.Posted, f.Placed, f.Acked, more)
	s.say("  %s", causes(f.Split))
	for _, h := range f.Hops {
		s.hop(h)
	}
	if got, want := f.Split.Sum(), s.net.Completed(f).Sub(f.Posted); got != want {
		s.t.Errorf("%s: causes sum to %v, the message took %v", s.net.Name(f.QP), got, want)
	}
}

func (s *stage) hop(h nic.HopWait) {
	line, back := "", ""
	if h.Back {
		back = ", back"
	}
	for _, p := range []struct {
		d    unit.Duration
		what string
	}{{h.Own, "own frames"}, {h.Queueing, "others"}, {h.Pause, "pause"}, {h.Wire, "wire"}, {h.Cable, "cable"}} {
		if p.d > 0 {
			line += fmt.Sprintf(", %s %v", p.what, p.d)
		}
	}
	if h.Root >= 0 {
		line += ", by " + s.graph.Ports[h.Root].Name
	}
	if line != "" {
		s.say("  %s%s: %s", s.graph.Ports[h.Port].Name, back, line[2:])
	}
}

// causes lists what a time was lost to.
func causes(split cause.Split) string {
	var out []string
	for c, d := range split {
		if d != 0 {
			out = append(out, fmt.Sprintf("%v %v", cause.Cause(c), d))
		}
	}
	return strings.Join(out, ", ")
}

// unfinished prints a message that is not acknowledged, and what its queue pair waits for.
func (s *stage) unfinished(f *nic.Flow) {
	st := s.net.Standing(f.QP)
	waits := [...]string{nic.ForAck: "for an acknowledgement", nic.ForWindow: "for the window",
		nic.ForPause: "for a pause", nic.ForTurn: "for its turn", nic.ForNone: "no more"}[st.Waits]
	placed := "not placed"
	if f.Placed >= 0 {
		placed = fmt.Sprintf("placed %v", f.Placed)
	}
	of := ""
	if f.Message != nil {
		of = " of a rank"
	}
	s.say("%s %v%s: posted %v, %s, %v acknowledged, last packet at %v; it waits %s", s.net.Name(f.QP), f.Bytes, of,
		f.Posted, placed, st.Acked, st.Left, waits)
}

func (s *stage) evidence(what string, id int32, back bool) {
	for _, e := range s.net.Evidence(id, back) {
		line := fmt.Sprintf("%s at %s: %d traced", what, s.graph.Ports[e.Port].Name, e.Frames)
		if e.Own+e.Others+e.Pause > 0 {
			line += fmt.Sprintf(", own frames %v, others %v, pause %v", e.Own, e.Others, e.Pause)
		}
		for _, r := range e.Roots {
			line += fmt.Sprintf(", %v by %s", r.Time, s.graph.Ports[r.Root].Name)
		}
		if e.Span > 0 {
			line += fmt.Sprintf(", in %v %v, %v of them its own", e.Span, e.Served, e.Mine)
		}
		if e.Marked > 0 {
			line += fmt.Sprintf(", %d marked", e.Marked)
		}
		s.say("%s", line)
	}
}

func (s *stage) event(e nic.Event) {
	what := [...]string{nic.EventCNPSent: "CNP sent", nic.EventNAKSent: "NAK sent", nic.EventCNPReceived: "CNP received",
		nic.EventNAKReceived: "NAK received", nic.EventRate: "rate"}[e.Kind]
	end := "sender"
	if e.Kind.AtReceiver() {
		end = "receiver"
	}
	switch e.Kind {
	case nic.EventNAKSent, nic.EventNAKReceived:
		what += fmt.Sprintf(" for %d", e.PSN)
	case nic.EventRate:
		what += fmt.Sprintf(" %v, before %v, target %v", e.State.Rate, e.Before, e.State.Target)
	}
	s.say("%v: %s %s, at %s: %s", e.At, s.net.Name(e.QP), end, s.graph.Ports[e.Port].Name, what)
}

// scripted is a rank that posts what a script says, and writes down what it is told of it.
type scripted struct {
	s    *stage
	id   int32
	todo []post
	told strings.Builder
}

type post struct {
	at    unit.Time
	to    int32
	bytes int64 // -1: a credit
}

// Start posts what is due now, and sleeps until the next.
func (r *scripted) Start(now unit.Time) { r.Done(now, 0) }

// Done posts what is due, and computes until something else is.
func (r *scripted) Done(now unit.Time, _ exec.Token) {
	for len(r.todo) > 0 && r.todo[0].at <= now {
		p := r.todo[0]
		r.todo = r.todo[1:]
		if p.bytes < 0 {
			r.s.job.Credit(r.s.job.Open(exec.Way{Src: p.to, Dst: r.id}), 0)
			continue
		}
		way := exec.Way{Src: r.id, Dst: p.to}
		r.s.job.Post(&exec.Message{Way: way, Via: r.s.job.Open(way), Bytes: unit.Bytes(p.bytes),
			Wire: exec.Wire{Bytes: unit.Bytes(p.bytes)}})
	}
	if len(r.todo) > 0 {
		r.s.job.Run(r.id, 0, r.todo[0].at.Sub(now), exec.Work{})
	}
}

func (r *scripted) tell(what string, tr *exec.Trace) {
	fmt.Fprintf(&r.told, "rank %d %s, posted %v:", r.id+1, what, tr.Posted)
	for _, g := range tr.Segments {
		at := ""
		if g.At >= 0 {
			at = " at " + r.s.graph.Ports[g.At].Name
		}
		fmt.Fprintf(&r.told, " %v%s until %v,", g.Cause, at, g.Until)
	}
	fmt.Fprintf(&r.told, " at %v\n", tr.Placed)
}

// Inlet and Outlet call a way by the rank at its other end.
func (r *scripted) Inlet(from exec.Conn) int32 { return from.Peer }
func (r *scripted) Outlet(to exec.Conn) int32  { return to.Peer }

func (r *scripted) Received(_ unit.Time, from int32, _ exec.Arrival, tr *exec.Trace) {
	r.tell(fmt.Sprintf("has a message from rank %d", from+1), tr)
}

func (r *scripted) Acked(_ unit.Time, to int32, tr *exec.Trace) {
	r.tell(fmt.Sprintf("has the acknowledgement of rank %d", to+1), tr)
}

func (r *scripted) Credited(now unit.Time, to, _ int32) {
	fmt.Fprintf(&r.told, "rank %d has a credit of rank %d, at %v\n", r.id+1, to+1, now)
}
