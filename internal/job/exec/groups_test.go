package exec_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// numbers is the memory and the work of ranks: whole numbers, so that sums are exact.
type numbers struct {
	job     *workload.Job
	buffers [][][]byte // by rank and buffer
}

func newNumbers(job *workload.Job) *numbers {
	n := &numbers{job: job}
	for r := range job.Ranks() {
		own := make([][]byte, len(job.Buffers)+2*len(job.Collectives))
		for b := range own {
			if c, _ := exec.StagingOf(job, int32(b)); c >= 0 {
				own[b] = make([]byte, job.Collectives[c].StagingBytes())
				continue
			}
			own[b] = make([]byte, job.Buffers[b].Elems)
			for i := range own[b] {
				own[b][i] = byte(1 + r + 7*i + 31*b)
			}
		}
		n.buffers = append(n.buffers, own)
	}
	return n
}

func (n *numbers) Bytes(rank int32, r exec.Ref) []byte {
	return n.buffers[rank][r.Buffer][r.Off : r.Off+r.Len]
}
func (n *numbers) Compute(int32, int64, *workload.Op) {}
func (n *numbers) Copy(rank, _ int32, dst, src exec.Ref) {
	copy(n.Bytes(rank, dst), n.Bytes(rank, src))
}
func (n *numbers) Reduce(rank, _ int32, dst, src exec.Ref) {
	d := n.Bytes(rank, dst)
	for i, v := range n.Bytes(rank, src) {
		d[i] += v
	}
}

// gridJob is a job of rows x columns ranks. Each is in three groups: its row, its column and
// all ranks. A step sums a buffer over each of them, all three at the same time.
func gridJob(rows, columns int, elems int64, span unit.Duration) *workload.Job {
	job := &workload.Job{}
	group := func(name string, ranks []int32) int32 {
		s, err := coll.RingAllReduce([][]int32{identity(len(ranks))})
		if err != nil {
			panic(err)
		}
		buffer := int32(len(job.Buffers))
		job.Buffers = append(job.Buffers, workload.Buffer{Name: name, Elems: elems, ElemBytes: 1})
		job.Groups = append(job.Groups, workload.Group{Name: name, Ranks: ranks})
		job.Collectives = append(job.Collectives, workload.Collective{Name: name, Group: int32(len(job.Groups) - 1),
			Range: workload.Range{Buffer: buffer, Elems: elems}, ElemBytes: 1, Schedule: s})
		return int32(len(job.Groups) - 1)
	}
	of := make([][]int32, rows*columns)
	join := func(g int32) {
		for _, r := range job.Groups[g].Ranks {
			of[r] = append(of[r], g)
		}
	}
	for y := range rows {
		var ranks []int32
		for x := range columns {
			ranks = append(ranks, int32(y*columns+x))
		}
		join(group(fmt.Sprintf("row %d", y), ranks))
	}
	for x := range columns {
		var ranks []int32
		for y := rows - 1; y >= 0; y-- { // not in the order of the job's ranks
			ranks = append(ranks, int32(y*columns+x))
		}
		join(group(fmt.Sprintf("column %d", x), ranks))
	}
	join(group("all", identity(rows*columns)))
	for r := range of {
		p := workload.Program{Streams: []workload.Stream{{Name: "compute", Group: -1}},
			Ops: []workload.Op{{Name: "before", Kind: workload.Compute, Duration: span, Body: -1, Coll: -1}}}
		for _, g := range of[r] {
			sum := []workload.Range{job.Collectives[g].Range}
			p.Ops = append(p.Ops, workload.Op{ID: int32(len(p.Ops)), Name: job.Groups[g].Name,
				Kind:   workload.Communication,
				Stream: int32(len(p.Streams)), Deps: []int32{0}, Body: -1, Coll: g, Reads: sum, Writes: sum})
			p.Streams = append(p.Streams, workload.Stream{Name: job.Groups[g].Name, Group: g})
		}
		job.Of = append(job.Of, int32(r))
		job.Programs = append(job.Programs, p)
	}
	return job
}

func identity(n int) (all []int32) {
	for i := range n {
		all = append(all, int32(i))
	}
	return all
}

// A rank in three groups runs three collectives at the same time, between the same ranks on
// the same channel: each sum is that of its group, whatever the latencies.
func TestGroupsAtTheSameTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(2, 3).Draw(t, "rows"), rapid.IntRange(2, 3).Draw(t, "columns")
		elems := rapid.Int64Range(1, 30).Draw(t, "elements")
		job := gridJob(rows, columns, elems, us)
		if err := job.Validate(); err != nil {
			t.Fatal(err)
		}
		steps := rapid.Int64Range(1, 3).Draw(t, "steps")
		memory := newNumbers(job)
		want := newNumbers(job)
		for range steps {
			sumGroups(want)
		}
		j := &journal{}
		f := exec.NewPathFinder(job.Ranks(), 1, func(p *exec.PathRecord) {
			if p.Split.Sum() != p.End.Sub(p.Start) {
				t.Fatalf("the path of step %d sums to %v, it took %v", p.Step, p.Split.Sum(), p.End.Sub(p.Start))
			}
		})
		latency := rapid.SliceOfN(rapid.Int64Range(0, 20), 97, 97).Draw(t, "latencies")
		posted := 0
		d := exectest.New(exectest.Net{Rate: gbps, Ack: us, Latency: func(exec.Message) unit.Duration {
			posted++
			return unit.Duration(latency[posted%97]) * us
		}}, memory)
		for r := range job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: job, Steps: steps, Body: memory, Observer: j, Paths: f})
		}
		if _, err := d.Run(); err != nil {
			t.Fatal(err)
		}
		for r := range memory.buffers {
			for _, g := range groupsOf(job, int32(r)) {
				if got, want := fmt.Sprint(memory.buffers[r][g]), fmt.Sprint(want.buffers[r][g]); got != want {
					t.Fatalf("rank %d, %s: %s, want %s", r, job.Groups[g].Name, got, want)
				}
			}
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("%+v does not sum", s)
			}
		}
		beside := 0
		for _, a := range j.ops {
			for _, b := range j.ops {
				if a.Rank == b.Rank && a.Step == b.Step && a.Op < b.Op && a.Op > 0 &&
					a.Start < b.End && b.Start < a.End {
					beside++
				}
			}
		}
		if beside == 0 {
			t.Fatal("no two collectives of a rank ran at the same time")
		}
	})
}

func groupsOf(job *workload.Job, rank int32) (all []int32) {
	for g := range job.Groups {
		for _, r := range job.Groups[g].Ranks {
			if r == rank {
				all = append(all, int32(g))
			}
		}
	}
	return all
}

// sumGroups gives the ranks of each group the sum of the group's buffer over them.
func sumGroups(n *numbers) {
	for g := range n.job.Groups {
		ranks := n.job.Groups[g].Ranks
		for i := range n.job.Buffers[g].Elems {
			sum := byte(0)
			for _, r := range ranks {
				sum += n.buffers[r][g][i]
			}
			for _, r := range ranks {
				n.buffers[r][g][i] = sum
			}
		}
	}
}
