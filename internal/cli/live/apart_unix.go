//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// apart starts a process in a group of its own: Ctrl-C in the terminal of the server does not reach it, but the server, which
// ends it once. (A second Ctrl-C kills.)
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
