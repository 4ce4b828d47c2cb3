package hosttest

import (
	"bytes"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
)

// Bench is two hosts with a GPU each, 0 and 1, and a network under test between them.
type Bench struct {
	Engine *sim.Engine
	Hosts  *host.Hosts
	Pair   func(from, to int32) (qp int32) // adds a queue pair between the hosts' GPUs
	Build  func()                          // called when all are added
	Err    func() error                    // of the run
	Lanes  int                             // queue pairs of a way; 0: 1
}

// Suite tests that a network does what host.Network promises. open makes a new bench; large says that
// 5 GB will be sent, which few large frames carry in less time.
func Suite(t *testing.T, open func(t *testing.T, large bool) *Bench) {
	Small(t, func(t *testing.T) *Bench { return open(t, false) })
	Huge(t, func(t *testing.T) *Bench { return open(t, true) })
}

// Huge is the part of the suite that sends 5 GB: numbers of bytes do not fit 32 bits.
func Huge(t *testing.T, open func(t *testing.T) *Bench) {
	t.Run("huge", func(t *testing.T) { huge(t, newScene(t, open(t))) })
}

// Small is all of the suite but Huge.
func Small(t *testing.T, open func(t *testing.T) *Bench) {
	for name, test := range map[string]func(*testing.T, *scene){
		"order":         order,
		"two ways":      twoWays,
		"credits":       credits,
		"empty":         empty,
		"protocol":      protocol,
		"never at once": answers,
	} {
		t.Run(name, func(t *testing.T) { test(t, newScene(t, open(t))) })
	}
}

// scene is two ranks that do as they are told, joined by a queue pair each way.
type scene struct {
	*Bench
	t      *testing.T
	job    *host.Job
	ranks  [2]*actor
	memory [2][]byte
}

// actor is a rank that writes down what it is told, with the time.
type actor struct {
	s        *scene
	id       int32
	start    func() // what it does first
	inside   bool   // a call of the network
	received []received
	acked    []unit.Time
	placed   []unit.Time // as acknowledgements say
	credits  []credit
	onGet    func(what exec.Arrival)
}

type received struct {
	at   unit.Time
	what exec.Arrival
	sent unit.Time
}

type credit struct {
	at   unit.Time
	coll int32
}

func (a *actor) Start(unit.Time) {
	if a.start != nil {
		a.start()
	}
}

func (a *actor) Done(unit.Time, exec.Token) {}

// inlet and outlet are what an actor calls the two ends of its ways.
const inlet, outlet = 3, 5

func (a *actor) Inlet(from exec.Conn) int32 {
	if want := (exec.Conn{Peer: 1 - a.id}); from != want {
		a.s.t.Errorf("rank %d: asked for the inlet of %+v, want %+v", a.id, from, want)
	}
	return inlet
}

func (a *actor) Outlet(to exec.Conn) int32 {
	if want := (exec.Conn{Peer: 1 - a.id}); to != want {
		a.s.t.Errorf("rank %d: asked for the outlet of %+v, want %+v", a.id, to, want)
	}
	return outlet
}

func (a *actor) Received(now unit.Time, from int32, what exec.Arrival, tr *exec.Trace) {
	a.outside()
	if from != inlet {
		a.s.t.Errorf("rank %d: received by inlet %d, want %d", a.id, from, inlet)
	}
	a.checkTrace(tr, now)
	a.received = append(a.received, received{now, what, tr.Posted})
	if a.onGet != nil {
		a.onGet(what)
	}
}

func (a *actor) Acked(now unit.Time, to int32, tr *exec.Trace) {
	a.outside()
	if to != outlet {
		a.s.t.Errorf("rank %d: acknowledged by outlet %d, want %d", a.id, to, outlet)
	}
	a.checkTrace(tr, now)
	a.acked = append(a.acked, now)
	a.placed = append(a.placed, tr.Posted)
}

func (a *actor) Credited(now unit.Time, to, coll int32) {
	a.outside()
	if to != outlet {
		a.s.t.Errorf("rank %d: credits by outlet %d, want %d", a.id, to, outlet)
	}
	a.credits = append(a.credits, credit{now, coll})
}

// outside reports a completion inside a call.
func (a *actor) outside() {
	if a.s.ranks[0].inside || a.s.ranks[1].inside {
		a.s.t.Errorf("rank %d is told something inside a call of Post or Credit", a.id)
	}
}

// checkTrace holds a trace to its invariant: segments without gaps from Posted to Placed.
func (a *actor) checkTrace(tr *exec.Trace, now unit.Time) {
	if tr.Placed != now {
		a.s.t.Errorf("rank %d: told at %v of what was at %v", a.id, now, tr.Placed)
	}
	at := tr.Posted
	for _, g := range tr.Segments {
		if g.Until <= at {
			a.s.t.Errorf("rank %d: segments %+v after %v", a.id, tr.Segments, tr.Posted)
			return
		}
		at = g.Until
	}
	if at != tr.Placed {
		a.s.t.Errorf("rank %d: segments end at %v, want %v", a.id, at, tr.Placed)
	}
}

