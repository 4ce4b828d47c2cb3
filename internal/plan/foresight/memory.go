package foresight

import (
	"math"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// What a run takes in memory, measured on 64-bit Linux with tools/forecast: sizes of the engine's
// own values, with what the runtime adds to them (see machine.Collect).
const (
	baseMemory    = 59 * unit.Megabyte // the program, and tables without a row
	portMemory    = 3 * unit.Kilobyte  // a port with its queues and rings, names, counters
	pairMemory    = 3200 * unit.Byte   // a queue pair: both halves, its controller, first messages, paths
	flowMemory    = 13 * unit.Kilobyte // an explicit flow beside that: names, rows of it and of the ports that it uses
	linkMemory    = 600 * unit.Byte    // a connection of two ranks
	messageMemory = 640 * unit.Byte    // a message that is posted and not acknowledged
	rowMemory     = 100 * unit.Byte    // a row that a table gathers,
	stepMemory    = 200 * unit.Byte    // of steps,
	flowRowMemory = 440 * unit.Byte    // of flows
	opMemory      = 900 * unit.Byte    // an operation of a large model's program, with its state,
	againMemory   = 500 * unit.Byte    // of one that differs from another in its collectives alone,
	collMemory    = 400 * unit.Byte    // and a collective
	packMemory    = 16 * unit.Megabyte // what packs tables of many rows
	manyRows      = 8192
	traceMemory   = 36 * unit.Byte     // an operation of a step whose critical path may be found,
	tracedMemory  = 64 * unit.Byte     // more of one that is simulated: its message,
	spanMemory    = 24 * unit.Byte     // and a span of what held that up over the network
	packetSpans   = 2                  // of a packet of a long message: it waits, and is sent
	mostSpans     = 1024               // of a message: nic keeps no more
	chunkMemory   = 256 * unit.Byte    // frames on a link lie in chunks,
	chunkFrames   = 7                  // of so many;
	chunksEach    = 4                  // for each that has frames islands keep some that are free
	islandMemory  = 24 * unit.Kilobyte // an island's wheel, lists and what it keeps free
)

// IslandPorts is from how many ports on a network is cut into islands, on one core too.
const IslandPorts = 1 << 9

// Garbage is how much the runtime may leave uncollected, in percent of what is in use.
const Garbage = 25

// memory estimates the most memory that the run holds at one time.
// steps and data are by job. So much of it is simulated, all of it is 1.
func memory(p *plan.Plan, steps []int64, data []dataset.Size, job unit.Duration, simulated float64) unit.Bytes {
	sum, large := int64(baseMemory), int64(0) // what is large is in use all the time; the constants hold their garbage
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if !sameImages(p, i) {
			large = add(large, data[i].Bytes())
		}
		large = add(large, tensorMemory(j))
		sum = add(sum, mul(steps[i], 8*int64(j.Ranks()+1))) // a loss for each rank, the step's time
		sum = add(sum, int64(len(j.Links))*int64(linkMemory))
		sum = add(sum, pathMemory(p, j, steps[i], simulated))
		sum = add(sum, heldMemory(p, j))
		if j.Shape == nil { // else opMemory holds it
			large = add(large, stateMemory(j))
		} else {
			own, again := j.Work.OpsKept()
			sum = add(sum, add(mul(own, int64(opMemory)), mul(again, int64(againMemory))))
			sum = add(sum, mul(int64(len(j.Work.Collectives)), int64(collMemory)))
		}
	}
	sum = add(sum, add(large, large/100*Garbage))
	sum = add(sum, int64(len(p.Graph.Ports))*int64(portMemory))
	sum = add(sum, int64(len(p.Pairs))*int64(pairMemory))
	for i := range p.Pairs {
		if p.Pairs[i].Flow != nil {
			sum = add(sum, int64(flowMemory))
		}
	}
	sum = add(sum, mul(waiting(p, job), int64(messageMemory)))
	sum = add(sum, int64(p.Files.Bytes()))
	return unit.Bytes(add(sum, int64(tableMemory(p, steps, job))))
}

