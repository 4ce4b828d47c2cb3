//go:build unix

package rank

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Bell wakes a loop that sleeps: a pipe.
type Bell struct {
	read, write *os.File
	from        int // descriptor of read; -1: it is of another process
}

// BellOf returns a bell of the two ends of a pipe; read is nil in all processes but that of the loop that it wakes.
func BellOf(read, write *os.File) (*Bell, error) {
	b := &Bell{read, write, -1}
	if read == nil {
		return b, nil
	}
	raw, err := read.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { b.from = int(fd) })
	}
	return b, err
}

// NewBell returns a bell for a loop whose peers are all in this process.
func NewBell() *Bell {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err) // of tests: processes get theirs from who starts them
	}
	b, err := BellOf(r, w)
	if err != nil {
		panic(err)
	}
	return b
}

var ding = []byte{1}

// ring wakes the loop. A pipe that is full has been rung.
func (b *Bell) ring() { _, _ = b.write.Write(ding) }

// poll asks descriptors, to which it adds its own, without waiting.
func (b *Bell) poll(all []unix.PollFd) []unix.PollFd {
	all = append(all, unix.PollFd{Fd: int32(b.from), Events: unix.POLLIN})
	quickPoll(all, 0)
	return b.silence(all)
}

// wait waits until it is rung, one of the descriptors has something, or so many milliseconds have passed, below 0: for ever.
// For a brief time first the runtime does not know of it: it neither takes the processor away nor has to find one again.
func (b *Bell) wait(all []unix.PollFd, brief time.Duration, ms int) []unix.PollFd {
	all = append(all, unix.PollFd{Fd: int32(b.from), Events: unix.POLLIN})
	if brief == 0 || quickPoll(all, brief) == 0 {
		_, _ = unix.Poll(all, ms) // an error is an interruption: who waits looks around, and waits again
	}
	return b.silence(all)
}

// silence takes from the pipe what has been rung; it is the last of those that were polled.
func (b *Bell) silence(all []unix.PollFd) []unix.PollFd {
	if all[len(all)-1].Revents != 0 {
		var buf [64]byte
		_, _ = unix.Read(b.from, buf[:])
	}
	return all
}