// areaBytes is the memory of a rank: the first half is what it sends, the second where it receives.
const areaBytes = 4 << 20

// Bytes implements exec.Memory.
func (s *scene) Bytes(rank int32, r exec.Ref) []byte { return s.memory[rank][r.Off : r.Off+r.Len] }

func newScene(t *testing.T, b *Bench) *scene {
	s := &scene{Bench: b, t: t, job: b.Hosts.AddJob()}
	s.job.SetMemory(s)
	rng := sim.NewStream(1, "bytes", 0)
	for i := range int32(2) {
		s.job.AddRank(i, 0)
		s.ranks[i] = &actor{s: s, id: i}
		s.memory[i] = make([]byte, areaBytes)
		for k := range areaBytes / 2 {
			s.memory[i][k] = byte(rng.Uint32())
		}
	}
	for i := range int32(2) {
		var qps []int32
		for range max(1, b.Lanes) {
			qps = append(qps, b.Pair(i, 1-i))
		}
		s.job.Connect(exec.Way{Src: i, Dst: 1 - i}, qps...)
		s.job.SetRank(i, s.ranks[i], 0)
	}
	b.Build()
	return s
}

func (s *scene) run() {
	s.t.Helper()
	s.Engine.Run()
	if err := s.Err(); err != nil {
		s.t.Fatal(err)
	}
}

// post sends so many bytes to the other rank. On the wire they are as many, or as wire says.
func (a *actor) post(step int64, coll int32, off, size int64, wire exec.Wire) {
	if wire.Bytes == 0 {
		wire.Bytes = unit.Bytes(size)
	}
	a.inside = true
	way := exec.Way{Src: a.id, Dst: 1 - a.id}
	a.s.job.Post(&exec.Message{Way: way, Via: a.s.job.Open(way), Bytes: unit.Bytes(size), Wire: wire, Step: step,
		Coll: coll, From: exec.Ref{Off: off, Len: size}, To: exec.Ref{Off: areaBytes/2 + off, Len: size}})
	a.inside = false
}

func (a *actor) credit(coll int32) {
	a.inside = true
	a.s.job.Credit(a.s.job.Open(exec.Way{Src: 1 - a.id, Dst: a.id}), coll)
	a.inside = false
}

// check holds what a rank received, and what the other heard of it, against the steps of the
// messages in the order in which they were posted.
func (s *scene) check(to int, steps []int64) {
	s.t.Helper()
	a, from := s.ranks[to], s.ranks[1-to]
	var got []int64
	for i, r := range a.received {
		got = append(got, r.what.Step)
		if i > 0 && r.at < a.received[i-1].at {
			s.t.Errorf("message %d is received at %v, the one before it at %v", i, r.at, a.received[i-1].at)
		}
		if i < len(from.acked) && from.acked[i] < from.placed[i] {
			s.t.Errorf("message %d is acknowledged at %v, placed at %v", i, from.acked[i], from.placed[i])
		}
	}
	if !slices.Equal(got, steps) {
		s.t.Errorf("rank %d received %v, want %v", to, got, steps)
	}
	if len(from.acked) != len(steps) {
		s.t.Errorf("rank %d heard of %d acknowledgements, want %d", 1-to, len(from.acked), len(steps))
	}
}

// sameBytes compares what a rank received with what the other sent.
func (s *scene) sameBytes(to int, off, size int64) {
	s.t.Helper()
	got := s.memory[to][areaBytes/2+off : areaBytes/2+off+size]
	if !bytes.Equal(got, s.memory[1-to][off:off+size]) {
		s.t.Errorf("rank %d: bytes %d to %d are not those that were sent", to, off, off+size)
	}
}

// order: messages of one way are received as they were posted, though some are large and some small,
// and though those of one protocol are there later after their bytes than those of another.
func order(t *testing.T, s *scene) {
	var steps []int64
	s.ranks[0].start = func() {
		off := int64(0)
		for i := range int64(40) {
			size, wire := 1+i*i*37%50_000, exec.Wire{}
			if i/4%2 == 0 {
				wire.Between = 20 * unit.Microsecond
			}
			s.ranks[0].post(i, int32(i/4), off, size, wire)
			steps, off = append(steps, i), off+size
		}
	}
	s.run()
	s.check(1, steps)
	late := false
	for i, r := range s.ranks[1].received {
		off, size := int64(0), int64(0)
		for k := range int64(i + 1) {
			off, size = off+size, 1+k*k*37%50_000
		}
		s.sameBytes(1, off, size)
		if r.what != (exec.Arrival{Bytes: unit.Bytes(size), Step: int64(i), Coll: int32(i / 4)}) {
			t.Errorf("message %d comes as %+v", i, r.what)
		}
		late = late || i > 0 && r.at == s.ranks[1].received[i-1].at
	}
	if !late {
		t.Error("no message waited for one before it: the test does not show that order is kept")
	}
}

