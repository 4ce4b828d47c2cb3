package rank

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noSignal keeps a write to a closed connection from raising SIGPIPE.
const noSignal = unix.MSG_NOSIGNAL

// yield lets another process have the processor.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// quickPoll polls descriptors for a time, unknown to the runtime, and returns for how many there is something: not 0 where it
// was interrupted.
func quickPoll(all []unix.PollFd, limit time.Duration) int {
	ts := unix.NsecToTimespec(limit.Nanoseconds())
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(all))), uintptr(len(all)),
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return -1
	}
	return int(n)
}

// unpaced gives a connection within the host a congestion control that every kernel has and that only counts. There is no
// bottleneck to find, and to pace what is sent, as BBR does, takes a third of the time of a large message.
func unpaced(fd uintptr) {
	_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
}

// seal has a file of memory stay as long as it is: who maps it can read all of it, whatever becomes of its owner.
func seal(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
}

// sealed reports whether it is.
func sealed(f *os.File) bool {
	seals, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	return err == nil && seals&unix.F_SEAL_SHRINK != 0
}
