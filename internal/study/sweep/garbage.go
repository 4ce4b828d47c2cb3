package sweep

import (
	"os"
	"sync"

	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
)

// Garbage is what runs that go on at once may leave uncollected in this process. A run by itself may leave little, since most of
// what a large one holds is there from the start; short runs would then be collected dozens of times a second, which takes a
// third of their time. The garbage of large runs stays as little as it was.
//
// Without a Garbage nothing changes. The environment's GOGC is obeyed instead.
type Garbage struct {
	mu     sync.Mutex
	of     int        // how many use it
	memory unit.Bytes // that may be in use; 0: not known
	used   unit.Bytes // by the forecasts of runs under way
	was    int        // percent before,
	now    int        // and at present
}

// process is that of this process: there is one collector.
var process Garbage

// LeaveGarbage begins to leave garbage, in runs that may take so much memory together (0: what the machine has), until End.
func LeaveGarbage(memory unit.Bytes) *Garbage {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	if memory == 0 {
		memory = machine.Memory()
	}
	g := &process
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of++; g.of == 1 {
		g.memory, g.used = memory, 0
		g.was = machine.Collect(100)
		g.now = g.was + mayLeave(0, memory)
		machine.Collect(g.now)
	}
	g.memory = min(g.memory, memory)
	return g
}

// Use says that runs under way take so many bytes more, or less.
func (g *Garbage) Use(bytes unit.Bytes) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used += bytes
	// Each change stops all runs for a moment: more is left once it is much more.
	if may := g.was + mayLeave(g.used, g.memory); may < g.now || may > 2*g.now {
		g.now = may
		machine.Collect(may)
	}
}

// End has the collector as it was, when nobody else leaves garbage.
func (g *Garbage) End() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of--; g.of == 0 {
		machine.Collect(g.was)
	}
}

// mayLeave is what may be left besides, in percent of what is in use, where runs under way take so much by their forecasts: half of the
// memory that no run takes, but at most what makes collecting cheap.
func mayLeave(used, memory unit.Bytes) int {
	const (
		most  = 256 * unit.Mebibyte
		least = 32 * unit.Mebibyte // that a process has in use
	)
	room := most
	if memory > 0 {
		room = min(room, max(0, memory-used)/2)
	}
	return int(100 * room / max(used, least))
}
