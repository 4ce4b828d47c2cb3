//go:build unix && !linux

package rank

import (
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// noSignal: the runtime makes an error of SIGPIPE on descriptors beyond stderr.
const noSignal = 0

// yield lets another goroutine have the processor.
func yield() { runtime.Gosched() }

// quickPoll polls descriptors for a time in whole milliseconds, and returns for how many there is something: not 0 where it was
// interrupted.
func quickPoll(all []unix.PollFd, limit time.Duration) int {
	n, err := unix.Poll(all, int(limit.Milliseconds()))
	if err != nil {
		return -1
	}
	return n
}

// unpaced: what paces is Linux's.
func unpaced(uintptr) {}

// seal and sealed: no room is lent where the length of memory cannot be fixed.
func seal(*os.File) {}

func sealed(*os.File) bool { return false }
