package dataset

import "syscall"

// largeRoom is from where on it matters how large pages are: some thousand faults of a page each are as long as reading them.
const largeRoom = 4 << 20

// room is room for so many bytes. Where it is large the kernel may make it of large pages, if it has some: each process of a
// launch reads all images, and most of its start was faults of small ones.
func room(n int) []byte {
	b := make([]byte, 0, n)
	if n >= largeRoom {
		_ = syscall.Madvise(b[:n], syscall.MADV_HUGEPAGE) // it is only advice
	}
	return b
}
