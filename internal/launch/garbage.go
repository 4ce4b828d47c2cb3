//go:build unix

package launch

import (
	"os"
	"runtime/debug"
	"runtime/metrics"

	"railyard/internal/plan"
)

// garbageRoom is how much a rank's process may leave uncollected. What a step leaves is little, and to collect it each time
// that it is a quarter of as little again takes half of a small job's time, in the middle of its collectives.
const garbageRoom = 32 << 20

// leaveGarbage lets as much lie as garbageRoom, or plan.Garbage of what is in use where that is more. GOGC in the environment
// is obeyed instead.
func leaveGarbage() {
	if os.Getenv("GOGC") != "" {
		return
	}
	in := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(in)
	const least = 4 << 20 // the runtime's heap at 100 percent, however little is in use
	debug.SetGCPercent(max(plan.Garbage, int(garbageRoom*100/max(in[0].Value.Uint64(), least))))
}
