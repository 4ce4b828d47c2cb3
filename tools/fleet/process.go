//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a program that was started, in a group of its own.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string // what it says
	end  chan struct{}
	err  error
}

// start starts a program, in a network namespace unless that is "". What it says goes into a file by its name.
func (t *try) start(space, name string, env []string, program string, args ...string) (*process, error) {
	words := append([]string{program}, args...)
	if space != "" {
		words = append([]string{"ip", "netns", "exec", space}, words...)
	}
	p := &process{name: name, cmd: exec.Command(words[0], words[1:]...), log: t.path(name + ".log"), end: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Dir = t.dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.end)
	}()
	return p, nil
}

// kill ends a process at once.
func (p *process) kill() {
	if p == nil {
		return
	}
	p.cmd.Process.Signal(syscall.SIGKILL) //nolint:errcheck // it has ended
	<-p.end
}

// stop asks a process to end, and reports whether it did, with exit code 0 or one of those.
func (p *process) stop(codes ...int) error {
	p.cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it has ended
	select {
	case <-p.end:
	case <-time.After(30 * time.Second):
		p.kill()
		return errors.New("it did not end within 30 s")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		for _, c := range codes {
			if c == code {
				return nil
			}
		}
		return fmt.Errorf("exit code %d: %s", code, p.last())
	}
	return nil
}

// cpu is what an ended process took, seconds.
func (p *process) cpu() float64 {
	return (p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Seconds()
}

// last is the end of what it said.
func (p *process) last() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n     ")
}

// command runs a program to its end.
func command(words ...string) error {
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// wait waits for a process to end by itself.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	case <-p.end:
		return p.err
	}
}
