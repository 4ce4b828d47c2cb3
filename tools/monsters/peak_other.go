//go:build !linux

package main

import "os"

// peakOf returns 0: where it is not Linux, memory is not measured.
func peakOf(*os.ProcessState) int64 { return 0 }
