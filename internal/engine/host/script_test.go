package host_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/host/hosttest"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// Scripts in testdata say what ranks do on hosts with an ideal wire between them, and read what each is told, when, and of what
// the time was. What this notices: a link that is shared with nobody or with all, a latency that is counted twice or not at all,
// work of an instant in another order, a fault of another host or time, a run that does not end.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	scripttest.Log
	t      *testing.T
	fields map[string]string // of the command
	faults host.Faults
	closed []host.Closed
	eng    *sim.Engine
	hosts  *host.Hosts
	wire   *hosttest.Ideal
	job    *host.Job
	ranks  []*actor
	at     []int32 // by rank: its host
}

// wire tells of the messages of flows, and hands everything on.
type wire struct {
	*hosttest.Ideal
	s *stage
}

func (w wire) Post(now unit.Time, m *host.Message) {
	if !m.OfRanks {
		fmt.Fprintf(w.s, "%v: message %d of queue pair %d posted, %v\n", unit.Duration(now), m.Tag, m.QP, m.Bytes)
	}
	w.Ideal.Post(now, m)
}

// actor is a rank that does what a script says: what it does later it does when a kernel of that length has run.
type actor struct {
	s     *stage
	id    int32
	conns []exec.Conn
	at    []action
}

type action struct {
	in unit.Duration
	do func()
}

func (a *actor) say(now unit.Time, format string, args ...any) {
	fmt.Fprintf(a.s, "%v: rank %d %s\n", unit.Duration(now), a.id, fmt.Sprintf(format, args...))
}

func (a *actor) Start(now unit.Time) {
	a.say(now, "starts")
	for k, x := range a.at {
		if x.in == 0 {
			x.do()
		} else {
			a.s.job.Run(a.id, exec.Token(k), x.in, exec.Work{})
		}
	}
}

// Tokens of a script begin at 100.
func (a *actor) Done(now unit.Time, tok exec.Token) {
	if tok >= 100 {
		a.say(now, "has done %d", tok)
		return
	}
	a.at[tok].do()
}

func (a *actor) Inlet(c exec.Conn) int32 { return a.number(c) }

func (a *actor) Outlet(c exec.Conn) int32 { return a.number(c) }

func (a *actor) number(c exec.Conn) int32 {
	a.conns = append(a.conns, c)
	return int32(len(a.conns) - 1)
}

func (a *actor) Received(now unit.Time, in int32, what exec.Arrival, tr *exec.Trace) {
	a.say(now, "received %v from rank %d: %s", what.Bytes, a.conns[in].Peer, traceText(tr))
}

func (a *actor) Acked(now unit.Time, out int32, tr *exec.Trace) {
	a.say(now, "is told by rank %d: acknowledged%s", a.conns[out].Peer, map[bool]string{true: " with a trace"}[tr != nil])
}

func (a *actor) Credited(now unit.Time, out, coll int32) {
	a.say(now, "has a credit of rank %d for collective %d", a.conns[out].Peer, coll)
}

func traceText(tr *exec.Trace) string {
	t := fmt.Sprintf("posted %v, placed %v:", unit.Duration(tr.Posted), unit.Duration(tr.Placed))
	for _, x := range tr.Segments {
		t += fmt.Sprintf(" %v until %v", x.Cause, unit.Duration(x.Until))
	}
	return t
}

func (s *stage) Do(command []string) {
	s.fields = map[string]string{}
	var words []string
	for _, w := range command[1:] {
		if key, value, is := strings.Cut(w, "="); is {
			s.fields[key] = value
		} else {
			words = append(words, w)
		}
	}
	while := func() host.While {
		return host.While{From: unit.Time(s.time("from")), Until: unit.Time(s.time("until"))}
	}
	switch command[0] {
	case "hang":
		s.faults.Hangs = append(s.faults.Hangs, host.Hang{Host: int32(s.number(words[0])), While: while()})
	case "slow":
		s.faults.Compute = append(s.faults.Compute, host.Compute{Host: int32(s.number(words[0])), GPU: int32(s.number(words[1])),
			While: while(), Factor: unit.Ratio{Num: int64(s.number(s.fields["by"])), Den: 1}})
	case "pcie":
		s.faults.PCIe = append(s.faults.PCIe, host.Slower{Host: int32(s.number(words[0])), While: while(), Rate: s.rate("rate"),
			Twice: s.fields["twice"] == "yes"})
	case "closed":
		s.closed = append(s.closed, host.Closed{Ranks: s.number(s.fields["ranks"]), Takes: s.time("takes"),
			Sender: int32(s.number(s.fields["sender"])), Host: int32(s.number(s.fields["host"]))})
	case "hosts":
		s.open()
	case "rank":
		s.rank(words)
	case "way":
		s.way(words)
	case "at":
		s.act(words)
	case "flow":
		s.flow(words)
	case "run":
		s.run()
	default:
		s.t.Fatalf("no command %q", command)
	}
}

func (s *stage) number(text string) int {
	s.t.Helper()
	if text == "" {
		return 0
	}
	return int(scripttest.Number(s.t, text))
}

