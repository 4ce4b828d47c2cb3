package nccltopo

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// Bounds of what is read.
const (
	MaxBytes    = 4 << 20
	maxDepth    = 32
	maxElements = 1 << 12
	maxCPUs     = 64
	maxCount    = 1 << 10 // links of one kind between two parts
)

// element is one of a file, with what stands in it.
type element struct {
	name     string
	attrs    map[string]string
	line     int
	children []*element
}

// Read reads a file as a board; name is used in errors, which are located.Problems. Comments, elements and
// attributes that are not known are passed over. What is not there is unknown: rates, or the GPU that an
// NVLink leads to where a container sees only some.
func Read(name string, src []byte) (*board.Board, error) {
	r := &reader{name: name, board: &board.Board{Name: "nccl", Source: "a topology file of NCCL"},
		gpuAt: map[string]int{}, switchAt: map[string]int{}}
	if len(src) > MaxBytes {
		return nil, r.whole("%d bytes, want at most %d", len(src), MaxBytes)
	}
	root, err := parse(src)
	if err != nil {
		var at *xml.SyntaxError
		if errors.As(err, &at) {
			return nil, located.Problems{{File: name, Line: at.Line, Column: 1, Message: "not XML: " + at.Msg}}
		}
		return nil, r.whole("%v", err)
	}
	if root == nil || root.name != "system" {
		if root != nil && root.name == "graphs" {
			return nil, r.whole("channels that NCCL searched (NCCL_GRAPH_DUMP_FILE), want the topology beside them, as " +
				"NCCL_TOPO_DUMP_FILE writes it")
		}
		return nil, r.whole("no element system, want a topology as NCCL_TOPO_DUMP_FILE writes it")
	}
	r.unfilled = [2]bool{!root.holds("gpu"), !root.holds("net")}
	r.hosts(root)
	if len(r.problems) > 0 {
		return nil, r.problems.Err()
	}
	r.links()
	if len(r.problems) > 0 {
		return nil, r.problems.Err()
	}
	if len(r.board.Parts) == 0 {
		return nil, r.whole("no cpu in system, want at least one")
	}
	if r.count(board.GPU)+r.count(board.NIC) == 0 && r.classless > 0 {
		return nil, r.whole("no GPU and no NIC: %d devices say neither a class nor what is in them, as NCCL looks that up on "+
			"the host: want a class, or what NCCL_TOPO_DUMP_FILE writes there", r.classless)
	}
	r.notes()
	fill(r.board)
	return r.board, nil
}

// holds says whether an element of a name is in e.
func (e *element) holds(name string) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool { return c.name == name || c.holds(name) })
}

// notes say on the board what was numbered here, and what the file leaves to the host.
func (r *reader) notes() {
	for i, kind := range [...]board.Kind{board.GPU, board.NIC} {
		switch {
		case r.numbered[i] > 0:
			r.board.Notes = append(r.board.Notes, fmt.Sprintf("The file has no <%s>: NCCL fills them in on the host. Here devices "+
				"of class %s are %ss: %d, numbered in the order of the file.", fills[i], devices[i], kind, r.numbered[i]))
		case r.count(kind) == 0:
			r.board.Notes = append(r.board.Notes, fmt.Sprintf("The file has no <%s>, and no device of class %s: NCCL fills them in "+
				"on the host, none is on this board.", fills[i], devices[i]))
		}
	}
	if r.renamed > 0 {
		r.board.Notes = append(r.board.Notes, fmt.Sprintf("NICs with the name of another: %d, told apart by #2 and so on. A dump has a "+
			"device that hangs on no PCIe bus once below each CPU.", r.renamed))
	}
	if r.bridges > 0 {
		r.board.Notes = append(r.board.Notes, fmt.Sprintf("PCIe switches that say 2.5 GT/s x1: %d. That is what a bridge's "+
			"registers hold before a link is trained, so their rate is unknown; NCCL counts it all the same.", r.bridges))
	}
}