// engineMemory is what the engine takes beside its ports, in a run of so many packet-hops: islands, and
// frames on the links that queue pairs use.
func engineMemory(p *plan.Plan, hops int64) unit.Bytes {
	sum := int64(0)
	if len(p.Graph.Ports) >= IslandPorts {
		for i := range p.Graph.Nodes {
			if p.Graph.Nodes[i].Kind != topo.HostKind {
				sum += int64(islandMemory)
			}
		}
	}
	fc := p.FabricConfig()
	used := make([]bool, len(p.Graph.Ports))
	chunks := int64(0)
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if !q.Enabled() {
			continue
		}
		for _, path := range [][]topo.PortID{q.Path, q.Back} {
			for _, id := range path {
				if used[id] {
					continue
				}
				used[id] = true
				at := &p.Graph.Ports[id]
				frames := at.Rate.BytesIn(at.Delay+fc.SwitchLatency) / max(fc.LargestFrame, 1)
				chunks = add(chunks, 1+int64(frames)/chunkFrames)
			}
		}
	}
	return unit.Bytes(add(sum, mul(min(chunks, hops), int64(chunksEach*chunkMemory))))
}

// sameImages reports whether an earlier job has the images of job i: they are read once.
func sameImages(p *plan.Plan, i int) bool {
	t := p.Jobs[i].Spec.Train
	return t != nil && slices.ContainsFunc(p.Jobs[:i], func(j plan.Job) bool {
		return j.Spec.Train != nil && j.Spec.Train.Data.Key() == t.Data.Key()
	})
}

// stateMemory is how ranks stand in their operations, collectives and channels.
func stateMemory(j *plan.Job) (sum int64) {
	if j.Work == nil {
		return 0
	}
	each := make([]int64, len(j.Work.Programs))
	for i := range each {
		program := &j.Work.Programs[i]
		for _, ops := range [][]workload.Op{program.Ops, program.Start} {
			each[i] = add(each[i], exec.StateSize(j.Work, ops))
		}
	}
	for _, program := range j.Work.Of {
		sum = add(sum, each[program])
	}
	return sum
}

// pathMemory is what finding critical paths keeps: of each operation what happened when, of each message the spans that held it up
// over the network. Messages that are told again have those of the one that was simulated.
func pathMemory(p *plan.Plan, j *plan.Job, steps int64, simulated float64) int64 {
	kept := pathOperations(j, steps)
	if kept == 0 {
		return 0
	}
	spans, messages := int64(0), int64(0)
	eachTraffic(j, func(_ int, l *plan.RankLink, t traffic) {
		if l.Pair >= 0 && t.messages > 0 {
			packets := packets(p, ceil(t.bytes, t.messages))
			messages = add(messages, t.messages)
			spans = add(spans, mul(t.messages, min(mul(packetSpans, packets), mostSpans)))
		}
	})
	of := float64(1) // of a step
	if all := scheduled(j); kept >= all {
		steps = kept / all
	} else { // the last collectives of a benchmark
		steps, of = 1, float64(kept)/float64(all)
	}
	spans = int64(of * float64(spans))
	if spans > exec.MostSegments { // those that messages share count, too; what comes then are totals
		spans = add(exec.MostSegments, mul(messages, 2*int64(cause.Count)))
	}
	spans = int64(simulated * float64(spans))
	each := int64(traceMemory) + int64(simulated*float64(tracedMemory))
	return add(mul(kept, each), mul(steps, mul(spans, int64(spanMemory))))
}

