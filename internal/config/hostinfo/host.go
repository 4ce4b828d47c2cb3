package hostinfo

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/config/lldp"
	"railyard/internal/config/netconf"
	"railyard/internal/net/board"
)

// A Said is a value with the line that says it. Where nothing says it, it is its zero value.
type Said[T any] struct {
	Value T             `json:"value"`
	At    netconf.Place `json:"at"`
}

// Known reports whether a line says it.
func (s Said[T]) Known() bool { return s.At.Line > 0 }

// A Host is what one says about itself.
type Host struct {
	Name string `json:"name"`

	Kernel    Said[string]            `json:"kernel"`
	Cmdline   Said[string]            `json:"cmdline"`
	MemLock   Said[int64]             `json:"memlock"` // KiB that a process may lock; -1: any
	Governors map[string]Said[int]    `json:"governors,omitempty"`
	Modules   map[string]Said[string] `json:"modules,omitempty"` // loaded ones, with who uses them
	Driver    Said[string]            `json:"gpu_driver"`        // version
	Licence   Said[string]            `json:"gpu_driver_licence"`
	NCCL      map[string]Said[string] `json:"nccl,omitempty"` // of the environment, else of /etc/nccl.conf
	NetIB     []Said[string]          `json:"net_ib,omitempty"`
	NCCLSays  Said[string]            `json:"nccl_version"`
	Sysctl    map[string]Said[string] `json:"sysctl,omitempty"`
	Nodes     Said[int]               `json:"numa_nodes"`
	CPU       map[string]Said[string] `json:"cpu,omitempty"`        // of lscpu: arch, vendor, family, model
	Events    []Said[string]          `json:"kernel_log,omitempty"` // lines of NICs and PCI that report something wrong
	Translate map[int]Said[string]    `json:"iommu_groups,omitempty"`

	PCI     []*PCI                     `json:"pci,omitempty"`
	RDMA    []*RDMA                    `json:"rdma,omitempty"`
	Netdevs []*Netdev                  `json:"netdevs,omitempty"`
	Routes  []Route                    `json:"routes,omitempty"`
	Rules   []Rule                     `json:"rules,omitempty"`
	Heard   []lldp.Neighbour           `json:"lldp,omitempty"`
	HeardAt netconf.Place              `json:"lldp_at"`
	GPUs    []*GPU                     `json:"gpus,omitempty"`
	Paths   map[[2]string]Said[string] `json:"-"` // of nvidia-smi topo -m: what lies between two of its names
	// NCCLBoard is what NCCL has written of the host (NCCL_TOPO_DUMP_FILE); nil: it is not beside the others.
	NCCLBoard *board.Board  `json:"nccl_board,omitempty"`
	BoardAt   netconf.Place `json:"nccl_board_at"`

	Sections []Section        `json:"sections"`
	Lines    netconf.Lines    `json:"lines"`
	Unread   []netconf.Unread `json:"not_understood,omitempty"`

	unreadOf map[Kind]int
	pci      map[string]*PCI
	rdma     map[string]*RDMA
	netdev   map[string]*Netdev
	gpu      map[string]*GPU
}

// A PCI is a device or a bridge.
type PCI struct {
	Address  string        `json:"address"` // 0000:17:00.0
	Class    string        `json:"class,omitempty"`
	Name     string        `json:"name,omitempty"`
	At       netconf.Place `json:"at"`
	Parent   string        `json:"parent,omitempty"` // the bridge above it; "": none is known
	bus      int           // below a bridge: its secondary bus; -1: none
	NUMA     Said[int]     `json:"numa"` // -1: the firmware does not say
	Can      PCIeLink      `json:"can"`
	Is       PCIeLink      `json:"is"`
	Relaxed  Said[bool]    `json:"relaxed_ordering"`
	Request  Said[int]     `json:"max_read_request"`
	ACS      Said[string]  `json:"acs"` // the redirections that are on; "": none
	Driver   Said[string]  `json:"driver"`
	Group    Said[int]     `json:"iommu_group"`
	VFs      Said[int]     `json:"vfs"`
	TotalVFs Said[int]     `json:"total_vfs"`
	IDs      [4]string     `json:"ids"` // vendor, device, those of the subsystem: 0x1000; "": not known
}

// A PCIeLink is a speed and a width.
type PCIeLink struct {
	Speed Said[int] `json:"mega_transfers"` // per second and lane: 16000
	Width Said[int] `json:"lanes"`
}

// Known reports whether both are.
func (l *PCIeLink) Known() bool { return l.Speed.Known() && l.Width.Known() }

