package hostinfo

import (
	"slices"
	"strings"
)

// Kind is what a section is the output of.
type Kind string

// The kinds.
const (
	Lspci     Kind = "lspci"
	LspciTree Kind = "lspci -t"
	Sysfs     Kind = "sysfs"
	IPAddr    Kind = "ip addr"
	IPRoute   Kind = "ip route"
	IPRule    Kind = "ip rule"
	IPNeigh   Kind = "ip neigh"
	Sysctl    Kind = "sysctl"
	Devinfo   Kind = "ibv_devinfo"
	RDMALink  Kind = "rdma link"
	RDMAStat  Kind = "rdma statistic"
	Gids      Kind = "show_gids"
	Dev2net   Kind = "ibdev2netdev"
	MlnxQoS   Kind = "mlnx_qos"
	DCB       Kind = "dcb"
	Settings  Kind = "ethtool"
	DriverOf  Kind = "ethtool -i"
	Features  Kind = "ethtool -k"
	Stats     Kind = "ethtool -S"
	Rings     Kind = "ethtool -g"
	Pauses    Kind = "ethtool -a"
	Cables    Kind = "ethtool -m"
	LLDP      Kind = "lldpctl"
	Lsmod     Kind = "lsmod"
	Uname     Kind = "uname"
	Dmesg     Kind = "dmesg"
	Version   Kind = "nvidia version"
	Modinfo   Kind = "modinfo"
	SMITopo   Kind = "nvidia-smi topo"
	SMIQuery  Kind = "nvidia-smi -q"
	Cmdline   Kind = "cmdline"
	Ulimit    Kind = "ulimit -l"
	Environ   Kind = "environment"
	NCCLConf  Kind = "nccl.conf"
	NCCLLog   Kind = "nccl log"
	Bonding   Kind = "bonding"
	Numactl   Kind = "numactl"
	Lscpu     Kind = "lscpu"
	NCCLTopo  Kind = "nccl topology"
	Unknown   Kind = "not known"
)

// A form is a kind with its reader.
type form struct {
	kind Kind
	read func(r *reader, lines []line)
	// partial says that lines count although the command failed: it looks at many things, each by itself.
	partial bool
	// starts are beginnings of lines by which a text without its command is told.
	starts []string
}

// forms are all of them. Of texts without their commands the first that one of its first lines fits is taken.
var forms = []form{
	{Devinfo, (*reader).devinfo, false, []string{"hca_id:"}},
	{RDMALink, (*reader).rdmaLink, false, []string{"link mlx", "link bnxt", "link irdma", "link rxe", "link roce", "link rocep"}},
	{RDMAStat, (*reader).rdmaStat, false, nil},
	{Gids, (*reader).showGids, false, []string{"DEV\tPORT\tINDEX", "DEV     PORT    INDEX"}},
	{MlnxQoS, (*reader).mlnxQoS, false, []string{"DCBX mode:", "Priority trust state:"}},
	{DCB, (*reader).dcb, false, []string{"pfc-cap ", "dscp-prio ", "prio-pfc "}},
	{Settings, (*reader).settings, true, []string{"Settings for "}},
	{Features, (*reader).features, false, []string{"Features for "}},
	{Rings, (*reader).rings, false, []string{"Ring parameters for "}},
	{Pauses, (*reader).pauses, false, []string{"Pause parameters for "}},
	{Stats, (*reader).stats, false, []string{"NIC statistics:"}},
	{DriverOf, (*reader).driverOf, false, []string{"driver: "}},
	{Cables, (*reader).cables, false, []string{"\tIdentifier  "}},
	{LLDP, (*reader).lldp, false, []string{"LLDP neighbors:", "lldp."}},
	{Lsmod, (*reader).lsmod, false, []string{"Module                  Size"}},
	{SMITopo, (*reader).smiTopo, false, []string{"\tGPU0\t", "GPU0\t X"}},
	{SMIQuery, (*reader).smiQuery, false, []string{"==============NVSMI LOG"}},
	{Version, (*reader).version, false, []string{"NVRM version:"}},
	{Cmdline, (*reader).cmdline, false, []string{"BOOT_IMAGE="}},
	{Bonding, (*reader).bonding, false, []string{"Ethernet Channel Bonding Driver:"}},
	{Numactl, (*reader).numactl, false, []string{"available: "}},
	{Lscpu, (*reader).lscpu, false, []string{"Architecture: "}},
	{NCCLTopo, (*reader).ncclTopo, false, []string{"<system version="}},
	{Environ, (*reader).environ, true, []string{"NCCL_"}},
	{Sysctl, (*reader).sysctl, true, []string{"net.ipv4.", "net.core.", "net.ipv6."}},
	{Sysfs, (*reader).sysfs, true, []string{"/sys/"}},
	{Uname, (*reader).uname, false, []string{"Linux "}},
	{Lspci, (*reader).lspci, false, nil},
	{LspciTree, (*reader).ignored, false, []string{"-[0000:"}},
	{IPAddr, (*reader).ipAddr, false, []string{"1: lo: "}},
	{IPRoute, (*reader).ipRoute, false, []string{"default via ", "default dev ", "default proto "}},
	{IPRule, (*reader).ipRule, false, []string{"0:\tfrom all"}},
	{IPNeigh, (*reader).ipNeigh, false, nil},
	{Dev2net, (*reader).dev2net, false, nil},
	{Dmesg, (*reader).dmesg, true, nil},
	{Modinfo, (*reader).modinfo, false, nil},
	{Ulimit, (*reader).ulimit, false, nil},
	{NCCLConf, (*reader).environ, false, nil},
	{NCCLLog, (*reader).ncclLog, true, nil},
	{Unknown, (*reader).strange, true, nil},
}

