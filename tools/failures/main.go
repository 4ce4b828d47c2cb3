package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"railyard/internal/base/splitmix"
)

// random draws which rank, and when.
var random splitmix.Stream

// below draws a number from 0 to n-1.
func below(n int) int { return int(random.Next() % uint64(n)) }

// mark is in the environment of all that a try starts, so that what is left of it is found.
const mark = "RAILYARD_TRY"

// try is one attempt: its folder, and what it has started.
type try struct {
	railyard, dir, name string
	n                   int
}

// process is a launcher under way.
type process struct {
	cmd *exec.Cmd
	out bytes.Buffer
	end chan struct{}
}

const job = `name: t
cluster: {hosts: 1, host: {gpus: 4}}
job:
  train:
    data: {digits: {dir: digits, train: 2000, test: 64, seed: 3}}
    lr: %s
    layers: [784, 64, 10]
    batch: 8
    epochs: 400
`

// kase is something that goes wrong: what is done, which returns when, and all launchers; and what each must say.
type kase struct {
	name string
	do   func(t *try) (at time.Time, all []*process, want []string)
}

var cases = []kase{
	{"kill -9 of a rank, shared memory", func(t *try) (time.Time, []*process, []string) { return t.signal(syscall.SIGKILL, "shm") }},
	{"kill -9 of a rank, TCP", func(t *try) (time.Time, []*process, []string) { return t.signal(syscall.SIGKILL, "tcp") }},
	{"SIGSTOP of a rank", func(t *try) (time.Time, []*process, []string) { return t.signal(syscall.SIGSTOP, "shm") }},
	{"kill -9 of the launcher", killedLauncher},
	{"kill -9 of another node's launcher", killedNode},
	{"a node that never comes (1 s)", neverComes},
	{"port in use", portInUse},
	{"another --id", func(t *try) (time.Time, []*process, []string) {
		return t.differs("0.1", "other", `it has --id "other", node 0 has `)
	}},
	{"another file", func(t *try) (time.Time, []*process, []string) {
		return t.differs("0.2", "t", `its scenario differs: `)
	}},
	{"an interface that is dropped", dropped},
	{"two jobs on one host", twoJobs},
	{"a folder that is read-only", readOnly},
	{"a full disk", fullDisk},
}

func main() {
	railyard := flag.String("railyard", "", "the binary")
	tries := flag.Int("tries", 100, "of each case")
	only := flag.String("only", "", "cases whose names match")
	restarts := flag.Duration("restarts", 0, "kill random ranks of a job that starts again, for so long")
	hosts := flag.Int("hosts", 1, "of that job: of several, launchers are killed too, and spares take their places")
	flag.Uint64Var((*uint64)(&random), "seed", 1, "of what is drawn")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if *railyard == "" || err != nil {
		fmt.Fprintln(os.Stderr, "failures: want -railyard BIN, and a regular expression in -only:", err)
		os.Exit(2)
	}
	path, err := filepath.Abs(*railyard)
	if err == nil {
		err = play(path, *tries, which, *restarts, *hosts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "failures:", err)
		os.Exit(1)
	}
}

