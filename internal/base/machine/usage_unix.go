//go:build unix

package machine

import (
	"os"
	"runtime"
	"strings"
	"syscall"

	"railyard/internal/base/unit"
)

// CPU returns the CPU time that this process has taken so far, user and system, on all cores, in
// seconds. Unlike a clock it stands still while others have the cores.
func CPU() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Peak returns the most memory that this process has held at one time. Linux keeps in getrusage what
// the process held that it was made from; the file of its own memory does not.
func Peak() unit.Bytes {
	if runtime.GOOS == "linux" {
		text, _ := os.ReadFile("/proc/self/status")
		for line := range strings.Lines(string(text)) {
			if n, ok := kilobytes(line, "VmHWM"); ok {
				return n
			}
		}
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return unit.Bytes(u.Maxrss)
	}
	return unit.Bytes(u.Maxrss) * unit.Kibibyte
}
