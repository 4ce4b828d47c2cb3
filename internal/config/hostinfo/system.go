package hostinfo

import (
	"errors"
	"strings"

	"railyard/internal/base/lazy"
	"railyard/internal/base/located"
	"railyard/internal/net/nccltopo"
)

// lsmod reads the modules that are loaded.
func (r *reader) lsmod(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		switch {
		case words[0] == "Module":
			r.took()
		case len(words) < 3 || !word(words[0]):
			r.unread(l)
		default:
			_, size := count64(words[1])
			_, uses := number(words[2], 10, -2, 1<<30)
			if size && uses {
				sayIn(r.h.Modules, words[0], strings.Join(words[3:], " "), r.at(l))
			}
			r.count(size && uses, l)
		}
	}
}

// uname reads uname -a, -srm or -r.
func (r *reader) uname(lines []line) {
	for _, l := range lines {
		release := ""
		for _, w := range strings.Fields(l.text) {
			if kernelForm().MatchString(w) {
				release = w
				break
			}
		}
		if release != "" {
			say(&r.h.Kernel, release, r.at(l))
		}
		r.count(release != "", l)
	}
}

var kernelForm = lazy.Regexp(`^[0-9]{1,2}\.[0-9]{1,3}(?:[.-][\w.+~-]*)?$`)

// dmesg keeps lines of NICs and PCI that report something wrong.
func (r *reader) dmesg(lines []line) {
	for _, l := range lines {
		wrong := false
		for _, part := range []string{"AER", "limited by", "PCIe Bus Error", "Link Down", "Link down", "fatal",
			"Health", "health",
			"High Temperature", "Port module event", "Xid", "tx timeout", "TX timeout", "Cable error"} {
			wrong = wrong || strings.Contains(l.text, part)
		}
		if !wrong {
			r.other()
			continue
		}
		if len(r.h.Events) < mostEvents {
			r.h.Events = append(r.h.Events, Said[string]{strings.TrimSpace(l.text), r.at(l)})
		}
		r.took()
	}
}

// driverForm is the version in /proc/driver/nvidia/version, whose open module says that it is one.
var driverForm = lazy.Regexp(`^NVRM version: NVIDIA UNIX (Open )?.*?\s([0-9]{3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?)\s`)

// version reads /proc/driver/nvidia/version.
func (r *reader) version(lines []line) {
	for _, l := range lines {
		if !strings.HasPrefix(l.text, "NVRM version:") {
			r.other()
			continue
		}
		m := driverForm().FindStringSubmatch(l.text + " ")
		if m != nil {
			say(&r.h.Driver, m[2], r.at(l))
			if m[1] != "" {
				say(&r.h.Licence, "Dual MIT/GPL", r.at(l))
			} else {
				say(&r.h.Licence, "NVIDIA", r.at(l))
			}
		}
		r.count(m != nil, l)
	}
}

// modinfo reads modinfo -F license nvidia.
func (r *reader) modinfo(lines []line) {
	for _, l := range lines {
		value := strings.TrimSpace(strings.TrimPrefix(l.text, "license:"))
		ours := strings.HasPrefix(r.dev, "nvidia") && (value == "NVIDIA" || strings.Contains(value, "GPL") ||
			strings.Contains(value, "MIT"))
		if ours {
			say(&r.h.Licence, value, r.at(l))
			r.took()
		} else {
			r.other()
		}
	}
}

// cmdline reads /proc/cmdline.
func (r *reader) cmdline(lines []line) {
	for k, l := range lines {
		if k == 0 {
			say(&r.h.Cmdline, l.text, r.at(l))
		}
		r.count(k == 0, l)
	}
}

// limitForm is a line of ulimit -a: max locked memory           (kbytes, -l) unlimited
var limitForm = lazy.Regexp(`^([a-zA-Z][a-zA-Z -]{2,40}?)\s*\((?:[\w ]{1,20}, )?-([a-zA-Z])\)\s+(\S{1,20})$`)

