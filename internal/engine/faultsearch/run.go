package faultsearch

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// maxEvents bounds a case: one that needs more does not come to an end.
const maxEvents = 30_000_000

// Run runs a case, once in one island and once in several on each number of workers, and returns the
// first violation. Events counts what it took.
func (c *Case) Run(workers ...int) (events int64, err error) {
	whole, err := c.run(1, 1)
	events = whole.events
	for i := 0; i < len(workers) && err == nil; i++ {
		parts := 2 + int(c.Number+uint64(i))%4
		split, e := c.run(parts, workers[i])
		events += split.events
		if err = e; err == nil {
			err = whole.differs(&split)
		}
		if err != nil {
			err = fmt.Errorf("in %d islands on %d workers: %w", parts, workers[i], err)
		}
	}
	return events, err
}

// outcome is what must not depend on the partition.
type outcome struct {
	events int64
	end    unit.Time
	failed string
	flows  []nic.Flow // in order of queue pair, then message
	ports  []fabric.PortStats
	steps  []exec.StepRecord // in order of rank, then step
	log    []fabric.Event    // of every other case, in order of time, port, then who tells
	pairs  []nic.Event       // likewise, of time, queue pair and end
	kept   int64             // steps that a job which started again did not run twice
}

// differs returns the first difference between two runs of a case.
func (o *outcome) differs(x *outcome) error {
	switch {
	case o.failed != x.failed:
		return fmt.Errorf("failure %q, in one island %q", x.failed, o.failed)
	case o.kept != x.kept:
		return fmt.Errorf("the job went on from step %d, in one island from %d", x.kept, o.kept)
	case o.end != x.end || o.events != x.events || len(o.flows) != len(x.flows) || len(o.steps) != len(x.steps):
		return fmt.Errorf("ends at %v after %d events, %d messages and %d steps; in one island at %v after %d, %d "+
			"and %d", x.end, x.events, len(x.flows), len(x.steps), o.end, o.events, len(o.flows), len(o.steps))
	}
	for i := range o.flows {
		if !reflect.DeepEqual(o.flows[i], x.flows[i]) {
			return fmt.Errorf("message %+v, in one island %+v", x.flows[i], o.flows[i])
		}
	}
	for i := range o.steps {
		if o.steps[i] != x.steps[i] {
			return fmt.Errorf("step %+v, in one island %+v", x.steps[i], o.steps[i])
		}
	}
	if i := unlike(o.log, x.log); i >= 0 {
		return fmt.Errorf("%d events of ports, in one island %d; the first that differs is number %d", len(x.log),
			len(o.log), i)
	}
	if i := unlike(o.pairs, x.pairs); i >= 0 {
		return fmt.Errorf("%d events of queue pairs, in one island %d; the first that differs is number %d", len(x.pairs),
			len(o.pairs), i)
	}
	for i := range o.ports {
		if o.ports[i] != x.ports[i] {
			return fmt.Errorf("port %d: %+v, in one island %+v", i, x.ports[i], o.ports[i])
		}
	}
	return nil
}

// unlike returns where two lists differ first, -1: nowhere.
func unlike[E comparable](a, b []E) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// run runs a case with its nodes put into islands in turn.
func (c *Case) run(islands, workers int) (o outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	islandOf := make([]int32, len(c.Graph.Nodes))
	for i := range islandOf {
		islandOf[i] = int32(i % islands)
	}
	sizes := make([]int, islands)
	for _, p := range c.Graph.Ports {
		sizes[islandOf[p.Node]]++
	}
	inTurn := workers == 1
	eng := sim.New(sizes, c.Fabric.Lookahead(c.Graph, islandOf, inTurn))
	if eng.SetWorkers(workers); inTurn {
		eng.RunInTurn()
	}
	fc, nc := c.Fabric, c.NIC
	log, pairs := make([][]fabric.Event, islands), make([][]nic.Event, islands)
	if c.Number%2 == 0 {
		fc.OnEvent = func(island int32, e fabric.Event) { log[island] = append(log[island], e) }
		nc.OnEvent = func(island int32, e nic.Event) { pairs[island] = append(pairs[island], e) }
	}
	fab, err := fabric.New(eng, c.Graph, fc, islandOf)
	if err != nil {
		return o, err
	}
	hosts := host.New(eng, c.Graph, c.Host, islandOf)
	net := nic.New(eng, fab, c.Graph, hosts, nc)
	w := &watch{c: c, eng: eng, fab: fab, hosts: hosts, net: net, islands: islands,
		heard: make([][]nic.Flow, islands)}
	net.OnFlow(w.flow)
	if err := w.post(); err != nil {
		return o, err
	}
	eng.OnWindow(func(unit.Time) { w.join() })
	eng.CheckEvery(997)
	eng.OnCheck(w.look)
	w.drive()
	w.join()
	if w.err == nil {
		w.err = w.end()
	}
	o = outcome{events: eng.Events(), end: eng.Now(), flows: w.flows}
	if net.Err() != nil {
		o.failed = net.Err().Error()
	}
	for id := range c.Graph.Ports {
		o.ports = append(o.ports, fab.Stats(eng.Now(), topo.PortID(id)))
	}
	slices.SortStableFunc(o.flows, func(a, b nic.Flow) int {
		return cmp.Or(cmp.Compare(a.QP, b.QP), cmp.Compare(a.Posted, b.Posted), cmp.Compare(a.Tag, b.Tag))
	})
	if w.job != nil {
		o.steps, o.kept = w.job.records(), w.job.done
	}
	o.log, o.pairs = slices.Concat(log...), slices.Concat(pairs...)
	slices.SortStableFunc(o.log, func(a, b fabric.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(fabric.EndOf(a.Port, a.Far()), fabric.EndOf(b.Port, b.Far())))
	})
	slices.SortStableFunc(o.pairs, func(a, b nic.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.QP, b.QP), cmp.Compare(a.Port, b.Port))
	})
	return o, w.err
}

