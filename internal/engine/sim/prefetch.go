//go:build amd64 || arm64

package sim

// Prefetch asks the processor to bring a line of memory into the cache, and does not wait for it. It
// is a hint: it reads nothing, and any address will do.
//
//go:noescape
func Prefetch(line *int64)

// PrefetchLines is Prefetch of so many lines of 64 bytes, at least one.
//
//go:noescape
func PrefetchLines(first *int64, lines int64)
