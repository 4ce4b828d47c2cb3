package design

import (
	"errors"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Networks of a cluster, in the order in which they are listed.
const (
	Backend    = "backend"
	Frontend   = "frontend"
	Storage    = "storage"
	Management = "management"
)

// A Net is one network of an option.
type Net struct {
	Name     string
	Sized    *sizing.Network
	Machines int // hosts, then other machines, then (of management) switches

	hosts int // of the machines
}

// An Option is one design of a requirement, and the networks beside it.
type Option struct {
	Design  string // as the requirement names it
	Refused string // why it does not close; then nothing else is there
	Nets    []*Net // the backend first
}

// Backend is the network of the GPUs.
func (o *Option) Backend() *sizing.Network { return o.Nets[0].Sized }

// Study sizes each design that a requirement names.
func Study(r *scenario.Requirement) []*Option {
	var all []*Option
	for _, name := range r.Designs {
		o := &Option{Design: name}
		if err := o.size(r); err != nil {
			o.Refused, o.Nets = err.Error(), nil
		}
		all = append(all, o)
	}
	return all
}

// size sizes the networks of an option.
func (o *Option) size(r *scenario.Requirement) error {
	needs, err := backendNeeds(r, topo.DesignName(o.Design))
	if err != nil {
		return err
	}
	w, err := sizing.Best(needs)
	var refusal *sizing.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Text)
	}
	if r.Backend.LostLeaves > 0 {
		if leaf := w.Losses()[1]; leaf.GPUs > 0 {
			return fmt.Errorf("a leaf that fails leaves %d GPUs without a port of their own (backend.lost_leaves: 1)", leaf.GPUs)
		}
	}
	o.Nets = []*Net{{Name: Backend, Sized: w, Machines: r.Hosts(), hosts: r.Hosts()}}
	switches := w.Switches()
	for _, side := range []struct {
		name string
		net  *scenario.SideNetwork
	}{{Frontend, &r.Frontend}, {Storage, &r.Storage}, {Management, &r.Management}} {
		if side.net.Ports == 0 {
			continue
		}
		machines := r.Hosts() + side.net.Nodes
		if side.name == Management { // of the nodes of the others too, and of every switch but its own
			machines += r.Frontend.Nodes + r.Storage.Nodes + switches
		}
		w, err := sideSize(r, side.net, machines)
		if err != nil {
			return fmt.Errorf("%s: %s", side.name, err)
		}
		switches += w.Switches()
		o.Nets = append(o.Nets, &Net{side.name, w, machines, r.Hosts()})
	}
	return nil
}

// backendNeeds is what the network of the GPUs must do, in each number of planes that it may have.
func backendNeeds(r *scenario.Requirement, design topo.DesignName) ([]sizing.Need, error) {
	b := &r.Backend
	n := sizing.Need{Design: design, Hosts: r.Hosts(), Rails: r.Rails(), Ports: r.NIC.PerGPU, Bond: bond(r),
		PerRail: r.Host.GPUs / r.Rails(), HostRate: r.NIC.Speed,
		RailsPerLeaf: b.RailsPerLeaf, Segment: b.Segment.Or(0), Pods: b.Pods.Or(0), Leaves: b.Leaves.Or(0),
		Spines: b.Spines.Or(0), SuperSpines: b.SuperSpines.Or(0), SpineRate: b.SpineLink.Or(0),
		SuperRate: b.SuperLink.Or(0), Oversubscription: b.Oversubscription, SpineOversubscribed: b.SpineOversubscription,
		LostSpines: b.LostSpines, Leaf: toSize(r, b.Leaf), Spine: toSize(r, b.Spine), Super: toSize(r, b.SuperSpine)}
	switch design {
	case topo.DesignMultiPlane:
		return planesOf(r, n)
	case topo.DesignLeafSpine:
		n.Segment = 0 // a leaf has the hosts that it has ports for
	case topo.DesignDragonfly: // pods are its groups, leaves its routers
		n.Spines, n.SuperSpines, n.SuperRate, n.LostSpines = 0, 0, 0, 0
	case topo.DesignRailOnly, topo.DesignSingleSwitch:
		n.Segment, n.Pods, n.Spines, n.SuperSpines, n.LostSpines = 0, 0, 0, 0, 0
	}
	return []sizing.Need{n}, nil
}

// planesOf is a need in each number of planes that the ports of a GPU split over.
func planesOf(r *scenario.Requirement, n sizing.Need) (all []sizing.Need, err error) {
	n.Design = topo.DesignRailOptimized
	given, ports := r.Backend.Planes, r.NIC.PerGPU
	switch {
	case ports == 1:
		return nil, errors.New("a GPU has one port: want nic.per_gpu 2 or more")
	case given.Set && (given.Value == 1 || ports%given.Value != 0):
		return nil, fmt.Errorf("%d planes for %d ports of a GPU (backend.planes), want 2 or more that divide them", given.Value,
			ports)
	}
	for planes := ports; planes > 1; planes-- {
		if n.Planes = planes; ports%planes == 0 && given.Or(planes) == planes {
			all = append(all, n)
		}
	}
	return all, nil
}

// bond is how many ports of a NIC, all of one GPU, are bonded.
func bond(r *scenario.Requirement) int {
	if r.NIC.PerGPU%r.NIC.Ports != 0 {
		return 1 // GPUs share a card, each has a port of its own
	}
	return r.NIC.Ports
}

// sideSize sizes a network beside the backend: the ports of a machine are a rail's, on different leaves. Two spines
// at least: one may fail, and all machines still have a way.
func sideSize(r *scenario.Requirement, s *scenario.SideNetwork, machines int) (*sizing.Network, error) {
	need := sizing.Need{Design: topo.DesignRailOnly, Hosts: machines, Rails: 1, Ports: s.Ports, HostRate: s.Speed,
		Leaf: toSize(r, s.Leaf), Spine: toSize(r, s.Spine), Super: toSize(r, s.Spine), Oversubscription: s.Oversubscription}
	w, err := sizing.Size(need)
	if err == nil {
		return w, nil
	}
	need.Design, need.LeastSpines = topo.DesignRailOptimized, 2
	w, err = sizing.Size(need)
	var refusal *sizing.Refusal
	if errors.As(err, &refusal) {
		return nil, errors.New(refusal.Text)
	}
	return w, nil
}

// toSize is what sizes and costs of a model.
func toSize(r *scenario.Requirement, name string) sizing.Switch {
	s := r.Switch(name)
	price, _ := r.PriceOf(name)
	return sizing.Switch{Model: s.Name, Ports: s.Ports, Rate: s.Rate, Breakout: s.Breakout, Price: price.Hundredths,
		Uplinks: s.Uplinks, UplinkRate: s.UplinkRate}
}

// model is that of a switch of a network.
func (n *Net) model(r *scenario.Requirement, kind topo.Kind) *catalogue.Switch {
	name := n.Sized.Leaf.Model
	switch kind {
	case topo.Spine:
		name = n.Sized.Spine.Model
	case topo.SuperSpine:
		name = n.Sized.Super.Model
	}
	return r.Switch(name)
}

// graph builds the network with cables of one length, which nothing here asks for.
func (n *Net) graph(gpus int) (*topo.Graph, error) {
	if n.Name != Backend {
		gpus = 1 // a machine
	}
	return n.Sized.Build(gpus, sizing.Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}).Graph()
}
