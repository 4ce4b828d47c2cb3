package machine

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"railyard/internal/base/unit"
)

// Huge asks the kernel for huge pages where the next so many bytes of the heap will lie. The runtime does not ask for them, and
// where the kernel waits to be asked (madvise) each 4 KiB of what a run holds would be a fault of its own, and a line of the
// processor's table of pages. What is not used is not there: the block that is asked for is garbage before anything is written
// to it, and the addresses are the heap's again. Nothing is asked of a machine where addresses are counted.
func Huge(heap unit.Bytes) {
	const whenAsked = "/sys/kernel/mm/transparent_hugepage/enabled"
	var addresses syscall.Rlimit
	if strconv.IntSize < 64 {
		return
	}
	if mode, err := os.ReadFile(whenAsked); err != nil || !bytes.Contains(mode, []byte("[madvise]")) {
		return
	}
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &addresses); err != nil || addresses.Cur != ^uint64(0) {
		return
	}
	if strict, err := os.ReadFile("/proc/sys/vm/overcommit_memory"); err != nil || bytes.HasPrefix(strict, []byte("2")) {
		return
	}
	var block strings.Builder // which grows without zeros being written, whatever lay there before
	block.Grow(int(heap))
	block.WriteByte(0)
	from := unsafe.Pointer(unsafe.StringData(block.String()))
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(heap), syscall.MADV_HUGEPAGE)
	runtime.KeepAlive(from)
	block.Reset()
	runtime.GC()
}
