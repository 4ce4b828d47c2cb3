package scenario

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/net/topo"
)

// Names that a requirement may use.
var (
	RequiredDesigns = []Choice{
		{string(topo.DesignSingleSwitch), "every NIC on one switch"},
		{string(topo.DesignRailOnly), "rail switches and no spines: what crosses rails is relayed over NVLink inside a host"},
		{string(topo.DesignRailOptimized), "a leaf for each rail (or for several) of a segment, spines, super-spines where needed (ROD)"},
		{string(topo.DesignLeafSpine), "all NICs of a host on one leaf, spines, super-spines where needed: any-to-any, rail-unified (RUD)"},
		{string(topo.DesignDragonfly), "groups of routers, every two of a group and every two groups linked; all NICs of a host on " +
			"one router"},
		{string(topo.DesignMultiPlane), "the ports of each GPU on rail-optimised networks of their own, which share no switch"},
	}
	Plugs = []Choice{
		{"auto", "what the port takes"},
		{string(catalogue.TwinFinned), "two engines in one plug with fins: air-cooled switches with OSFP cages"},
		{string(catalogue.TwinFlat), "two engines, flat top: liquid-cooled systems"},
		{string(catalogue.SingleFlat), "one engine, flat top: NICs"},
	}
)

var (
	requirementTree = grow(requirementFields)
	modelTree       = grow(switchModelFields)
	priceTree       = grow(priceFields)
)

// requirementFields are the keys of a requirement.
var requirementFields = slices.Concat([]*Field{
	{
		Path: "name", Default: "cluster", check: checkName, pattern: namePattern,
		value:   in(text, func(r *Requirement) *string { return &r.Name }),
		Meaning: "what the cluster is called; labels of cables begin with it",
	},
	{
		Path: "gpus", Required: true, Min: "1", Max: "1048576",
		value:   in(whole, func(r *Requirement) *int { return &r.GPUs }),
		Meaning: "GPUs at first",
	},
	{
		Path: "later", Default: "same", Word: "same", Min: "1", Max: "1048576",
		value:   in(opt(whole), func(r *Requirement) *Opt[int] { return &r.Later }),
		Meaning: "GPUs after growth: the networks have room for them",
	},
	{Path: "host", Meaning: "the hosts, all alike"},
	{
		Path: "host.gpus", Default: "8", Min: "1", Max: "8",
		value:   in(whole, func(r *Requirement) *int { return &r.Host.GPUs }),
		Meaning: "GPUs of a host",
		Source:  "HGX boards: NVIDIA data sheets",
	},
	{
		Path: "host.preset", Default: "hgx-h100", Choices: HostPresets,
		value:   in(choice, func(r *Requirement) *string { return &r.Host.Preset }),
		Meaning: "cluster.host.preset of the scenario that is written",
	},
	{
		Path: "host.height", Default: "8U", Min: "1U", Max: "60U",
		value:   in(rackUnits, func(r *Requirement) *RackUnit { return &r.Host.Height }),
		Meaning: "height of a host",
		Source:  "NVIDIA DGX H100 user guide: 8U",
	},
	{
		Path: "host.power", Default: "unknown", Word: "unknown", Min: "1W", Max: "1MW",
		value:   in(opt(power), func(r *Requirement) *Opt[unit.Power] { return &r.Host.Power }),
		Meaning: "power of a host, at most",
	},
	{Path: "nic", Meaning: "the NICs of the backend"},
	{
		Path: "nic.speed", Default: "400Gb/s", Min: "1Gb/s", Max: "10Tb/s",
		value:   in(rate, func(r *Requirement) *unit.Bitrate { return &r.NIC.Speed }),
		Meaning: "rate of a port",
		Source:  "NVIDIA ConnectX-7 data sheet",
	},
	{
		Path: "nic.per_gpu", Default: "1", Min: "1", Max: "4",
		value:   in(whole, func(r *Requirement) *int { return &r.NIC.PerGPU }),
		Meaning: "ports of a GPU (of GPUs that share one: 1), each cabled to another leaf",
	},
	{
		Path: "nic.shared_by", Default: "1", Min: "1", Max: "8", applies: where(func(r *Requirement) string {
			if r.NIC.PerGPU > 1 {
				return "nic.per_gpu is more than 1: each GPU has ports of its own"
			}
			return ""
		}),
		value:   in(whole, func(r *Requirement) *int { return &r.NIC.SharedBy }),
		Meaning: "GPUs of a host that share a port",
	},
	{
		Path: "nic.ports", Default: "1", Min: "1", Max: "4",
		value:   in(whole, func(r *Requirement) *int { return &r.NIC.Ports }),
		Meaning: "ports of a card; those of one GPU are bonded (cluster.nic.ports of a scenario)",
	},
	{
		Path: "nic.model", Default: "nic", check: checkName, pattern: namePattern,
		value:   in(text, func(r *Requirement) *string { return &r.NIC.Model }),
		Meaning: "what a card is called in the bill of materials",
	},
	{
		Path: "designs", Rule: "all", Choices: RequiredDesigns,
		value:   in(choiceList, func(r *Requirement) *[]string { return &r.Designs }),
		derive:  func(*decoder, any, string) string { return "all" },
		Meaning: "designs that are laid side by side",
		example: "a list such as [rail-optimized, leaf-spine]",
	},
}, backendFields,
	sideFields("frontend", "images, rendezvous, users", "2", "100Gb/s", "sn4600c", "sn4600c", "2",
		func(r *Requirement) *SideNetwork { return &r.Frontend }),
	sideFields("storage", "checkpoints and data", "2", "100Gb/s", "sn4600c", "sn4600c", "2",
		func(r *Requirement) *SideNetwork { return &r.Storage }),
	sideFields("management", "out of band: of hosts, nodes and the switches of the other networks", "1", "1Gb/s", "sn2201",
		"sn4600c", "10", func(r *Requirement) *SideNetwork { return &r.Management }),
	rackFields)

