package host

import (
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// class is the event class of hosts with work on their agendas; networks take theirs from below.
const class = sim.Classes - 2

// Pipe is a link inside a host, which is shared as doc.go says. Rate 0: no limit.
type Pipe struct {
	Latency unit.Duration
	Rate    unit.Bitrate // each direction
}

// Config is what every host of a run shares.
type Config struct {
	PCIe, NVLink Pipe
	Graph        *Graph        // nil: each card has a link PCIe of its own
	NIC          unit.Duration // latency of a NIC, sending side
	// AsScheduled is for an engine with InOrderOfPushing: hosts work after all that was scheduled
	// before, and flows in order of their numbers.
	AsScheduled bool
	Bodies      *Bodies // runs the real work of ranks; nil in replay
	Faults      *Faults // nil: none
	Split       bool    // a message goes over all queue pairs of its way, in parts; else over the next in turn
}

// latency is the longest that a byte takes from a GPU to a wire, but for being carried.
func (c *Config) latency() unit.Duration { return c.NVLink.Latency + c.PCIe.Latency + c.NIC }

// Hosts is the memory side of all hosts of a run: ranks, and the links to their NICs.
//
// What an event of a host touches belongs to that host, and so to its island: its agenda, its links,
// its ranks, the ends of ways that lie in it.
type Hosts struct {
	eng      *sim.Engine
	graph    *topo.Graph
	cfg      Config
	net      Network
	hosts    []host
	pcie     []nicLinks // by card
	pcieOf   []int32    // by NIC: its card
	ranks    []rankState
	out      []outgoing // by way
	in       []incoming // by way
	inside   []*inside  // by way: those over NVLink
	room     []inside   // for more of them
	wayOf    []lane     // by queue pair
	flows    []flow
	regions  verbs.Regions
	failures [][]Failure // by island: those of this window
	onFail   func(Failure)
	failed   Failure // the first, where nobody listens
}

// nicLinks is the PCIe link of a card: one NIC, or several that are its ports.
type nicLinks struct {
	host  int32
	card  int32  // within the host
	down  *share // towards the NIC
	up    pipe   // from the NIC
	rate  unit.Bitrate
	turns []turn // of the rate of up
}

// host is a server: its NVLink pipes and its agenda.
type host struct {
	island  *sim.Island
	agenda  lists.Heap // of future work: keys of entries
	now     unit.Time  // of the work being done
	wakeAt  unit.Time
	last    bool      // AsScheduled: its event was put behind the others of this instant
	out, in []share   // NVLink, by GPU
	links   []share   // of Config.Graph, in each direction
	copies  []*copies // by GPU; nil: none yet
	copying bool      // some GPU has
	faulty  faulty
	// meetings are the ranks that have come to collectives that send no messages.
	meetings map[meetingOf]*meeting
	post     Message         // being posted; kept here, so that it is not allocated on the heap
	segment  [1]exec.Segment // and what is being delivered
	trace    exec.Trace
}

// A Rank is what a job drives: *exec.Rank.
type Rank interface {
	Start(now unit.Time)
	Done(now unit.Time, tok exec.Token)
	// Inlet and Outlet number what the rank receives on and sends on.
	Inlet(from exec.Conn) int32
	Outlet(to exec.Conn) int32
	Received(now unit.Time, inlet int32, what exec.Arrival, tr *exec.Trace)
	Acked(now unit.Time, outlet int32, tr *exec.Trace)
	Credited(now unit.Time, outlet, coll int32)
}

var _ Rank = (*exec.Rank)(nil)

// rankState is a rank and where it lives.
type rankState struct {
	rank  Rank
	host  int32
	gpu   int32
	tasks map[exec.Token]*task
}

// New returns the hosts of a graph. islandOf gives each node's island.
func New(eng *sim.Engine, g *topo.Graph, cfg Config, islandOf []int32) *Hosts {
	h := &Hosts{eng: eng, graph: g, cfg: cfg, failures: make([][]Failure, eng.Islands())}
	h.onFail = h.end
	for _, s := range g.Hosts {
		at := host{island: eng.Island(islandOf[s.Node]), wakeAt: unit.Never, out: make([]share, s.GPUs),
			in: make([]share, s.GPUs), copies: make([]*copies, s.GPUs)}
		for g := range s.GPUs {
			at.out[g], at.in[g] = newShare(cfg.NVLink.Rate, cfg.latency()), newShare(cfg.NVLink.Rate, cfg.latency())
		}
		h.hosts = append(h.hosts, at)
	}
	h.addFaults(cfg.Faults)
	h.addPCIe()
	eng.Register(class, h)
	eng.OnWindow(func(unit.Time) { h.join() })
	return h
}

// Attach gives the hosts the network that carries their messages.
func (h *Hosts) Attach(n Network) { h.net = n }

// Island returns the island of a host.
func (h *Hosts) Island(id int32) *sim.Island { return h.hosts[id].island }

// work is what an agenda entry is about; entries of one instant are taken in this order.
type work uint8

const (
	workPost    work = iota // post the next message of explicit flow a
	workStart               // start rank a
	workDone                // rank a: token b has run
	workNVLink              // way a: the oldest message over NVLink is delivered
	workCarried             // way a: look whether the oldest messages are past NVLink
	workPlaced              // way a: the oldest received message is placed
	workAcked               // way a: the oldest sent message is acknowledged
	workAlarm               // of the network: queue pair a
	workCredit              // way a: the sender knows of credits
	workCopied              // rank a: look whether its copy is past PCIe
	workIdle                // nothing
)

type entry struct {
	at    unit.Time
	what  work
	alarm uint8 // of workAlarm: what the network wants
	a     int32
	b     int64
}

// key orders what is to be done: by time, kind, owner. Nothing in an entry is negative.
func (e *entry) key() lists.Key {
	return lists.Key{First: uint64(e.at), Second: uint64(e.what)<<40 | uint64(e.alarm)<<32 | uint64(uint32(e.a)),
		Third: uint64(e.b)}
}

// entryOf is the inverse of key.
func entryOf(k lists.Key) entry {
	return entry{unit.Time(k.First), work(k.Second >> 40), uint8(k.Second >> 32), int32(k.Second), int64(k.Third)}
}

// plan puts work on a host's agenda.
func (h *Hosts) plan(id int32, e entry) {
	at := &h.hosts[id]
	at.agenda.Push(e.key())
	if e.at < at.wakeAt {
		at.wakeAt = e.at
		at.island.At(e.at, sim.MakeKey(sim.Host, class, id))
	}
}

// Alarm has the network woken at a time on a host, in the phase in which hosts work.
func (h *Hosts) Alarm(id int32, at unit.Time, a Alarm) {
	h.plan(id, entry{at: at, what: workAlarm, alarm: a.What, a: a.QP, b: a.N})
}

// Idle has time pass until an instant at which nothing happens; it is called between windows.
func (h *Hosts) Idle(until unit.Time) { h.plan(0, entry{at: until, what: workIdle}) }

// Handle does the work that is due on host owner.
func (h *Hosts) Handle(_ *sim.Island, now unit.Time, owner int32) {
	at := &h.hosts[owner]
	if at.wakeAt > now {
		return // an earlier event did this one's work and armed anew
	}
	if h.cfg.AsScheduled && !at.last {
		at.last = true
		at.island.At(now, sim.MakeKey(sim.Host, class, owner))
		return
	}
	at.last = false
	if until, hangs := at.faulty.hangsAt(now); hangs {
		at.wakeAt = until
		at.island.At(until, sim.MakeKey(sim.Host, class, owner))
		return
	}
	at.now = now
	at.wakeAt = now // what is planned for this instant is taken by the loop
	for len(at.agenda) > 0 && unit.Time(at.agenda[0].First) <= now {
		h.do(now, entryOf(at.agenda.Pop()))
	}
	at.wakeAt = unit.Never
	if len(at.agenda) > 0 {
		at.wakeAt = unit.Time(at.agenda[0].First)
		at.island.At(at.wakeAt, sim.MakeKey(sim.Host, class, owner))
	}
}

func (h *Hosts) do(now unit.Time, e entry) {
	switch e.what {
	case workPost:
		h.postFlow(now, e.a)
	case workStart:
		h.ranks[e.a].rank.Start(now)
	case workDone:
		h.finish(e.a, exec.Token(e.b))
		h.ranks[e.a].rank.Done(now, exec.Token(e.b))
	case workNVLink:
		h.delivered(now, e.a)
	case workCarried:
		h.carried(now, e.a)
	case workPlaced:
		h.placed(now, e.a)
	case workAcked:
		h.acked(now, e.a)
	case workAlarm:
		h.net.Wake(now, Alarm{e.alarm, e.a, e.b})
	case workCredit:
		h.credited(now, e.a, e.b)
	case workCopied:
		h.copied(now, e.a)
	}
}

// run lets a rank's operation take its time.
func (h *Hosts) run(rank int32, tok exec.Token, d unit.Duration, w exec.Work) {
	r := &h.ranks[rank]
	if t := h.cfg.Bodies.start(w); t != nil {
		r.tasks[tok] = t
	}
	h.plan(r.host, entry{at: h.stretched(r, h.hosts[r.host].now, d), what: workDone, a: rank, b: int64(tok)})
}

// finish waits for the real work of an operation whose virtual time is over.
func (h *Hosts) finish(rank int32, tok exec.Token) {
	r := &h.ranks[rank]
	if len(r.tasks) == 0 {
		return
	}
	if t, ok := r.tasks[tok]; ok {
		delete(r.tasks, tok)
		h.cfg.Bodies.wait(t)
	}
}