// connect has a queue pair connected, where queue pairs are.
func (w *watch) connect(qp int32, at unit.Time) {
	if w.c.NIC.Setup.On {
		w.setUp = append(w.setUp, connection{qp, at})
	}
}

// connection is a queue pair that is to be connected.
type connection struct {
	qp int32
	at unit.Time
}

// connectAll begins to connect them.
func (w *watch) connectAll() {
	for _, x := range w.setUp {
		w.net.Connect(x.qp, x.at)
	}
	w.setUp = nil
}

// drive runs the case, with its job's abort, and closes queue pairs that were connected.
func (w *watch) drive() {
	w.play()
	if w.c.NIC.Setup.On && w.net.Err() == nil {
		for qp := range w.net.QueuePairs() {
			w.net.Disconnect(int32(qp), w.eng.Now()+1)
		}
		w.eng.Run()
	}
}

// play runs the case, with its job's abort.
func (w *watch) play() {
	if w.job == nil || w.job.Abort == 0 {
		w.eng.Run()
		return
	}
	if more, ok := w.eng.RunUntil(w.job.Abort); !more || !ok {
		return // it is over by then
	}
	next, err := w.job.again(w)
	if err != nil {
		w.fail("%v", err)
		return
	}
	w.job = next
	w.eng.Run()
}

// watch looks at a running case.
type watch struct {
	c     *Case
	eng   *sim.Engine
	fab   *fabric.Fabric
	hosts *host.Hosts
	net   *nic.Net
	data  [][2][]byte // by flow: sent, received
	seen  unit.Time
	left  int64
	err   error

	islands int
	heard   [][]nic.Flow // by island, in the window in progress
	flows   []nic.Flow
	job     *job // nil: explicit flows alone
	setUp   []connection
}

func (w *watch) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// post plans the flows; their bytes tell where they belong.
func (w *watch) post() (err error) {
	routes := topo.NewRoutes(w.c.Graph)
	for i, f := range w.c.Flows {
		choose := func(_ topo.NodeID, n int) int { return (i + int(w.c.Number)) % n }
		path, err := routes.Path(f.From, f.To, choose)
		if err != nil {
			return err
		}
		back, err := routes.Path(f.To, f.From, choose)
		if err != nil {
			return err
		}
		gpu := int32(i%2) - 1 // with and without a host path
		chosen := w.c.Method != ""
		qp := w.net.AddQP(nic.QueuePair{Name: fmt.Sprintf("flow%d", i), From: f.From, To: f.To, FromGPU: gpu,
			ToGPU: gpu, Path: path, Back: back, Chosen: chosen, ChosenBack: chosen && i%4 != 0, Class: f.Class,
			Log: i%3 == 0})
		from, to := make([]byte, f.Bytes), make([]byte, f.Bytes)
		r := sim.NewStream(w.c.Number, "bytes", uint64(i))
		for k := range from {
			from[k] = byte(r.Uint32())
		}
		w.data = append(w.data, [2][]byte{from, to})
		w.connect(qp, f.Start)
		w.hosts.AddFlow(w.c.Graph.NICs[f.From].Host, host.FlowSpec{QP: qp, Start: f.Start, Bytes: f.Bytes, Count: f.Count,
			Every: 5 * unit.Microsecond, From: from, To: to})
		w.left += f.Count
	}
	if w.c.Job != nil {
		if w.job, err = newJob(w, routes, nil); err != nil {
			return err
		}
	}
	w.net.Build(func(int32) unit.Duration { return 10 * unit.Microsecond })
	w.connectAll()
	if w.job != nil {
		w.job.start(0)
	}
	return nil
}

