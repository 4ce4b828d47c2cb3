//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package output

import (
	"errors"
	"os"
	"syscall"
)

// noWait keeps a FIFO that takes a file's place from holding us up.
const noWait = syscall.O_NONBLOCK

// flock locks an open file, and reports whether nobody had it. The lock goes with the process.
func flock(f *os.File, _ bool) (free bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
