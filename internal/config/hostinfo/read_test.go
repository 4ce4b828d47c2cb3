package hostinfo_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostinfo/hostinfotest"
	"railyard/internal/config/netconf"
)

func read(t testing.TB, o hostinfotest.Option) *hostinfo.Host {
	t.Helper()
	h, err := hostinfo.Read(o.Name, hostinfotest.Clean(o))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// False if a reader does not know a form, or takes a value from another line.
func TestCleanFoldersAreUnderstood(t *testing.T) {
	for _, o := range hostinfotest.Folders {
		h := read(t, o)
		for _, u := range h.Unread {
			t.Errorf("%s:%d: not understood: %s", u.File, u.Line, u.Text)
		}
		gpus := o.GPUs
		if gpus == 0 {
			gpus = 8
		}
		if len(h.RDMA) != gpus {
			t.Errorf("%s: %d NICs, want %d", o.Name, len(h.RDMA), gpus)
		}
		for i, r := range h.RDMA {
			n := h.NetdevOf(r)
			if n == nil {
				t.Errorf("%s: %s has no interface", o.Name, r.Name)
				continue
			}
			p := h.Device(r.PCI)
			if p == nil || !p.Is.Known() || p.Is.String() != p.Can.String() || !strings.HasSuffix(p.Is.String(), ".0 x16") {
				t.Errorf("%s: %s: %+v", o.Name, r.Name, p)
			}
			if node := h.NodeOf(r.PCI); !node.Known() || node.Value != i*2/gpus {
				t.Errorf("%s: %s: NUMA node %+v", o.Name, r.Name, node)
			}
			if o.IB {
				continue
			}
			if len(n.Addresses) != 1 || n.Addresses[0].Value != netip.MustParsePrefix(fmt.Sprintf("10.%d.0.1/24", i+1)) ||
				n.MTU.Value != 9000 || r.MTU.Value != 4096 {
				t.Errorf("%s: %+v", o.Name, n)
			}
			dscp := o.DSCP
			if dscp == 0 {
				dscp = 26
			}
			if !o.Bare && (n.Trust.Value != "dscp" || !n.PFC.Value[3] || n.PFC.Value[4] || n.Cable.Value != 30 ||
				n.Priority[dscp].Value != 3) {
				t.Errorf("%s: %+v", o.Name, n)
			}
			var kinds []string
			for _, g := range r.GIDs {
				kinds = append(kinds, fmt.Sprintf("%d %s %v", g.Index, g.Type, g.IPv4()))
			}
			if want := []string{"0 RoCE v1 false", "1 RoCE v2 false", "2 RoCE v1 true",
				"3 RoCE v2 true"}; !slices.Equal(kinds, want) {
				t.Errorf("%s: GIDs %q", o.Name, kinds)
			}
		}
		if h.MemLock.Value != -1 || h.Kernel.Value != "5.15.0-105-generic" || h.Nodes.Value != 2 ||
			h.Governors["performance"].Value != 8 {
			t.Errorf("%s: memlock %+v, kernel %+v, nodes %+v, governors %+v", o.Name, h.MemLock, h.Kernel, h.Nodes, h.Governors)
		}
		if !o.AMD && (len(h.GPUs) != gpus || h.Paths[[2]string{"GPU0", h.RDMA[0].Name}].Value != "PXB" ||
			h.GPUs[0].Is.Width.Value != 16) {
			t.Errorf("%s: %d GPUs, path %+v", o.Name, len(h.GPUs), h.Paths[[2]string{"GPU0", h.RDMA[0].Name}])
		}
		if o.Log && len(h.NetIB) != gpus {
			t.Errorf("%s: NET/IB %v", o.Name, h.NetIB)
		}
	}
}

// The way from a NIC to its CPU is that of its bridges: by lspci's bus numbers where sysfs is not there.
func TestTreeByBusNumbers(t *testing.T) {
	o := hostinfotest.Option{Name: "h", GPUs: 2}
	whole := read(t, o)
	files := slices.DeleteFunc(hostinfotest.Clean(o), func(f netconf.File) bool { return f.Name == "h/pci" })
	h, err := hostinfo.Read("h", files)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range whole.PCI {
		if q := h.Device(p.Address); q == nil || q.Parent != p.Parent {
			t.Errorf("%s: below %q by sysfs, %+v by bus numbers", p.Address, p.Parent, q)
		}
	}
}

// What failed, was denied or stopped in the middle leaves no claim: a module that lsmod did not list may be there.
func TestFailedCommandsAreNotCollected(t *testing.T) {
	text := func(mods string, exit int) string {
		return fmt.Sprintf("# railyard hosts: uname -r\n5.15.0\n# exit 0\n# railyard hosts: lsmod\n%s\n# exit %d\n", mods, exit)
	}
	const mods = "Module                  Size  Used by\nnvidia              56770560  42 nvidia_uvm"
	for _, c := range []struct {
		name, text string
		complete   bool
	}{
		{"whole", text(mods, 0), true},
		{"failed", text(mods, 1), false},
		{"out of time", text(mods, 124), false},
		{"a line that is not understood", text(mods+"\nnvidia peermem 12", 0), false},
		{"cut off", strings.TrimSuffix(text(mods, 0), "\n# exit 0\n"), false},
		{"not there", "# railyard hosts: uname -r\n5.15.0\n# exit 0\n", false},
		{"as printed", "user@h:~$ uname -r\n5.15.0\nuser@h:~$ lsmod\n" + mods + "\n", true},
	} {
		h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(c.text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Complete(hostinfo.Lsmod); got != c.complete {
			t.Errorf("%s: complete %v, want %v", c.name, got, c.complete)
		}
	}
}

// A line that begins as one that matters and goes on otherwise is not understood, and is no value.
func TestStrictLines(t *testing.T) {
	for _, c := range []struct{ command, text string }{
		{"lspci -vv", "17:00.0 Ethernet controller: x\n\t\tLnkSta:\tSpeed 7GT/s, Width x16"},
		{"lspci -vv", "17:00.0 Ethernet controller: x\n\t\tLnkSta:\tSpeed 8GT/s, Width x99"},
		{"lspci -vv", "17:00.0 Ethernet controller: x\n\tNUMA node: zero"},
		{"lspci -vv", "17:00.0 Ethernet controller: x\n\t\tACSCtl:\tReqRedir+"},
		{"ip addr", "2: eth0: <UP> mtu 1500 qdisc\n    inet 10.0.0.300/24 scope global"},
		{"ip route", "10.0.0.0/99 dev eth0"},
		{"ip rule", "x: from all lookup main"},
		{"sysfs", "/sys/class/infiniband/mlx5_0/ports/1/gids/3:zzz"},
		{"sysfs", "/sys/class/net/eth0/mtu:-4"},
		{"ibv_devinfo", "hca_id:\tmlx5_0\n\t\t\tactive_mtu:\t\t17 (5)"},
		{"rdma link", "link mlx5_0 state ACTIVE"},
		{"mlnx_qos -i eth0", "PFC configuration:\n\tenabled     0   0   0   2   0   0   0   0"},
		{"mlnx_qos -i eth0", "Priority trust state: maybe"},
		{"dcb pfc show dev eth0", "prio-pfc 0:off 1:off 2:off 3:perhaps 4:off 5:off 6:off 7:off"},
		{"ethtool -a eth0", "Pause parameters for eth0:\nRX:\t\tmaybe"},
		{"ethtool -S eth0", "NIC statistics:\n     rx_errors_phy: many"},
		{"ulimit -l", "plenty"},
		{"ulimit -a", "max locked memory           (kbytes, -l) plenty"},
		{"ip -br a", "eth0             UP             10.0.0.300/24"},
		{"ip -br a", "eth0             MAYBE          10.0.0.3/24"},
		{"dcb pfc show dev eth0", "pfc-cap 8 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off delay 0"},
		{"dcb pfc show dev eth0", "prio-pfc 0:off 1:off 2:off 3:on 3:on 4:off 5:off 6:off"},
		{"ethtool -S eth0", "NIC statistics:\n     [0]: rx_ucast_packets: many"},
		{"cat /proc/driver/nvidia/version", "NVRM version: none"},
		{"nvidia-smi -q", "GPU 00000000:1B:00.0\n  GPU Link Info\n   PCIe Generation\n    Current : 9"},
		{"frobnicate", "a line"},
	} {
		text := hostinfo.Header + "uname -r\n5.15.0\n# exit 0\n" + hostinfo.Header + c.command + "\n" + c.text + "\n# exit 0\n"
		h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		last := c.text[strings.LastIndexByte(c.text, '\n')+1:]
		if h.Lines.Unread != 1 || h.Unread[0].Text != strings.TrimSpace(last) ||
			h.Unread[0].Line != 5+strings.Count(c.text, "\n") {
			t.Errorf("%s: %q: %+v", c.command, c.text, h.Unread)
		}
	}
}

// A folder of something else is an error, and so is one that is too large.
func TestNothingUnderstood(t *testing.T) {
	for _, text := range []string{"", "hostname leaf1\ninterface Ethernet1\n", "\x00\xff\n", strings.Repeat("x", 1<<17)} {
		if h, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: []byte(text)}}); err == nil {
			t.Errorf("%.20q: %+v", text, h)
		}
	}
	if _, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: make([]byte, hostinfo.MostBytes+1)}}); err == nil {
		t.Error("a folder that is too large is read")
	}
	half := []byte(strings.Repeat("\n", 250_001))
	if _, err := hostinfo.Read("h", []netconf.File{{Name: "f", Text: half}, {Name: "g", Text: half}}); err == nil ||
		!strings.Contains(err.Error(), "more than 500000 lines") {
		t.Error(err)
	}
	if _, err := hostinfo.Read("h", make([]netconf.File, hostinfo.MostFiles+1)); err == nil {
		t.Error("too many files are read")
	}
}

