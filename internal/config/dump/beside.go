package dump

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/lldp"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// plug is an end of a cable, as a device calls it.
type plug struct{ device, port string }

func (p plug) String() string { return p.device + "/" + p.port }

func (p plug) compare(q plug) int {
	return cmp.Or(strings.Compare(p.device, q.device), strings.Compare(p.port, q.port))
}

// heard is what a device hears on a port.
type heard struct {
	at   plug
	from string
	says [2]string // the far port, as an identifier and as a description
}

// endpoints is a cable in a topology file of containerlab's, and of what else has its form.
var endpoints = regexp.MustCompile(`^\s*-?\s*endpoints:\s*\[\s*["']?([\w.-]+):([^"',\]\s]+)["']?\s*,` +
	`\s*["']?([\w.-]+):([^"',\]\s]+)["']?\s*\]`)

// isLab reports whether a text is a topology file of containerlab's.
func isLab(text string) bool {
	return strings.Contains(text, "endpoints:") && strings.Contains(text, "topology:")
}

// lab reads the cables of containerlab's file.
func (r *Reader) lab(s section) error {
	n := 0
	for text := range strings.Lines(s.text) {
		n++
		body, _, _ := strings.Cut(text, "#")
		if !strings.Contains(body, "endpoints:") {
			continue
		}
		m := endpoints.FindStringSubmatch(body)
		if m == nil {
			return s.problem(n, 0, strings.TrimRight(text, "\r\n"), "want endpoints: [\"DEVICE:PORT\", \"DEVICE:PORT\"] in one line")
		}
		r.cables = append(r.cables, [2]plug{{m[1], m[2]}, {m[3], m[4]}})
	}
	return nil
}

// neighbours reads what a device hears by LLDP.
func (r *Reader) neighbours(s section) error {
	all, err := lldp.Parse(s.text)
	if err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	for _, d := range all {
		for _, n := range d.Neighbours {
			says := [2]string{strings.Clone(n.FarPort), strings.Clone(n.FarPortSay)}
			r.heard = append(r.heard, heard{plug{s.host, strings.Clone(n.Port)}, strings.Clone(n.System), says})
		}
	}
	return nil
}

// Beside reports whether the texts tell who is beside whom.
func (r *Reader) Beside() bool { return len(r.cables)+len(r.heard) > 0 }

// Graph is the network that texts tell of, with the names of ports that telemetry has. A device is what the telemetry shows it
// to be; of a cable to one that it does not have nothing is known, and it is left out. Rates are not known: a cable has 1 b/s.
func (r *Reader) Graph(t *telemetry.Telemetry) (*topo.Graph, error) {
	names := newNames(t)
	cables := names.plugged(r.cables, r.heard)
	if err := once(cables); err != nil {
		return nil, err
	}
	tiers := tiersOf(names.hosts, cables)
	var b topo.Builder
	node := map[string]topo.NodeID{}
	for _, d := range slices.Sorted(maps.Keys(tiers)) {
		switch tier := tiers[d]; {
		case tier == 0:
			node[d] = b.AddHost(d, 0)
		case tier > int(topo.SuperSpine):
			return nil, fmt.Errorf("%s is %d cables from the nearest host, want %d at most", located.Shown(d), tier, int(topo.SuperSpine))
		default:
			node[d] = b.AddSwitch(d, topo.Kind(tier))
		}
	}
	for _, c := range cables {
		b.Connect(node[c[0].device], node[c[1].device], topo.Cable{Rate: unit.BitPerSecond, Delay: unit.Picosecond})
	}
	g, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("who is beside whom: %w", err)
	}
	for i, c := range cables {
		g.Ports[2*i].Name, g.Ports[2*i+1].Name = c[0].String(), c[1].String()
	}
	return g, nil
}

// once refuses a port that is in two cables.
func once(cables [][2]plug) error {
	in := map[plug]plug{}
	for _, c := range cables {
		for i := range c {
			if far, there := in[c[i]]; there {
				return fmt.Errorf("who is beside whom: %s is plugged into %s and into %s", located.Shown(c[i].String()),
					located.Shown(far.String()), located.Shown(c[1-i].String()))
			}
			in[c[i]] = c[1-i]
		}
	}
	return nil
}

// known are the ports of telemetry.
type known struct {
	ports map[string][]string // by device
	hosts map[string]bool
}