// tensorMemory is what the ranks' buffers, what they save between forward and backward, and staging
// take, and the state after the last step.
func tensorMemory(j *plan.Job) int64 {
	if j.Model == nil {
		return 0
	}
	each := make([]int64, len(j.Work.Programs)) // ranks with one program have as much
	for rank, p := range j.Work.Of {
		if each[p] == 0 {
			each[p] = rankMemory(j, int32(rank))
		}
	}
	kept := int64(1+len(j.Optimiser.State())) * int64(j.Model.Params())
	sum := mul(4, kept)
	for _, p := range j.Work.Of {
		sum = add(sum, each[p])
	}
	if drifts(j) {
		sum = add(sum, oneRankMemory(j))
	}
	return sum
}

// oneRankMemory is what one rank has that the weights are compared with: parameters, gradients, the
// optimiser's state, and of a global batch the values between layers, their gradients and what layers save.
func oneRankMemory(j *plan.Job) int64 {
	vectors, row := int64(2+len(j.Optimiser.State())), int64(4*j.Model.Inputs())
	for l := range j.Model.Layers() {
		layer := j.Model.Layer(l, nn.Portable)
		c := layer.Cost()
		row += int64(2*4*layer.Out() + 4*c.Saved + c.Notes)
	}
	global := int64(j.Spec.Train.Batch) * int64(j.Replicas())
	return add(mul(4*vectors, int64(j.Model.Params())), mul(global, row))
}

// rankMemory is what a rank has: its tensors, and what only this process keeps beside them. Of staging
// it is what holds messages at one time; that of the start phase is let go of before steps begin.
func rankMemory(j *plan.Job, rank int32) int64 {
	p, m := j.Work.Program(rank), j.Work.Memory(rank)
	sum := int64(m.All() - m[workload.StagingData] - m[workload.StagingTensor] - m[workload.StagingExpert] - m[workload.StagingPipeline])
	if t := j.Spec.Train; t.Prefetch {
		sum = add(sum, 2*4*int64(t.Batch)*int64(j.Model.Inputs()+j.Model.Targets()))
	}
	sum = add(sum, max(pageMemory(j, rank, p.Ops), pageMemory(j, rank, p.Start)))
	sum = add(sum, mul(4, train.Views(j.Work, p)))
	type slot struct{ layer, slot int }
	noted := map[slot]bool{}
	for i := range p.Ops {
		if p.Ops[i].Body < 0 {
			continue
		}
		w := &j.Work.Bodies[p.Ops[i].Body]
		if at := (slot{w.Layer, w.Slot}); w.Work == workload.Forward && !noted[at] {
			noted[at] = true
			sum = add(sum, mul(int64(j.Work.Training.Rows()), train.Notes(j.Model, j.Work.Training, w.Layer)))
		}
	}
	return sum
}

// flightEach is how many messages of a sender lie in staging at one time: one is read while the next
// comes. A sender is further ahead only where a schedule lets it.
const flightEach = 2

// pageMemory is the slots of staging that hold messages at one time, of the collectives that operations
// run: each keeps the memory of its own.
func pageMemory(j *plan.Job, rank int32, ops []workload.Op) (sum int64) {
	counted := map[int32]bool{}
	var to []coll.Traffic
	for i := range ops {
		id := ops[i].Coll
		if id < 0 || counted[id] {
			continue
		}
		counted[id] = true
		c := &j.Work.Collectives[id]
		slots := int64(c.Schedule.Slots())
		if !coll.NeedsCredit(c.Schedule) {
			to = c.AppendTraffic(to[:0], slices.Index(j.Work.Groups[c.Group].Ranks, rank), 0)
			slots = min(slots, flightEach*int64(max(1, len(to))))
		}
		sum = add(sum, mul(int64(c.Schedule.Channels())*slots, c.SlotBytes()))
	}
	return sum
}