// commands has one of each kind.
var commands = []string{"", "lspci -D -vv", "sysfs", "ip addr show", "ip route show table all", "ip rule show",
	"ip neigh", "sysctl -a",
	"ibv_devinfo -v", "rdma link", "rdma statistic", "show_gids", "ibdev2netdev", "mlnx_qos -i eth0", "dcb pfc show dev eth0",
	"ethtool eth0", "ethtool -i eth0", "ethtool -k eth0", "ethtool -S eth0", "ethtool -g eth0", "ethtool -a eth0",
	"ethtool -m eth0",
	"lldpctl", "lsmod", "uname -a", "dmesg", "cat /proc/driver/nvidia/version", "modinfo -F license nvidia", "nvidia-smi topo -m",
	"nvidia-smi -q", "cat /proc/cmdline", "ulimit -l", "env", "cat /etc/nccl.conf", "cat /proc/net/bonding/bond0", "numactl -H", "lscpu",
	"ip -br a", "ulimit -a"}

// only is the command whose reader alone FuzzRead feeds, to give each its share by hand: -args -reader 'ethtool -S eth0'. What NCCL
// writes has no command: "nccl log" and "nccl topology"; "none" is text that says no command.
var only = flag.String("reader", "", "command whose reader alone FuzzRead feeds")