// look checks what must hold at any time.
func (w *watch) look() bool {
	if now := w.eng.Now(); now < w.seen && w.islands == 1 {
		w.fail("time ran backwards from %v to %v", w.seen, now)
	} else {
		w.seen = now
	}
	if err := w.fab.Check(); err != nil {
		w.fail("%v", err)
	}
	if w.eng.Events() > maxEvents {
		w.fail("no end after %d events, at %v", w.eng.Events(), w.eng.Now())
	}
	return w.err == nil
}

// flow keeps a message that has been acknowledged.
func (w *watch) flow(island int32, f *nic.Flow) {
	keep := *f
	keep.Hops = slices.Clone(f.Hops)
	if f.Message != nil {
		keep.Message = new(*f.Message)
	}
	w.heard[island] = append(w.heard[island], keep)
}

// join checks what was acknowledged in a window.
func (w *watch) join() {
	for i := range w.heard {
		for k := range w.heard[i] {
			w.acknowledged(&w.heard[i][k])
		}
		w.heard[i] = w.heard[i][:0]
	}
}

// acknowledged checks a message.
func (w *watch) acknowledged(f *nic.Flow) {
	w.flows = append(w.flows, *f)
	w.flows[len(w.flows)-1].Message = nil
	if f.Message == nil {
		w.left--
	}
	switch {
	case f.Placed < f.Posted:
		w.fail("%s: acknowledged at %v but placed at %v", w.net.Name(f.QP), f.Acked, f.Placed)
	case f.Split.Sum() != f.Placed.Sub(f.Posted):
		w.fail("%s: causes sum to %v, it took %v: %v", w.net.Name(f.QP), f.Split.Sum(), f.Placed.Sub(f.Posted), f.Split)
	case f.Message == nil && !bytes.Equal(w.data[f.QP][0], w.data[f.QP][1]):
		w.fail("%s: bytes differ after it was acknowledged", w.net.Name(f.QP))
	}
	for c, d := range f.Split {
		if d < 0 {
			w.fail("%s: cause %d is negative: %v", w.net.Name(f.QP), c, f.Split)
		}
	}
}

// end checks what must hold when no event is left.
func (w *watch) end() error {
	if !w.look() {
		return w.err
	}
	failed := w.net.Err() != nil
	if failed && !w.c.Lossy && w.c.calm() {
		return fmt.Errorf("failed though nothing was lost: %w", w.net.Err())
	}
	if w.left > 0 && !failed {
		return fmt.Errorf("%d messages stuck at %v", w.left, w.eng.Now())
	}
	if _, all := w.net.Disconnected(); !all && !failed && !w.c.Lossy {
		return fmt.Errorf("a queue pair was not closed though nothing was lost")
	}
	if w.job != nil && !failed {
		if err := w.job.check(); err != nil {
			return err
		}
	}
	drops := int64(0)
	for id := range w.c.Graph.Ports {
		for class := range w.fab.Classes() {
			if q := w.fab.Waiting(topo.PortID(id), class); q > 0 && !failed {
				return fmt.Errorf("%v left in queue %s class %d", q, w.c.Graph.Ports[id].Name, class)
			}
		}
		drops += w.fab.LosslessDrops(topo.PortID(id))
	}
	if drops > 0 && w.c.keepsPauses() {
		return fmt.Errorf("%d drops in a lossless class", drops)
	}
	return nil
}

// keepsPauses reports whether nothing is dropped under PFC. Headroom is for links that carry no more than their rate
// and whose pauses neither get lost nor are forgotten, and not for the frame that crosses xOFF.
func (c *Case) keepsPauses() bool {
	f := c.Fabric.Faults
	return !c.Mixed && c.Fabric.Watchdog == nil && !c.Fabric.Buffer.CrossingInHeadroom &&
		(f == nil || !f.PFC && f.Duplicate.Num == 0 && len(f.Downs)+len(f.Settings)+len(f.Leaks) == 0)
}

// calm reports whether nothing can delay an acknowledgement past the timeouts for long: then a
// queue pair has no reason to fail.
func (c *Case) calm() bool {
	return c.NIC.Transport.Retries >= 1000 && (c.Fabric.Faults == nil || len(c.Fabric.Faults.Storms) == 0)
}
