package record

import (
	"cmp"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/mfu"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// planned is the plan of a scenario.
func planned(t *testing.T, text string) *plan.Plan {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A collective that took no time has no bandwidth, and one of a picosecond has.
func TestBandwidthsOfACollective(t *testing.T) {
	if c := figures("a", coll.AllReduce, 3, 8, 0, 4); c.AlgBW != 0 || c.BusBW != 0 || c.Count != 3 || c.Bytes != 8 {
		t.Errorf("in no time: %+v", c)
	}
	c := figures("a", coll.AllReduce, 1, 8, 1, 4)
	if want := 8 / unit.Duration(1).Seconds(); c.AlgBW != want || c.BusBW != want*1.5 {
		t.Errorf("in a picosecond: %+v, want %v and 1.5 times that", c, want)
	}
}

// Of layers whose experts are loaded alike the first by name is told of; of others the most loaded.
func TestTheMostLoadedLayer(t *testing.T) {
	for _, c := range []struct {
		a, b  []int64
		layer string
		load  float64
	}{
		{[]int64{1, 3}, []int64{3, 1}, "a", 1.5}, {[]int64{2, 2}, []int64{3, 1}, "b", 1.5}, {[]int64{4, 0}, []int64{3, 1}, "a", 2},
	} {
		layer := func(tokens []int64) *use {
			return &use{tokens: tokens, dropped: []int64{1, 0}, share: []float64{1, 1}, balance: 3, times: 2}
		}
		j := &Job{experts: &routed{layers: map[string]*use{"b": layer(c.b), "a": layer(c.a)}}}
		var s result.JobFigures
		j.finishExperts(&s)
		f := s.Experts
		if f.Layer != c.layer || f.Load != c.load || f.Dropped != 2/8.0 || f.Balance != 3 || f.Entropy != 1 {
			t.Errorf("%v and %v: %+v, want %s, %v", c.a, c.b, f, c.layer, c.load)
		}
	}
}

// An end of a queue pair is a NIC, or a GPU where it is one's.
func TestEndsOfQueuePairs(t *testing.T) {
	r := training(t)
	if nic, gpu := r.endName(5, -1), r.endName(5, 2); nic != r.plan.Graph.NICName(5) || gpu != "host2/gpu2" {
		t.Errorf("%s and %s", nic, gpu)
	}
}

// What is moved twice is moved by the first, and then by the second; nothing moves nothing.
func TestMovesOneAfterTheOther(t *testing.T) {
	add := Moved{Operation: func(o *exec.OperationRecord) { o.Rank += 3 }}
	double := Moved{Operation: func(o *exec.OperationRecord) { o.Rank *= 2 }}
	none := Moved{}
	for _, c := range []struct {
		m    Moved
		want int32
	}{{add.then(double), 16}, {double.then(add), 13}, {none.then(add), 8}, {add.then(none), 8}, {none.then(none), 5}} {
		o := exec.OperationRecord{Rank: 5}
		if c.m.operation(&o); o.Rank != c.want {
			t.Errorf("%d, want %d", o.Rank, c.want)
		}
	}
}

// An instant that is told again is later, the first of the run too; what never was stays so.
func TestLaterInstants(t *testing.T) {
	for at, want := range map[unit.Time]unit.Time{-1: -1, 0: 5, 1: 6} {
		if got := new(repeats).later(at, 5); got != want {
			t.Errorf("%d becomes %d, want %d", at, got, want)
		}
	}
}

// Collectives that all members have ended count with their time, and that since all had begun.
func TestSumsOfCollectives(t *testing.T) {
	j := training(t).jobs[0]
	n := members(j.plan.Work, 0)
	for round := range 2 {
		st := &openStep{colls: make([]span, len(j.colls))}
		st.colls[0] = span{n: n, start: 10, end: 50, last: 30}
		if len(st.colls) > 1 {
			st.colls[1] = span{n: n - 1, start: 10, end: 50, last: 30}
		}
		j.sumCollectives(st)
		times := int64(round + 1)
		if c := j.colls[0]; c.n != times || c.time != unit.Duration(40*times) || c.met != unit.Duration(20*times) {
			t.Errorf("%+v after %d steps of 40 and 20", c, times)
		}
	}
	for c := range j.colls[1:] {
		if j.colls[1+c] != (collective{}) {
			t.Errorf("collective %d that one has not ended: %+v", 1+c, j.colls[1+c])
		}
	}
}

// A launch that takes what launches take is the rank's; beyond that the rank stood still, and the launch is nobody's.
func TestLaunchesOfAPath(t *testing.T) {
	usual := func(*exec.PathPart) unit.Duration { return 4 }
	launched := func(rank int32) spanKey {
		return spanKey{why: cause.Compute, port: -1, pair: -1, rank: rank, launch: true}
	}
	stands := spanKey{why: cause.Compute, port: -1, pair: -1, rank: 2, stood: true}
	for took, want := range map[unit.Time]map[spanKey]unit.Duration{
		3: {launched(2): 3}, 4: {launched(2): 4}, 5: {launched(-1): 4, stands: 1},
	} {
		e := &evidence{spans: map[spanKey]unit.Duration{}}
		part := exec.PathPart{Kind: exec.PathLaunch, Cause: cause.Compute, Rank: 2, At: -1, From: 10, Until: 10 + took}
		e.path(&exec.PathRecord{Parts: []exec.PathPart{part}}, usual, usual)
		for k, d := range want {
			if e.spans[k] != d {
				t.Errorf("a launch of %d: %+v, want %+v", took, e.spans, want)
			}
		}
		if len(e.spans) != len(want) {
			t.Errorf("a launch of %d: %+v, want %+v", took, e.spans, want)
		}
	}
}

// A job that starts again has new queue pairs, and room for these alone: those of its next life come behind them.
func TestRoomForNewQueuePairs(t *testing.T) {
	r := training(t)
	for life := 1; life < 3; life++ {
		first := len(r.plan.Pairs)
		r.plan.Pairs = append(r.plan.Pairs, r.plan.Pairs[:2]...)
		r.addPairs(int32(first), r.jobs[0].life)
		n := first + 2
		if len(r.pairs) != n || len(r.known) != n || len(r.ends) != n || len(r.paths) != n {
			t.Fatalf("%d pairs, %d known, %d ends and %d paths of %d", len(r.pairs), len(r.known), len(r.ends), len(r.paths), n)
		}
		if r.paths[first] != r.paths[0] || r.paths[first+1] != r.paths[1] {
			t.Errorf("paths %v are not those of the same pairs, %v", r.paths[first:], r.paths[:2])
		}
	}
}

// What passed in a kind of communication is what its groups have of critical paths.
func TestPathsOfAKind(t *testing.T) {
	p := planned(t, `
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 100Gb/s}}
job: {model: {layers: 1, hidden: 64, heads: 2, ffn: 64, vocabulary: 128, sequence: 8, batch: 4, steps: 1}, parallel: {tp: 2, dp: 2}}
`)
	j := New(p, nil, 1, Hooks{}).Job(0)
	j.account = newAccount(j.plan.Work, 4)
	j.critical.groups = make([]cause.Split, len(j.plan.Work.Groups))
	for g := range j.critical.groups {
		j.critical.groups[g][cause.Queueing] = 1 << g
	}
	some := 0
	for kind, name := range mfu.Kinds() {
		of := map[int32]bool{}
		for c, k := range j.account.kind {
			if k == kind {
				of[int32(j.plan.Work.Collectives[c].Group)] = true
			}
		}
		var want unit.Duration
		for g := range of {
			want += 1 << g
		}
		got := j.pathOf(kind)
		if got[cause.Queueing] != want || got.Sum() != want {
			t.Errorf("%s: %b, want %b", name, got[cause.Queueing], want)
		}
		if want > 0 {
			some++
		}
	}
	if some < 2 {
		t.Errorf("%d kinds of communication, want two at least", some)
	}
	if _, given := j.computing(); given {
		t.Error("a training's operations are computed, and not those of a file")
	}
	j.critical.groups = nil
	if got := j.pathOf(0); got != (cause.Split{}) {
		t.Errorf("%v where no path was traced", got)
	}
}

// Sums of gradients have that part of the critical paths which groups of data have: all of it where none was traced.
func TestThePartOfGradients(t *testing.T) {
	work := &workload.Job{Groups: []workload.Group{{Kind: workload.GroupKindData}, {Kind: workload.GroupKindTensor},
		{Kind: workload.GroupKindData}}}
	for _, c := range []struct {
		times [3]unit.Duration
		want  float64
	}{{[3]unit.Duration{}, 1}, {[3]unit.Duration{3, 4, 1}, 0.5}, {[3]unit.Duration{0, 9, 0}, 0}, {[3]unit.Duration{0, 0, 1}, 1}} {
		j := &Job{plan: &plan.Job{Work: work}}
		for _, d := range c.times {
			var s cause.Split
			s[cause.Window] = d
			j.critical.groups = append(j.critical.groups, s)
		}
		if got := (choices{Job: j}).ofGradients(); got != c.want {
			t.Errorf("%v: %v, want %v", c.times, got, c.want)
		}
	}
}

// The start phase ends with the last rank that ends it: of several at once with the one of the highest number, whoever is told of first.
// Only when all have ended it are its collectives summed.
func TestTheEndOfTheStartPhase(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 6, 1, 7, 0, 5, 2, 4}} {
		j := training(t).jobs[0]
		ends := [8]unit.Time{5, 9, 9, 2, 9, 1, 0, 3}
		for i, rank := range order {
			if i == 7 {
				j.open(workload.StartStep)
			}
			j.started(&exec.StepRecord{Rank: int32(rank), End: ends[rank]})
			if _, open := j.unended[workload.StartStep]; open != (i == 7) && i < 7 {
				t.Errorf("%v: after %d ranks the start phase is open: %v", order, i+1, open)
			}
		}
		p := &j.start
		if p.ranks != 8 || p.end != 9 || p.last.Rank != 1 {
			t.Errorf("%v: %d ranks, until %d, the last is rank %d; want 8, 9 and 1", order, p.ranks, p.end, p.last.Rank)
		}
		if _, open := j.unended[workload.StartStep]; open {
			t.Errorf("%v: the start phase is open at its end", order)
		}
	}
}