// String is the link as people say it: 5.0 x16; "": it is not known.
func (l *PCIeLink) String() string {
	if !l.Known() {
		return ""
	}
	return fmt.Sprintf("%d.0 x%d", generationOf(l.Speed.Value), l.Width.Value)
}

// An RDMA is a port of an RDMA device.
type RDMA struct {
	Name     string                 `json:"name"` // mlx5_0, of another port than the first mlx5_0/2
	Netdev   Said[string]           `json:"netdev"`
	PCI      string                 `json:"pci,omitempty"`
	Firmware Said[string]           `json:"firmware"`
	State    Said[string]           `json:"state"` // ACTIVE, DOWN, INIT
	Layer    Said[string]           `json:"link_layer"`
	Rate     Said[string]           `json:"rate"`
	MTU      Said[int]              `json:"active_mtu"`
	MaxMTU   Said[int]              `json:"max_mtu"`
	GIDs     []GID                  `json:"gids,omitempty"`
	Class    Said[int]              `json:"traffic_class"` // forced on all queue pairs (tc/N/traffic_class); 0: not forced
	Counters map[string]Said[int64] `json:"counters,omitempty"`
	gids     map[int]int
}

// A GID is an entry of a port's table.
type GID struct {
	Index   int           `json:"index"`
	Address netip.Addr    `json:"address"`
	Type    string        `json:"type"` // RoCE v1, RoCE v2, IB; "": nothing says it
	At      netconf.Place `json:"at"`
}

// IPv4 reports whether it stands for an IPv4 address.
func (g *GID) IPv4() bool { return g.Address.Is4In6() || g.Address.Is4() }

// A Netdev is a network interface.
type Netdev struct {
	Name      string                 `json:"name"`
	At        netconf.Place          `json:"at"`
	PCI       string                 `json:"pci,omitempty"`
	MTU       Said[int]              `json:"mtu"`
	Up        Said[bool]             `json:"up"`
	MAC       Said[string]           `json:"mac"`
	Master    Said[string]           `json:"master"`
	Addresses []Said[netip.Prefix]   `json:"addresses,omitempty"`
	Speed     Said[int]              `json:"speed_mbps"`
	Driver    Said[string]           `json:"driver"`
	Firmware  Said[string]           `json:"firmware"`
	RxPause   Said[bool]             `json:"rx_pause"`
	TxPause   Said[bool]             `json:"tx_pause"`
	PFC       Said[[8]bool]          `json:"pfc"`
	Trust     Said[string]           `json:"trust"`
	DCBX      Said[string]           `json:"dcbx"` // who sets the port up: os, or firmware, which asks the switch
	Priority  map[int]Said[int]      `json:"dscp_priority,omitempty"`
	NotifyOn  map[int]Said[bool]     `json:"dcqcn_notification,omitempty"` // roce_np: by priority
	ReactOn   map[int]Said[bool]     `json:"dcqcn_reaction,omitempty"`     // roce_rp: by priority
	CNPDSCP   Said[int]              `json:"cnp_dscp"`
	Cable     Said[int]              `json:"cable_decimetres"`
	Bond      Said[string]           `json:"bond_mode"`
	RingRx    Said[int]              `json:"ring_rx"`
	Counters  map[string]Said[int64] `json:"counters,omitempty"`
}

// A Route is one of a table.
type Route struct {
	To    netip.Prefix  `json:"to"`
	Table string        `json:"table"` // main, local, or as ip calls it
	Dev   string        `json:"dev,omitempty"`
	Via   netip.Addr    `json:"via"`
	At    netconf.Place `json:"at"`
}

// A Rule chooses a table.
type Rule struct {
	From  netip.Prefix  `json:"from"`          // not valid: from all
	Dev   string        `json:"dev,omitempty"` // iif or oif
	Table string        `json:"table"`
	At    netconf.Place `json:"at"`
}

// A GPU is one that the driver shows.
type GPU struct {
	Address string        `json:"address"` // 0000:1b:00.0
	Name    Said[string]  `json:"name"`
	Can     PCIeLink      `json:"can"` // of generations: their transfers
	Is      PCIeLink      `json:"is"`
	At      netconf.Place `json:"at"`
}

// A Section is what one command printed.
type Section struct {
	Kind    Kind          `json:"kind"`
	Command string        `json:"command,omitempty"`
	At      netconf.Place `json:"at"`
	Exit    int           `json:"exit"`           // -1: nothing says how it ended
	Part    bool          `json:"part,omitempty"` // it went through another command, such as grep: not all of it is here
}

// Complete reports whether a command of a kind ran to its end, and all of its lines are understood: what it does not say is
// not there.
func (h *Host) Complete(k Kind) bool {
	found := false
	for i := range h.Sections {
		if s := &h.Sections[i]; s.Kind == k {
			found = true
			if s.Exit > 0 || s.Part {
				return false
			}
		}
	}
	return found && h.unreadOf[k] == 0
}