func play(railyard string, tries int, which *regexp.Regexp, restarts time.Duration, hosts int) error {
	dir, err := os.MkdirTemp("", "failures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer joined.close()
	draw := exec.Command(railyard, "data", "digits", "--dir", "digits", "--train", "2000", "--test", "64", "--seed", "3", "-q")
	if draw.Dir = dir; draw.Run() != nil {
		return errors.New("no data")
	}
	switch {
	case restarts > 0 && hosts > 1:
		return startsAgainOn(hosts, railyard, dir, restarts)
	case restarts > 0:
		return startsAgain(railyard, dir, restarts)
	}
	wrong := 0
	for _, c := range cases {
		if !which.MatchString(c.name) {
			continue
		}
		var took []time.Duration
		for n := range tries {
			t := &try{railyard: railyard, dir: dir, name: fmt.Sprint("t", n), n: n}
			d, err := t.run(c)
			if err != nil {
				wrong++
				fmt.Printf("%s, try %d: %v\n", c.name, n, err)
				continue
			}
			took = append(took, d)
		}
		slices.Sort(took)
		if len(took) == 0 {
			continue
		}
		fmt.Printf("%-40s %3d of %d as it must be; median %6.3f s, worst %6.3f s\n", c.name, len(took), tries,
			took[len(took)/2].Seconds(), took[len(took)-1].Seconds())
	}
	if wrong > 0 {
		return fmt.Errorf("%d tries", wrong)
	}
	return nil
}

// run plays a case once, and returns how long it was from what went wrong to the end of the last process.
func (t *try) run(c kase) (time.Duration, error) {
	defer os.RemoveAll(filepath.Join(t.dir, "runs"))
	at, all, want := c.do(t)
	var errs []error
	var last time.Duration
	for i, p := range all {
		select {
		case <-p.end:
		case <-time.After(60 * time.Second):
			errs = append(errs, errors.New("it had not ended after a minute"))
			_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it prints where it stands
			<-p.end
		}
		last = max(last, time.Since(at))
		if want[i] == killed {
			continue
		}
		text, code := p.out.String(), p.cmd.ProcessState.ExitCode()
		switch {
		case want[i] == "" && code != 0:
			errs = append(errs, fmt.Errorf("launcher %d: exit code %d: %s", i, code, text))
		case want[i] != "" && code != 1:
			errs = append(errs, fmt.Errorf("launcher %d: exit code %d: %s", i, code, text))
		case want[i] != "":
			if ok, err := regexp.MatchString(want[i], text); err != nil || !ok {
				errs = append(errs, fmt.Errorf("launcher %d says %q, want %q", i, text, want[i]))
			}
		}
	}
	deadline := time.Now().Add(2 * time.Second)
	left := t.left()
	for len(left) > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
		left = t.left()
	}
	last = max(last, time.Since(at))
	if len(left) > 0 {
		errs = append(errs, fmt.Errorf("processes %v are left", left))
	}
	return last, errors.Join(errs...)
}

// killed is what a launcher says that was: nothing that is looked at.
const killed = "killed"

// start starts a launcher in the folder of tries.
func (t *try) start(args ...string) *process {
	return t.startBy(t.railyard, args...)
}

func (t *try) startBy(program string, args ...string) *process {
	p := &process{cmd: exec.Command(program, args...), end: make(chan struct{})}
	p.cmd.Dir = t.dir
	p.cmd.Env = append(os.Environ(), mark+"="+t.name)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		panic(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.end)
	}()
	return p
}

// file writes the job's scenario.
func (t *try) file(name, lr string) string {
	if err := os.WriteFile(filepath.Join(t.dir, name), fmt.Appendf(nil, job, lr), 0o644); err != nil {
		panic(err)
	}
	return name
}

// left is the processes that have the try's mark.
func (t *try) left() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err == nil && bytes.Contains(b, []byte(mark+"="+t.name+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// children are the processes of a launcher's ranks.
func (p *process) children() (pids []int) {
	for _, task := range mustGlob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid)) {
		b, _ := os.ReadFile(task) // a thread may have ended
		for _, f := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(f)
			pids = append(pids, pid)
		}
	}
	return pids
}

