package rank

import "golang.org/x/sys/unix"

// noSignal keeps a write to a closed connection from raising SIGPIPE.
const noSignal = unix.MSG_NOSIGNAL

// yield lets another process have the processor.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