// waiting is the largest number of slots for messages of explicit flows that are posted and not
// acknowledged: those that are posted faster than the most loaded port of their path sends them. A
// queue pair keeps them in a ring that doubles. While a ring is copied, the old one exists too, and
// as much again is garbage that is not collected yet.
func waiting(p *plan.Plan, job unit.Duration) (slots int64) {
	load := portLoad(p)
	for i := range p.Pairs {
		q := &p.Pairs[i]
		if !q.Sends() {
			continue
		}
		n := posted(q, job)
		if need := loadTime(p, load, q); need > 0 {
			span := min(need, unit.Duration(mul(n-1, int64(q.Flow.Every))))
			n -= int64(float64(n) * float64(span) / float64(need))
		}
		ring := int64(2)
		for ring < n {
			ring *= 2
		}
		if ring > 2 {
			slots = add(slots, ring+ring*3/4)
		}
	}
	return slots
}

// experts is how many of all layers routers choose between, where a network is trained.
func experts(j *plan.Job) (n int64) {
	if j.Model != nil {
		for l := range j.Model.Layers() {
			n += int64(nn.RoutedExperts(j.Model.Layer(l, nn.Portable)))
		}
	}
	return n
}

// tableMemory is the memory of the rows that tables hold before they write them.
func tableMemory(p *plan.Plan, steps []int64, job unit.Duration) (sum unit.Bytes) {
	most := int64(0)
	gather := func(rows int64, each unit.Bytes) {
		most = max(most, rows)
		sum += unit.Bytes(min(rows, result.RowGroupRows)) * each
	}
	messages := int64(0)
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Sends() {
			messages = add(messages, posted(q, job))
		}
	}
	rankSteps, operations := int64(0), int64(0)
	for i := range p.Jobs {
		j := &p.Jobs[i]
		eachTraffic(j, func(k int, _ *plan.RankLink, t traffic) {
			messages = add(messages, mul(runs(j, k, steps[i]), mul(t.messages, parts(p))))
		})
		if j.Work != nil {
			rankSteps = add(rankSteps, mul(steps[i], int64(j.Ranks())))
			for _, program := range j.Work.Of {
				operations = add(operations, mul(steps[i], int64(len(j.Work.Programs[program].Ops))))
			}
		}
	}
	out := p.Scenario.Output
	if out.Experts {
		for i := range p.Jobs {
			gather(mul(mul(steps[i], int64(p.Jobs[i].Ranks())), experts(&p.Jobs[i])), rowMemory)
		}
	}
	if out.Flows {
		gather(messages, flowRowMemory)
		gather(messages, rowMemory) // the ports that held them up
	}
	gather(rankSteps, stepMemory)
	if out.Operations {
		gather(operations, rowMemory)
	}
	if most >= manyRows {
		sum += packMemory
	}
	if out.Queues && out.Sample > 0 { // at most a row for each sample; most queues are empty
		sum += unit.Bytes(min(mul(int64(len(p.Graph.Ports)), int64(job/out.Sample)), result.RowGroupRows)) * rowMemory
	}
	if out.Events { // which are not foreseen: a group of rows, and a count for each kind at each place
		sum += result.RowGroupRows*eventMemory + unit.Bytes(len(p.Graph.Ports)+len(p.Pairs))*tallyMemory
	}
	if out.Gradients {
		sum += result.RowGroupRows * rowMemory
	}
	if out.Telemetry.Set { // rows of a group, and how long each operation took
		sum += result.RowGroupRows*telemetryMemory + unit.Bytes(operations)*stretchMemory
	}
	if out.Series {
		rows := int64(len(p.Graph.Ports)*(1+p.Switches.Classes()) + len(p.Pairs))
		sum += result.RowGroupRows*eventMemory + unit.Bytes(min(mul(rows, SeriesIntervals(rows)), seriesRows))*seriesMemory
	}
	return sum
}

// parts is how many messages of queue pairs one of ranks becomes.
func parts(p *plan.Plan) int64 {
	if t := &p.Scenario.Transport; t.SplitData {
		return int64(t.QPs)
	}
	return 1
}

