package hostinfo

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// sysfs reads lines such as "/sys/class/net/eth0/mtu:9000", as grep -H prints them, "FILE=VALUE", "LINK -> TARGET" and
// names alone, as ls -d prints them.
func (r *reader) sysfs(lines []line) {
	for _, l := range lines {
		t := strings.TrimSpace(l.text)
		path, ok := strings.CutPrefix(t, "/sys/")
		switch {
		case !ok:
			r.unread(l)
		case strings.HasPrefix(path, "class/infiniband/"):
			r.count(r.sysRDMA(path[len("class/infiniband/"):], l), l)
		case strings.HasPrefix(path, "class/net/"):
			r.count(r.sysNet(path[len("class/net/"):], l), l)
		case strings.HasPrefix(path, "bus/pci/devices/"):
			r.count(r.sysPCI(path[len("bus/pci/devices/"):], l), l)
		case strings.HasPrefix(path, "devices/system/cpu/"):
			r.count(r.sysCPU(path, l), l)
		case strings.HasPrefix(path, "kernel/iommu_groups/"):
			r.count(r.sysGroup(path[len("kernel/iommu_groups/"):], l), l)
		default:
			r.other()
		}
	}
}

// valued cuts a path from its value behind a key: of "gids/3:fe80::1" behind "gids/" 3 and fe80::1.
func valued(text string) (name, value string, ok bool) {
	k := strings.IndexAny(text, ":=")
	if k <= 0 {
		return text, "", false
	}
	return text[:k], strings.TrimSpace(text[k+1:]), true
}

// sysRDMA reads what lies below a device: NAME/...
func (r *reader) sysRDMA(path string, l line) bool {
	name, rest, ok := strings.Cut(path, "/")
	if !ok || !word(name) {
		return false
	}
	at := r.at(l)
	dev := r.h.rdmaAt(name)
	if target, is := strings.CutPrefix(rest, "device -> "); is {
		if dev.PCI = address(target[strings.LastIndexByte(target, '/')+1:]); dev.PCI == "" {
			return strings.Contains(target, "/") // a virtual device
		}
		return true
	}
	if net, is := strings.CutPrefix(rest, "device/net/"); is && word(net) {
		say(&dev.Netdev, net, at)
		return true
	}
	if ports, is := strings.CutPrefix(rest, "ports/"); is {
		port, what, ok := strings.Cut(ports, "/")
		if _, fine := number(port, 10, 1, 255); !ok || !fine {
			return false
		}
		if port != "1" {
			dev = r.h.rdmaAt(name + "/" + port)
		}
		return r.sysPort(dev, what, l)
	}
	if tc, is := strings.CutPrefix(rest, "tc/"); is {
		_, value, ok := valued(tc)
		value, forced := strings.CutPrefix(value, "Global tclass=")
		n, fine := number(value, 10, 0, 255)
		if ok && forced && fine {
			say(&dev.Class, n, at)
		}
		return ok && (fine || !forced)
	}
	key, value, ok := valued(rest)
	if ok && key == "fw_ver" && word(value) {
		say(&dev.Firmware, value, at)
	}
	return ok
}

// sysPort reads what lies below a port.
func (r *reader) sysPort(dev *RDMA, what string, l line) bool {
	at := r.at(l)
	if rest, is := strings.CutPrefix(what, "gids/"); is {
		index, value, ok := valued(rest)
		n, fine := number(index, 10, 0, 65535)
		a, err := netip.ParseAddr(value)
		if !ok || !fine || err != nil {
			return false
		}
		if !a.IsUnspecified() {
			g := dev.gid(n, at)
			g.Address, g.At = a, at
		}
		return true
	}
	if rest, is := strings.CutPrefix(what, "gid_attrs/"); is {
		list, rest, ok := strings.Cut(rest, "/")
		index, value, has := valued(rest)
		n, fine := number(index, 10, 0, 65535)
		if !ok || !has || !fine {
			return false
		}
		switch list {
		case "types":
			kind := gidType(value)
			if kind == "" {
				return false
			}
			dev.gid(n, at).Type = kind
		case "ndevs":
			if !word(value) {
				return false
			}
			say(&dev.Netdev, value, at)
		}
		return true
	}
	if rest, is := strings.CutPrefix(what, "hw_counters/"); is {
		return r.counter(dev.Counters, rest, l)
	}
	if rest, is := strings.CutPrefix(what, "counters/"); is {
		return r.counter(dev.Counters, rest, l)
	}
	key, value, ok := valued(what)
	if !ok {
		return true // a name alone
	}
	switch key {
	case "state": // 4: ACTIVE
		_, state, fine := strings.Cut(value, ": ")
		if fine && word(state) {
			say(&dev.State, state, at)
		}
		return fine
	case "link_layer":
		say(&dev.Layer, value, at)
		return word(value)
	case "rate": // 400 Gb/sec (4X NDR)
		say(&dev.Rate, value, at)
		return strings.Contains(value, "Gb/sec")
	}
	return true
}

