package rank

import (
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

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

// sendNow writes parts to a socket as far as there is room, and receiveNow reads into parts what has come, unknown to the
// runtime: to copy half a MiB takes long enough for it to take the processor away and to wake a thread that looks for work.
func sendNow(fd int, parts [][]byte) (int, error) {
	return messageNow(unix.SYS_SENDMSG, fd, parts, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

func receiveNow(fd int, parts [][]byte) (int, error) {
	return messageNow(unix.SYS_RECVMSG, fd, parts, unix.MSG_DONTWAIT)
}

func messageNow(call uintptr, fd int, parts [][]byte, flags uintptr) (int, error) {
	var all [streamParts + 2]unix.Iovec
	for i, b := range parts {
		all[i].Base = unsafe.SliceData(b)
		all[i].SetLen(len(b))
	}
	msg := unix.Msghdr{Iov: &all[0]}
	msg.SetIovlen(len(parts))
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&msg)), flags)
	runtime.KeepAlive(parts)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
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
