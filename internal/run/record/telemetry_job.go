package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// What a GPU of 700 W draws, in mW: with nothing to do, in a kernel of NCCL that waits or copies, and in one that computes.
// Assumed: the order of what an H100 shows.
const (
	idlePower    = 90_000
	waitingPower = 250_000
	fullPower    = 650_000
)

// worked is when a GPU computed and when it was in a collective.
type worked struct{ compute, comm []stretch }

type stretch struct{ from, until unit.Time }

// watchOperation notes what a rank has done.
func (j *Job) watchOperation(p *exec.OperationRecord, op *workload.Op) {
	w := &j.r.watch
	if w.table == nil {
		return
	}
	at := j.plan.Placement.Ranks[p.Rank]
	k := gpu{at.Host, at.GPU}
	of := w.gpus[k]
	if of == nil {
		of = &worked{}
		w.gpus[k] = of
	}
	switch op.Kind {
	case workload.Compute:
		of.compute = append(of.compute, stretch{p.Start, p.End})
	case workload.Communication:
		of.comm = append(of.comm, stretch{p.Start, p.End})
		j.watchPart(p.Rank, op.Coll, p.Start, p.End, true)
	}
}

// watchPart writes a rank's part in a collective. ended: it has, and the next one has the next number.
func (j *Job) watchPart(rank, c int32, start, end unit.Time, ended bool) {
	of := &j.plan.Work.Collectives[c]
	m := member{j.base, of.Group, rank}
	row := j.watchRow(telemetry.Collective, rank, start)
	row.Comm, row.Seq = j.communicator(of.Group), j.r.watch.seqs[m]
	row.Op, row.Bytes, row.End = opOf(of.Schedule).String(), of.Bytes(), end
	if of.Schedule == nil {
		row.Op = coll.AllReduce.String()
	}
	if ended {
		j.r.watch.seqs[m]++
	}
	j.r.watch.table.Add(row)
}

// communicator names a communicator as NCCL does, by a number that looks drawn. (Mixed, 0 stays 0, and 0x0 is none.)
func (j *Job) communicator(group int32) string {
	return fmt.Sprintf("0x%012x", splitmix.Mix(uint64(j.base)<<32+uint64(uint32(group))+1)&0xffff_ffff_ffff)
}

// watchRow is a row of a rank.
func (j *Job) watchRow(k telemetry.Kind, rank int32, at unit.Time) telemetry.Row {
	p := j.plan.Placement.Ranks[rank]
	row := telemetry.NewRow(k, j.r.plan.Graph.Hosts[p.Host].Name, fmt.Sprintf("gpu%d", p.GPU), at)
	row.Rank = rank
	return row
}

// watchStep writes a step of a rank.
func (j *Job) watchStep(s *exec.StepRecord) {
	if j.r.watch.table == nil || s.Step == workload.StartStep {
		return
	}
	row := j.watchRow(telemetry.Step, s.Rank, s.Start)
	row.Seq, row.End = int64(j.life.step(s.Step)), s.End
	j.r.watch.table.Add(row)
}

// watchAbort writes what NCCL says as a job ends: of a queue pair that gave up, or by its watchdog.
func (j *Job) watchAbort(at unit.Time, ranks []Standing, gaveUp int32, peer string) {
	w := &j.r.watch
	if w.table == nil {
		return
	}
	if gaveUp >= 0 {
		n := &j.r.plan.Graph.NICs[j.r.plan.Pairs[gaveUp].From]
		j.r.watch.line(at, j.r.plan.Graph.Hosts[n.Host].Name, j.r.plan.Graph.Ports[n.Port].Name,
			"NCCL WARN NET/IB: Got completion from peer %s with status=12 (retry exceeded)", peer)
	}
	for i, s := range ranks {
		if !s.In {
			continue
		}
		j.watchPart(int32(i), s.Coll, s.Since, telemetry.Unknown, false)
		j.watchSpinning(int32(i), s.Since, at)
		if gaveUp < 0 {
			row := j.watchRow(telemetry.Line, int32(i), at)
			row.Port, row.Text = "", fmt.Sprintf("[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, "+
				"Timeout(ms)=%d)", i, w.seqs[member{j.base, j.plan.Work.Collectives[s.Coll].Group, int32(i)}],
				at.Sub(s.Since)/unit.Millisecond)
			w.table.Add(row)
		}
	}
}

