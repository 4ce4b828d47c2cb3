//go:build unix

package rank

import (
	"os"

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

// wait waits until it is rung, or something can be done with one of the descriptors.
func (b *Bell) wait(all []unix.PollFd) {
	all = append(all, unix.PollFd{Fd: int32(b.from), Events: unix.POLLIN})
	if _, err := unix.Poll(all, -1); err != nil || all[len(all)-1].Revents == 0 {
		return
	}
	var buf [64]byte
	_, _ = unix.Read(b.from, buf[:])
}