// Ranks on real time are heard in the first island, as those of their job.
func TestRanksOnRealTimeAreHeard(t *testing.T) {
	r := NewMeasured(training(t).plan, nil, Hooks{}, func() unit.Time { return 0 })
	if h := r.Job(0).Hears(); h.job != r.Job(0) || h.island != r.islands[0] {
		t.Errorf("%+v", h)
	}
}

// A checkpoint that was not written is taken back.
func TestCheckpointsThatAreLost(t *testing.T) {
	j := training(t).jobs[0]
	j.Saved(3)
	j.Saved(6)
	if j.Lost(); j.saves != 1 || j.life.saves != 2 || j.life.saved != 6 {
		t.Errorf("%d checkpoints, %d of this life, the last after %d steps", j.saves, j.life.saves, j.life.saved)
	}
}

// A series that ends before its run says where, after how many intervals, and of what length.
func TestWhereASeriesEnds(t *testing.T) {
	s := &series{ended: unit.Time(2 * unit.Millisecond), every: 20 * unit.Nanosecond}
	const want = "series.parquet ends at 2 ms, after 100,000 intervals: want a longer output.series_interval than 20 ns"
	if got := s.cutNote(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a diagnosis is of is said by how many steps, paths and messages there were.
func TestWhatADiagnosisIsOf(t *testing.T) {
	for _, c := range []struct {
		count, steps int64
		colls        int64
		slowest      bool
		want         string // "": there is no diagnosis
	}{
		{0, 0, 0, false, ""}, {0, 1, 0, true, "the one step as its slowest rank saw it"},
		{0, 2, 0, true, "a step as its slowest rank saw it, mean over 2 steps"},
		{1, 1, 0, false, "the one step along its critical path"}, {1, 3, 0, false, "the first of 3 steps along its critical path"},
		{2, 3, 0, false, "a step along its critical path, mean over 2 of 3 steps"},
		{3, 3, 0, false, "a step along its critical path, mean over 3 steps"},
		{1, 1, 5, false, "the one step, as "},
	} {
		r := training(t)
		n := newTold()
		r.network, n.plan = n, r.plan
		j := r.jobs[0]
		j.evidence.count = c.count
		if c.count > 0 {
			j.evidence.add(spanKey{why: cause.Compute, port: -1, pair: -1, rank: 0}, 7)
		} else {
			j.slowest[cause.Compute] = 7
		}
		s := &result.JobFigures{Steps: c.steps}
		s.PathCollectives = c.colls
		d := j.diagnosis(s)
		got := ""
		if d != nil {
			got = d.Subject
		}
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The bars of a step's time sum to what they are made of, whatever the model's work is of what was computed; what a network adds is
// taken from the communication that was exposed, in the shares of the critical paths.
func TestBarsOfTheWaterfall(t *testing.T) {
	p := planned(t, `
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 100Gb/s}}
job: {model: {layers: 1, hidden: 64, heads: 2, ffn: 64, vocabulary: 128, sequence: 8, batch: 4, steps: 1}, parallel: {tp: 2, dp: 2}}
`)
	for _, modelled := range []int64{0, 5, 9, 1 << 50} {
		w := &mfu.Work{Model: modelled, Hardware: 9}
		for _, products := range []int64{-1 << 20, 0, 1 << 40} {
			j := New(p, nil, 1, Hooks{}).Job(0)
			a := newAccount(j.plan.Work, 4)
			j.account = a
			a.bubble, a.imbalance, a.copies, a.skipped, a.ahead = 1e6, 2e6, 3e6, 7e6, 3e6
			a.beyond.products, a.beyond.Slow = products, 5e6
			j.critical.groups = make([]cause.Split, len(j.plan.Work.Groups))
			for k := range a.exposed {
				a.exposed[k] = unit.Duration(8e6 * (k + 1))
			}
			for g := range j.critical.groups {
				j.critical.groups[g][cause.Queueing], j.critical.groups[g][cause.Serialisation] = 1, 3
			}
			j.life.ended = 1
			f := j.waterfall(w)
			step, given := j.computing()
			want := unit.Duration(1e6+2e6+3e6+7e6-3e6+5e6) + step.Sum()*unit.Duration(j.life.all())
			for k := range a.exposed {
				want += a.exposed[k]
			}
			bars := map[string]unit.Duration{}
			for _, b := range f.Bars(1) {
				bars[b.Name] = b.Time
			}
			device := j.plan.Work.Programs[0].Device
			all := step.Products + sign(products)*device.AtPeak(max(products, -products))
			model := min(all, device.AtPeak(w.Model))
			if w.Model == w.Hardware {
				model = all
			}
			queued := unit.Duration(0)
			for k := range a.exposed {
				if s := j.pathOf(k); s.Sum() > 0 {
					queued += a.exposed[k] / 4
				}
			}
			if f.Sum() != want || given || bars[mfu.Ideal] != model || bars[mfu.Repeated] != all-model || queued == 0 ||
				bars[mfu.Network(cause.Queueing.String())] != queued || bars[mfu.Network(cause.Serialisation.String())] != 0 ||
				bars[mfu.Ahead] != 4e6 || bars[mfu.Bubbles] != 1e6 || bars[mfu.Imbalance] != 2e6 || bars[mfu.Copies] != 3e6 {
				t.Errorf("%+v, %d more: %v in all, want %v; of the model %v, queued %v: %v", w, products, f.Sum(), want, model,
					queued, bars)
			}
		}
	}
}

func sign(n int64) unit.Duration { return unit.Duration(cmp.Compare(n, 0)) }

// A ring that goes through each host once crosses between hosts as often as it has hosts; inside one it never does. Rings add up.
func TestCrossingsOfRings(t *testing.T) {
	for _, c := range []struct {
		hosts           []int32 // of ranks
		rings           [][]int32
		crossed, atBest float64
	}{
		{[]int32{0, 0, 1, 1}, [][]int32{{0, 1, 2, 3}}, 2, 2}, {[]int32{0, 1, 0, 1}, [][]int32{{0, 1, 2, 3}}, 4, 2},
		{[]int32{7, 7}, [][]int32{{0, 1}}, 0, 0}, {[]int32{0, 1}, [][]int32{{0, 1}}, 2, 2}, {[]int32{0, 1, 2}, [][]int32{{0, 1, 2}}, 3, 3},
		{[]int32{0, 1, 0, 1}, [][]int32{{0, 1, 2, 3}, {0, 2, 1, 3}}, 6, 4}, {[]int32{0}, nil, 0, 0},
	} {
		j := &Job{plan: &plan.Job{Rings: c.rings}}
		for _, h := range c.hosts {
			j.plan.Placement.Ranks = append(j.plan.Placement.Ranks, coll.Place{Host: h})
		}
		if crossed, least, _ := (choices{Job: j}).ringCrossings(); crossed != c.crossed || least != c.atBest {
			t.Errorf("%v over %v: %v of %v, want %v of %v", c.rings, c.hosts, crossed, least, c.crossed, c.atBest)
		}
	}
}

// A job has as many steps as it has times of them.
func TestStepsOfAJob(t *testing.T) {
	if n := (&Job{stepTimes: []unit.Duration{5, 7}}).Steps(); n != 2 {
		t.Errorf("%d", n)
	}
}

// What operations took beyond the plan adds up: times, and FLOP in products, fewer too.
func TestWhatIsBeyondThePlanAddsUp(t *testing.T) {
	var b beyond
	b.add(workload.Computing{Products: 5, Slow: 1}, 7)
	b.add(workload.Computing{Products: 2, Memory: 3}, -4)
	if b.products != 3 || b.Computing != (workload.Computing{Products: 7, Memory: 3, Slow: 1}) {
		t.Errorf("%+v", b)
	}
}

// A port that a fault slows has the rate that it had in the mean while it sent; one that did not send, or that nothing slows, has none.
func TestRatesThatFaultsLeft(t *testing.T) {
	for faults, slows := range map[string]bool{"": false, "faults: [{link: all, speed: 10Gb/s}]\n": true} {
		r, n := told4(t, "design: leaf-spine, leaves: 2, spines: 2", faults)
		port := r.plan.Pairs[0].Path[1]
		if got := r.slowed(port); got != 0 {
			t.Errorf("%q: %v of a port that has sent nothing", faults, got)
		}
		n.port(port).Bytes, n.port(port).Busy = 1000, unit.Microsecond
		want := map[bool]unit.Bitrate{true: 8 * unit.GigabitPerSec}[slows]
		if got := r.slowed(port); got != want {
			t.Errorf("%q: %v, want %v", faults, got, want)
		}
	}
}