// watchSpinning notes that the kernel of a collective that has not ended spins on its GPU, until that stands still.
func (j *Job) watchSpinning(rank int32, since, at unit.Time) {
	p := j.plan.Placement.Ranks[rank]
	for _, f := range j.r.plan.Faults.GPUs {
		if f.Host == p.Host && f.GPU.GPU == p.GPU && f.Factor.Num == 0 && f.From < at {
			at = max(since, f.From)
		}
	}
	k := gpu{p.Host, p.GPU}
	of := j.r.watch.gpus[k]
	if of == nil {
		of = &worked{}
		j.r.watch.gpus[k] = of
	}
	of.comm = append(of.comm, stretch{since, at})
}

// line writes a line of a device's log.
func (w *watch) line(at unit.Time, device, port, format string, args ...any) {
	row := telemetry.NewRow(telemetry.Line, device, port, at)
	row.Text = fmt.Sprintf(format, args...)
	w.table.Add(row)
}

// staticLines writes what is known before the run of what logs will say: links, sessions over them, and how NCCL sends.
func (w *watch) staticLines(jobs []*Job) {
	p := w.plan
	if f := p.Faults.Fabric; f != nil {
		for _, d := range f.Downs {
			for _, id := range []topo.PortID{topo.PortID(2 * d.Link), topo.PortID(2*d.Link + 1)} {
				w.linkLine(d.From, id, "down")
				w.linkLine(d.Until, id, "up")
			}
		}
	}
	for i := range p.Scenario.Faults {
		f := &p.Scenario.Faults[i]
		if !f.Down.Set || !f.Convergence.Set || f.Convergence.Value >= f.Down.Value {
			continue
		}
		for _, l := range p.Faults.Entries[i].Links {
			for _, begin := range f.Begins() {
				w.sessionLine(begin.Add(f.Convergence.Value), l)
			}
		}
	}
	for _, j := range jobs {
		j.channelLines()
	}
}

func (w *watch) linkLine(at unit.Time, id topo.PortID, state string) {
	port := &w.plan.Graph.Ports[id]
	node := &w.plan.Graph.Nodes[port.Node]
	if node.Kind == topo.HostKind {
		w.line(at, node.Name, port.Name, "mlx5_core: %s: Link %s", port.Name, state)
		return
	}
	w.line(at, node.Name, port.Name, "Set operation status %s: %s", state, port.Name)
}

// sessionLine writes that BGP, which names a neighbour by the interface, has found out.
func (w *watch) sessionLine(at unit.Time, l topo.LinkID) {
	g := w.plan.Graph
	for _, id := range []topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)} {
		port := &g.Ports[id]
		if g.Nodes[port.Node].Kind != topo.HostKind && g.Nodes[port.To].Kind != topo.HostKind {
			w.line(at, g.Nodes[port.Node].Name, port.Name, "%%ADJCHANGE: neighbor %s(%s) Down",
				strings.TrimPrefix(port.Name, g.Nodes[port.Node].Name+"/"), g.Nodes[port.To].Name)
		}
	}
}

