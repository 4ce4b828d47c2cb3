package report

import (
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

const us = unit.Microsecond

// scenario is the part of a resolved scenario that the report reads.
const smallScenario = `name: small
seed: 7
fabric:
  switch: {buffer: 4MB}
  links: {parallel: 1}
  qos:
    data_priority: 3
congestion: {algorithm: dcqcn}
job:
  train: {model: mlp}
  parallel: {dp: 2}
  collective: {algorithm: ring}
background:
  flows:
    - {name: noise, from: host3/gpu0, to: host2/gpu0}
output: {sample: 1us, queues: true, flows: true, operations: true}
`

// small writes a run of two ranks and three steps, the last of which a burst of
// background traffic held up, and returns its directory.
func small(t *testing.T, finish bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small-1")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "small", Seed: 7, ScenarioYAML: smallScenario,
		JobFigures: result.JobFigures{Kernel: "portable", StepsPlanned: 3}}
	s.Thresholds, s.Mistakes = smallThresholds(t)
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	at := unit.Time(0)
	for step := range int32(3) {
		wait := 10 * us
		if step == 2 {
			wait = 50 * us
		}
		for rank := range int32(2) {
			writeStep(dir, step, rank, at, wait)
		}
		at = at.Add(30*us + wait + us)
	}
	dir.Flows().Add(result.FlowRow{ID: 6, Name: "noise", Kind: result.KindBackground, Src: "host3/gpu0",
		Dst: "host2/gpu0", Channel: -1, Step: -1,
		Bytes: unit.Megabyte, Posted: unit.Time(80 * us), Placed: unit.Time(140 * us), Acked: unit.Time(142 * us),
		FCT: 60 * us, Marks: 12, CNPs: 3, Status: result.StatusDone,
		Path:   "host3>rail1>host2",
		Causes: result.Causes{PCIe: 2 * us, RateLimit: 8 * us, Serialisation: 40 * us, Queueing: 10 * us}})
	writePath(dir, 2, at.Add(-81*us))
	dir.Hops().Add(result.HopRow{Flow: 4, Hop: 1, Port: "rail1/host2", Queueing: 40 * us})
	dir.Shares().Add(result.ShareRow{Port: "rail1/host2", Name: "rank0>rank1#0",
		Kind: result.KindCollective, Share: 0.25})
	dir.Shares().Add(result.ShareRow{Port: "rail1/host2", Name: "noise", Kind: result.KindBackground, Share: 0.75})
	dir.Losses().Add(result.LossRow{Flow: 4, Name: "rank0>rank1#0", Time: unit.Time(120 * us), Port: "rail1/host2",
		Kind: "ACK", Why: "link"})
	writePorts(dir)
	if !finish {
		return path
	}
	s.State, s.Steps, s.VirtualTime = result.Complete, 3, at
	s.StepTime, s.StepMedian, s.StepP99, s.SampleRate = unit.Duration(at)/3, 41*us, 81*us,
		1e12*8/float64(unit.Duration(at)/3)
	s.ECNMarks, s.CNPs, s.Pauses = 12, 3, 2
	s.WallSeconds = 0.25
	s.Diagnosis = &diagnose.Diagnosis{Subject: "a step along its critical path, mean over 3 steps", Whole: 54 * us,
		Blames: []diagnose.Blame{
			{Kind: diagnose.Compute, Time: 30 * us, Felt: []diagnose.Felt{{Cause: "compute", Time: 30 * us}}},
			{Kind: diagnose.SharedPort, Port: "rail1/host2", Crossed: true, Time: 20 * us,
				Felt:     []diagnose.Felt{{Cause: "queueing", Time: 20 * us}},
				Culprits: []diagnose.Culprit{{Name: "noise", Share: 1}}},
			{Kind: diagnose.PCIe, Time: 4 * us, Felt: []diagnose.Felt{{Cause: "PCIe", Time: 4 * us}}}}}
	s.Flows = []result.FlowFigures{{Name: "noise", Kind: result.KindBackground, Src: "host3/gpu0", Dst: "host2/gpu0",
		Bytes: unit.Megabyte, Posted: 1, Done: 1, Start: new(unit.Time(80 * us)), FCT: new(60 * us),
		Marks: 12, CNPs: 3, Status: result.StatusDone, Path: "host3>rail1>host2"}}
	s.BusiestLinks = []result.LinkFigures{{Port: "rail1/host2", Rate: 200 * unit.GigabitPerSec,
		TxBytes: unit.Megabyte, Utilisation: 0.55}}
	s.Notes = []string{"no drops: nothing overflowed"}
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	return path
}