// ulimit reads ulimit -l: KiB, or unlimited; and of ulimit -a that line.
func (r *reader) ulimit(lines []line) {
	for _, l := range lines {
		t := strings.TrimSpace(l.text)
		if m := limitForm().FindStringSubmatch(t); m != nil {
			if m[2] != "l" {
				r.other()
				continue
			}
			t = m[3]
		}
		n, ok := count64(t)
		if t == "unlimited" {
			n, ok = -1, true
		}
		if ok {
			say(&r.h.MemLock, n, r.at(l))
		}
		r.count(ok, l)
	}
}

// environ reads NAME=VALUE of NCCL's variables, from the environment or a file of them.
func (r *reader) environ(lines []line) {
	for _, l := range lines {
		t := strings.TrimPrefix(strings.TrimSpace(l.text), "export ")
		key, value, ok := strings.Cut(t, "=")
		switch {
		case strings.HasPrefix(t, "#"):
			r.other()
		case !ok || !word(key):
			r.unread(l)
		case strings.HasPrefix(key, "NCCL_"):
			sayIn(r.h.NCCL, key, strings.Trim(value, `"'`), r.at(l))
			r.took()
		default:
			r.other()
		}
	}
}

// numactl reads numactl --hardware.
func (r *reader) numactl(lines []line) {
	for _, l := range lines {
		rest, is := strings.CutPrefix(l.text, "available: ")
		if !is {
			r.other()
			continue
		}
		first, _, _ := strings.Cut(rest, " ")
		n, ok := number(first, 10, 1, 4096)
		if ok {
			say(&r.h.Nodes, n, r.at(l))
		}
		r.count(ok, l)
	}
}

var (
	netIB       = lazy.Regexp(`\b([a-zA-Z][\w-]{1,63}:[0-9]{1,3})/(?:RoCE|IB)`)
	ncclVersion = lazy.Regexp(`NCCL version ([0-9]+\.[0-9]+(?:\.[0-9]+)?)`)
)

// ncclLog reads of NCCL's log what NICs it took (NCCL_DEBUG=INFO): NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE
func (r *reader) ncclLog(lines []line) {
	for _, l := range lines {
		switch {
		case strings.Contains(l.text, "NET/IB : Using ["):
			names := netIB().FindAllStringSubmatch(l.text, 256)
			if len(r.h.NetIB) == 0 {
				for _, m := range names {
					r.h.NetIB = append(r.h.NetIB, Said[string]{strings.TrimSuffix(m[1], ":1"), r.at(l)})
				}
			}
			r.count(len(names) > 0, l)
		case strings.Contains(l.text, "NCCL version "):
			m := ncclVersion().FindStringSubmatch(l.text)
			if m != nil {
				say(&r.h.NCCLSays, m[1], r.at(l))
			}
			r.count(m != nil, l)
		default:
			r.other()
		}
	}
}

// smiTopo reads nvidia-smi topo -m.
func (r *reader) smiTopo(lines []line) {
	var columns []string
	names := map[string]string{}
	type row struct {
		name  string
		cells []string
		l     line
	}
	var rows []row
	for _, l := range lines {
		words := strings.Fields(l.text)
		switch {
		case columns == nil && len(words) > 0 && strings.HasPrefix(words[0], "GPU"):
			for _, w := range words {
				if w == "CPU" || !strings.HasPrefix(w, "GPU") && !strings.HasPrefix(w, "NIC") && !strings.HasPrefix(w, "mlx") {
					break
				}
				columns = append(columns, w)
			}
			r.took()
		case len(words) > 1 && len(columns) > 0 && strings.HasSuffix(words[0], ":") && strings.HasPrefix(words[0],
			"NIC") && word(words[1]):
			names[strings.TrimSuffix(words[0], ":")] = words[1]
			r.took()
		case len(words) > len(columns) && columns != nil && (strings.HasPrefix(words[0], "GPU") ||
			strings.HasPrefix(words[0], "NIC") ||
			strings.HasPrefix(words[0], "mlx")):
			if len(rows) < 256 {
				rows = append(rows, row{words[0], words[1 : 1+len(columns)], l})
			}
			r.took()
		default:
			r.other()
		}
	}
	called := func(name string) string {
		if to := names[name]; to != "" {
			return to
		}
		return name
	}
	if len(columns) > 256 {
		return
	}
	for _, w := range rows {
		for k, c := range w.cells {
			if c == "SOC" { // as drivers before 384 have it
				c = "SYS"
			}
			if c != "X" {
				r.h.Paths[[2]string{called(w.name), called(columns[k])}] = Said[string]{c, r.at(w.l)}
			}
		}
	}
}

