package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
)

// creditRun has rank 0 send rank 1 three messages through one slot: the first is at once in the
// slot, the others wait for credits, which rank 1 gives when a copy of 10 us is done. The link of
// rank 0 is down as said. It returns when each message was posted, and the end of each rank's step.
func creditRun(t *testing.T, timeout unit.Duration, downs ...fabric.Down) (posted []unit.Time, ends [2]unit.Time) {
	t.Helper()
	const elems = 12_000
	const rate = 100 * unit.GigabitPerSec
	r := defaults(star(2, rate), rate)
	r.nic.Transport.Timeout = timeout
	for i := range downs {
		downs[i].Link = r.graph.Ports[r.graph.NICs[0].Port].Link
	}
	r.fabric.Faults = &fabric.Faults{Downs: downs}
	r.build(t)
	r.net.OnFlow(func(_ int32, f *nic.Flow) {
		posted = append(posted, f.Posted)
		if f.Retransmits > 0 {
			t.Errorf("a message was sent again: the link was down for its packets")
		}
	})
	routes := topo.NewRoutes(r.graph)
	path, _ := routes.Path(0, 1, nil)
	back, _ := routes.Path(1, 0, nil)
	qp := r.net.AddQP(nic.QueuePair{Name: "rank0>rank1", FromGPU: -1, To: 1, ToGPU: -1, Path: path, Back: back, Log: true})
	r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
	s, err := coll.ChainBroadcast([][]int32{{0, 1}}, 3)
	if err == nil {
		s, err = s.Credited(1)
	}
	if err != nil {
		t.Fatal(err)
	}
	job := &workload.Job{Of: []int32{0, 0}, Groups: []workload.Group{{Name: "all", Ranks: []int32{0, 1}}},
		Buffers: []workload.Buffer{{Name: "numbers", Elems: elems, ElemBytes: 4}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: -1}, {Name: "broadcast"}},
			Device: workload.Device{MemoryBandwidth: 51_200 * unit.MegabitPerSec, MemoryEff: unit.Ratio{Num: 1, Den: 2}},
			Ops:    []workload.Op{{Name: "broadcast", Kind: workload.Communication, Stream: 1, Body: -1}}}},
		Collectives: []workload.Collective{{Name: "broadcast", Range: workload.Range{Elems: elems}, ElemBytes: 4,
			Schedule: s}}}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	rec, driver := &records{}, r.hosts.AddJob()
	for i := range int32(2) {
		driver.AddRank(i, 0)
	}
	driver.Connect(exec.Way{Src: 0, Dst: 1}, qp)
	for i := range int32(2) {
		driver.SetRank(i, exec.NewRank(exec.Config{Rank: i, Job: job, Steps: 1, Transport: driver, Clock: driver,
			Observer: rec}), 0)
	}
	r.eng.Run()
	if r.net.Err() != nil || len(rec.steps) != 2 || len(posted) != 3 {
		t.Fatalf("%v; %d steps ended, %d messages arrived", r.net.Err(), len(rec.steps), len(posted))
	}
	for _, s := range rec.steps {
		ends[s.Rank] = s.End
		if s.Split.Sum() != s.End.Sub(s.Start) {
			t.Errorf("rank %d: causes sum to %v, the step took %v", s.Rank, s.Split.Sum(), s.End.Sub(s.Start))
		}
	}
	return posted, ends
}

// A credit that is lost is given again one timeout later, and so often until one comes.
func TestALostCreditIsRepeated(t *testing.T) {
	const us, ms = unit.Microsecond, unit.Millisecond
	clean, cleanEnds := creditRun(t, ms)
	// Around the instant at which the sender would know of it nothing else is on the link: the message
	// before was acknowledged while rank 1 copied.
	lost := fabric.Down{From: clean[1].Add(-1 * us), Until: clean[1].Add(us)}
	for times := range 3 {
		var downs []fabric.Down
		for i := range times {
			d := lost
			d.From, d.Until = d.From.Add(unit.Duration(i)*ms), d.Until.Add(unit.Duration(i)*ms)
			downs = append(downs, d)
		}
		got, ends := creditRun(t, ms, downs...)
		late := unit.Duration(times) * ms
		if got[0] != clean[0] || got[1] != clean[1].Add(late) || got[2] != clean[2].Add(late) ||
			ends[1] != cleanEnds[1].Add(late) {
			t.Errorf("lost %d times: messages posted at %v, rank 1 ends at %v; want %v later than %v and %v", times, got,
				ends[1], late, clean[1:], cleanEnds[1])
		}
	}
}

// If the answer to a credit is lost, the credit comes twice: the second is none.
func TestACreditThatComesTwiceCountsOnce(t *testing.T) {
	const timeout = 15 * unit.Microsecond // the copy of the next message is not done when it comes again
	clean, cleanEnds := creditRun(t, timeout)
	answer := fabric.Down{From: clean[1], Until: clean[1].Add(unit.Nanosecond)} // it goes before the message
	got, ends := creditRun(t, timeout, answer)
	if got[1] != clean[1] || got[2] != clean[2] || ends != cleanEnds {
		t.Errorf("messages posted at %v, ranks end at %v; want %v and %v", got, ends, clean, cleanEnds)
	}
}