var backendFields = []*Field{
	{Path: "backend", Meaning: "the network of the GPUs"},
	{
		Path: "backend.leaf", Required: true, check: checkName, pattern: namePattern,
		value:   in(text, func(r *Requirement) *string { return &r.Backend.Leaf }),
		Meaning: "model of a leaf", example: modelExample,
	},
	{
		Path: "backend.spine", Rule: "backend.leaf", check: checkName, pattern: namePattern,
		value:   in(text, func(r *Requirement) *string { return &r.Backend.Spine }),
		derive:  func(_ *decoder, b any, _ string) string { return b.(*Requirement).Backend.Leaf },
		Meaning: "model of a spine", example: modelExample,
	},
	{
		Path: "backend.superspine", Rule: "backend.spine", check: checkName, pattern: namePattern,
		value:   in(text, func(r *Requirement) *string { return &r.Backend.SuperSpine }),
		derive:  func(_ *decoder, b any, _ string) string { return b.(*Requirement).Backend.Spine },
		Meaning: "model of a super-spine", example: modelExample,
	},
	{
		Path: "backend.oversubscription", Default: "1", Min: "1/8", Max: "64",
		value:   in(ratio, func(r *Requirement) *unit.Ratio { return &r.Backend.Oversubscription }),
		Meaning: "what hosts may send to a leaf over what it may send on, at most",
	},
	{
		Path: "backend.spine_oversubscription", Default: "1", Min: "1/8", Max: "64",
		value:   in(ratio, func(r *Requirement) *unit.Ratio { return &r.Backend.SpineOversubscription }),
		Meaning: "the same of a spine, where there are super-spines",
	},
	{
		Path: "backend.rails_per_leaf", Default: "1", Min: "1", Max: "32",
		value:   in(whole, func(r *Requirement) *int { return &r.Backend.RailsPerLeaf }),
		Meaning: "rails that share a leaf: all, two or one of them in the book's three models",
	},
	{
		Path: "backend.segment", Default: "auto", Word: "auto", Min: "1", Max: "131072",
		value: in(opt(whole), func(r *Requirement) *Opt[int] { return &r.Backend.Segment }),
		Meaning: "hosts that share the leaves of a rail-optimised network (NVIDIA: scalable unit); auto: what the least " +
			"network has",
	},
	found("backend.pods", "1024", func(r *Requirement) *Opt[int] { return &r.Backend.Pods }, "pods"),
	found("backend.planes", "4", func(r *Requirement) *Opt[int] { return &r.Backend.Planes }, "planes of multi-plane"),
	found("backend.leaves", "100000", func(r *Requirement) *Opt[int] { return &r.Backend.Leaves }, "leaves in all"),
	found("backend.spines", "100000", func(r *Requirement) *Opt[int] { return &r.Backend.Spines }, "spines in all"),
	found("backend.superspines", "100000", func(r *Requirement) *Opt[int] { return &r.Backend.SuperSpines },
		"super-spines in all"),
	{
		Path: "backend.spine_link", Default: "auto", Word: "auto", Min: "1Gb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(r *Requirement) *Opt[unit.Bitrate] { return &r.Backend.SpineLink }),
		Meaning: "rate of a link between leaf and spine; auto: of those that ports of either split into the best",
	},
	{
		Path: "backend.superspine_link", Default: "auto", Word: "auto", Min: "1Gb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(r *Requirement) *Opt[unit.Bitrate] { return &r.Backend.SuperLink }),
		Meaning: "rate of a link between spine and super-spine; auto: of those that ports of either split into the best",
	},
	{
		Path: "backend.lost_spines", Default: "0", Min: "0", Max: "64",
		value:   in(whole, func(r *Requirement) *int { return &r.Backend.LostSpines }),
		Meaning: "spines of a pod and plane that may fail while the oversubscription still holds",
	},
	{
		Path: "backend.lost_leaves", Default: "0", Min: "0", Max: "1",
		value:   in(whole, func(r *Requirement) *int { return &r.Backend.LostLeaves }),
		Meaning: "leaves that may fail while each GPU still has a port of its own: 1 wants designs with several",
	},
}