func formNamed(k Kind) *form {
	return &forms[slices.IndexFunc(forms, func(f form) bool { return f.kind == k })]
}

// formOf is the form of a section, by the command before it, else by its first lines.
func formOf(command string, lines []line) (*form, []string) {
	if command != "" {
		args := strings.Fields(command)
		return formNamed(kindOf(args)), args
	}
	const looked = 40
	for i, l := range lines[:min(len(lines), looked)] {
		if len(l.text) > mostLine {
			continue
		}
		for k := range forms {
			for _, s := range forms[k].starts {
				if strings.HasPrefix(l.text, s) {
					return &forms[k], nil
				}
			}
		}
		switch words := strings.Fields(l.text); {
		case len(words) > 1 && pciHead(l.text) != nil:
			return formNamed(Lspci), nil
		case i == 0 && len(words) > 2 && strings.HasSuffix(words[0], ":") && digits(words[0]) == len(words[0])-1 &&
			digits(words[0]) > 0 && strings.HasPrefix(words[2], "<"):
			return formNamed(IPAddr), nil
		case len(words) > 4 && words[1] == "port" && words[3] == "==>":
			return formNamed(Dev2net), nil
		case strings.Contains(l.text, " NCCL INFO "):
			return formNamed(NCCLLog), nil
		case strings.HasPrefix(l.text, "[") && strings.Contains(l.text, "] ") && strings.Contains(l.text, ".") && len(words) > 2:
			return formNamed(Dmesg), nil
		case len(words) > 3 && words[1] == "dev" && field(words, "lladdr") != "":
			return formNamed(IPNeigh), nil
		}
	}
	return formNamed(Unknown), nil
}

// kindOf is the kind of a command.
func kindOf(args []string) Kind {
	if len(args) == 0 {
		return Unknown
	}
	flags, plain := "", []string{}
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") {
			flags += a
		} else {
			plain = append(plain, a)
		}
	}
	first := ""
	if len(plain) > 0 {
		first = plain[0]
	}
	name := args[0][strings.LastIndexByte(args[0], '/')+1:]
	switch name {
	case "lspci":
		if strings.Contains(flags, "t") {
			return LspciTree
		}
		return Lspci
	case "ip":
		switch {
		case first == "a" || first == "l" || strings.HasPrefix("address", first) && len(first) > 2 ||
			first == "link" || first == "addr":
			return IPAddr
		case first == "r" || first == "route" || first == "ro":
			return IPRoute
		case first == "ru" || first == "rule":
			return IPRule
		case first == "n" || first == "neigh" || first == "neighbour" || first == "neighbor":
			return IPNeigh
		}
	case "ethtool":
		for _, k := range []Kind{DriverOf, Features, Stats, Rings, Pauses, Cables} {
			if flags == strings.TrimPrefix(string(k), "ethtool ") {
				return k
			}
		}
		if flags == "" {
			return Settings
		}
	case "rdma":
		switch {
		case first == "link":
			return RDMALink
		case strings.HasPrefix(first, "stat"):
			return RDMAStat
		}
	case "cat", "grep", "head", "ls", "readlink", "find":
		path := ""
		if len(plain) > 0 {
			path = plain[len(plain)-1]
		}
		switch {
		case strings.HasSuffix(path, "/proc/cmdline"):
			return Cmdline
		case strings.Contains(path, "/proc/driver/nvidia"):
			return Version
		case strings.Contains(path, "/proc/net/bonding"):
			return Bonding
		case strings.HasSuffix(path, "nccl.conf"):
			return NCCLConf
		case strings.Contains(strings.Join(plain, " "), "/sys/"):
			return Sysfs
		}
	case "nvidia-smi":
		switch {
		case first == "topo":
			return SMITopo
		case strings.Contains(flags, "-q"):
			return SMIQuery
		}
	case "sysfs":
		return Sysfs
	case "lldpctl", "lldpcli":
		return LLDP
	case "env":
		return Environ
	case "ulimit":
		return Ulimit
	}
	for _, k := range []Kind{Sysctl, Devinfo, Gids, Dev2net, MlnxQoS, DCB, Lsmod, Uname, Dmesg, Modinfo, Numactl, Lscpu} {
		if name == string(k) {
			return k
		}
	}
	return Unknown
}

// ignored reads what other commands say better.
func (r *reader) ignored(lines []line) { r.h.Lines.Known += len(lines) }

// strange reads what is of no kind.
func (r *reader) strange(lines []line) {
	for _, l := range lines {
		r.unread(l)
	}
}
