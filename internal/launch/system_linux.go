package launch

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"railyard/internal/input"
)

// memory makes memory without a name, for processes to share.
func memory(size int) (*os.File, error) {
	fd, err := unix.MemfdCreate("railyard", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "shared memory")
	if err := f.Truncate(int64(size)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// orphan has the kernel kill a child when the thread that started it ends: prctl(2), PR_SET_PDEATHSIG.
func orphan() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// stopped reports whether a process is stopped by a signal or a debugger: proc_pid_stat(5), the field behind its name.
func stopped(pid int) bool {
	b, err := input.Read(context.Background(), "/proc/"+strconv.Itoa(pid)+"/stat", 4096)
	if err != nil {
		return false
	}
	s := string(b)
	state := strings.TrimSpace(s[strings.LastIndexByte(s, ')')+1:])
	return strings.HasPrefix(state, "T") || strings.HasPrefix(state, "t")
}
