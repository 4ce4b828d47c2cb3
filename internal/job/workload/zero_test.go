package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What the first of two replicas does in a step: which operation on which stream, after what. Three
// layers of a bucket each.
func TestProgramsOfShards(t *testing.T) {
	for zero, want := range map[Zero]string{
		ZeroOptimiser: `
0 forward.1 on compute after []
1 forward.2 on compute after [0]
2 forward.3 on compute after [1]
3 loss on compute after [2]
4 backward.3 on compute after [3]
5 backward.2 on compute after [4]
6 backward.1 on compute after [5]
7 reducescatter.bucket1 on data-parallel after [4]
8 reducescatter.bucket2 on data-parallel after [5]
9 reducescatter.bucket3 on data-parallel after [6]
10 update.1 on compute after [7]
11 allgather.bucket1 on data-parallel after [10]
12 update.2 on compute after [8]
13 allgather.bucket2 on data-parallel after [12]
14 update.3 on compute after [9]
15 allgather.bucket3 on data-parallel after [14]
`,
		ZeroGradients: `
0 forward.1 on compute after []
1 forward.2 on compute after [0]
2 forward.3 on compute after [1]
3 loss on compute after [2]
4 backward.3 on compute after [3]
5 reducescatter.bucket1 on data-parallel after [4]
6 backward.2 on compute after [4]
7 reducescatter.bucket2 on data-parallel after [6]
8 accumulate.1 on compute after [5 6]
9 backward.1 on compute after [8]
10 reducescatter.bucket3 on data-parallel after [9]
11 update.1 on compute after []
12 allgather.bucket1 on data-parallel after [11]
13 accumulate.2 on compute after [7 11]
14 update.2 on compute after []
15 allgather.bucket2 on data-parallel after [14]
16 accumulate.3 on compute after [10 14]
17 update.3 on compute after []
18 allgather.bucket3 on data-parallel after [17]
`,
		ZeroParameters: `
0 place.forward.3 on compute after []
1 allgather.forward.bucket3 on data-parallel after [0]
2 place.forward.2 on compute after [0]
3 allgather.forward.bucket2 on data-parallel after [2]
4 forward.1 on compute after [1 2]
5 place.forward.1 on compute after [4]
6 allgather.forward.bucket1 on data-parallel after [5]
7 forward.2 on compute after [3 5]
8 place.backward.1 on compute after [7]
9 allgather.backward.bucket1 on data-parallel after [8]
10 forward.3 on compute after [6 8]
11 loss on compute after [10]
12 place.backward.2 on compute after [11]
13 allgather.backward.bucket2 on data-parallel after [12]
14 backward.3 on compute after [9 12]
15 reducescatter.bucket1 on data-parallel after [14]
16 place.backward.3 on compute after [14]
17 allgather.backward.bucket3 on data-parallel after [16]
18 backward.2 on compute after [13 16]
19 reducescatter.bucket2 on data-parallel after [18]
20 accumulate.1 on compute after [15 18]
21 backward.1 on compute after [17 20]
22 reducescatter.bucket3 on data-parallel after [21]
23 update.1 on compute after []
24 accumulate.2 on compute after [19 23]
25 update.2 on compute after []
26 accumulate.3 on compute after [22 25]
27 update.3 on compute after []
`,
	} {
		j, err := Lower(laidOut(Layout{DP: 2, Zero: zero}, 3, 4))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		p := j.Program(0)
		for _, op := range p.Ops {
			fmt.Fprintf(&got, "%d %s on %s after %v\n", op.ID, op.Name, p.Streams[op.Stream].Name, op.Deps)
		}
		if got.String() != want[1:] {
			t.Errorf("zero %d:\n%swant\n%s", zero, got.String(), want[1:])
		}
	}
}

// Streams wait for each other no more than they must: without any one dependency on another stream,
// one writes what the other touches, and Validate says so.
func TestEachDependencyOfShardsIsNeeded(t *testing.T) {
	for zero := range zeros {
		c := laidOut(Layout{DP: 3, PP: 2, MicroBatches: 3, Zero: zero}, 5, 6)
		c.State = []string{"velocity"}
		j, err := Lower(c)
		if err != nil {
			t.Fatal(err)
		}
		across := 0
		for i := range j.Programs {
			p := &j.Programs[i]
			for k := range p.Ops {
				op := &p.Ops[k]
				for n, d := range op.Deps {
					if p.Ops[d].Stream == op.Stream {
						continue
					}
					across++
					all := op.Deps
					op.Deps = slices.Delete(slices.Clone(all), n, n+1)
					if err := j.Validate(); err == nil || !strings.Contains(err.Error(), "may run at the same time") {
						t.Errorf("zero %d: %s without waiting for %s: %v", zero, op.Name, p.Ops[d].Name, err)
					}
					op.Deps = all
				}
			}
		}
		if across < 10*len(j.Programs) {
			t.Errorf("zero %d: %d dependencies between streams of %d programs", zero, across, len(j.Programs))
		}
	}
}
