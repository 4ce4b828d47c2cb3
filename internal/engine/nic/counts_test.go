package nic_test

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/nic"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
)

// countsRun has two ranks, host by host or on one host, exchange in each of 3 steps as many
// elements as is declared, after a compute operation and an exchange of counts. It returns the
// bytes of all messages but those of counts, and the error of the run.
func countsRun(t *testing.T, together bool, declared workload.Declared) (sent unit.Bytes, steps int, err error) {
	t.Helper()
	const rate, most = 100 * unit.GigabitPerSec, 1 << 20
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: 2, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := defaults(g, rate)
	r.build(t)
	s, err := coll.PairwiseAllToAll([][]int32{{0, 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(buffer int32, elems int64) workload.Range { return workload.Range{Buffer: buffer, Elems: elems} }
	counts := workload.Collective{Name: "counts", Range: at(1, 2), Schedule: s, ElemBytes: 4}
	rows := workload.Collective{Name: "rows", Range: at(3, 2*most), Schedule: s, ElemBytes: 4}
	op := func(id int32, name string, reads []workload.Range, writes workload.Range) workload.Op {
		return workload.Op{ID: id, Name: name, Kind: workload.Communication, Stream: 1, Deps: []int32{id - 1}, Body: -1,
			Coll: id - 1, Reads: reads, Writes: []workload.Range{writes}}
	}
	job := &workload.Job{Of: []int32{0, 0}, Groups: []workload.Group{{Name: "all", Ranks: []int32{0, 1}}},
		Buffers: []workload.Buffer{{Name: "for each", Elems: 2, ElemBytes: 4}, {Name: "from each", Elems: 2, ElemBytes: 4},
			{Name: "input", Elems: 2 * most, ElemBytes: 4}, {Name: "output", Elems: 2 * most, ElemBytes: 4}},
		Collectives: []workload.Collective{
			counts.OutOfPlace(at(0, 2), s.Goal(), func(int, int) int { return 1 }),
			rows.AtRunTime(at(2, 2*most), workload.Counts{Capacity: most, Declared: declared})},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "all"}},
			Ops: []workload.Op{
				{Name: "route", Duration: 5 * unit.Microsecond, Body: -1, Coll: -1, Decides: []int32{1},
					Writes: []workload.Range{at(0, 2)}},
				op(1, "counts", []workload.Range{at(0, 2)}, at(1, 2)),
				op(2, "rows", []workload.Range{at(2, 2*most), at(0, 2), at(1, 2)}, at(3, 2*most)),
			}}}}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	rec, driver := &records{}, r.hosts.AddJob()
	hosts := []int32{0, 1}
	if together {
		hosts[1] = 0
	}
	for i, h := range hosts {
		driver.AddRank(h, int32(i))
	}
	for i := range int32(2) {
		way, qps := exec.Way{Src: i, Dst: 1 - i}, []int32(nil)
		if !together {
			routes := topo.NewRoutes(g)
			path, _ := routes.Path(topo.NICID(i), topo.NICID(1-i), nil)
			back, _ := routes.Path(topo.NICID(1-i), topo.NICID(i), nil)
			qps = append(qps, r.net.AddQP(nic.QueuePair{Name: fmt.Sprint(i), From: topo.NICID(i), FromGPU: -1,
				To: topo.NICID(1 - i), ToGPU: -1, Path: path, Back: back, Log: true}))
		}
		driver.Connect(way, qps...)
	}
	r.net.OnFlow(func(_ int32, f *nic.Flow) {
		if f.Message != nil && f.Message.Coll == 1 {
			sent += f.Bytes
		}
	})
	r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
	for i := range int32(2) {
		driver.SetRank(i, exec.NewRank(exec.Config{Rank: i, Job: job, Steps: 3, Transport: driver, Clock: driver,
			Observer: rec}), 0)
	}
	r.eng.Run()
	return sent, len(rec.steps), r.net.Err()
}

// The bytes of each step are those of its counts, and no message where there are none.
func TestCountsOfEachStep(t *testing.T) {
	declared := func(step int64, from, to int) int { return []int{0, 5, 1000, 7, 0, 20}[2*int(step)+from] }
	sent, steps, err := countsRun(t, false, declared)
	if err != nil || steps != 6 || sent != 4*(5+1000+7+20) {
		t.Errorf("%v; %d steps, %d B sent, want 6 and %d", err, steps, int64(sent), 4*(5+1000+7+20))
	}
	if _, steps, err := countsRun(t, true, declared); err != nil || steps != 6 {
		t.Errorf("on one host: %v; %d steps", err, steps)
	}
}

// Counts over the capacity end the run in their step, on whatever way.
func TestCountsOverTheCapacity(t *testing.T) {
	for _, together := range []bool{false, true} {
		_, steps, err := countsRun(t, together, func(step int64, from, to int) int {
			if step == 1 && from == 1 {
				return 1<<20 + 1
			}
			return 3
		})
		const want = `rank 0, step 1, collective "rows": member 0 receives 1048577 elements from member 1, want 0 to ` +
			`1048576 (the capacity)`
		if fmt.Sprint(err) != want || steps != 2 {
			t.Errorf("together %v: %d steps ended, %v\nwant 2, %s", together, steps, err, want)
		}
	}
}