// gidType is how a type of a GID is called here; "": it is none.
func gidType(text string) string {
	switch strings.TrimSpace(text) {
	case "IB/RoCE v1", "RoCE v1", "v1":
		return "RoCE v1"
	case "RoCE v2", "v2":
		return "RoCE v2"
	case "IB":
		return "IB"
	}
	return ""
}

// counter reads NAME:VALUE.
func (r *reader) counter(to map[string]Said[int64], text string, l line) bool {
	key, value, ok := valued(text)
	if !ok || !word(key) {
		return false
	}
	n, fine := count64(value)
	if fine {
		sayIn(to, key, n, r.at(l))
	}
	return fine
}

// count64 reads a counter. One of 64 bits that does not fit is as large as can be.
func count64(text string) (n int64, ok bool) {
	if text == "" || len(text) > 20 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (1<<63-10)/10 {
			return 1<<63 - 1, true
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// sysNet reads what lies below an interface.
func (r *reader) sysNet(path string, l line) bool {
	name, rest, ok := strings.Cut(path, "/")
	if !ok || !word(name) || strings.ContainsAny(name, ":=") {
		return false
	}
	at := r.at(l)
	n := r.h.netdevAt(name, at)
	if target, is := strings.CutPrefix(rest, "device -> "); is {
		if a := address(target[strings.LastIndexByte(target, '/')+1:]); a != "" {
			n.PCI = a
		}
		return true
	}
	key, value, ok := valued(rest)
	if !ok {
		return true
	}
	switch {
	case key == "mtu":
		x, fine := number(value, 10, 0, 1<<16)
		if fine {
			say(&n.MTU, x, at)
		}
		return fine
	case key == "speed":
		x, fine := number(value, 10, -1, 10_000_000)
		if fine && x > 0 {
			say(&n.Speed, x, at)
		}
		return fine
	case key == "device/sriov_numvfs", key == "device/sriov_totalvfs":
		x, fine := number(value, 10, 0, 65535)
		if !fine {
			return false
		}
		p := &PCI{}
		if n.PCI != "" {
			p = r.h.pciAt(n.PCI, at)
		}
		if strings.HasSuffix(key, "numvfs") {
			say(&p.VFs, x, at)
		} else {
			say(&p.TotalVFs, x, at)
		}
		return true
	case key == "ecn/roce_np/cnp_dscp":
		x, fine := number(value, 10, 0, 63)
		if fine {
			say(&n.CNPDSCP, x, at)
		}
		return fine
	case strings.HasPrefix(key, "ecn/roce_np/enable/"), strings.HasPrefix(key, "ecn/roce_rp/enable/"):
		prio, fine := number(key[len("ecn/roce_np/enable/"):], 10, 0, 7)
		on, is := number(value, 10, 0, 1)
		if !fine || !is {
			return false
		}
		to := n.NotifyOn
		if strings.HasPrefix(key, "ecn/roce_rp") {
			to = n.ReactOn
		}
		sayIn(to, prio, on == 1, at)
		return true
	case strings.HasPrefix(key, "ecn/"), strings.HasPrefix(key, "device/"), key == "operstate":
		return true
	}
	return true
}

// sysPCI reads what lies below a device: 0000:17:00.0/current_link_width:16
func (r *reader) sysPCI(path string, l line) bool {
	const long = len("0000:00:00.0")
	at := r.at(l)
	if len(path) < long || address(path[:long]) == "" {
		return false
	}
	a, rest := address(path[:long]), path[long:]
	if rest == "" {
		return true
	}
	if target, is := strings.CutPrefix(rest, " -> "); is {
		p := r.h.pciAt(a, at)
		parts := strings.Split(target, "/")
		if k := len(parts); k > 1 {
			if up := address(parts[k-2]); up != "" && up != a {
				p.Parent = up
			}
		}
		return true
	}
	rest, ok := strings.CutPrefix(rest, "/")
	key, value, has := valued(rest)
	if !ok || !has {
		return ok
	}
	p := r.h.pciAt(a, at)
	switch key {
	case "numa_node":
		x, fine := number(value, 10, -1, 9999)
		if fine {
			say(&p.NUMA, x, at)
		}
		return fine
	case "current_link_speed", "max_link_speed":
		x, fine := transfers(value)
		if fine && key[0] == 'c' {
			say(&p.Is.Speed, x, at)
		} else if fine {
			say(&p.Can.Speed, x, at)
		}
		return fine || strings.HasPrefix(value, "Unknown")
	case "current_link_width", "max_link_width":
		x, fine := number(value, 10, 0, 255)
		switch {
		case !fine || x == 0 || x > 32: // no link, and 255: no answer
		case key[0] == 'c':
			say(&p.Is.Width, x, at)
		default:
			say(&p.Can.Width, x, at)
		}
		return fine
	case "sriov_numvfs", "sriov_totalvfs":
		x, fine := number(value, 10, 0, 65535)
		if fine && key == "sriov_numvfs" {
			say(&p.VFs, x, at)
		} else if fine {
			say(&p.TotalVFs, x, at)
		}
		return fine
	case "vendor", "device", "subsystem_vendor", "subsystem_device":
		n, fine := number(strings.TrimPrefix(value, "0x"), 16, 0, 0xffff)
		if k := slices.Index(idKeys, key); fine && p.IDs[k] == "" {
			p.IDs[k] = fmt.Sprintf("0x%04x", n)
		}
		return fine
	case "class":
		kind := classOf(value)
		if p.Class == "" {
			p.Class = kind
		}
		return strings.HasPrefix(value, "0x")
	}
	return true
}

// idKeys are the files of a device with its identifiers, in the order of PCI.IDs.
var idKeys = []string{"vendor", "device", "subsystem_vendor", "subsystem_device"}

// classOf is a class by its number as lspci calls it (PCI Code and ID Assignment Specification); "": of no matter.
func classOf(code string) string {
	for _, c := range [][2]string{{"0x0200", "Ethernet controller"}, {"0x0207", "Infiniband controller"},
		{"0x0302", "3D controller"}, {"0x0300", "VGA compatible controller"}, {"0x0604", "PCI bridge"},
		{"0x0680", "Bridge"}, {"0x1200", "Processing accelerators"}} {
		if strings.HasPrefix(code, c[0]) {
			return c[1]
		}
	}
	return ""
}

// sysCPU reads a governor: devices/system/cpu/cpu0/cpufreq/scaling_governor:performance
func (r *reader) sysCPU(path string, l line) bool {
	key, value, ok := valued(path)
	if !ok || !strings.HasSuffix(key, "/scaling_governor") {
		return true
	}
	if !word(value) {
		return false
	}
	g := r.h.Governors[value]
	if len(r.h.Governors) < 100 || g.Known() {
		say(&g, 0, r.at(l))
		g.Value++
		r.h.Governors[value] = g
	}
	return true
}

// sysGroup reads the type of an IOMMU group: 33/type:identity
func (r *reader) sysGroup(path string, l line) bool {
	group, rest, ok := strings.Cut(path, "/")
	n, fine := number(group, 10, 0, 99999)
	key, value, has := valued(rest)
	if !ok || !fine {
		return false
	}
	if has && key == "type" {
		if len(r.h.Translate) < mostThings {
			sayIn(r.h.Translate, n, value, r.at(l))
		}
		return word(value)
	}
	if dev, is := strings.CutPrefix(rest, "devices/"); is {
		if a := address(dev); a != "" {
			say(&r.h.pciAt(a, r.at(l)).Group, n, r.at(l))
		}
	}
	return true
}