// modelExample is what a key with a model accepts.
const modelExample = "the name of a model, such as tomahawk4"

// found is a count that is found unless it is given.
func found(path, most string, at func(*Requirement) *Opt[int], what string) *Field {
	return &Field{Path: path, Default: "auto", Word: "auto", Min: "1", Max: most, value: in(opt(whole), at),
		Meaning: what + "; auto: what the least network has"}
}

// sideFields are the keys of a network beside the backend.
func sideFields(group, what, ports, speed, leaf, spine, oversubscription string,
	at func(*Requirement) *SideNetwork) []*Field {
	named := func(name, value string, at func(*Requirement) *string, meaning string) *Field {
		return &Field{Path: group + "." + name, Default: value, check: checkName, pattern: namePattern, value: in(text, at),
			Meaning: meaning, example: modelExample}
	}
	return []*Field{
		{Path: group, Meaning: "the network for " + what},
		{
			Path: group + ".ports", Default: ports, Min: "0", Max: "8",
			value:   in(whole, func(r *Requirement) *int { return &at(r).Ports }),
			Meaning: "ports of a machine, on different leaves; 0: there is no such network",
		},
		{
			Path: group + ".speed", Default: speed, Min: "100Mb/s", Max: "10Tb/s",
			value:   in(rate, func(r *Requirement) *unit.Bitrate { return &at(r).Speed }),
			Meaning: "rate of a port",
			Source:  "AI networking curriculum, life of a job: frontend 25/100G, storage 100G, out of band 1G",
		},
		{
			Path: group + ".nodes", Default: "0", Min: "0", Max: "100000",
			value:   in(whole, func(r *Requirement) *int { return &at(r).Nodes }),
			Meaning: "machines beside the hosts, with as many ports: storage servers, managers",
		},
		named("leaf", leaf, func(r *Requirement) *string { return &at(r).Leaf }, "model of a leaf"),
		named("spine", spine, func(r *Requirement) *string { return &at(r).Spine }, "model of a spine"),
		{
			Path: group + ".oversubscription", Default: oversubscription, Min: "1/8", Max: "64",
			value:   in(ratio, func(r *Requirement) *unit.Ratio { return &at(r).Oversubscription }),
			Meaning: "of a leaf, at most",
			Source:  assumed,
		},
	}
}

var rackFields = []*Field{
	{Path: "racks", Meaning: "racks and the floor: what lengths of cables come from"},
	{
		Path: "racks.height", Default: "48U", Min: "4U", Max: "100U",
		value:   in(rackUnits, func(r *Requirement) *RackUnit { return &r.Racks.Height }),
		Meaning: "height of a rack inside",
		Source:  assumed,
	},
	{
		Path: "racks.power", Default: "unbounded", Word: "unbounded", Min: "1kW", Max: "10MW",
		value:   in(opt(power), func(r *Requirement) *Opt[unit.Power] { return &r.Racks.Power }),
		Meaning: "power of a rack: bounds its hosts, whose power must be known then",
	},
	{
		Path: "racks.hosts", Default: "auto", Word: "auto", Min: "1", Max: "64",
		value:   in(opt(whole), func(r *Requirement) *Opt[int] { return &r.Racks.Hosts }),
		Meaning: "hosts of a rack; auto: as many as height and power have room for",
	},
	{
		Path: "racks.per_row", Default: "16", Min: "1", Max: "1000",
		value:   in(whole, func(r *Requirement) *int { return &r.Racks.PerRow }),
		Meaning: "racks of a row",
		Source:  assumed,
	},
	{
		Path: "racks.width", Default: "600mm", Min: "10mm", Max: "10m",
		value:   in(length, func(r *Requirement) *unit.Length { return &r.Racks.Width }),
		Meaning: "from rack to rack in a row",
		Source:  assumed,
	},
	{
		Path: "racks.row_pitch", Default: "2400mm", Min: "10mm", Max: "100m",
		value:   in(length, func(r *Requirement) *unit.Length { return &r.Racks.RowPitch }),
		Meaning: "from row to row",
		Source:  assumed,
	},
	{
		Path: "racks.slack", Default: "2m", Min: "0mm", Max: "100m",
		value:   in(length, func(r *Requirement) *unit.Length { return &r.Racks.Slack }),
		Meaning: "of each cable between racks, beyond the way along the rows: up, down and loops; half of it inside a rack",
		Source:  assumed,
	},
	{Path: "optics", Meaning: "what is plugged in where cables are of fibre"},
	{
		Path: "optics.switch", Default: "auto", Choices: Plugs,
		value:   in(choice, func(r *Requirement) *string { return &r.Optics.Switch }),
		Meaning: "into switches",
	},
	{
		Path: "optics.nic", Default: "auto", Choices: Plugs,
		value:   in(choice, func(r *Requirement) *string { return &r.Optics.NIC }),
		Meaning: "into NICs",
	},
	{
		Path:    "models",
		value:   in(modelList, func(r *Requirement) *[]Model { return &r.Models }),
		Meaning: "switches that the catalogue does not have, or that stand for one of the same name",
	},
	{
		Path:    "prices",
		value:   in(priceList, func(r *Requirement) *[]Price { return &r.Prices }),
		Meaning: "of items as the bill of materials names them; all in one currency",
	},
	{Path: "simulate", Meaning: "what --simulate runs: a slice of each design, no larger than it"},
	{
		Path: "simulate.hosts", Default: "4", Min: "2", Max: "256",
		value:   in(whole, func(r *Requirement) *int { return &r.Simulate.Hosts }),
		Meaning: "hosts of the slice",
	},
	{
		Path: "simulate.bytes", Default: "16MB", Min: "1kB", Max: "10GB",
		value:   in(byteCount, func(r *Requirement) *unit.Bytes { return &r.Simulate.Bytes }),
		Meaning: "bytes of its all-reduce and of its all-to-all",
	},
}

