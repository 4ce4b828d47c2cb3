package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// jobOnHosts is a job of so many hosts with two ranks each.
const jobOnHosts = `name: t
cluster: {hosts: %d, host: {gpus: 2}}
job:
  train:
    data: {digits: {dir: digits, train: 2000, test: 64, seed: 3}}
    lr: 0.1
    layers: [784, 64, 10]
    batch: 8
    epochs: 1000000
    checkpoint: {every: %d, keep: 2}
`

const everyOnHosts = 20

// cluster is hosts that have a launcher each: node 0, which is never killed, the other nodes and a spare.
type cluster struct {
	*try
	nodes     int
	launchers []*process // by host
	said      []string   // by launchers that ended though nobody killed them

	ranks, launched, spares, both, idle int // how often what was killed
}

// startsAgainOn is startsAgain on several hosts, which have a network each. Launchers are killed too: then their host has a
// new one, which waits for a place.
func startsAgainOn(hosts int, railyard, dir string, d time.Duration) error {
	if err := joined.need(hosts + 1); err != nil {
		return err
	}
	c := &cluster{try: &try{railyard: railyard, dir: dir, name: "again"}, nodes: hosts}
	if err := os.WriteFile(filepath.Join(dir, "t.yaml"), fmt.Appendf(nil, jobOnHosts, hosts, everyOnHosts), 0o644); err != nil {
		return err
	}
	shared := mustGlob("/dev/shm/*")
	for i, host := range joined.hosts() {
		args := []string{"--node-rank", fmt.Sprint(i)}
		switch i {
		case 0:
			args = append(args, "--out", "again", "--max-restarts", "10000")
		case hosts:
			args = []string{"--spare"}
		}
		c.launchers = append(c.launchers, c.on(host, c.args(args...)...))
	}
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(time.Duration(1000+below(4000)) * time.Millisecond)
		if err := c.kill(); err != nil {
			return err
		}
	}
	time.Sleep(calm)
	return c.end(d, shared)
}

func (c *cluster) args(more ...string) []string {
	return slices.Concat([]string{"launch", "-q", "--nnodes", fmt.Sprint(c.nodes), "--rdzv", atJoined}, more, []string{"t.yaml"})
}

// kill kills a rank, or a launcher, or a rank and soon after its launcher.
func (c *cluster) kill() error {
	for host, p := range c.launchers {
		select {
		case <-p.end:
		default:
			continue
		}
		if host == 0 {
			return fmt.Errorf("the job has ended: %s", p.out.String())
		}
		c.said = append(c.said, fmt.Sprintf("host %d: %s", host, p.out.String()))
		c.launchers[host] = c.on(joined.hosts()[host], c.args("--spare")...)
	}
	what, host := below(8), below(len(c.launchers))
	pids := c.launchers[host].children()
	switch {
	case what < 2 && host > 0:
		if len(pids) == 0 {
			c.spares++
		} else {
			c.launched++
		}
		c.killLauncher(host)
	case len(pids) == 0: // a spare, or it has not started them again
		c.idle++
	case what == 2 && host > 0:
		c.both++
		_ = syscall.Kill(pids[below(len(pids))], syscall.SIGKILL)
		time.Sleep(time.Duration(below(1000)) * time.Millisecond)
		c.killLauncher(host)
	default:
		c.ranks++
		_ = syscall.Kill(pids[below(len(pids))], syscall.SIGKILL)
	}
	return nil
}

// killLauncher kills a launcher, and its host has another.
func (c *cluster) killLauncher(host int) {
	p := c.launchers[host]
	_ = p.cmd.Process.Kill()
	<-p.end
	c.launchers[host] = c.on(joined.hosts()[host], c.args("--spare")...)
}

// end interrupts the job, and says what has become of it.
func (c *cluster) end(d time.Duration, shared []string) error {
	_ = c.launchers[0].cmd.Process.Signal(os.Interrupt)
	for _, p := range c.launchers {
		<-p.end
	}
	fmt.Printf("in %v killed: %d ranks, %d launchers of nodes, %d of spares, %d ranks and soon their launchers; %d draws met no rank\n",
		d, c.ranks, c.launched, c.spares, c.both, c.idle)
	errs := []error{c.undisturbed("t.yaml", everyOnHosts)}
	if left := c.left(); len(left) > 0 {
		errs = append(errs, fmt.Errorf("processes %v are left", left))
	}
	if now := mustGlob("/dev/shm/*"); !slices.Equal(now, shared) {
		errs = append(errs, fmt.Errorf("shared memory %v is left", now))
	}
	if len(c.said) > 0 {
		errs = append(errs, fmt.Errorf("%d launchers ended though nobody killed them: %s", len(c.said), strings.Join(c.said, "\n")))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w\nnode 0 said %s", err, c.launchers[0].out.String())
	}
	return nil
}
