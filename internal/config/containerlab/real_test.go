//go:build linux

package containerlab_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"railyard/internal/base/unit"
	"railyard/internal/config/containerlab"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

const (
	inside = "RAILYARD_LAB_INSIDE" // the folder, in the process that has namespaces of its own
	answer = "RAILYARD_LAB_ANSWER" // the address at which the process answers
	call   = "RAILYARD_LAB_CALL"   // the addresses that it calls: from to

	patience = time.Minute // for anything; a quiet machine takes 6 s in all
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(answer) != "":
		err = listen(os.Getenv(answer))
	case os.Getenv(call) != "":
		from, to, _ := strings.Cut(os.Getenv(call), " ")
		err = ask(from, to)
	case os.Getenv(inside) != "":
		err = deploy(os.Getenv(inside))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// A lab comes up: what containerlab would do with its files is done by hand, a network namespace for each container, and every
// NIC reaches every other. FRR's own daemons read the files that the topology binds.
func TestLabComesUp(t *testing.T) {
	if why := cannot(); why != "" {
		t.Skip(why)
	}
	runtime.LockOSThread() // the child dies with this thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func cannot() string {
	if os.Getuid() != 0 {
		return "needs root, for network namespaces"
	}
	for _, program := range []string{"/usr/lib/frr/zebra", "vtysh", "ip"} {
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

// topology is what is read of the file.
type topology struct {
	Topology struct {
		Nodes map[string]struct {
			Image, Group string
			Binds, Exec  []string
			Sysctls      map[string]any
			Stages       struct {
				Create struct {
					WaitFor []struct{ Node, Stage string } `yaml:"wait-for"`
				}
			}
		}
		Links []struct{ Endpoints []string }
	}
}

// deploy does what containerlab does.
func deploy(dir string) error {
	g, in, err := fabric()
	if err != nil {
		return err
	}
	files, err := containerlab.Lab("lab", in, netconf.Design(in))
	if err != nil {
		return err
	}
	for _, f := range files {
		at := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, f.Text, 0o644); err != nil {
			return err
		}
	}
	var lab topology
	if err := yaml.Unmarshal(files[0].Text, &lab); err != nil {
		return err
	}
	if len(lab.Topology.Nodes) != len(g.Nodes) || len(lab.Topology.Links) != len(g.Links) {
		return fmt.Errorf("%d nodes and %d links, want %d and %d", len(lab.Topology.Nodes), len(lab.Topology.Links),
			len(g.Nodes), len(g.Links))
	}
	for _, c := range []string{"mount --make-rprivate /", "mount -t tmpfs none /run", "mount -t sysfs none /sys",
		"mount -t proc none /proc", "mkdir -p /run/netns /run/frr"} {
		if err := sh(c); err != nil {
			return err
		}
	}
	order, err := created(&lab)
	if err != nil {
		return err
	}
	for _, name := range order {
		if err := sh(fmt.Sprintf("ip netns add %[1]s && ip -n %[1]s link set lo up", name)); err != nil {
			return err
		}
		for key, value := range lab.Topology.Nodes[name].Sysctls {
			file := "/proc/sys/" + strings.ReplaceAll(key, ".", "/")
			if err := sh(fmt.Sprintf("ip netns exec %s sh -c 'echo %v >%s'", name, value, file)); err != nil {
				return err
			}
		}
	}
	for _, l := range lab.Topology.Links {
		a, pa, _ := strings.Cut(l.Endpoints[0], ":")
		b, pb, _ := strings.Cut(l.Endpoints[1], ":")
		if err := sh(fmt.Sprintf("ip link add %s netns %s type veth peer name %s netns %s", pa, a, pb, b)); err != nil {
			return err
		}
	}
	for _, name := range order {
		n := lab.Topology.Nodes[name]
		if n.Group != "host" {
			if err := routers(dir, name, n.Binds); err != nil {
				return err
			}
		}
		for _, c := range n.Exec {
			if err := sh("ip netns exec " + name + " " + c); err != nil {
				return err
			}
		}
	}
	return reach(in)
}

// created is the order in which nodes may be made.
func created(lab *topology) (order []string, err error) {
	made := map[string]bool{}
	for len(order) < len(lab.Topology.Nodes) {
		before := len(order)
		for name, n := range lab.Topology.Nodes {
			ready := !made[name]
			for _, w := range n.Stages.Create.WaitFor {
				ready = ready && made[w.Node] && w.Stage == "create"
			}
			if ready {
				made[name] = true
				order = append(order, name)
			}
		}
		if len(order) == before {
			return nil, fmt.Errorf("nodes wait for each other: %d of %d can be made", before, len(lab.Topology.Nodes))
		}
	}
	return order, nil
}

// routers starts FRR as its container does, with the files that are bound.
func routers(dir, name string, binds []string) error {
	bound := map[string]string{}
	for _, b := range binds {
		from, to, _ := strings.Cut(b, ":")
		bound[to] = filepath.Join(dir, from)
	}
	daemons, err := os.ReadFile(bound["/etc/frr/daemons"])
	if err != nil {
		return err
	}
	if err := sh("install -d -o frr -g frr /run/frr/" + name); err != nil {
		return err
	}
	for _, d := range []string{"zebra", "bgpd", "bfdd"} {
		if d != "zebra" && !strings.Contains("\n"+string(daemons), "\n"+d+"=yes\n") {
			return fmt.Errorf("%s: %s is not started", name, d)
		}
		args := []string{"netns", "exec", name, "/usr/lib/frr/" + d, "-N", name, "-f", "/dev/null"}
		if d == "bfdd" {
			args = append(args, "--bfdctl", "/run/frr/"+name+"/bfdd.sock")
		} else {
			args = append(args, "-P", "0")
		}
		if err := exec.Command("ip", args...).Start(); err != nil {
			return err
		}
		socket := "/run/frr/" + name + "/" + d + ".vty"
		if err := wait(func() error { _, err := os.Stat(socket); return err }); err != nil {
			return err
		}
		if d == "zebra" {
			if err := wait(func() error { _, err := os.Stat("/run/frr/" + name + "/zserv.api"); return err }); err != nil {
				return err
			}
		}
	}
	return wait(func() error { return sh("vtysh -N " + name + " -f " + bound["/etc/frr/frr.conf"]) })
}

// fabric is four hosts of two GPUs, four leaves of one rail each and two spines.
func fabric() (*topo.Graph, *inventory.Inventory, error) {
	g, err := topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, RailsPerLeaf: 1, Segment: 2, Spines: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400}.Graph()
	if err != nil {
		return nil, nil, err
	}
	o := inventorytest.Usual()
	o.Routing.Protocol, o.Routing.BFD = inventory.EBGP, &inventory.BFD{Interval: unit.Second, Multiplier: 3}
	in, err := inventory.New(g, o)
	return g, in, err
}

// reach has every NIC call every other, and finds that what leaves from its address leaves by it.
func reach(in *inventory.Inventory) error {
	g := in.Graph
	at := func(n int) (host, address string) {
		return g.Nodes[g.Ports[g.NICs[n].Port].Node].Name, in.Ports[g.NICs[n].Port].Address.V4.Addr().String()
	}
	for n := range g.NICs {
		host, address := at(n)
		cmd := exec.Command("ip", "netns", "exec", host, os.Args[0])
		cmd.Env = append(os.Environ(), answer+"="+address)
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	for from := range g.NICs {
		for to := range g.NICs {
			host, a := at(from)
			_, b := at(to)
			if from == to {
				continue
			}
			dev := fmt.Sprintf(" dev eth%d ", g.NICs[from].Index+1)
			if out, err := exec.Command("ip", "-n", host, "route", "get", b, "from", a).CombinedOutput(); err != nil ||
				!strings.Contains(string(out), dev) && from/2 != to/2 { // a host reaches itself without a cable
				return fmt.Errorf("%s: from %s to %s: %v %s, want%s", host, a, b, err, out, dev)
			}
			if err := wait(func() error {
				cmd := exec.Command("ip", "netns", "exec", host, os.Args[0])
				cmd.Env = append(os.Environ(), call+"="+a+" "+b)
				out, err := cmd.CombinedOutput()
				if err != nil {
					err = fmt.Errorf("%s to %s: %w: %s", a, b, err, out)
				}
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func listen(address string) error {
	c, err := net.ListenPacket("udp4", address+":4791")
	if err != nil {
		return err
	}
	b := make([]byte, 2000)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return err
		}
		if _, err := c.WriteTo(b[:n], from); err != nil {
			fmt.Println(err)
		}
	}
}

// ask sends a datagram as long as RoCE's with an MTU of 1,024 from one address to another, and wants it back.
func ask(from, to string) error {
	d := net.Dialer{LocalAddr: &net.UDPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("udp4", to+":4791")
	if err != nil {
		return err
	}
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	b := make([]byte, 1044)
	if _, err := c.Write(b); err != nil {
		return err
	}
	n, err := c.Read(b)
	if err == nil && n != len(b) {
		err = fmt.Errorf("%d bytes came back", n)
	}
	return err
}

func sh(command string) error {
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, out)
	}
	return nil
}

func wait(ask func() error) (err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err = ask(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("after %v: %w", patience, err)
}
