//go:build !linux

package machine

import "railyard/internal/base/unit"

// Huge does nothing: huge pages are asked for on Linux alone.
func Huge(unit.Bytes) {}