// A series keeps so many intervals where the scenario does not say how long they are, and fewer where
// links, queues and queue pairs would have more rows in them.
const (
	seriesMost      = 512
	seriesLeast     = 32
	seriesRows      = 1 << 22
	seriesMemory    = 64  // bytes of one of those
	eventMemory     = 300 // bytes of a row that is gathered, as it is and encoded
	telemetryMemory = 900 // bytes of a row of telemetry
	stretchMemory   = 32  // bytes that telemetry keeps of an operation
	tallyMemory     = 200 // bytes of the counts at a port, or of a queue pair
)

// SeriesIntervals is how many intervals are kept of a series with so many rows in each.
func SeriesIntervals(rows int64) int64 {
	n := int64(seriesMost)
	for n > seriesLeast && mul(n, rows) > seriesRows {
		n /= 2
	}
	return n
}

// Finding a critical path takes a record of each operation of each rank: about 70 bytes with its
// part of a message's trace, for up to three steps. To save memory, the paths of a job with many
// operations are found every tenth step, of a huge one that of the first step alone, before which
// no other is kept, and beyond that none.
const (
	manyOperations = 1 << 20
	hugeOperations = 1 << 22
	mostOperations = 3 * hugeOperations // its first step takes what three of a huge job would
	sparsePaths    = 10
	firstPathOnly  = math.MaxInt32
	longOperations = 1 << 20 // of a benchmark, all of which is one step: more are of its last collectives
)

// PathsEvery returns n if the critical path of every n-th step of the job from the first on is
// found, 0 if none is.
func PathsEvery(j *plan.Job) int64 {
	if len(j.Rows) == 0 {
		return pathsEvery(scheduled(j))
	}
	if int(PathsFrom(j)) == len(j.Work.Collectives) {
		return 0
	}
	return 1
}

// PathsFrom returns the first collective of the job that is recorded to find critical paths: of a benchmark with very many
// operations only the last ones are, or the last alone.
func PathsFrom(j *plan.Job) int32 {
	if len(j.Rows) == 0 {
		return 0
	}
	from, kept := len(j.Work.Collectives), int64(0)
	for i := from - 1; i >= 0; i-- {
		kept += operations(&j.Work.Collectives[i])
		if kept > longOperations && (i < len(j.Work.Collectives)-1 || kept > hugeOperations) {
			break
		}
		from = i
	}
	return int32(from)
}

func pathsEvery(n int64) int64 {
	switch {
	case n > mostOperations:
		return 0
	case n > hugeOperations:
		return firstPathOnly
	case n > manyOperations:
		return sparsePaths
	}
	return 1
}

// scheduled is how many operations of schedules a step has, on all ranks, with those of the start
// phase: what is kept to find paths has room for both.
func scheduled(j *plan.Job) int64 { return allOperations(j.Work.Collectives) }

// allOperations is how many the schedules of collectives have, on all ranks.
func allOperations(all []workload.Collective) (n int64) {
	for i := range all {
		n += operations(&all[i])
	}
	return n
}

// operations is how many a collective's schedule has, on all ranks.
func operations(c *workload.Collective) (n int64) {
	if c.Formula {
		return 0
	}
	for rank := range c.Schedule.Ranks() {
		for ch := range c.Schedule.Channels() {
			n += int64(c.Schedule.Len(rank, ch))
		}
	}
	return n
}

// pathOperations is how many operations are kept to find critical paths, in a run of so many steps.
func pathOperations(j *plan.Job, steps int64) int64 {
	switch {
	case j.Work == nil:
		return 0
	case len(j.Rows) > 0: // all rows are one step
		return allOperations(j.Work.Collectives[PathsFrom(j):])
	}
	n := scheduled(j)
	return mul(n, pathSteps(n, steps))
}

// pathSteps is how many steps of so many operations each are kept at one time: those that some ranks have not ended, and the one
// before, if the path of a step behind it is found.
func pathSteps(n, steps int64) int64 {
	switch every := pathsEvery(n); {
	case every == 0:
		return 0
	case every == 1:
		return min(3, max(steps, 1))
	case steps > every:
		return 2
	}
	return 1
}