// UnreadOf is how many lines of some kinds are not understood.
func (h *Host) UnreadOf(kinds ...Kind) (n int) {
	for _, k := range kinds {
		n += h.unreadOf[k]
	}
	return n
}

// wanted are the kinds without which checks are left out.
var wanted = []Kind{Lspci, IPAddr, IPRoute, IPRule, Sysctl, Devinfo, RDMALink, MlnxQoS, DriverOf, Stats, Pauses,
	Cables, LLDP, Lsmod,
	Uname, Cmdline, Ulimit, Environ, SMITopo, SMIQuery, NCCLLog}

// Missing are the kinds that were not collected: their command was not there, failed or was denied.
func (h *Host) Missing() (all []string) {
	for _, k := range wanted {
		if h.AtOf(k).Line == 0 {
			all = append(all, string(k))
		}
	}
	return all
}

// AtOf is where a command of a kind begins; the zero place: it was not collected.
func (h *Host) AtOf(k Kind) netconf.Place {
	for i := range h.Sections {
		if s := &h.Sections[i]; s.Kind == k && s.Exit <= 0 {
			return s.At
		}
	}
	return netconf.Place{}
}

// Device is a PCI device by its address; nil: none.
func (h *Host) Device(address string) *PCI { return h.pci[address] }

// NetdevOf is the interface of an RDMA port; nil: not known.
func (h *Host) NetdevOf(r *RDMA) *Netdev {
	if r.Netdev.Known() {
		return h.netdev[r.Netdev.Value]
	}
	if r.PCI != "" {
		for _, n := range h.Netdevs {
			if n.PCI == r.PCI {
				return n
			}
		}
	}
	return nil
}

// NetdevCalled is an interface by its name; nil: none.
func (h *Host) NetdevCalled(name string) *Netdev { return h.netdev[name] }

// mostDeep bounds the bridges above a device.
const mostDeep = 32

// Above are the bridges above a device, the nearest first. What is said to be above itself ends it.
func (h *Host) Above(at string) (all []*PCI) {
	for p := h.pci[at]; p != nil && p.Parent != "" && len(all) < mostDeep; {
		if p = h.pci[p.Parent]; p == nil || p.Address == at || slices.Contains(all, p) {
			break
		}
		all = append(all, p)
	}
	return all
}

// GPU is one that the driver shows, by its address; nil: none.
func (h *Host) GPU(address string) *GPU { return h.gpu[address] }

// gpu reports whether a device is one by its class. Of a display's controllers only those of NVIDIA are.
func (p *PCI) gpu() bool {
	return p.Class == "3D controller" || p.Class == "Processing accelerators" ||
		p.Class == "VGA compatible controller" && strings.Contains(p.Name, "NVIDIA")
}

// GPUAddresses are those of GPUs, by lspci, else by the driver.
func (h *Host) GPUAddresses() (all []string) {
	for _, p := range h.PCI {
		if p.gpu() {
			all = append(all, p.Address)
		}
	}
	if all == nil {
		for _, g := range h.GPUs {
			all = append(all, g.Address)
		}
	}
	return all
}

// NodeOf is the NUMA node of a PCI device, its own or that of a bridge above it.
func (h *Host) NodeOf(address string) Said[int] {
	for n := 0; n < 32; n++ {
		p := h.pci[address]
		if p == nil {
			break
		}
		if p.NUMA.Known() && p.NUMA.Value >= 0 {
			return p.NUMA
		}
		address = p.Parent
	}
	return Said[int]{}
}

func (h *Host) pciAt(address string, at netconf.Place) *PCI {
	p := h.pci[address]
	if p == nil {
		if len(h.pci) >= mostThings {
			return &PCI{}
		}
		p = &PCI{Address: address, At: at, bus: -1}
		h.pci[address] = p
	}
	return p
}

func (h *Host) rdmaAt(name string) *RDMA {
	r := h.rdma[name]
	if r == nil {
		r = &RDMA{Name: name, gids: map[int]int{}, Counters: map[string]Said[int64]{}}
		if len(h.rdma) < mostThings {
			h.rdma[name] = r
		}
	}
	return r
}

func (h *Host) netdevAt(name string, at netconf.Place) *Netdev {
	n := h.netdev[name]
	if n == nil {
		n = &Netdev{Name: name, At: at, Priority: map[int]Said[int]{}, NotifyOn: map[int]Said[bool]{},
			ReactOn: map[int]Said[bool]{}, Counters: map[string]Said[int64]{}}
		if len(h.netdev) < mostThings {
			h.netdev[name] = n
		}
	}
	return n
}

