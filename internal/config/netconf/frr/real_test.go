//go:build linux

package frr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/config/rib"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

// inside is set in the process that has namespaces of its own: the protocol and a folder.
const inside = "RAILYARD_FRR_INSIDE"

// patience bounds the wait for anything. On a quiet machine the whole test takes 13 s, beside eight
// other loads 25 s.
const patience = time.Minute

func TestMain(m *testing.M) {
	if call := os.Getenv(calling); call != "" {
		if err := talk(call); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	protocol, dir, within := strings.Cut(os.Getenv(inside), " ")
	if !within {
		os.Exit(m.Run())
	}
	if err := world(inventory.Protocol(protocol), dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// What is rendered works: FRR's own daemons, one set for each switch of a small fabric in a network namespace of its
// own, come up with all sessions and the routes that package rib says, and route around a dead spine.
//
// A child in namespaces of its own does it: processes, networks and mounts in them end with it, however it ends.
func TestRealDaemonsAgree(t *testing.T) {
	if why := cannot(); why != "" {
		t.Skip(why)
	}
	for _, p := range []inventory.Protocol{inventory.EBGP, inventory.IBGP, inventory.EVPN} {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread() // the child dies with this thread
			defer runtime.UnlockOSThread()
			if out, err := apart(p, t.TempDir()); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// apart runs the world of a protocol in a child with namespaces of its own.
func apart(p inventory.Protocol, dir string) ([]byte, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inside+"="+string(p)+" "+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	return cmd.CombinedOutput()
}

// cannot says why the test cannot be done here, "" if it can.
func cannot() string {
	if os.Getuid() != 0 {
		return "needs root, for network namespaces"
	}
	for _, program := range []string{daemon("zebra"), daemon("bgpd"), daemon("bfdd"), "vtysh", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return "needs FRR and iproute2: " + err.Error()
		}
	}
	probe := exec.Command("ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1")
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if out, err := probe.CombinedOutput(); err != nil {
		return fmt.Sprintf("no network namespaces with veth pairs here: %v %s", err, out)
	}
	return ""
}

func daemon(name string) string { return filepath.Join("/usr/lib/frr", name) }

// joined is two spines that a super-spine joins: the way over it is longer than that by their leaves.
const joined = `
host host1
host host2
switch leaf1 leaf
switch leaf2 leaf
switch spine1 spine
switch spine2 spine
switch superspine1 superspine
link host1 leaf1 200Gb/s 5m
link host2 leaf2 200Gb/s 5m
link leaf1 spine1 400Gb/s 30m
link leaf1 spine2 400Gb/s 30m
link leaf2 spine1 400Gb/s 30m
link leaf2 spine2 400Gb/s 30m
link spine1 superspine1 400Gb/s 30m
link spine2 superspine1 400Gb/s 30m
`

// fabric is a network by the protocol: with eBGP three leaves of two rails under two spines, with EVPN two; with iBGP two
// leaves under two spines, which a super-spine joins. All have IPv6.
func fabric(p inventory.Protocol) (*topo.Graph, *inventory.Inventory, []netconf.Device, error) {
	leaves := 3
	if p == inventory.EVPN {
		leaves = 2
	}
	g, err := topo.RailOptimized{Hosts: leaves, GPUs: 2, NICs: 2, RailsPerLeaf: 2, Segment: 1, Spines: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400}.Graph()
	if p == inventory.IBGP {
		g, err = topo.ParseText("network", []byte(joined), 1)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	o := inventorytest.Usual()
	o.Routing.Protocol = p
	o.IPv6, o.Routing.BFD = true, &inventory.BFD{Interval: unit.Second, Multiplier: 3}
	if p == inventory.EVPN {
		o.Routing.Hold = 3 * unit.Second // sessions between loopbacks have no BFD: a dead one ends with it
	}
	in, err := inventory.New(g, o)
	if err != nil {
		return nil, nil, nil, err
	}
	return g, in, netconf.Design(in), nil
}

// world builds the fabric around itself and holds it against rib.
func world(p inventory.Protocol, dir string) error {
	g, in, devices, err := fabric(p)
	if err != nil {
		return err
	}
	w := &daemons{dir: dir, devices: devices}
	for _, step := range []func() error{w.mounts, func() error { return w.cables(g, in) }, w.start, w.load} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := w.settle("the fabric", nil); err != nil {
		return err
	}
	if err := w.advertised(); err != nil {
		return err
	}
	if err := w.reach(in); err != nil {
		return err
	}
	if err := w.callTwice(); err != nil {
		return err
	}
	if err := w.settle("after second connections", nil); err != nil {
		return err
	}
	dead := "spine1"
	if err := w.sh("ip", "netns", "exec", dead, "sh", "-c",
		"for i in /sys/class/net/swp*; do ip link set ${i##*/} down; done"); err != nil {
		return err
	}
	if err := w.settle("without "+dead, func(name string) bool { return name == dead }); err != nil {
		return err
	}
	return w.reach(in)
}

// daemons are FRR's for each device.
type daemons struct {
	dir     string
	devices []netconf.Device
}

// sh runs a command; its error has what the command said.
func (w *daemons) sh(command ...string) error {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%q: %w: %s", command, err, out)
	}
	return nil
}

// mounts hides the files of this machine's own FRR and namespaces.
func (w *daemons) mounts() error {
	for _, c := range [][]string{
		{"mount", "--make-rprivate", "/"},
		{"mount", "-t", "tmpfs", "none", "/run"},
		{"mount", "-t", "sysfs", "none", "/sys"},
		{"mount", "-t", "proc", "none", "/proc"},
		{"mkdir", "-p", "/run/netns", "/run/frr"},
	} {
		if err := w.sh(c...); err != nil {
			return err
		}
	}
	return nil
}

// cables makes a namespace for each switch and each NIC, and a veth pair for each link.
func (w *daemons) cables(g *topo.Graph, in *inventory.Inventory) error {
	var script strings.Builder
	for i := range w.devices {
		fmt.Fprintf(&script, "ip netns add %[1]s\nip -n %[1]s link set lo up\n"+
			// Else links have no IPv6 address for the first seconds.
			"ip netns exec %[1]s sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'\n", w.devices[i].Name)
	}
	for i := range w.devices {
		w.bridges(&script, &w.devices[i])
	}
	for l := range g.Links {
		var ends [2]string
		for k := range ends {
			p := topo.PortID(2*l + k)
			at := &g.Nodes[g.Ports[p].Node]
			if at.Kind == topo.HostKind {
				fmt.Fprintf(&script, "ip netns add h%d\n", l)
				ends[k] = fmt.Sprintf("h%d nic", l)
			} else {
				ends[k] = fmt.Sprintf("%s swp%d", at.Name, in.Ports[p].Name.Number)
			}
			if vlan := in.Ports[p].VLAN; vlan > 0 {
				ends[k] += fmt.Sprintf(" vlan%d", vlan)
			}
		}
		a, b := strings.Fields(ends[0]), strings.Fields(ends[1])
		fmt.Fprintf(&script, "ip link add %s netns %s type veth peer name %s netns %s\n", a[1], a[0], b[1], b[0])
		for _, end := range [][]string{a, b} {
			if len(end) > 2 {
				fmt.Fprintf(&script, "ip -n %s link set %s master %s\n", end[0], end[1], end[2])
			}
			fmt.Fprintf(&script, "ip -n %s link set %s up\n", end[0], end[1])
		}
	}
	for n := range g.NICs {
		at, a := in.Gateway(topo.NICID(n))
		if port := g.NICs[n].Port; a {
			fmt.Fprintf(&script, "ip -n h%[1]d address add %[2]v dev nic\nip -n h%[1]d route add default via %[3]v\n",
				g.Ports[port].Link, in.Ports[port].Address.V4, at.V4.Addr())
		}
	}
	return w.sh("sh", "-ec", script.String())
}

// bridges makes a bridge for each VLAN of a switch, for this kernel has no VLAN devices, and the ends of its VXLANs.
func (w *daemons) bridges(script *strings.Builder, d *netconf.Device) {
	for _, f := range d.Interfaces {
		if f.Kind == netconf.SVI {
			fmt.Fprintf(script, "ip -n %[1]s link add vlan%[2]d type bridge\n", d.Name, f.VLAN)
			if f.MAC != "" {
				fmt.Fprintf(script, "ip -n %[1]s link set vlan%[2]d address %[3]s\n"+
					"ip netns exec %[1]s sh -c 'echo 1 >/proc/sys/net/ipv4/conf/vlan%[2]d/arp_accept'\n", d.Name, f.VLAN, f.MAC)
			}
			fmt.Fprintf(script, "ip -n %s link set vlan%d up\n", d.Name, f.VLAN)
		}
	}
	if d.Tunnels == nil {
		return
	}
	for _, v := range d.Tunnels.VNIs {
		fmt.Fprintf(script, "ip -n %[1]s link add vni%[2]d type vxlan id %[2]d dstport 4789 local %[3]v nolearning\n"+
			"ip -n %[1]s link set vni%[2]d master vlan%[4]d\nip -n %[1]s link set vni%[2]d up\n",
			d.Name, v.Number, d.Tunnels.Source, v.VLAN)
	}
}

// start runs the daemons of each switch in its namespace. The others need zebra: what they tell it too early is lost.
func (w *daemons) start() error {
	for _, of := range [][]string{{"zebra"}, {"bgpd", "bfdd"}} {
		for i := range w.devices {
			name := w.devices[i].Name
			if err := w.sh("install", "-d", "-o", "frr", "-g", "frr", "/run/frr/"+name); err != nil {
				return err
			}
			for _, d := range of {
				args := []string{"netns", "exec", name, daemon(d), "-N", name, "-f", "/dev/null", "--log", "file:" + logOf(name)}
				if d == "bfdd" {
					args = append(args, "--bfdctl", "/run/frr/"+name+"/bfdd.sock")
				} else {
					args = append(args, "-P", "0")
				}
				if err := exec.Command("ip", args...).Start(); err != nil {
					return err
				}
			}
		}
		for i := range w.devices {
			if err := wait(func() error { return w.ready(w.devices[i].Name, of) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func logOf(name string) string { return "/run/frr/" + name + "/log" }

// ready asks whether daemons of a switch can be talked to, and whether zebra knows the others.
func (w *daemons) ready(name string, daemons []string) error {
	for _, d := range daemons {
		if _, err := os.Stat(filepath.Join("/run/frr", name, d+".vty")); err != nil {
			return err
		}
	}
	if slices.Contains(daemons, "zebra") {
		_, err := os.Stat(filepath.Join("/run/frr", name, "zserv.api"))
		return err
	}
	out, err := exec.Command("vtysh", "-N", name, "-c", "show zebra client summary").Output()
	if err == nil && (!strings.Contains(string(out), "bgp") || !strings.Contains(string(out), "bfd")) {
		err = fmt.Errorf("%s: zebra knows only\n%s", name, out)
	}
	return err
}

// load gives each switch what was rendered for it.
func (w *daemons) load() error {
	for i := range w.devices {
		d := &w.devices[i]
		files, err := frr.Dialect{}.Render(d)
		if err != nil {
			return err
		}
		conf := filepath.Join(w.dir, d.Name+".conf")
		if err := os.WriteFile(conf, files[0].Text, 0o644); err != nil {
			return err
		}
		if out, err := exec.Command("vtysh", "-N", d.Name, "-f", conf).CombinedOutput(); err != nil ||
			strings.Contains(string(out), "line ") {
			return fmt.Errorf("%s: %w: %s", d.Name, err, out)
		}
	}
	return nil
}

// wait asks until the answer is right.
func wait(ask func() error) (err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if err = ask(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("after %v: %w", patience, err)
}

// show asks a switch's daemons, and decodes their answer.
func (w *daemons) show(name, what string, answer any) error {
	out, err := exec.Command("vtysh", "-N", name, "-c", what).Output()
	if err == nil {
		err = json.Unmarshal(out, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w: %s", name, what, err, out)
	}
	return nil
}

// settle waits until the switches that are not dead know what rib says.
func (w *daemons) settle(what string, dead func(name string) bool) error {
	alive := slices.DeleteFunc(slices.Clone(w.devices), func(d netconf.Device) bool { return dead != nil && dead(d.Name) })
	n := rib.New(alive, nil)
	for i := range alive {
		if err := wait(func() error { return w.agree(n, i) }); err != nil {
			return fmt.Errorf("%s: %w\n%s", what, err, w.state(alive))
		}
	}
	return nil
}

// state is what the daemons say of their sessions, for who looks into a failure.
func (w *daemons) state(of []netconf.Device) string {
	var b strings.Builder
	for i := range of {
		out, _ := exec.Command("vtysh", "-N", of[i].Name, "-c", "show bgp summary", "-c", "show bgp nexthop",
			"-c", "show bfd peers brief").CombinedOutput()
		log, _ := os.ReadFile(logOf(of[i].Name))
		fmt.Fprintf(&b, "== %s\n%s\n%s\n", of[i].Name, out, log)
	}
	return b.String()
}

// agree holds what a switch's daemons say against its table: BGP's paths, and the next hops in the kernel's routes.
func (w *daemons) agree(n *rib.Network, device int) error {
	name, want := n.Devices[device].Name, text(n, device)
	got, err := w.paths(name)
	if err != nil {
		return err
	}
	if diff := lineDiff(got, want); diff != "" {
		return errors.New(name + ": BGP: " + diff)
	}
	if err := w.watched(n, device); err != nil {
		return err
	}
	if err := w.tunnels(n, device); err != nil {
		return err
	}
	kernel, err := w.kernel(name)
	if err != nil {
		return err
	}
	for _, r := range n.Tables[device].Routes {
		if hops := r.Hops(); hops != kernel[r.Prefix] {
			return fmt.Errorf("%s: %d next hops to %v in the kernel, want %d", name, kernel[r.Prefix], r.Prefix, hops)
		}
	}
	return nil
}

// watched holds the neighbours that BFD says are there against the sessions.
func (w *daemons) watched(n *rib.Network, device int) error {
	name := n.Devices[device].Name
	var peers []struct{ Peer, Status string }
	if err := w.show(name, "show bfd peers json", &peers); err != nil {
		return err
	}
	for k, e := range n.Tables[device].Sessions {
		up := false
		for _, p := range peers {
			up = up || p.Peer == e.Neighbour.String() && p.Status == "up"
		}
		if n.Devices[device].BGP.Neighbours[k].BFD == nil {
			continue
		}
		if up != (e.Why == "") {
			return fmt.Errorf("%s: BFD says that %v is up: %v; rib: %q", name, e.Neighbour, up, e.Why)
		}
	}
	return nil
}