func newNames(t *telemetry.Telemetry) *known {
	k := &known{map[string][]string{}, map[string]bool{}}
	for _, s := range t.Find(telemetry.Port, telemetry.NIC) {
		k.ports[s.Device] = append(k.ports[s.Device], strings.TrimPrefix(s.Port, s.Device+"/"))
		if s.Kind == telemetry.NIC {
			k.hosts[s.Device] = true
		}
	}
	return k
}

// shortened is a name of an interface: letters, and what numbers it.
var shortened = regexp.MustCompile(`^([A-Za-z]+)(\d.*)$`)

// port is the one of a device that a name stands for: itself, or the only one that it shortens, as Et1 does Ethernet1. "": none.
func (k *known) port(device, name string) string {
	all := k.ports[device]
	if name == "" || slices.Contains(all, name) {
		return name
	}
	m := shortened.FindStringSubmatch(name)
	found := ""
	for _, p := range all {
		q := shortened.FindStringSubmatch(p)
		if m == nil || q == nil || q[2] != m[2] || !strings.HasPrefix(strings.ToLower(q[1]), strings.ToLower(m[1])) {
			continue
		}
		if found != "" {
			return ""
		}
		found = p
	}
	return found
}

// plugged are the cables between devices that are known, each once.
func (k *known) plugged(cables [][2]plug, all []heard) [][2]plug {
	out := map[[2]plug]bool{}
	add := func(a, b plug) {
		if a.port == "" || b.port == "" || len(k.ports[a.device]) == 0 || len(k.ports[b.device]) == 0 || a.device == b.device {
			return
		}
		if a.compare(b) > 0 {
			a, b = b, a
		}
		out[[2]plug{a, b}] = true
	}
	for _, c := range cables {
		add(plug{c[0].device, k.port(c[0].device, c[0].port)}, plug{c[1].device, k.port(c[1].device, c[1].port)})
	}
	for _, h := range all {
		at := plug{h.at.device, k.port(h.at.device, h.at.port)}
		for _, name := range h.says {
			if far := k.port(h.from, name); far != "" && slices.Contains(k.ports[h.from], far) {
				add(at, plug{h.from, far})
				break
			}
		}
	}
	return slices.SortedFunc(maps.Keys(out), func(x, y [2]plug) int { return cmp.Or(x[0].compare(y[0]), x[1].compare(y[1])) })
}

// tiersOf is how many cables each device is from the nearest host; one that no host reaches is as if beside one.
func tiersOf(hosts map[string]bool, cables [][2]plug) map[string]int {
	beside, tier := map[string][]string{}, map[string]int{}
	var queue []string
	for _, c := range cables {
		for i := range c {
			d := c[i].device
			beside[d] = append(beside[d], c[1-i].device)
			if _, there := tier[d]; !there && hosts[d] {
				tier[d] = 0
				queue = append(queue, d)
			}
		}
	}
	for len(queue) > 0 {
		d := queue[0]
		queue = queue[1:]
		for _, e := range beside[d] {
			if _, there := tier[e]; !there {
				tier[e] = tier[d] + 1
				queue = append(queue, e)
			}
		}
	}
	for d := range beside {
		if _, there := tier[d]; !there {
			tier[d] = int(topo.Leaf)
		}
	}
	return tier
}

// neighbours writes what switches hear by LLDP.
func (w *writer) neighbours(to io.Writer) error {
	b := bufio.NewWriter(to)
	for id := range w.graph.Nodes {
		n := &w.graph.Nodes[id]
		if n.Kind == topo.HostKind {
			continue
		}
		var rows [][]string
		for _, p := range n.Ports {
			port, far := &w.graph.Ports[p], &w.graph.Ports[p^1]
			other := w.graph.Nodes[port.To].Name
			name := strings.TrimPrefix(far.Name, other+"/")
			rows = append(rows, []string{strings.TrimPrefix(port.Name, n.Name+"/"), other, name, "BR", name})
		}
		w.ask(b, "admin", n.Name, "show lldp table", "Capability codes: (R) Router, (B) Bridge, (O) Other\n"+
			leftTable([]string{"LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"}, rows))
	}
	return b.Flush()
}

// leftTable lays out rows left-aligned below dashes.
func leftTable(heads []string, rows [][]string) string {
	width := make([]int, len(heads))
	for _, row := range append([][]string{heads}, rows...) {
		for i, c := range row {
			width[i] = max(width[i], len(c))
		}
	}
	under := make([]string, len(heads))
	for i := range under {
		under[i] = strings.Repeat("-", width[i])
	}
	var b strings.Builder
	for _, row := range append([][]string{heads, under}, rows...) {
		line := ""
		for i, c := range row {
			line += c + strings.Repeat(" ", width[i]-len(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
