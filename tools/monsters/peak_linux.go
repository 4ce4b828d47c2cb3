package main

import (
	"os"
	"syscall"
)

// peakOf returns the most memory that an ended process held.
func peakOf(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024 // in kB: getrusage(2)
	}
	return 0
}
