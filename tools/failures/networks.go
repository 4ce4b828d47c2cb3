package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// networks are hosts with networks of their own, namespaces that a bridge in one more of them joins. They last as long as the
// tries do.
type networks struct{ names []string }

// joined are those of this run, made when a case first needs them.
var joined networks

const atJoined = "10.77.0.1:29500"

// need makes so many: that wants root, and ip.
func (n *networks) need(hosts int) error {
	if n.names != nil {
		return nil
	}
	middle := fmt.Sprintf("failures-%d-bridge", os.Getpid())
	n.names = append(n.names, middle)
	err := errors.Join(ip("netns", "add", middle), ip("-n", middle, "link", "add", "br0", "type", "bridge"),
		ip("-n", middle, "link", "set", "br0", "up"))
	for i := range hosts {
		name, port := fmt.Sprintf("failures-%d-%d", os.Getpid(), i), fmt.Sprint("port", i)
		n.names = append(n.names, name)
		err = errors.Join(err, ip("netns", "add", name),
			ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", middle),
			ip("-n", middle, "link", "set", port, "master", "br0", "up"),
			ip("-n", name, "addr", "add", fmt.Sprintf("10.77.0.%d/24", i+1), "dev", "eth0"),
			ip("-n", name, "link", "set", "eth0", "up"), ip("-n", name, "link", "set", "lo", "up"))
	}
	return err
}

// hosts are the names of those.
func (n *networks) hosts() []string { return n.names[1:] }

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

// on starts a launcher on a host.
func (t *try) on(host string, args ...string) *process {
	return t.startBy("ip", append([]string{"netns", "exec", host, t.railyard}, args...)...)
}

// dropped takes away the interface of one of two hosts, at any moment since the second has started its ranks.
func dropped(t *try) (time.Time, []*process, []string) {
	err := joined.need(2)
	for _, name := range joined.hosts() {
		err = errors.Join(err, ip("-n", name, "link", "set", "eth0", "up"))
	}
	if err != nil {
		panic(err)
	}
	file := t.file("t.yaml", "0.1")
	var all []*process
	for i, name := range joined.hosts() {
		all = append(all, t.on(name, twoNodes(i, atJoined, file)...))
	}
	all[1].ranks(2)
	some()
	at := time.Now()
	if err := ip("-n", joined.hosts()[below(2)], "link", "set", "eth0", "down"); err != nil {
		panic(err)
	}
	return at, all, []string{`node 1 \(.*\) has not answered for 5s: ranks 2 to 3; a link may be cut`,
		`node 0 \(.*\) has not answered for 5s; a link may be cut`}
}