func (s *stage) duration(text string) unit.Duration {
	s.t.Helper()
	if text == "" || text == "0" {
		return 0
	}
	d, err := unit.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *stage) time(key string) unit.Duration { return s.duration(s.fields[key]) }

func (s *stage) rate(key string) unit.Bitrate {
	if s.fields[key] == "" {
		return 0
	}
	r, err := unit.ParseBitrate(s.fields[key])
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) bytes(text string) unit.Bytes {
	b, err := unit.ParseBytes(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// open makes hosts: hosts gpus=2 nvlink=8Gb/s late=2us pcie=8Gb/s pcielate=1us wire=8Gb/s wirelate=2us
func (s *stage) open() {
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: s.number(s.fields["gpus"]), NICs: 1,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		s.t.Fatal(err)
	}
	s.eng = sim.New([]int{len(g.Ports)}, 0)
	s.hosts = host.New(s.eng, g, host.Config{NVLink: host.Pipe{Rate: s.rate("nvlink"), Latency: s.time("late")},
		PCIe: host.Pipe{Rate: s.rate("pcie"), Latency: s.time("pcielate")}, NIC: s.time("nic"), Faults: &s.faults,
		Split: s.fields["split"] == "yes"}, make([]int32, len(g.Nodes)))
	s.wire = hosttest.NewIdeal(s.hosts, s.time("wirelate"), s.rate("wire"))
	s.hosts.Attach(wire{s.wire, s})
	s.job = s.hosts.AddJob()
	s.job.SetClosed(func(coll int32) host.Closed { return s.closed[coll] })
	if s.fields["listens"] == "yes" {
		s.hosts.OnFail(func(f host.Failure) {
			fmt.Fprintf(s, "%v: failed: %v (rank %d)\n", unit.Duration(f.At), f.Err, f.Rank)
		})
	}
}

// rank adds one: rank HOST GPU [at=TIME]
func (s *stage) rank(words []string) {
	on := int32(s.number(words[0]))
	a := &actor{s: s, id: s.job.AddRank(on, int32(s.number(words[1])))}
	s.ranks, s.at = append(s.ranks, a), append(s.at, on)
	s.job.SetRank(a.id, a, unit.Time(s.time("at")))
}

// way joins ranks, with so many queue pairs if they are on two hosts: way SRC DST [qps=N]
func (s *stage) way(words []string) {
	src, dst := int32(s.number(words[0])), int32(s.number(words[1]))
	var qps []int32
	if s.at[src] != s.at[dst] {
		for range max(1, s.number(s.fields["qps"])) {
			qps = append(qps, s.wire.Pair(s.at[src], s.at[dst]))
		}
	}
	s.job.Connect(exec.Way{Src: src, Dst: dst}, qps...)
}

// act has a rank do something so long after its start: at TIME RANK post DST BYTES | run TOKEN TIME | copy TOKEN BYTES |
// credit SRC COLL | meet TOKEN COLL | abort
func (s *stage) act(words []string) {
	a := s.ranks[s.number(words[1])]
	rest := words[3:]
	token := func() exec.Token { return exec.Token(s.number(rest[0])) }
	var do func()
	switch words[2] {
	case "post":
		way, b := exec.Way{Src: a.id, Dst: int32(s.number(rest[0]))}, s.bytes(rest[1])
		carried := b
		if s.fields["carried"] != "" {
			carried = s.bytes(s.fields["carried"])
		}
		do = func() {
			s.job.Post(&exec.Message{Way: way, Via: s.job.Open(way), Bytes: b,
				Wire: exec.Wire{Bytes: carried, Out: carried, In: carried}})
		}
	case "run":
		d := s.duration(rest[1])
		do = func() { s.job.Run(a.id, token(), d, exec.Work{}) }
	case "copy":
		b := s.bytes(rest[1])
		do = func() { s.job.CopyIn(a.id, token(), b, exec.Work{}) }
	case "credit":
		way, coll := exec.Way{Src: int32(s.number(rest[0])), Dst: a.id}, int32(s.number(rest[1]))
		do = func() { s.job.Credit(s.job.Open(way), coll) }
	case "meet":
		coll := int32(s.number(rest[1]))
		do = func() { s.job.Meet(a.id, token(), coll) }
	case "abort":
		do = func() { s.job.Abort(a.id, errors.New("out of luck")) }
	}
	a.at = append(a.at, action{s.duration(words[0]), do})
}

// flow plans messages of no rank: flow FROM TO bytes=1kB start=1us count=3 every=2us
func (s *stage) flow(words []string) {
	from, to := int32(s.number(words[0])), int32(s.number(words[1]))
	id := s.hosts.AddFlow(from, host.FlowSpec{QP: s.wire.Pair(from, to), Start: unit.Time(s.time("start")),
		Bytes: s.bytes(s.fields["bytes"]), Count: int64(s.number(s.fields["count"])), Every: s.time("every")})
	if s.fields["ended"] == "yes" {
		s.hosts.EndFlow(id)
	}
}

func (s *stage) run() {
	s.eng.Run()
	fmt.Fprintf(s, "ends at %v, %v\n", unit.Duration(s.eng.Now()), s.hosts.Err())
}
