package scenario

import (
	"fmt"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
)

// A Requirement is what a cluster must do and stand in: the input of a design.
type Requirement struct {
	Name       string
	GPUs       int
	Later      Opt[int] // GPUs after growth; not set: none
	Host       RequiredHost
	NIC        RequiredNIC
	Designs    []string // of RequiredDesigns
	Backend    Backend
	Frontend   SideNetwork
	Storage    SideNetwork
	Management SideNetwork
	Racks      Racks
	Optics     Optics
	Models     []Model
	Prices     []Price
	Simulate   Slice

	file   string
	places map[string]span
}

// RequiredHost is what hosts are.
type RequiredHost struct {
	GPUs   int
	Preset string // of HostPresets
	Height RackUnit
	Power  Opt[unit.Power]
}

// RequiredNIC is the NICs of the backend.
type RequiredNIC struct {
	Speed    unit.Bitrate // of a port
	PerGPU   int          // ports of a GPU
	SharedBy int          // GPUs that share a port
	Ports    int          // of a card
	Model    string
}

// Backend is the network of the GPUs. Counts and rates that are not set are found.
type Backend struct {
	Leaf, Spine, SuperSpine string // models
	Oversubscription        unit.Ratio
	SpineOversubscription   unit.Ratio
	RailsPerLeaf            int
	Segment                 Opt[int] // hosts
	Pods                    Opt[int]
	Planes                  Opt[int] // of multi-plane
	Leaves, Spines          Opt[int]
	SuperSpines             Opt[int]
	SpineLink, SuperLink    Opt[unit.Bitrate]
	LostSpines, LostLeaves  int
}

// SideNetwork is a network beside the backend: all machines, with so many ports each.
type SideNetwork struct {
	Ports            int // of a host; 0: there is no such network
	Speed            unit.Bitrate
	Nodes            int // machines beside the hosts, with as many ports
	Leaf, Spine      string
	Oversubscription unit.Ratio
}

// Racks is where things stand.
type Racks struct {
	Height   RackUnit
	Power    Opt[unit.Power] // of a rack; not set: not bounded
	Hosts    Opt[int]        // of a rack; not set: as many as fit
	PerRow   int
	Width    unit.Length // of a rack
	RowPitch unit.Length
	Slack    unit.Length // of each cable, beyond the way between the racks
}

// Optics is what is plugged into ports where cables are of fibre.
type Optics struct{ Switch, NIC string }

// A RackUnit is a height of 44.45 mm (EIA-310).
type RackUnit int

// String prints 8U.
func (u RackUnit) String() string { return fmt.Sprintf("%dU", int(u)) }

// A Model is a switch that the catalogue does not have, or has otherwise.
type Model struct {
	Name       string
	Ports      int
	Rate       unit.Bitrate
	Breakout   int
	Uplinks    int
	UplinkRate Opt[unit.Bitrate]
	Buffer     Opt[unit.Bytes]
	Power      Opt[unit.Power]
	Typical    Opt[unit.Power]
	Height     Opt[RackUnit]
}

// A Price is that of one of an item, as the bill of materials names it.
type Price struct {
	Item string
	Each Amount
}

// An Amount is money in hundredths.
type Amount struct {
	Hundredths int64
	Currency   string // three capital letters, ISO 4217
}

// Slice is what a simulation runs: so many hosts of each design, with as many segments as they fill.
type Slice struct {
	Hosts int
	Bytes unit.Bytes // of each collective
}

// Hosts is how many hosts there are in the end.
func (r *Requirement) Hosts() int { return ceil(r.Later.Or(r.GPUs), r.Host.GPUs) }

// HostsNow is how many there are at first.
func (r *Requirement) HostsNow() int { return ceil(r.GPUs, r.Host.GPUs) }

func ceil(a, b int) int { return (a + b - 1) / b }

// Rails is how many rails a host has.
func (r *Requirement) Rails() int { return r.Host.GPUs / max(r.NIC.SharedBy, 1) }

// Switch returns the model of a name: the requirement's own, else the catalogue's; nil if there is none.
func (r *Requirement) Switch(name string) *catalogue.Switch {
	for _, m := range r.Models {
		if m.Name == name {
			return &catalogue.Switch{Name: m.Name, About: m.Name, Ports: m.Ports, Rate: m.Rate, Breakout: m.Breakout,
				Uplinks: m.Uplinks, UplinkRate: m.UplinkRate.Or(m.Rate), Buffer: m.Buffer.Or(0), Power: m.Power.Or(0),
				Typical: m.Typical.Or(0), Height: int(m.Height.Or(0)), Source: "the requirement"}
		}
	}
	return catalogue.FindSwitch(name)
}

// Human prints an amount for people: "1,920,000 USD".
func (a Amount) Human() string {
	text := unit.Count(a.Hundredths / 100)
	if cents := a.Hundredths % 100; cents != 0 {
		text += fmt.Sprintf(".%02d", cents)
	}
	return text + " " + a.Currency
}

// PriceOf returns the price of an item.
func (r *Requirement) PriceOf(item string) (Amount, bool) {
	for _, p := range r.Prices {
		if p.Item == item {
			return p.Each, true
		}
	}
	return Amount{}, false
}

// Located gives a finding about a path its place in the file.
func (r *Requirement) Located(path, message, hint string, warning bool) located.Problem {
	var at span // none: the file says nothing about it
	for p := path; p != ""; p = parent(p) {
		if found, ok := r.places[p]; ok {
			at = found
			break
		}
	}
	p := at.problem(r.file, path, message, hint)
	p.Warning = warning
	return p
}

