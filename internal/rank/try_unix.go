//go:build unix

package rank

import "syscall"

// tryWrite writes what the socket takes at once, and returns how much that is.
func tryWrite(c syscall.RawConn, b []byte) (n int) {
	_ = c.Write(func(fd uintptr) bool {
		n, _ = syscall.SendmsgN(int(fd), b, nil, nil, syscall.MSG_DONTWAIT)
		return true // an error shows again when the rest is written
	})
	return max(n, 0)
}
