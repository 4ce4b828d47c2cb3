//go:build unix && !linux

package launch

import (
	"os"
	"syscall"
	"time"
)

// memory makes memory for processes to share: a file whose name is gone at once.
func memory(size int) (*os.File, error) {
	f, err := os.CreateTemp("", "railyard")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err == nil {
		err = f.Truncate(int64(size))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// room: memory with a name is written to disk here, so ranks have none that others see.
func room() (*os.File, error) { return nil, nil }

// orphan does nothing: here a child ends when it sees its launcher's socket closed.
func orphan() *syscall.SysProcAttr { return nil }

// stopped is not known.
func stopped(int) bool { return false }

// processor is not known: a process wants none.
func processor(int) (used time.Duration, wants bool) { return 0, false }
