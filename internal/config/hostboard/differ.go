package hostboard

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/netconf"
	"railyard/internal/net/board"
)

// A Difference is something that NCCL's file, or the GPU driver, has otherwise than lspci and sysfs.
type Difference struct {
	What string // a GPU or NIC
	Text string
	At   netconf.Place // of who has it otherwise
}

// Differ holds NCCL's file of a host against its board: GPUs and NICs that both have, by their PCI addresses and names. Nothing
// where one of the two is not known.
func Differ(h *hostinfo.Host) (all []Difference) {
	theirs := h.NCCLBoard
	if theirs == nil {
		return nil
	}
	mine, err := Of(h)
	if err != nil {
		return nil
	}
	said := map[string]bool{} // links above switches, which many have in common
	for k := range theirs.Parts {
		p := &theirs.Parts[k]
		if p.Kind != board.GPU && p.Kind != board.NIC {
			continue
		}
		add := func(format string, args ...any) {
			all = append(all, Difference{p.Name, fmt.Sprintf(format, args...), h.BoardAt})
		}
		own := slices.IndexFunc(mine.Parts, func(m board.Part) bool {
			return m.Kind == p.Kind && (m.BusID == p.BusID && p.BusID != "" || m.Name == p.Name && p.Kind == board.NIC)
		})
		if own < 0 {
			if t := h.Device(p.BusID); t == nil && p.BusID != "" {
				add("NCCL has it at %s, where lspci has no such device", p.BusID)
			}
			continue
		}
		a, b := standing(theirs, k), standing(mine, own)
		switch {
		case a.address != b.address && a.address != "":
			add("at %s to NCCL, at %s to Linux", a.address, b.address)
		case a.cpu != b.cpu && a.cpu != "" && b.cpu != "":
			add("on %s to NCCL, on %s to Linux", a.cpu, b.cpu)
		case !slices.Equal(a.switches, b.switches) && (identified(h, b.switches) || !within(a.switches, b.switches)):
			add("below %s to NCCL, below %s to Linux", named(a.switches), named(b.switches))
		case otherLink(a.links, b.links) == 0:
			add("its link is %s to NCCL, and can be %s", a.links[0], b.links[0])
		case otherLink(a.links, b.links) > 0:
			up := otherLink(a.links, b.links)
			if said[a.switches[up-1]] {
				continue
			}
			said[a.switches[up-1]] = true
			add("the link above %s is %s to NCCL, and can be %s", a.switches[up-1], a.links[up], b.links[up])
		case a.nvlinks != b.nvlinks && b.nvlinks > 0:
			add("%d NVLinks to NCCL, %d to the driver", a.nvlinks, b.nvlinks)
		}
	}
	return all
}

// otherLink is the first of two ways up that is another one in both; -1: none.
func otherLink(a, b []string) int {
	if len(a) != len(b) {
		return -1
	}
	for k := range a {
		if a[k] != b[k] && a[k] != unknownLink && b[k] != unknownLink {
			return k
		}
	}
	return -1
}

// A place of a part in the tree.
type place struct {
	address, cpu    string
	switches, links []string // addresses and kinds, the nearest first
	parts           []int    // those switches
	nvlinks         int
}

// unknownLink is one of which nccltopo knows neither speed nor width.
const unknownLink = "PCIe"

// standing is where a part of a board is.
func standing(b *board.Board, part int) (s place) {
	s.address = b.Parts[part].BusID
	for _, l := range b.Links {
		if (l.A == part || l.B == part) && strings.HasPrefix(l.Kind, "NVLink") {
			s.nvlinks += l.Count
		}
	}
	for at := part; len(s.switches) < len(b.Parts); {
		k := slices.IndexFunc(b.Links, func(l board.Link) bool {
			return l.B == at && l.A != at && (b.Parts[l.A].Kind == board.PCIeSwitch || b.Parts[l.A].Kind == board.CPU)
		})
		if k < 0 {
			return s
		}
		s.links = append(s.links, b.Links[k].Kind)
		at = b.Links[k].A
		if up := &b.Parts[at]; up.Kind == board.CPU {
			s.cpu = up.Name
			return s
		}
		s.switches, s.parts = append(s.switches, b.Parts[at].BusID), append(s.parts, at)
	}
	return s
}

// identified reports whether it is known of bridges what they are: those that have two levels and are one to NCCL are told by it.
func identified(h *hostinfo.Host, bridges []string) bool {
	return !slices.ContainsFunc(bridges, func(a string) bool {
		p := h.Device(a)
		return p == nil || p.IDs[0] == ""
	})
}

// within reports whether some are among others, in their order.
func within(some, all []string) bool {
	for _, s := range some {
		k := slices.Index(all, s)
		if k < 0 {
			return false
		}
		all = all[k+1:]
	}
	return true
}

func named(switches []string) string {
	if switches == nil {
		return "no PCIe switch"
	}
	return "the PCIe switch " + strings.Join(switches, ", that below ")
}

// Ways holds what nvidia-smi topo -m says of the ways between GPUs and NICs against the tree: it is otherwise where it has a
// way pass no CPU and no bridge is above both, where it has one pass from a socket to another and a switch is, and where it
// keeps one in a NUMA node and they are on two. SYS between devices of one node is how some drivers call ways over the host
// bridge there: no difference.
func Ways(h *hostinfo.Host) (all []Difference) {
	address := map[string]string{}
	for i, a := range h.GPUAddresses() {
		address["GPU"+strconv.Itoa(i)] = a
	}
	for _, r := range h.RDMA {
		address[r.Name] = r.PCI
	}
	pairs := make([][2]string, 0, len(h.Paths))
	for pair := range h.Paths {
		if a, b := address[pair[0]], address[pair[1]]; a != "" && b != "" && a != b && pair[0] < pair[1] {
			pairs = append(pairs, pair)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, pair := range pairs {
		a, b := address[pair[0]], address[pair[1]]
		says := h.Paths[pair]
		above := h.Above(a)
		if len(above) == 0 || len(h.Above(b)) == 0 {
			continue // nothing says what is above
		}
		both := slices.ContainsFunc(h.Above(b), func(p *hostinfo.PCI) bool { return slices.Contains(above, p) })
		x, y := h.NodeOf(a), h.NodeOf(b)
		apart := x.Known() && y.Known() && x.Value != y.Value
		text := ""
		switch says.Value {
		case "PIX", "PXB":
			if !both {
				text = "no bridge is above both"
			}
		case "PHB", "NODE":
			if apart {
				text = fmt.Sprintf("they are on NUMA nodes %d and %d", x.Value, y.Value)
			}
		case "SYS":
			if both && !apart {
				text = "a PCIe switch is above both"
			}
		}
		if text != "" {
			all = append(all, Difference{pair[0], fmt.Sprintf("the way to %s is %s to the GPU driver, and to Linux %s", pair[1],
				says.Value, text), says.At})
		}
	}
	return all
}
