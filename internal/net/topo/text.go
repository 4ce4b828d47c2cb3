package topo

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"railyard/internal/base/unit"
)

// WriteText prints the graph for people: what it holds, the capacity of its tiers,
// then each host with its NICs and each switch with its ports. The same graph
// always prints the same text.
func (g *Graph) WriteText(w io.Writer) error {
	buf := bufio.NewWriter(w)
	fmt.Fprintln(buf, g.summary())
	for _, t := range g.Tiers() {
		fmt.Fprintf(buf, "tier %d: %s, %s down", t.Tier, count(t.Switches, "switch", "switches"), bits(t.Down))
		if over, ok := t.Oversubscription(); ok {
			fmt.Fprintf(buf, ", %s up, oversubscription %v", bits(t.Up), over)
		}
		fmt.Fprintln(buf)
	}
	fmt.Fprintf(buf, "bisection: %s each way\n", bits(g.Bisection()))
	for _, h := range g.Hosts {
		fmt.Fprintf(buf, "\n%s: %s\n", h.Name, count(h.GPUs, "GPU", "GPUs"))
		g.writePorts(buf, g.Nodes[h.Node])
	}
	for _, n := range g.Nodes {
		if n.Kind != HostKind {
			fmt.Fprintf(buf, "\n%s: %v\n", n.Name, n.Kind)
			g.writePorts(buf, n)
		}
	}
	return buf.Flush()
}

// writePorts prints a table of a node's ports, one line each.
func (g *Graph) writePorts(w io.Writer, n Node) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range n.Ports {
		port := g.Ports[p]
		fmt.Fprintf(t, "  %s\t%s\t%v", port.Name, bits(port.Rate), port.Delay)
		if l := g.Links[port.Link].Length; l > 0 {
			fmt.Fprintf(t, "\t%v", l)
		} else {
			fmt.Fprint(t, "\t-")
		}
		if port.NIC >= 0 {
			nic := g.NICs[port.NIC]
			fmt.Fprintf(t, "\tnic%d rail %d", nic.Index, nic.Rail+1)
			if nic.GPU >= 0 {
				fmt.Fprintf(t, " gpu%d", nic.GPU)
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// summary counts what the graph holds, in one line.
func (g *Graph) summary() string {
	kind := map[Kind]int{}
	for _, n := range g.Nodes {
		kind[n.Kind]++
	}
	gpus := 0
	for _, h := range g.Hosts {
		gpus += h.GPUs
	}
	parts := []string{count(len(g.Hosts), "host", "hosts"), count(gpus, "GPU", "GPUs"),
		count(len(g.NICs), "NIC", "NICs"),
		count(kind[Leaf], "leaf", "leaves")}
	if kind[Spine] > 0 {
		parts = append(parts, count(kind[Spine], "spine", "spines"))
	}
	if kind[SuperSpine] > 0 {
		parts = append(parts, count(kind[SuperSpine], "superspine", "superspines"))
	}
	return strings.Join(append(parts, count(len(g.Links), "link", "links")), ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// bits prints a rate in bits per second whatever its size, as link speeds are
// spoken of: 200Gb/s, where unit.Bitrate may choose the shorter 25GB/s.
func bits(r unit.Bitrate) string {
	for _, s := range []struct {
		name string
		size unit.Bitrate
	}{{"Tb/s", unit.TerabitPerSec}, {"Gb/s", unit.GigabitPerSec}, {"Mb/s", unit.MegabitPerSec}} {
		if r >= s.size && r%(s.size/1000) == 0 {
			return strconv.FormatFloat(float64(r)/float64(s.size), 'f', -1, 64) + s.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "b/s"
}