// channelLines writes how each rank sends to other hosts: by GPUDirect RDMA, or by host memory where a host has no peer
// memory.
func (j *Job) channelLines() {
	p := j.r.plan
	if j.plan.Work == nil {
		return
	}
	told := map[int32]bool{}
	for i := range j.plan.Links {
		l := &j.plan.Links[i]
		if l.Pair < 0 || told[l.Src] {
			continue
		}
		told[l.Src] = true
		at, gdr := j.plan.Placement.Ranks[l.Src], "/GDRDMA"
		if j.r.watch.staged(at.Host) {
			gdr = ""
		}
		row := j.watchRow(telemetry.Line, l.Src, unit.Time(j.plan.Spec.Start))
		row.Text = fmt.Sprintf("NCCL INFO Channel 00/0 : %d[%d] -> %d[%d] [send] via NET/IB/%s%s", l.Src, at.GPU, l.Dst,
			j.plan.Placement.Ranks[l.Dst].GPU, strings.TrimPrefix(p.Graph.NICName(p.Pairs[l.Pair].From),
				p.Graph.Hosts[at.Host].Name+"/"), gdr)
		j.r.watch.table.Add(row)
	}
}

// staged reports whether a host has no peer memory as jobs begin.
func (w *watch) staged(host int32) bool {
	for i := range w.plan.Scenario.Faults {
		if f := &w.plan.Scenario.Faults[i]; f.Staged && slices.Contains(w.plan.Faults.Entries[i].Hosts, host) {
			return true
		}
	}
	return false
}

// finish reads all devices once more, and says what GPUs did.
func (w *watch) finish(now unit.Time, all []*Job) {
	if w.table == nil {
		return
	}
	for id := range w.plan.Graph.Nodes {
		w.readNode(now, topo.NodeID(id))
	}
	jobs := map[gpu]*worked{}
	for _, j := range all {
		for i := range j.plan.Placement.Ranks {
			at := j.plan.Placement.Ranks[i]
			jobs[gpu{at.Host, at.GPU}] = w.gpus[gpu{at.Host, at.GPU}]
		}
	}
	keys := slices.SortedFunc(maps.Keys(jobs), func(a, b gpu) int { return int(a.host-b.host)*1024 + int(a.gpu-b.gpu) })
	for _, k := range keys {
		w.readGPU(now, k, jobs[k])
	}
}

// readGPU writes a GPU's rows of all intervals.
func (w *watch) readGPU(now unit.Time, k gpu, of *worked) {
	host := &w.plan.Graph.Hosts[k.host]
	if of == nil {
		of = &worked{}
	}
	late := w.every * unit.Duration(splitmix.Mix(uint64(host.Node))%slots) / lateness
	compute, all := merged(of.compute), merged(slices.Concat(of.compute, of.comm))
	from := unit.Time(0)
	for i, at := 0, unit.Time(0).Add(late); ; i++ {
		last := at >= now || i >= mostWritten
		if last {
			at = now
		}
		if whole := at.Sub(from); whole > 0 {
			c, a := within(&compute, from, at), within(&all, from, at)
			row := telemetry.NewRow(telemetry.GPU, host.Name, fmt.Sprintf("gpu%d", k.gpu), at)
			row.Utilisation = int64(100 * float64(a) / float64(whole))
			row.Power = idlePower + int64((fullPower-waitingPower)*(float64(c)/float64(whole))) +
				int64((waitingPower-idlePower)*(float64(a)/float64(whole)))
			w.table.Add(row)
		}
		if last {
			return
		}
		from, at = at, at.Add(w.every)
	}
}

// merged joins stretches that overlap, in order.
func merged(all []stretch) (out []stretch) {
	slices.SortFunc(all, func(a, b stretch) int {
		if a.from < b.from {
			return -1
		} else if a.from > b.from {
			return 1
		}
		return 0
	})
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].until {
			out[n-1].until = max(out[n-1].until, s.until)
			continue
		}
		out = append(out, s)
	}
	return out
}

// within is how much of a time stretches fill; those that end before it are taken off.
func within(all *[]stretch, from, until unit.Time) (sum unit.Duration) {
	for len(*all) > 0 && (*all)[0].until <= from {
		*all = (*all)[1:]
	}
	for _, s := range *all {
		if s.from >= until {
			break
		}
		sum += min(s.until, until).Sub(max(s.from, from))
	}
	return sum
}
