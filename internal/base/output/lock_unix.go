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
func flock(f *os.File, _ bool) (free bool, err error) { return lock(f, syscall.LOCK_EX) }

// unlocked reports whether nobody has locked an open file. Others may ask at the same time.
func unlocked(f *os.File) (free bool, err error) { return lock(f, syscall.LOCK_SH) }

func lock(f *os.File, how int) (free bool, err error) {
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