// parse reads XML into elements; nil without one.
func parse(src []byte) (root *element, err error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, located.BOM)))
	var open []*element
	for n := 0; ; {
		tok, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			line, _ := d.InputPos()
			e := &element{name: t.Name.Local, attrs: map[string]string{}, line: line}
			for _, a := range t.Attr {
				e.attrs[a.Name.Local] = strings.TrimSpace(a.Value)
			}
			if n++; n > maxElements || len(open) >= maxDepth {
				return nil, fmt.Errorf("more than %d elements, or nested deeper than %d: not a host", maxElements, maxDepth)
			}
			switch {
			case len(open) > 0:
				open[len(open)-1].children = append(open[len(open)-1].children, e)
			case root == nil:
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// reader turns elements into parts and links.
type reader struct {
	name     string
	board    *board.Board
	gpuAt    map[string]int // by bus identifier: GPU
	switchAt map[string]int // PCIe switch; -1: several have it
	unfilled [2]bool        // a vendor's file, without GPUs, NICs: NCCL fills them in
	numbered [2]int         // by their class
	bridges  int            // switches whose registers tell of no link
	renamed  int            // NICs whose name another has
	// classless are devices without a class and with nothing in them
	classless int
	nvlinks   []nvlink
	peers     []peer
	problems  located.Problems
}

// nvlink is one of a GPU, whose other end may come later in the file.
type nvlink struct {
	gpu int
	e   *element
}

// peer is a link of a PCIe switch to another, not by way of a CPU.
type peer struct {
	sw int
	e  *element
}

func (r *reader) whole(format string, args ...any) error {
	return located.Problems{{File: r.name, Message: fmt.Sprintf(format, args...)}}
}

func (r *reader) wrong(e *element, format string, args ...any) {
	r.problems = append(r.problems, located.Problem{File: r.name, Line: e.line, Column: 1,
		Message: e.name + ": " + fmt.Sprintf(format, args...)})
}

// hosts reads the CPUs, in order of the file, and what hangs on each.
func (r *reader) hosts(root *element) {
	var cpus []int
	seen := map[string]bool{}
	for _, e := range root.children {
		if e.name != "cpu" {
			continue
		}
		id, given := e.attrs["numaid"]
		if n, err := strconv.Atoi(id); !given || id == "-1" {
			id = strconv.Itoa(len(cpus))
		} else if err != nil || n < 0 || n > 1<<16 {
			r.wrong(e, "numaid %s: want a number from 0", located.Shown(id))
			continue
		} else {
			id = strconv.Itoa(n)
		}
		if seen[id] {
			r.wrong(e, "numaid %s: of another cpu too, want one of its own, and one host in a file", id)
			continue
		}
		if len(cpus) == maxCPUs {
			r.wrong(e, "one too many, want at most %d", maxCPUs)
			break
		}
		seen[id] = true
		cpu := r.part(e, "CPU"+id, board.CPU)
		r.board.Parts[cpu].Model = model(cpuKeys, e)
		for _, other := range cpus {
			r.join(other, cpu, 1, between, 0)
		}
		cpus = append(cpus, cpu)
		r.below(cpu, e)
	}
}

// below reads what hangs on a CPU or a PCIe switch.
func (r *reader) below(part int, e *element) {
	for _, c := range e.children {
		switch c.name {
		case "pci":
			r.pci(part, c)
		case "nic":
			r.nic(part, c, nil)
		case "pcilink":
			r.peers = append(r.peers, peer{part, c})
		}
	}
}

// pci reads a PCIe device: a NIC or a GPU if there is one in it, else by its class.
func (r *reader) pci(parent int, e *element) {
	for _, c := range e.children {
		if c.name == "nic" {
			r.nic(parent, c, e)
			return
		}
	}
	kind, rate := r.pcie(e)
	for _, c := range e.children {
		if c.name == "gpu" {
			r.join(parent, r.gpu(e, c), 1, kind, rate)
			return
		}
	}
	class, empty := e.attrs["class"], len(e.children) == 0
	switch {
	case empty && r.unfilled[0] && strings.HasPrefix(class, devices[0]):
		r.numbered[0]++
		r.join(parent, r.gpu(e, &element{name: "gpu", line: e.line}), 1, kind, rate)
		return
	case empty && r.unfilled[1] && strings.HasPrefix(class, devices[1]):
		r.numbered[1]++
		r.nic(parent, &element{name: "nic", line: e.line}, e)
		return
	case slices.ContainsFunc(others, func(x string) bool { return strings.HasPrefix(class, x) }):
		return // a NIC or a GPU that nobody uses, an NVSwitch: its NVLinks say that it is there
	case empty && class == "":
		r.classless++
	}
	if kind == untrained {
		rate = 0
		r.bridges++
	}
	sw := r.part(e, fmt.Sprintf("PCIe%d", r.count(board.PCIeSwitch)+1), board.PCIeSwitch)
	id := r.bus(e, sw)
	if _, twice := r.switchAt[id]; twice {
		r.switchAt[id] = -1
	} else {
		r.switchAt[id] = sw
	}
	r.join(parent, sw, 1, kind, rate)
	r.below(sw, flat(e))
}

// What NCCL fills in on a host, and the classes of the devices that are so.
var (
	fills   = [...]string{"gpu", "net"}
	devices = [...]string{"0x03", "0x02"}
)

// gpu reads one and keeps its NVLinks for later.
func (r *reader) gpu(pci, e *element) int {
	dev, given := e.attrs["dev"]
	if n, err := strconv.Atoi(dev); !given {
		dev = strconv.Itoa(r.count(board.GPU))
	} else if err != nil || n < 0 || n > 1<<16 {
		r.wrong(e, "dev %s: want a number from 0", located.Shown(dev))
		dev = strconv.Itoa(r.count(board.GPU))
	} else {
		dev = strconv.Itoa(n)
	}
	gpu := r.part(e, "GPU"+dev, board.GPU)
	p := &r.board.Parts[gpu]
	p.NoGPUDirect = e.attrs["gdr"] == "0"
	p.Model = model(gpuKeys, e)
	if id := r.bus(pci, gpu); id != "" {
		if _, twice := r.gpuAt[id]; twice {
			r.wrong(pci, "busid %s: of another GPU too, want one of its own", located.Shown(id))
		}
		r.gpuAt[id] = gpu
	}
	for _, c := range e.children {
		if c.name == "nvlink" || c.name == "xgmi" || c.name == "c2c" {
			r.nvlinks = append(r.nvlinks, nvlink{gpu, c})
		}
	}
	return gpu
}

// nic adds one with its ports, which NCCL calls nets; pci is nil where it stands for no device of its own.
func (r *reader) nic(parent int, e, pci *element) {
	kind, rate := virtual, unit.Bitrate(0)
	if pci != nil {
		kind, rate = r.pcie(pci)
	}
	var names []string
	var nets []*element
	for _, c := range e.children {
		if c.name != "net" {
			continue
		}
		if name := r.netName(c); name != nil || len(nets) == 0 {
			nets, names = append(nets, c), append(names, name...)
		}
	}
	if len(names) > 0 {
		nets = nets[len(nets)-len(names):] // those with names
	}
	name := strings.Join(names, "+")
	if name == "" {
		name = fmt.Sprintf("NIC%d", r.count(board.NIC))
	}
	if twice := r.board.Named(name); twice >= 0 && r.board.Parts[twice].Kind == board.NIC {
		name = r.another(names[len(names)-1], name)
		r.renamed++
	}
	nic := r.part(e, name, board.NIC)
	if len(nets) > 0 {
		r.board.Parts[nic].Rate = speedOf(nets[0])
		r.board.Parts[nic].NoGPUDirect = nets[0].attrs["gdr"] == "0"
		r.board.Parts[nic].Model = model(netKeys, nets...)
	}
	if pci != nil {
		r.bus(pci, nic)
	}
	r.join(parent, nic, 1, kind, rate)
}

// another is the name of a NIC whose own is taken, numbered at its last net: a dump has a device that hangs on no PCIe
// bus once below each CPU.
func (r *reader) another(last, name string) string {
	for i := 2; ; i++ {
		number := fmt.Sprintf("#%d", i)
		of := name + number
		if len(last)+len(number) > maxName {
			of = fmt.Sprintf("NIC%s", number)
		}
		if r.board.Named(of) < 0 {
			return of
		}
	}
}

// netName is the name of a net, nil without one.
func (r *reader) netName(e *element) []string {
	name := e.attrs["name"]
	if len(name) > maxName || strings.ContainsFunc(name, hiddenRune) {
		r.wrong(e, "name %s: want at most %d visible characters without spaces", located.Shown(name), maxName)
		return nil
	}
	if name == "" {
		return nil
	}
	return []string{name}
}

// shortWord is a word if it is one, of no more characters than a name; "" otherwise.
func shortWord(text string) string {
	if len(text) > maxName || strings.ContainsFunc(text, hiddenRune) {
		return ""
	}
	return text
}

func hiddenRune(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) }

// speedOf is what a net carries, 0: the file does not say. One that is not positive is 10 Gb/s to NCCL (topo.cc).
func speedOf(e *element) unit.Bitrate {
	mbps, err := strconv.Atoi(e.attrs["speed"])
	switch {
	case err != nil || mbps > 1e9:
		return 0
	case mbps <= 0:
		return 10 * unit.GigabitPerSec
	}
	return unit.Bitrate(mbps) * unit.MegabitPerSec
}

// links joins GPUs by NVLinks, each of which stands at both of its ends where both are GPUs.
func (r *reader) links() {
	switches := map[string]int{}
	type ends struct{ a, b int }
	joined, first := map[ends]bool{}, len(r.board.Links)
	for _, l := range r.nvlinks {
		count := 1
		if text, given := l.e.attrs["count"]; given {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > maxCount {
				r.wrong(l.e, "count %s: want 1 to %d", located.Shown(text), maxCount)
				continue
			}
			count = n
		}
		if l.e.name == "c2c" {
			r.join(r.cpuOf(l.gpu), l.gpu, count, board.C2C, rateOf(l.e.attrs["bw"]))
			continue
		}
		target := strings.ToLower(l.e.attrs["target"])
		to, known := r.gpuAt[target]
		switch class := l.e.attrs["tclass"]; {
		case strings.HasPrefix(class, nvswitch), class == "" && target == hidden:
			if to, known = switches[target]; !known {
				to = r.part(l.e, fmt.Sprintf("NVSwitch%d", len(switches)+1), board.NVSwitch)
				r.board.Parts[to].BusID = shortWord(target)
				switches[target] = to
			}
		case strings.HasPrefix(class, bridgeOfCPU):
			to = r.cpuOf(l.gpu)
		case !known, to == l.gpu: // a GPU that is not here, or nothing that has NVLinks
			continue
		}
		a, b := min(l.gpu, to), max(l.gpu, to)
		if !joined[ends{a, b}] {
			joined[ends{a, b}] = true
			kind, rate := r.nvlinkOf(l.e, a, b)
			r.join(a, b, count, kind, rate)
		}
	}
	for _, p := range r.peers {
		to, known := r.switchAt[strings.ToLower(p.e.attrs["target"])]
		own := r.switchAt[r.board.Parts[p.sw].BusID] == p.sw // one that another end could name
		if a, b := min(p.sw, to), max(p.sw, to); known && to >= 0 && own && a != b && !joined[ends{a, b}] {
			joined[ends{a, b}] = true
			r.join(a, b, 1, peerLink, 0)
		}
	}
	slices.SortStableFunc(r.board.Links[first:], func(x, y board.Link) int { // whichever end told of it first
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
}

// nvlinkOf is the kind of a link of GPUs, and what it carries: by the first end that says what GPU it is.
func (r *reader) nvlinkOf(e *element, ends ...int) (string, unit.Bitrate) {
	if e.name == "xgmi" {
		return infinity, 0
	}
	for _, i := range ends {
		if p := &r.board.Parts[i]; p.Kind == board.GPU {
			if k := kindOf(attributes(p.Model)["sm"]); k != nil {
				return k.name, k.rate
			}
		}
	}
	return "NVLink", 0
}

// cpuOf is the CPU above a part.
func (r *reader) cpuOf(part int) int {
	for r.board.Parts[part].Kind != board.CPU {
		for _, l := range r.board.Links {
			if l.B == part {
				part = l.A
				break
			}
		}
	}
	return part
}

// part adds one; no two have a name.
func (r *reader) part(e *element, name string, kind board.Kind) int {
	if r.board.Named(name) >= 0 {
		r.wrong(e, "%s: the name of another part too, want one of its own", located.Shown(name))
	}
	r.board.Parts = append(r.board.Parts, board.Part{Name: name, Kind: kind})
	return len(r.board.Parts) - 1
}

func (r *reader) join(a, b, count int, kind string, rate unit.Bitrate) {
	r.board.Links = append(r.board.Links, board.Link{A: a, B: b, Kind: kind, Count: count, Rate: rate})
}

// bus keeps where a part is, as links name it. Files have been seen that give several devices one identifier.
func (r *reader) bus(e *element, part int) (id string) {
	id = shortWord(strings.ToLower(e.attrs["busid"]))
	r.board.Parts[part].BusID = id
	return id
}

func (r *reader) count(kind board.Kind) (n int) {
	for _, p := range r.board.Parts {
		if p.Kind == kind {
			n++
		}
	}
	return n
}

// Classes of PCI devices (PCI Code and ID Assignment Specification), by their first digits, and what else NCCL knows
// targets of NVLinks by (topo.cc, xml.cc).
const (
	nvswitch    = "0x068000"
	bridgeOfCPU = "0x068001"        // of POWER: NVLink to the CPU
	hidden      = "fffffff:ffff:ff" // not seen in a virtual machine: an NVSwitch
)

// others are classes of devices that are no switches: with nothing in them NCCL makes no part of them.
var others = []string{"0x03", "0x02", nvswitch, bridgeOfCPU}

// Kinds of links that stand for no PCIe link of a known kind.
const (
	untrained = "PCIe 1.0 x1" // what the registers of a bridge hold that knows of no link
	plainPCIe = "PCIe"
	virtual   = "virtual device" // of a NIC that is no PCIe device
	peerLink  = "PCIe peer"      // between switches
	between   = "between sockets"
	infinity  = "Infinity Fabric" // of GPUs of AMD, whose rate files do not have
)

const maxName = 64

// generation is one of PCI Express: transfers per second of a lane as files write them, what a lane carries after
// encoding (PCI Express Base Specification: 8b/10b to 2.0, 128b/130b to 5.0, flits of 242 of 256 bytes from 6.0), and
// what NCCL counts for it (kvDictPciGen of topo.cc).
type generation struct {
	speed, name   string
	lane, counted unit.Bitrate
}

var generations = []generation{
	{"2.5", "1.0", 2000 * unit.MegabitPerSec, 1500 * unit.MegabitPerSec},
	{"5.0", "2.0", 4000 * unit.MegabitPerSec, 3000 * unit.MegabitPerSec},
	{"8.0", "3.0", 7875 * unit.MegabitPerSec, 6000 * unit.MegabitPerSec},
	{"16.0", "4.0", 15750 * unit.MegabitPerSec, 12000 * unit.MegabitPerSec},
	{"32.0", "5.0", 31500 * unit.MegabitPerSec, 24000 * unit.MegabitPerSec},
	{"64.0", "6.0", 60500 * unit.MegabitPerSec, 48000 * unit.MegabitPerSec},
}

// pcie says what link a device hangs on: its kind and rate; unknown where the file does not say, or says 0.
func (r *reader) pcie(e *element) (kind string, rate unit.Bitrate) {
	text, width := e.attrs["link_speed"], e.attrs["link_width"]
	speed, _, _ := strings.Cut(strings.Replace(text, "GT/s", " ", 1), " ")
	lanes, err := strconv.Atoi(width)
	if width != "" && (err != nil || lanes < 0 || lanes > maxLanes) {
		r.wrong(e, "link_width %s: want 0 (unknown) to %d", located.Shown(width), maxLanes)
		return plainPCIe, 0
	}
	if width != "" && lanes == 0 { // as NCCL takes it (topo.cc, ncclTopoAddPci)
		lanes = 16
	}
	value, err := strconv.ParseFloat(speed, 64)
	for _, g := range generations {
		if known, _ := strconv.ParseFloat(g.speed, 64); err == nil && known == value && lanes > 0 {
			return fmt.Sprintf("PCIe %s x%d", g.name, lanes), g.lane * unit.Bitrate(lanes)
		}
	}
	return plainPCIe, 0
}

const maxLanes = 32

// pcieOf is the generation and the lanes of a kind of link that pcie has named.
func pcieOf(kind string) (g *generation, lanes int, ok bool) {
	rest, ok := strings.CutPrefix(kind, "PCIe ")
	name, width, both := strings.Cut(rest, " x")
	lanes, err := strconv.Atoi(width)
	i := slices.IndexFunc(generations, func(g generation) bool { return g.name == name })
	if !ok || !both || err != nil || i < 0 || lanes < 1 || lanes > maxLanes {
		return nil, 0, false
	}
	return &generations[i], lanes, true
}

// rateOf reads the megabytes per second of a link; 0: unknown.
func rateOf(text string) unit.Bitrate {
	mb, err := strconv.Atoi(text)
	if err != nil || mb < 0 || mb > 1e9 {
		return 0
	}
	return unit.Bitrate(mb) * 8 * unit.MegabitPerSec
}