var switchModelFields = []*Field{
	{
		Path: "name", Required: true, check: checkName, pattern: namePattern,
		value: in(text, func(m *Model) *string { return &m.Name }), Meaning: "what the model is called",
		example: "a name such as my-switch",
	},
	{
		Path: "ports", Required: true, Min: "1", Max: "4096", value: in(whole, func(m *Model) *int { return &m.Ports }),
		Meaning: "ports",
	},
	{
		Path: "rate", Required: true, Min: "100Mb/s", Max: "10Tb/s",
		value: in(rate, func(m *Model) *unit.Bitrate { return &m.Rate }), Meaning: "the highest rate of a port",
	},
	{
		Path: "breakout", Default: "1", Min: "1", Max: "8", value: in(whole, func(m *Model) *int { return &m.Breakout }),
		Meaning: "equal ports that one may be split into",
	},
	{
		Path: "uplinks", Default: "0", Min: "0", Max: "4096", value: in(whole, func(m *Model) *int { return &m.Uplinks }),
		Meaning: "further ports, for links upwards alone",
	},
	{
		Path: "uplink_rate", Default: "same", Word: "same", Min: "100Mb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(m *Model) *Opt[unit.Bitrate] { return &m.UplinkRate }),
		Meaning: "the highest rate of those",
	},
	{
		Path: "buffer", Default: "unknown", Word: "unknown", Min: "16KiB", Max: "1TB",
		value:   in(opt(byteCount), func(m *Model) *Opt[unit.Bytes] { return &m.Buffer }),
		Meaning: "packet buffer shared by all ports",
	},
	{
		Path: "power", Default: "unknown", Word: "unknown", Min: "1W", Max: "100kW",
		value:   in(opt(power), func(m *Model) *Opt[unit.Power] { return &m.Power }),
		Meaning: "at most, without transceivers",
	},
	{
		Path: "typical", Default: "unknown", Word: "unknown", Min: "1W", Max: "100kW",
		value:   in(opt(power), func(m *Model) *Opt[unit.Power] { return &m.Typical }),
		Meaning: "typically, without transceivers",
	},
	{
		Path: "height", Default: "unknown", Word: "unknown", Min: "1U", Max: "60U",
		value: in(opt(rackUnits), func(m *Model) *Opt[RackUnit] { return &m.Height }), Meaning: "height",
	},
}

var priceFields = []*Field{
	{
		Path: "item", Required: true, check: checkItem, pattern: pathPattern,
		value: in(text, func(p *Price) *string { return &p.Item }), Meaning: "the item as the bill of materials names it",
		example: "an item such as tomahawk4",
	},
	{
		Path: "each", Required: true, value: in(amount, func(p *Price) *Amount { return &p.Each }),
		Meaning: "the price of one",
	},
}

// checkItem refuses what is no name of an item.
func checkItem(s string) string {
	if s == "" || len(s) > 100 {
		return "want 1 to 100 characters"
	}
	return ""
}