// FuzzRead holds whatever is read, as whatever command's: each line that is not empty has one class, a value has a line of
// the text, and the same text gives the same value.
func FuzzRead(f *testing.F) {
	if !slices.Contains(append([]string{"nccl log", "nccl topology", "none"}, commands...), *only) {
		f.Fatalf("-reader %q: want none, nccl log, nccl topology or one of %q", *only, commands)
	}
	for _, o := range hostinfotest.Folders {
		for _, file := range hostinfotest.Clean(o) {
			text := string(file.Text)
			if len(text) > 3000 {
				text = text[:3000]
			}
			body := text
			if rest, is := strings.CutPrefix(text, hostinfo.Header); is {
				_, body, _ = strings.Cut(rest, "\n")
			}
			for k, c := range commands {
				if strings.HasPrefix(text, hostinfo.Header+c+"\n") {
					f.Add(uint8(k), body)
				}
			}
			f.Add(uint8(0), text)
		}
	}
	f.Add(uint8(34), "Ethernet Channel Bonding Driver: v5.15\n\nBonding Mode: IEEE 802.3ad Dynamic link "+
		"aggregation\nSlave Interface: eth0\n")
	f.Add(uint8(10), "link mlx5_0/1 rx_write_requests 0 rx_read_requests 12 \n")
	f.Add(uint8(6), "10.1.0.2 dev rail1 lladdr 0a:00:00:00:00:01 REACHABLE \nfe80::1 dev rail1 FAILED\n")
	f.Add(uint8(37), "eth0@if5 UP 10.0.0.1/24 fe80::1/64 \nib0 DOWN 00:11:22:33:44:55 <BROADCAST,UP> \n")
	f.Add(uint8(38), "max locked memory           (kbytes, -l) unlimited\nopen files                          (-n) 1024\n")
	f.Fuzz(func(t *testing.T, k uint8, text string) {
		if len(text) > 1<<16 {
			return
		}
		whole := text
		switch c := cmp.Or(*only, commands[int(k)%len(commands)]); c {
		case "", "none":
		case "nccl topology":
			whole = "<system version=\"1\">\n" + text + "\n</system>\n"
		case "nccl log":
			whole = "host1:1:1 [0] NCCL INFO NET/IB : " + text + "\n"
		default:
			whole = hostinfo.Header + c + "\n" + text + "\n"
		}
		files := []netconf.File{{Name: "f", Text: []byte(whole)}}
		h, err := hostinfo.Read("h", files)
		if err != nil {
			return
		}
		lines := 0
		for line := range strings.Lines(whole) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if n := h.Lines.Understood + h.Lines.Known + h.Lines.Unread; n > lines+len(h.Sections) {
			t.Errorf("%d lines of %d have a class", n, lines)
		}
		a, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		again, err := hostinfo.Read("h", files)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := json.Marshal(again); string(a) != string(b) {
			t.Errorf("%s\n%s", a, b)
		}
		most := strings.Count(whole, "\n") + 1
		for _, r := range h.Routes {
			if r.At.Line < 1 || r.At.Line > most {
				t.Errorf("%+v of %d lines", r, most)
			}
		}
		for _, n := range h.Netdevs {
			if n.MTU.Known() && n.MTU.At.Line > most || n.PFC.Known() && n.PFC.At.Line > most {
				t.Errorf("%+v of %d lines", n, most)
			}
		}
	})
}