func (h *Host) gpuAt(address string, at netconf.Place) *GPU {
	g := h.gpu[address]
	if g == nil {
		g = &GPU{Address: address, At: at}
		if len(h.gpu) < mostThings {
			h.gpu[address] = g
		}
	}
	return g
}

// gid notes an entry of a table; what another command has said of it stays.
func (r *RDMA) gid(index int, at netconf.Place) *GID {
	k, known := r.gids[index]
	if !known {
		if len(r.GIDs) >= mostGIDs {
			return &GID{}
		}
		k = len(r.GIDs)
		r.gids[index] = k
		r.GIDs = append(r.GIDs, GID{Index: index, At: at})
	}
	return &r.GIDs[k]
}

// Bounds of what a host may have.
const (
	mostThings   = 4096 // devices, interfaces, ports
	mostGIDs     = 4096
	mostRoutes   = 20_000
	mostCounters = 2000 // of an interface or a port
	mostEvents   = 1000
)

// settle joins what several commands say, once all is read.
func (h *Host) settle() {
	h.PCI = sorted(h.pci, func(p *PCI) string { return p.Address })
	h.Netdevs = sorted(h.netdev, func(n *Netdev) string { return n.Name })
	h.GPUs = sorted(h.gpu, func(g *GPU) string { return g.Address })
	h.RDMA = sorted(h.rdma, func(r *RDMA) string { return r.Name })
	slices.SortFunc(h.RDMA, func(a, b *RDMA) int { return natural(a.Name, b.Name) })
	slices.SortFunc(h.Netdevs, func(a, b *Netdev) int { return natural(a.Name, b.Name) })
	type domainBus struct {
		domain string
		bus    int
	}
	above := map[domainBus]string{}
	for _, p := range h.PCI {
		if p.bus > 0 {
			above[domainBus{p.Address[:4], p.bus}] = p.Address
		}
	}
	for _, p := range h.PCI {
		if p.Parent == "" {
			bus, _ := number(p.Address[5:7], 16, 0, 255)
			if up := above[domainBus{p.Address[:4], bus}]; up != p.Address {
				p.Parent = up
			}
		}
	}
	for _, r := range h.RDMA {
		slices.SortFunc(r.GIDs, func(a, b GID) int { return cmp.Compare(a.Index, b.Index) })
		r.GIDs = slices.DeleteFunc(r.GIDs, func(g GID) bool { return !g.Address.IsValid() })
		for i, g := range r.GIDs {
			r.gids[g.Index] = i
		}
		if n := h.NetdevOf(r); n != nil {
			if r.PCI == "" {
				r.PCI = n.PCI
			}
			if n.PCI == "" {
				n.PCI = r.PCI
			}
			if !r.Netdev.Known() {
				r.Netdev = Said[string]{n.Name, n.At}
			}
			if !r.Firmware.Known() {
				r.Firmware = n.Firmware
			}
		}
	}
}

// matters reports whether a device is one of those that anything is asked of, by what it is.
func (p *PCI) matters() bool {
	return p.gpu() || strings.HasSuffix(p.Class, "thernet controller") || strings.HasSuffix(p.Class, "nfiniband controller") ||
		p.Driver.Value == "vfio-pci" || p.VFs.Known()
}

// prune leaves out PCI devices of which nothing is asked: of a thousand of a server a few dozen are GPUs, NICs and what is
// above them.
func (h *Host) prune() {
	keep := map[string]bool{}
	with := func(address string) {
		if keep[address] = true; h.pci[address] != nil {
			for _, p := range h.Above(address) {
				keep[p.Address] = true
			}
		}
	}
	for _, p := range h.PCI {
		if p.matters() {
			with(p.Address)
		}
	}
	for _, r := range h.RDMA {
		with(r.PCI)
	}
	for _, n := range h.Netdevs {
		with(n.PCI)
	}
	for _, g := range h.GPUs {
		with(g.Address)
	}
	kept := map[string]*PCI{} // anew: a map keeps the room that it once had
	var all []*PCI
	for _, p := range h.PCI {
		if keep[p.Address] {
			kept[p.Address], all = p, append(all, p)
		}
	}
	h.pci, h.PCI = kept, all
}

func sorted[T any](all map[string]*T, name func(*T) string) []*T {
	return slices.SortedFunc(maps.Values(all), func(a, b *T) int { return cmp.Compare(name(a), name(b)) })
}

// natural orders names with numbers in them as people do: mlx5_2 before mlx5_10.
func natural(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, y := trimZeros(a[:na]), trimZeros(b[:nb])
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(na, nb)); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) (n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func trimZeros(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}