// twoWays: both ranks send at once, and each answers each message.
func twoWays(t *testing.T, s *scene) {
	const n, size = 20, 30_000
	var steps []int64
	for _, a := range s.ranks {
		a.start = func() {
			for i := range int64(n) {
				a.post(i, 0, i*size, size, exec.Wire{})
			}
		}
		a.onGet = func(what exec.Arrival) {
			if what.Coll == 0 {
				a.post(n+what.Step, 1, (n+what.Step)*size, size, exec.Wire{})
			}
		}
	}
	for i := range int64(2 * n) {
		steps = append(steps, i)
	}
	s.run()
	for to := range s.ranks {
		s.check(to, steps)
		s.sameBytes(to, 0, 2*n*size)
	}
}

// credits: each credit comes once and after it was given, those of one collective in order, and beside
// messages both ways.
func credits(t *testing.T, s *scene) {
	var given []credit
	s.ranks[0].start = func() {
		for i := range int64(30) {
			s.ranks[0].post(i, int32(i%3), i*10_000, 10_000, exec.Wire{})
		}
	}
	s.ranks[1].onGet = func(what exec.Arrival) {
		at := s.ranks[1].received[len(s.ranks[1].received)-1].at
		given = append(given, credit{at, what.Coll})
		s.ranks[1].credit(what.Coll)
		if what.Coll == 2 { // two at one instant
			given = append(given, credit{at, 0})
			s.ranks[1].credit(0)
		}
	}
	s.run()
	for coll := range int32(3) {
		of := func(all []credit) (one []unit.Time) {
			for _, c := range all {
				if c.coll == coll {
					one = append(one, c.at)
				}
			}
			return one
		}
		gave, got := of(given), of(s.ranks[0].credits)
		if len(got) != len(gave) {
			t.Fatalf("collective %d: %d credits, want %d", coll, len(got), len(gave))
		}
		for i := range got {
			if got[i] <= gave[i] {
				t.Errorf("collective %d: credit %d comes at %v, given at %v", coll, i, got[i], gave[i])
			}
		}
	}
}

// empty: messages without bytes are messages.
func empty(_ *testing.T, s *scene) {
	s.ranks[0].start = func() {
		for i, size := range []int64{0, 0, 5000, 0} {
			s.ranks[0].post(int64(i), 0, 0, size, exec.Wire{})
		}
	}
	s.run()
	s.check(1, []int64{0, 1, 2, 3})
	s.sameBytes(1, 0, 5000)
}

// huge: more bytes than 32 bits count, in one message.
func huge(t *testing.T, s *scene) {
	const size = 5 << 30
	s.job.SetMemory(nil)
	s.ranks[0].start = func() {
		s.ranks[0].post(0, 0, 0, size, exec.Wire{})
		s.ranks[0].post(1, 0, 0, 1, exec.Wire{})
	}
	s.run()
	s.check(1, []int64{0, 1})
	if r := s.ranks[1].received; len(r) > 0 && r[0].what.Bytes != size {
		t.Errorf("a message of %d bytes comes as %v", int64(size), r[0].what.Bytes)
	}
}

// protocol: where a protocol makes more bytes of a message, all of the message's come, and no others.
func protocol(t *testing.T, s *scene) {
	const size = 12_345
	s.ranks[0].start = func() {
		s.ranks[0].post(0, 0, 0, size, exec.Wire{Bytes: 2 * size})
		s.ranks[0].post(1, 0, size, size, exec.Wire{Bytes: size*128/120 + 1})
	}
	s.run()
	s.check(1, []int64{0, 1})
	s.sameBytes(1, 0, 2*size)
	for i, b := range s.memory[1][areaBytes/2+2*size:] {
		if b != 0 {
			t.Fatalf("byte %d behind the messages is written", i)
		}
	}
}

// answers: a rank that posts when it is told something is not told more inside that call, and what
// it posts then goes behind what was posted before.
func answers(_ *testing.T, s *scene) {
	var steps []int64
	s.ranks[0].start = func() { s.ranks[0].post(0, 0, 0, 100, exec.Wire{}) }
	s.ranks[1].onGet = func(what exec.Arrival) { s.ranks[1].post(what.Step, 0, what.Step*100, 100, exec.Wire{}) }
	s.ranks[0].onGet = func(what exec.Arrival) {
		if next := what.Step + 1; next < 10 {
			s.ranks[0].post(next, 0, next*100, 100, exec.Wire{})
		}
	}
	for i := range int64(10) {
		steps = append(steps, i)
	}
	s.run()
	s.check(1, steps)
	s.check(0, steps)
	s.sameBytes(1, 0, 1000)
}
