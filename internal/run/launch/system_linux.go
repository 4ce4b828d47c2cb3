package launch

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"railyard/internal/base/input"
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

// room makes a file of memory for the large buffers of a rank: see rank.Room.
func room() (*os.File, error) {
	fd, err := unix.MemfdCreate("railyard-room", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "room"), nil
}

// orphan has the kernel kill a child when the thread that started it ends: prctl(2), PR_SET_PDEATHSIG.
func orphan() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// stopped reports whether a process is stopped by a signal or a debugger.
func stopped(pid int) bool {
	state, _, ok := standsOf("/proc/" + strconv.Itoa(pid))
	return ok && (state == "T" || state == "t")
}

// processor is how much processor time a process has used, and whether one of its threads wants more.
func processor(pid int) (used time.Duration, wants bool) {
	of := "/proc/" + strconv.Itoa(pid)
	_, used, _ = standsOf(of)
	threads, _ := os.ReadDir(of + "/task")
	for _, t := range threads {
		state, _, _ := standsOf(of + "/task/" + t.Name())
		wants = wants || state == "R"
	}
	return used, wants
}

// standsOf reads the state of a process or a thread and the processor time that it has used: proc_pid_stat(5).
func standsOf(path string) (state string, used time.Duration, ok bool) {
	b, err := input.Read(context.Background(), path+"/stat", 4096)
	if err != nil {
		return "", 0, false
	}
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:]) // from field 3 on
	if len(f) < 13 {
		return "", 0, false
	}
	for _, of := range f[11:13] { // in user mode and in the kernel's, in ticks
		n, _ := strconv.ParseInt(of, 10, 64)
		used += time.Duration(n) * tick
	}
	return f[0], used, true
}

// tick is the unit of times in /proc, on every processor that Go runs on: sysconf(3), _SC_CLK_TCK.
const tick = time.Second / 100