// smallThresholds is what its switch does, with three ports of 200 Gb/s and 4 MB.
func smallThresholds(t *testing.T) ([]qos.Row, []qos.Mistake) {
	t.Helper()
	p := qos.Policy{Classes: []qos.Class{{Lossless: true, ECN: &qos.DefaultECN}},
		PFC:    qos.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, Headroom: qos.FormulaHeadroom(9216, 0)},
		Buffer: qos.Buffer{Size: 4 * unit.Megabyte}, MTU: 9216, Frame: 4178, Pause: 84}
	link := qos.Link{Rate: 200 * unit.GigabitPerSec, Delay: 100 * unit.Nanosecond}
	sites := []qos.Site{{Kind: result.TierLeaf, Links: []qos.Link{link, link, link}, Count: 1}}
	rows, err := p.Rows(sites, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	mistakes, err := p.Mistakes(sites, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	return rows, mistakes
}

// writeStep writes a step of one rank: 30 us of compute, a wait, 1 us on the wire.
func writeStep(dir *result.Dir, step, rank int32, at unit.Time, wait unit.Duration) {
	loss := 2.3 / float64(step+1)
	end := at.Add(30*us + wait + us)
	dir.Steps().Add(result.StepRow{Step: step, Rank: rank, Start: at, End: end, Loss: &loss, Comm: wait + us,
		Causes: result.Causes{Compute: 30 * us, Dependency: wait, Serialisation: us}})
	op := func(n int32, name, stream string, from, to unit.Time) {
		dir.Operations().Add(result.OperationRow{Step: step, Rank: rank, Op: n, Name: name, Stream: stream, Start: from,
			End: to, ReleasedBy: n - 1})
	}
	op(0, "forward.1", "compute", at, at.Add(10*us))
	op(1, "backward.1", "compute", at.Add(10*us), at.Add(25*us))
	op(2, "allreduce.bucket1", "data-parallel", at.Add(25*us), at.Add(25*us+wait+us))
	op(3, "update.1", "compute", at.Add(26*us+wait), end)
	from, to := "host1", "host2"
	if rank == 1 {
		from, to = to, from
	}
	row := result.FlowRow{ID: int64(step*2 + rank), Name: "rank" + string('0'+rank) + ">rank" + string('1'-rank) + "#0",
		Kind: result.KindCollective, Src: from + "/gpu0", Dst: to + "/gpu0",
		Step: step, Bytes: 100 * unit.Kilobyte, Posted: at.Add(25 * us), Placed: at.Add(25*us + wait),
		Acked: at.Add(26*us + wait), FCT: wait, Status: result.StatusDone,
		Path: from + ">rail1>" + to, Causes: result.Causes{PCIe: 4 * us, Serialisation: 5 * us, Propagation: us}}
	row.Queueing = wait - 10*us
	dir.Flows().Add(row)
}

// writePath writes the critical path of a step: rank 0 computes and sends, the message
// queues, rank 1 computes and ends last.
func writePath(dir *result.Dir, step int32, at unit.Time) {
	part := func(from, until unit.Duration, why cause.Cause, kind string, on, src, dst, op int32) {
		dir.Paths().Add(result.PathRow{Step: step, Rank: 1, From: at.Add(from), Until: at.Add(until),
			Cause: why.String(), Kind: kind, OnRank: on, OnStep: step, Op: op, Src: src, Dst: dst})
	}
	part(0, 25*us, cause.Compute, "compute", 0, -1, -1, 0)
	part(25*us, 66*us, cause.Queueing, "message", 0, 0, 1, 2)
	part(66*us, 76*us, cause.Serialisation, "message", 0, 0, 1, 2)
	part(76*us, 81*us, cause.Compute, "compute", 1, -1, -1, 3)
}

func writePorts(dir *result.Dir) {
	for _, h := range []struct {
		host       string
		up, down   float64
		marks      int64
		deepest    unit.Bytes
		held       unit.Duration
		sent, seen int64
	}{{"host1", 0.12, 0.12, 0, 4158, 0, 0, 0}, {"host2", 0.12, 0.55, 12, 900 * unit.Kilobyte, 0, 0, 0},
		{"host3", 0.43, 0.01, 0, 0, 5 * us, 2, 2}} {
		port := func(from, to, tier string, used float64) result.LinkRow {
			return result.LinkRow{Port: from + "/" + to, From: from, To: to, Tier: tier, Rate: 200 * unit.GigabitPerSec,
				TxBytes: unit.Megabyte, TxPackets: 250, DataBytes: unit.Megabyte,
				Busy: unit.Duration(used * float64(163*us)), Utilisation: used}
		}
		up, down := port(h.host, "rail1", result.TierHost, h.up), port("rail1", h.host, result.TierLeaf, h.down)
		up.PausesReceived, up.Paused = h.seen, h.held
		down.PausesSent, down.ECNMarks, down.MaxQueue = h.sent, h.marks, h.deepest
		dir.Links().Add(up)
		dir.Links().Add(down)
	}
	for i, b := range []unit.Bytes{0, 100, 400, 900, 850, 500, 0} {
		dir.Queues().Add(result.QueueRow{Port: "rail1/host2", Class: 3, Time: unit.Time(80*us + unit.Duration(i)*10*us),
			Bytes: b * unit.Kilobyte})
	}
}

// load reads a run and gives it a name that does not depend on the machine.
func load(t *testing.T, path string) *Data {
	t.Helper()
	d, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	d.Path, d.Summary.Dir = "runs/small-1", "runs/small-1"
	for i, n := range d.Notes {
		d.Notes[i] = strings.ReplaceAll(n, path, "runs/small-1")
	}
	return d
}