// A host holds what was understood, and nothing of the texts that it stood in.
func TestHostsDoNotHoldTheirTexts(t *testing.T) {
	const hosts, padding = 8, 1 << 20
	var files [][]netconf.File
	for i := range hosts {
		o := hostinfotest.Folders[i%len(hostinfotest.Folders)]
		f := hostinfotest.Clean(o)
		last := &f[len(f)-1]
		last.Text = append(slices.Clone(last.Text), "\n"+strings.Repeat("# "+strings.Repeat("x", 61)+"\n", padding/64)...)
		files = append(files, f)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var kept []*hostinfo.Host
	for i, f := range files {
		h, err := hostinfo.Read(fmt.Sprintf("host%d", i), f)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, h)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > hosts*padding/2 {
		t.Errorf("%d hosts hold %d bytes, of texts of %d each", hosts, got, padding)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(files)
}

// Of a thousand functions of a server's PCI those that nothing is asked of are not kept; what is above a GPU or a NIC is.
func TestOtherPCIDevicesAreNotKept(t *testing.T) {
	o := hostinfotest.Option{Name: "h", GPUs: 2}
	files := hostinfotest.Clean(o)
	before := read(t, o)
	for i := range files {
		if files[i].Name == "h/lspci" {
			var more strings.Builder
			for k := range 1000 {
				fmt.Fprintf(&more, "0000:%02x:%02x.%d System peripheral: Mesh\n\tNUMA node: 0\n\n", 0xc0+k/200, k/8%25, k%8)
			}
			files[i].Text = []byte(strings.Replace(string(files[i].Text), "\n# exit 0", more.String()+"\n# exit 0", 1))
		}
	}
	h, err := hostinfo.Read("h", files)
	if err != nil || len(h.Unread) > 0 {
		t.Fatal(err, h.Unread)
	}
	if len(h.PCI) != len(before.PCI) || len(h.PCI) < 12 || h.Device("0000:c0:01.0") != nil || len(h.Above("0000:14:00.0")) != 3 {
		t.Errorf("%d PCI devices, %d without the others", len(h.PCI), len(before.PCI))
	}
}
