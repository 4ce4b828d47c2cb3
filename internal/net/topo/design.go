package topo

import (
	"fmt"
	"strconv"
	"strings"
)

// A Design is the parameters of one kind of network.
type Design interface {
	// Graph makes the network. The error is *Misfits where parameters make none.
	Graph() (*Graph, error)
}

// Designs lists the designs by the names that files have for them, each with one line on what it is.
var Designs = map[DesignName]string{
	DesignSingleSwitch:  "every NIC of every host on one switch",
	DesignDualRail:      "a switch for each port of a NIC, and every NIC on all of them (MLAG, EVPN multihoming)",
	DesignRailOptimized: "one rail switch per NIC index, joined by spines (0 spines: rails are islands)",
	DesignDragonfly:     "groups of routers, all linked in a group, and every two groups; minimal routes",
	DesignDirect:        "hosts in pairs, NIC to NIC, without a switch",
	DesignLeafSpine:     "all NICs of a host on one leaf, hosts split evenly over leaves, every leaf linked to every spine",
}

// A Misfit is a parameter that makes no network, or not with the others: the field's name and what is
// wrong, with what it may be.
type Misfit struct{ Param, Text string }

// Misfits are what is wrong with the parameters of a design. Any is an error of Graph.
type Misfits struct {
	Design DesignName
	All    []Misfit
}

func (m *Misfits) Error() string {
	lines := make([]string, len(m.All))
	for i, f := range m.All {
		lines[i] = "design " + string(m.Design) + ": " + f.Text
	}
	return strings.Join(lines, "\n")
}

// err is m, nil if nothing is wrong.
func (m *Misfits) err() error {
	if len(m.All) == 0 {
		return nil
	}
	return m
}

// refuse notes a parameter that does not fit, unless it does.
func (m *Misfits) refuse(wrong bool, param, format string, args ...any) {
	if wrong {
		m.All = append(m.All, Misfit{param, fmt.Sprintf(format, args...)})
	}
}

// within refuses a count that is out of bounds; what is its name in words.
func (m *Misfits) within(param, what string, value, least, most int) {
	m.refuse(value < least || value > most, param, "%d %s, want %d to %d", value, what, least, most)
}

// cable refuses one that cannot be.
func (m *Misfits) cable(param, what string, c Cable) {
	if err := c.check(what); err != nil {
		m.refuse(true, param, "%v", err)
	}
}

// hosts are the machines of a design, all alike, and the cables of their NICs.
type hosts struct {
	n, gpus, nics int
	bond          int // ports of each NIC; 0: 1
	link          Cable
}

// cables is how many a host has.
func (h *hosts) cables() int { return product(h.nics, max(h.bond, 1)) }

// check refuses counts of hosts that are out of bounds.
func (h *hosts) check(m *Misfits) {
	m.within("Hosts", "hosts", h.n, 1, maxNodes/2)
	m.within("GPUs", "GPUs per host", h.gpus, 1, maxGPUs)
	m.within("NICs", "NICs per host", h.nics, 1, maxGPUs)
	m.within("Bond", "ports of a NIC", h.bond, 0, MaxPorts)
	m.cable("HostLink", "host link", h.link)
}

// links refuses more cables than there may be, with so many between switches.
func (h *hosts) links(m *Misfits, trunks int) {
	n := product(h.n, h.cables())
	m.refuse(n > maxLinks || trunks > maxLinks-n, "Hosts",
		"%d host links and %d links between switches, want at most %d in all", n, trunks, maxLinks)
}

// add adds the hosts; pod gives the pod of each, -1 for none.
func (h *hosts) add(b *Builder, pod func(host int) int) []NodeID {
	all := make([]NodeID, h.n)
	for i := range all {
		all[i] = b.AddHost("host"+strconv.Itoa(i+1), h.gpus)
		b.Place(all[i], Place{Pod: pod(i), Plane: -1, Rail: -1})
	}
	return all
}

// connect links the NICs of each host; leaf gives the switch of one of its cables: those of a NIC with
// several ports follow each other.
func (h *hosts) connect(b *Builder, all []NodeID, leaf func(host, cable int) NodeID) {
	ports := max(h.bond, 1)
	for i, id := range all {
		for cable := range h.cables() {
			if cable%ports > 0 {
				b.Bond(b.LastNIC(), leaf(i, cable), h.link)
				continue
			}
			b.ConnectRail(id, leaf(i, cable), h.link, cable/ports)
		}
	}
}

// noPod is the pod of hosts in a network without pods.
func noPod(int) int { return -1 }
