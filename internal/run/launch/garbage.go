//go:build unix

package launch

import (
	"os"
	"railyard/internal/base/machine"
	"runtime/metrics"
)

// garbageRoom is how much a rank's process may leave uncollected. What a step leaves is little, and to collect it each time
// that it is a quarter of as little again takes half of a small job's time, in the middle of its collectives.
const garbageRoom = 32 << 20

// leaveGarbage lets as much lie as garbageRoom, or least percent of what is in use where that is more, and returns what
// percentage it was. GOGC in the environment is obeyed instead.
func leaveGarbage(least int) int {
	if os.Getenv("GOGC") != "" {
		return least
	}
	in := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(in)
	const heap = 4 << 20 // the runtime's at 100 percent, however little is in use
	return machine.Collect(max(least, int(garbageRoom*100/max(in[0].Value.Uint64(), heap))))
}