// ranks waits for the processes of a launcher's ranks.
func (p *process) ranks(n int) []int {
	for {
		if pids := p.children(); len(pids) == n {
			return pids
		}
		select {
		case <-p.end:
			return nil
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func mustGlob(pattern string) []string {
	all, err := filepath.Glob(pattern)
	if err != nil {
		panic(err)
	}
	return all
}

// some is a while, so that each try meets the job in another state: at its start too.
func some() { time.Sleep(time.Duration(below(1200)) * time.Millisecond) }

func (t *try) signal(s syscall.Signal, transport string) (time.Time, []*process, []string) {
	p := t.start("launch", t.file("t.yaml", "0.1"), "-q", "--transport", transport)
	pids := p.ranks(4)
	some()
	if len(pids) == 0 {
		return time.Now(), []*process{p}, []string{"nothing: there were no ranks"}
	}
	pid := pids[below(len(pids))]
	at := time.Now()
	_ = syscall.Kill(pid, s)
	want := fmt.Sprintf(`rank \d \(\S+, pid %d\) was killed by signal 9`, pid)
	if s == syscall.SIGSTOP {
		want = fmt.Sprintf(`rank \d \(\S+, pid %d\) is stopped`, pid)
	}
	return at, []*process{p}, []string{want}
}

func killedLauncher(t *try) (time.Time, []*process, []string) {
	p := t.start("launch", t.file("t.yaml", "0.1"), "-q")
	p.ranks(4)
	some()
	at := time.Now()
	_ = p.cmd.Process.Kill()
	return at, []*process{p}, []string{killed}
}

// port is one that is free.
func port() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// twoNodes are the arguments of a node of two.
func twoNodes(n int, at, file string, more ...string) []string {
	return append([]string{"launch", "--nnodes", "2", "--node-rank", strconv.Itoa(n), "--rdzv", at, "-q", file}, more...)
}

// node starts a node of two.
func (t *try) node(n int, at, file string, more ...string) *process {
	return t.start(twoNodes(n, at, file, more...)...)
}

func killedNode(t *try) (time.Time, []*process, []string) {
	where, file := port(), t.file("t.yaml", "0.1")
	a, b := t.node(0, where, file), t.node(1, where, file)
	b.ranks(2)
	some()
	at := time.Now()
	_ = b.cmd.Process.Kill()
	return at, []*process{a, b}, []string{`the launcher of node 1 .* has gone`, killed}
}

func neverComes(t *try) (time.Time, []*process, []string) {
	at := time.Now()
	p := t.node(0, port(), t.file("t.yaml", "0.1"), "--timeout", "1s")
	return at, []*process{p}, []string{`node 1 never came to `}
}

func portInUse(t *try) (time.Time, []*process, []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	at := time.Now()
	p := t.node(0, l.Addr().String(), t.file("t.yaml", "0.1"))
	go func() {
		<-p.end
		l.Close()
	}()
	return at, []*process{p}, []string{` is in use: `}
}

func (t *try) differs(lr, id, want string) (time.Time, []*process, []string) {
	where := port()
	a := t.node(0, where, t.file("t.yaml", "0.1"), "--id", "t", "--timeout", "1s")
	at := time.Now()
	b := t.node(1, where, t.file("u.yaml", lr), "--id", id)
	return at, []*process{a, b}, []string{`node 1 never came to `, want}
}

const short = "--set=job.train.epochs=1"

func twoJobs(t *try) (time.Time, []*process, []string) {
	at := time.Now()
	file := t.file("t.yaml", "0.1")
	return at, []*process{t.start("launch", file, "-q", short), t.start("launch", file, "-q", short)}, []string{"", ""}
}

// inside runs a launcher with runs being a file system of its own, which wants root.
func (t *try) inside(options, want string) (time.Time, []*process, []string) {
	if err := os.MkdirAll(filepath.Join(t.dir, "runs"), 0o755); err != nil {
		panic(err)
	}
	at := time.Now()
	p := t.startBy("unshare", "-m", "sh", "-c", `mount -t tmpfs -o "$0" none runs && exec "$@"`, options,
		t.railyard, "launch", t.file("t.yaml", "0.1"), "-q", "--set=job.train.epochs=3")
	return at, []*process{p}, []string{want}
}

func readOnly(t *try) (time.Time, []*process, []string) {
	return t.inside("ro", `read-only file system`)
}

func fullDisk(t *try) (time.Time, []*process, []string) {
	return t.inside("size=64k", `no space left on device`)
}
