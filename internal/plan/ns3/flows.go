package ns3

import (
	"fmt"
	"math/big"
	"strings"

	"railyard/internal/base/unit"
)

// MaxFlows bounds a flow file: as many as job.flows_csv takes (docs/limits.md).
const MaxFlows = 400_000

// flow is a line of a flow file.
type flow struct {
	src, dst int
	bytes    int64
	start    unit.Time // as the simulator takes it
	cut      bool      // the file says a little more
}

// readFlows reads a flow file: a count, then for each flow source, destination, priority group,
// destination port, bytes and start in seconds. What follows the last one is not read, as in the
// simulator.
func readFlows(file string, src []byte, p *topology) (flows []flow, rest int, err error) {
	t := tokenize(file, src)
	n, at, ok := t.number("flows", 0, MaxFlows)
	if ok && n == 0 {
		t.fail(at, "0 flows, want at least one: a job must send something")
	}
	for i := int64(0); i < n && len(t.problems) == 0; i++ {
		if f, ok := readFlow(t, p); ok {
			flows = append(flows, f)
		}
	}
	rest = t.left()
	return flows, rest, t.err()
}

func readFlow(t *tokens, p *topology) (f flow, ok bool) {
	last := int64(len(p.role) - 1)
	src, w, ok := t.number("source", 0, last)
	if !ok {
		return f, false
	}
	dst, _, ok := t.number("destination", 0, last)
	if !ok {
		return f, false
	}
	if p.role[src] != isHost || p.role[dst] != isHost {
		t.fail(w, "flow from node %d to node %d: one of them is a switch, want hosts", src, dst)
		return f, false
	}
	if src == dst {
		t.fail(w, "flow from node %d to itself, want two hosts", src)
		return f, false
	}
	if _, _, ok = t.number("priority group", 3, 3); !ok {
		return f, false
	}
	if _, _, ok = t.number("destination port", 0, 65535); !ok {
		return f, false
	}
	bytes, _, ok := t.number("bytes", 1, 1_000_000_000_000)
	if !ok {
		return f, false
	}
	start, w, ok := t.decimal("start in seconds", true)
	if !ok {
		return f, false
	}
	seconds, _ := start.Float64()
	if seconds > (24 * unit.Hour).Seconds() {
		t.fail(w, "start %s s: want at most a day", w.text)
		return f, false
	}
	at := unit.TruncatedSeconds(seconds)
	cut := start.Cmp(big.NewRat(int64(at), int64(unit.Second))) != 0
	return flow{int(src), int(dst), bytes, unit.Time(at), cut}, true
}

// countCut returns how many flows start earlier than the file says.
func countCut(flows []flow) (n int) {
	for _, f := range flows {
		if f.cut {
			n++
		}
	}
	return n
}

// flowsCSV prints flows as Railyard reads them. Time 0 is that of the first flow.
func flowsCSV(flows []flow, p *topology, from string) (text []byte, zero unit.Time) {
	zero = flows[0].start
	for _, f := range flows {
		zero = min(zero, f.start)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# From %s: names hold the numbers of both nodes; time 0 is %s there.\nname,from,to,bytes,start\n",
		from, unit.Duration(zero))
	for i, f := range flows {
		fmt.Fprintf(&b, "flow%d-n%d-n%d,%s,%s,%dB,%s\n", i+1, f.src, f.dst, p.endpoint(f.src), p.endpoint(f.dst),
			f.bytes, f.start.Sub(zero))
	}
	return []byte(b.String()), zero
}