// ParseRequirement reads a requirement. The error is located.Problems: everything that is wrong with it.
func ParseRequirement(name string, src []byte) (*Requirement, error) {
	root, ps := readTreeOf("requirement", name, src)
	if len(ps) > 0 {
		return nil, ofOurs(ps, name, "requirement", src, requirementTree)
	}
	d := newDecoder(name)
	d.rows = RequirementTable
	r := &Requirement{}
	if root.shape != mappingShape {
		d.at("", root.at, root.described()+", want the keys of a requirement: "+located.OneOf(requirementTree.names()), "")
		return nil, ofOurs(d.problems, name, "requirement", src, requirementTree)
	}
	if d.mistaken(root, requirementTree, tree, "the keys of a scenario, want those of a requirement",
		"railyard check and run read scenarios") {
		return nil, ofOurs(d.problems, name, "requirement", src, requirementTree)
	}
	d.walk(requirementTree, root, "", r)
	d.resolve(requirementFields, r, "")
	d.checkRequirement(r)
	r.file, r.places = name, d.places()
	if len(d.problems) > 0 {
		return nil, ofOurs(d.problems, name, "requirement", src, requirementTree)
	}
	return r, nil
}

// RequirementTable returns every field of a requirement in order.
func RequirementTable() []Field { return rows(requirementFields, "") }

// RequirementKeys returns the root of the keys of a requirement.
func RequirementKeys() *Key { return requirementTree }

// RequirementLists returns the lists of mappings that a requirement may have.
func RequirementLists() []*List { return []*List{modelList.rows, priceList.rows} }

// checkRequirement reports what does not go with each other.
func (d *decoder) checkRequirement(r *Requirement) {
	d.checkRequiredHosts(r)
	d.checkModels(r)
	d.checkPrices(r)
	if r.Optics.NIC == string(catalogue.TwinFinned) && d.ok("optics") {
		d.problem("optics.nic", "twin-port-finned: a NIC's cage has its own heat sink and takes a flat top",
			"single-port-flat (NVIDIA, LinkX: Connectors and Cages)")
	}
}

func (d *decoder) checkRequiredHosts(r *Requirement) {
	if !d.ok("host.gpus") {
		return
	}
	each, shared := r.Host.GPUs, max(r.NIC.SharedBy, 1)
	if d.ok("gpus") && r.GPUs%each != 0 {
		d.problem("gpus", fmt.Sprintf("%d: want a multiple of host.gpus, %d: the nearest are %d and %d", r.GPUs, each,
			max(r.GPUs/each, 1)*each, ceil(r.GPUs, each)*each), "")
	}
	if l := r.Later; d.ok("gpus", "later") && l.Set && (l.Value < r.GPUs || l.Value%each != 0) {
		d.problem("later", fmt.Sprintf("%d: want a multiple of host.gpus, %d, and at least gpus, %d", l.Value, each, r.GPUs),
			"")
	}
	if d.ok("nic.shared_by") && each%shared != 0 {
		d.problem("nic.shared_by", fmt.Sprintf("%d: want a number that divides host.gpus, %d", shared, each), "")
		return
	}
	ports := r.Rails() * r.NIC.PerGPU
	if d.ok("nic.shared_by", "nic.per_gpu", "nic.ports") && ports%r.NIC.Ports != 0 {
		d.problem("nic.ports", fmt.Sprintf("%d: want a number that divides the ports of a host, %d", r.NIC.Ports, ports), "")
	}
}

// checkModels reports switches that nobody knows, and models that no port has.
func (d *decoder) checkModels(r *Requirement) {
	var known []string
	for i, m := range r.Models {
		at := fmt.Sprintf("models[%d]", i)
		if slices.Contains(known, m.Name) && d.ok(at) {
			d.problem(at+".name", m.Name+": twice", "")
		}
		known = append(known, m.Name)
	}
	if !d.ok("models") {
		return
	}
	for _, m := range catalogue.Switches {
		known = append(known, m.Name)
	}
	for _, c := range []struct {
		path, name string
	}{{"backend.leaf", r.Backend.Leaf}, {"backend.spine", r.Backend.Spine}, {"backend.superspine", r.Backend.SuperSpine},
		{"frontend.leaf", r.Frontend.Leaf}, {"frontend.spine", r.Frontend.Spine}, {"storage.leaf", r.Storage.Leaf},
		{"storage.spine", r.Storage.Spine}, {"management.leaf", r.Management.Leaf}, {"management.spine", r.Management.Spine},
	} {
		if d.ok(c.path) && d.given(c.path) && !slices.Contains(known, c.name) {
			hint := "docs/requirement.md lists them"
			if s := suggest(c.name, known); s != "" {
				hint = "did you mean " + s + "?"
			}
			d.problem(c.path, fmt.Sprintf("%s: no such model, want one of models, or of the %d that the catalogue has",
				located.Shown(c.name), len(catalogue.Switches)), hint)
		}
	}
}

func (d *decoder) checkPrices(r *Requirement) {
	for i, p := range r.Prices {
		at := fmt.Sprintf("prices[%d]", i)
		if !d.ok(at+".each", at+".item") {
			continue
		}
		if first := r.Prices[0].Each.Currency; p.Each.Currency != first && d.ok("prices[0].each") {
			d.problem(at+".each", fmt.Sprintf("%s: the first price is in %s, want one currency", p.Each, first), "")
		}
		for _, q := range r.Prices[:i] {
			if p.Item == q.Item {
				d.problem(at+".item", p.Item+": twice", "")
			}
		}
	}
}
