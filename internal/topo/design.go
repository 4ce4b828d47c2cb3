package topo

import (
	"fmt"
	"strconv"
)

// A Design is the parameters of one kind of network.
type Design interface {
	// Graph makes the network. The error says which parameter is out of bounds, and what it may be.
	Graph() (*Graph, error)
}

// Designs lists the designs by the names that files have for them, each with one line on what it is.
var Designs = map[string]string{
	"single-switch":  "every NIC of every host on one switch",
	"rail-optimized": "one rail switch per NIC index, joined by spines (0 spines: rails are islands)",
	"leaf-spine":     "all NICs of a host on one leaf, hosts split evenly over leaves, every leaf linked to every spine",
}

// A bound is a parameter and what it may be.
type bound struct {
	name        string
	value       int
	least, most int
}

// checkBounds reports the first parameter of a design that is out of bounds.
func checkBounds(design string, bounds ...bound) error {
	for _, b := range bounds {
		if b.value < b.least || b.value > b.most {
			return fmt.Errorf("design %s: %d %s, want %d to %d", design, b.value, b.name, b.least, b.most)
		}
	}
	return nil
}

// hosts are the machines of a design, all alike, and the cables of their NICs.
type hosts struct {
	n, gpus, nics int
	link          Cable
}

// check reports the first parameter that is out of bounds; trunks counts the links between switches.
func (h *hosts) check(design string, trunks int) error {
	err := checkBounds(design, bound{"hosts", h.n, 1, maxNodes / 2}, bound{"GPUs per host", h.gpus, 1, maxGPUs},
		bound{"NICs per host", h.nics, 1, maxGPUs})
	if err != nil {
		return err
	}
	if err := h.link.check("design " + design + ": host link"); err != nil {
		return err
	}
	if n := product(h.n, h.nics); n > maxLinks || trunks > maxLinks-n {
		return fmt.Errorf("design %s: %d host links and %d links between switches, want at most %d in all", design, n,
			trunks, maxLinks)
	}
	return nil
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

// connect links the NICs of each host; leaf gives the switch of one.
func (h *hosts) connect(b *Builder, all []NodeID, leaf func(host, nic int) NodeID) {
	for i, id := range all {
		for nic := range h.nics {
			b.ConnectRail(id, leaf(i, nic), h.link, nic)
		}
	}
}

// noPod is the pod of hosts in a network without pods.
func noPod(int) int { return -1 }
