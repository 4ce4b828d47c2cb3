//go:build unix && !linux

package rank

import (
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

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

// sendNow and receiveNow move parts to and from a socket without waiting. The runtime makes an error of SIGPIPE on descriptors
// beyond stderr.
func sendNow(fd int, parts [][]byte) (int, error) {
	return unix.SendmsgBuffers(fd, parts, nil, nil, unix.MSG_DONTWAIT)
}

func receiveNow(fd int, parts [][]byte) (int, error) {
	n, _, _, _, err := unix.RecvmsgBuffers(fd, parts, nil, unix.MSG_DONTWAIT)
	return n, err
}

// unpaced: what paces is Linux's.
func unpaced(uintptr) {}

// seal and sealed: no room is lent where the length of memory cannot be fixed.
func seal(*os.File) {}

func sealed(*os.File) bool { return false }