// smiQuery reads nvidia-smi -q.
func (r *reader) smiQuery(lines []line) {
	var g *GPU
	part := ""
	for _, l := range lines {
		at := r.at(l)
		if rest, is := strings.CutPrefix(l.text, "GPU "); is {
			if g = nil; address(rest) != "" {
				g = r.h.gpuAt(address(rest), at)
			}
			r.count(g != nil, l)
			continue
		}
		key, value, ok := strings.Cut(strings.TrimSpace(l.text), " : ")
		key = strings.TrimSpace(key)
		switch {
		case !ok:
			part = key
			r.other()
		case key == "Driver Version" && word(value):
			say(&r.h.Driver, value, at)
			r.took()
		case g == nil:
			r.other()
		case key == "Product Name":
			say(&g.Name, value, at)
			r.took()
		case part == "PCIe Generation" && (key == "Max" || key == "Current"):
			n, fine := number(value, 10, 1, len(speeds))
			if fine && key == "Max" {
				say(&g.Can.Speed, speeds[n-1], at)
			} else if fine {
				say(&g.Is.Speed, speeds[n-1], at)
			}
			r.count(fine || value == "N/A", l)
		case part == "Link Width" && (key == "Max" || key == "Current"):
			n, fine := number(strings.TrimSuffix(value, "x"), 10, 1, 32)
			if fine && key == "Max" {
				say(&g.Can.Width, n, at)
			} else if fine {
				say(&g.Is.Width, n, at)
			}
			r.count(fine || value == "N/A", l)
		default:
			r.other()
		}
	}
}

// cpuKeys are what is kept of lscpu, and how it calls it.
var cpuKeys = map[string]string{"Architecture": "arch", "Vendor ID": "vendor", "CPU family": "family", "Model": "model"}

// lscpu reads lscpu: of a host's CPUs the first ones, which are those of all sockets.
func (r *reader) lscpu(lines []line) {
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch name := cpuKeys[key]; {
		case !ok:
			r.other()
		case key == "NUMA node(s)":
			n, fine := number(value, 10, 1, 4096)
			if fine {
				say(&r.h.Nodes, n, r.at(l))
			}
			r.count(fine, l)
		case name == "family" || name == "model":
			_, fine := number(value, 10, 0, 1<<16)
			if fine {
				sayIn(r.h.CPU, name, value, r.at(l))
			}
			r.count(fine || value == "-", l)
		case name != "":
			if word(value) {
				sayIn(r.h.CPU, name, value, r.at(l))
			}
			r.count(word(value), l)
		default:
			r.other()
		}
	}
}

// ncclTopo reads what NCCL writes of the host where NCCL_TOPO_DUMP_FILE is set.
func (r *reader) ncclTopo(lines []line) {
	if len(lines) == 0 {
		return
	}
	var text strings.Builder
	for n := 1; n < lines[0].n; n++ { // errors have lines of the file
		text.WriteByte('\n')
	}
	at := lines[0].n
	for _, l := range lines {
		for ; at < l.n; at++ {
			text.WriteByte('\n')
		}
		text.WriteString(l.text)
	}
	b, err := nccltopo.Read(r.file, []byte(text.String()))
	if err != nil {
		wrong := lines[0]
		var all located.Problems
		if errors.As(err, &all) {
			for _, l := range lines {
				if l.n == all[0].Line {
					wrong = l
				}
			}
		}
		r.unread(wrong)
		r.h.Lines.Known += len(lines) - 1
		return
	}
	if r.h.NCCLBoard == nil {
		r.h.NCCLBoard, r.h.BoardAt = b, r.at(lines[0])
	}
	r.h.Lines.Understood += len(lines)
}
