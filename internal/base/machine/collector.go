package machine

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"railyard/internal/base/unit"
)

// collector is how the runtime of this process collects garbage. There is one.
var collector struct {
	mu      sync.Mutex
	resting bool
	rests   int   // so far
	percent int   // as it is, or will be after the rest
	limit   int64 // likewise
}

// Collect has the runtime collect garbage once it comes to so many percent of what is in use, and returns what it was
// before. A rest is over by that.
func Collect(percent int) (was int) {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resting {
		wake()
	}
	return debug.SetGCPercent(percent)
}

// Limit has the runtime collect garbage rather than hold more than so many bytes. A rest is over by that.
func Limit(bytes unit.Bytes) {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resting {
		wake()
	}
	debug.SetMemoryLimit(int64(bytes))
}

// Rest has the collector rest until this process holds so many bytes, of which it is known that they will be needed:
// while what is in use grows, garbage by percent is looked for after each step of growth, with 25 % five times as much
// in all as is there in the end. From then on it collects as before. Whoever says in the environment how garbage is to be
// collected (GOGC, GOMEMLIMIT) is obeyed instead.
func Rest(until unit.Bytes) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.resting {
		c.percent, c.limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
		c.resting = true
	}
	debug.SetMemoryLimit(min(int64(until), c.limit))
	c.rests++
	this := c.rests
	// The first collection finds a value that nobody uses. It may be told of that when there is another rest already.
	runtime.SetFinalizer(&witness{}, func(*witness) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.resting && c.rests == this {
			wake()
		}
	})
}

// witness is large enough not to share its memory with other values.
type witness [64]byte

// wake ends a rest.
func wake() {
	c := &collector
	c.resting = false
	debug.SetGCPercent(c.percent)
	debug.SetMemoryLimit(c.limit)
}

// HugeAtStart is for how much of the heap any command asks for huge pages: see Huge.
const HugeAtStart = 256 * unit.Mebibyte
