//go:build !unix

package machine

import "railyard/internal/base/unit"

// CPU returns 0: this system is not asked.
func CPU() float64 { return 0 }

// Peak returns 0: this system is not asked.
func Peak() unit.Bytes { return 0 }
