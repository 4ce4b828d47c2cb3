//go:build !amd64 && !arm64

package sim

// Prefetch does nothing on this processor.
func Prefetch(*int64) {}

// PrefetchLines does nothing on this processor.
func PrefetchLines(*int64, int64) {}
