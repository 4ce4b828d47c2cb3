//go:build !linux

package dataset

// room is room for so many bytes.
func room(n int) []byte { return make([]byte, 0, n) }
