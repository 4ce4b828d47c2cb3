package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// networks are two hosts with networks of their own, namespaces that a cable joins. They last as long as the tries do.
type networks struct{ names []string }

// joined are those of this run, made when a case first needs them.
var joined networks

const atJoined = "10.77.0.1:29500"

// need makes them: that wants root, and ip.
func (n *networks) need() error {
	if n.names != nil {
		return nil
	}
	a, b := fmt.Sprintf("failures-%d-0", os.Getpid()), fmt.Sprintf("failures-%d-1", os.Getpid())
	n.names = []string{a, b}
	err := errors.Join(ip("netns", "add", a), ip("netns", "add", b),
		ip("-n", a, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", b))
	for i, name := range n.names {
		err = errors.Join(err, ip("-n", name, "addr", "add", fmt.Sprintf("10.77.0.%d/24", i+1), "dev", "eth0"),
			ip("-n", name, "link", "set", "lo", "up"))
	}
	return err
}

// close takes them away.
func (n *networks) close() {
	for _, name := range n.names {
		_ = ip("netns", "del", name)
	}
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}

// dropped takes away the interface of one of two hosts, at any moment since the second has started its ranks.
func dropped(t *try) (time.Time, []*process, []string) {
	err := joined.need()
	for _, name := range joined.names {
		err = errors.Join(err, ip("-n", name, "link", "set", "eth0", "up"))
	}
	if err != nil {
		panic(err)
	}
	file := t.file("t.yaml", "0.1")
	var all []*process
	for i, name := range joined.names {
		inside := []string{"netns", "exec", name, t.railyard}
		all = append(all, t.startBy("ip", slices.Concat(inside, twoNodes(i, atJoined, file))...))
	}
	all[1].ranks(2)
	some()
	at := time.Now()
	if err := ip("-n", joined.names[below(2)], "link", "set", "eth0", "down"); err != nil {
		panic(err)
	}
	return at, all, []string{`node 1 \(.*\) has not answered for 5s: ranks 2 to 3; a link may be cut`,
		`node 0 \(.*\) has not answered for 5s; a link may be cut`}
}
