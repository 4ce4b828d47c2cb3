package scenario

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// onlySupers says that a field belongs to fabrics with several pods.
var onlySupers = where(func(s *Scenario) string {
	if text := onlyOf("super-spines", withSpines...)(s); text != "" || s.Fabric.Upper.Pods > 1 {
		return text
	}
	return "fabric.pods is 1: super-spines join pods"
})

// fabricFields: switches, cables, traffic classes.
var fabricFields = []*Field{
	{Path: "fabric", Meaning: "switches and cables between the NICs"},
	{
		Path: "fabric.design", Default: string(topo.DesignRailOptimized), Choices: Designs,
		value:   in(choice, func(s *Scenario) *string { return (*string)(&s.Fabric.Design) }),
		Meaning: "how switches are joined",
		Also:    []string{"type"},
		called: map[string]string{"fat-tree": "leaf-spine", "fattree": "leaf-spine", "clos": "leaf-spine", "spine-leaf": "leaf-spine",
			"two-tier": "leaf-spine", "rail": "rail-optimized", "rails": "rail-optimized", "star": "single-switch",
			"switch": "single-switch", "back-to-back": "direct"},
	},
	{
		Path: "fabric.topology", Default: "none", Word: "none", check: checkFile, pattern: pathPattern,
		example: "the path of a file of lines: host NAME [pod=N], switch NAME [leaf|spine|superspine] [pod=N] [plane=N] " +
			"[rail=N] [model=NAME], link A B RATE LENGTH-OR-DELAY [cost=N | nic=N]",
		applies: where(onlyCustom),
		value:   in(opt(text), func(s *Scenario) *Opt[string] { return &s.Fabric.Topology }),
		Meaning: "file with the hosts, switches and links of a custom design; its hosts are host1, host2, ... " +
			"in order",
	},
	{
		Path: "fabric.config", Default: "none", Word: "none", check: checkFolder, pattern: pathPattern,
		example: "the path of a folder with a configuration of each switch, as \"railyard config render -o\" makes one",
		value:   in(opt(text), func(s *Scenario) *Opt[string] { return &s.Fabric.Config }),
		Meaning: "folder with the configurations of the switches, of any platform that railyard config parse reads; what they say of " +
			"quality of service is simulated, what they leave out is as fabric says",
		Also: []string{"configs", "configurations"},
	},
	{
		Path: "fabric.leaves", Default: "2", Min: "1", Max: "4096", applies: onlyOf("number of leaves of its own", topo.DesignLeafSpine),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Leaves }),
		Meaning: "number of leaf switches; hosts are spread over them in order, as many on each",
		Also:    []string{"leafs", "leaf_switches", "tors"},
	},
	{
		Path: "fabric.vlans", Default: "routed", Choices: VLANs, applies: onlyOf("VLANs", topo.DesignSingleSwitch, topo.DesignDualRail),
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.VLANs }),
		Meaning: "what is between the rails, each a VLAN of the switch",
	},
	{
		Path: "fabric.segment", Default: "all", Word: "all", Min: "1", Max: "131072",
		applies: onlyOf("rail switches", withRails...),
		value:   in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Fabric.Rails.Segment }),
		Meaning: "hosts that share rail switches; the next ones have others",
		Also:    []string{"scalable_unit", "su"},
	},
	{
		Path: "fabric.rails_per_leaf", Default: "1", Min: "1", Max: "32",
		applies: onlyOf("rail switches", withRails...),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Rails.PerLeaf }),
		Meaning: "rails that share a switch; a rail is a GPU of each host, and its NICs go to different switches",
	},
	{
		Path: "fabric.ports", Default: "by-rail", Choices: PortOrders,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Ports }),
		Meaning: "how ports of a switch to hosts are numbered (`railyard show inventory`)",
		Source:  "T. Pasanen, Deep Learning for Network Engineers, chapter 13: by rail on rail switches",
	},
	{
		Path: "fabric.pods", Default: "1", Min: "1", Max: "1024", applies: onlyOf("pods", withSpines...),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Upper.Pods }),
		Meaning: "pods have spines of their own, and super-spines join them",
	},
	{
		Path: "fabric.planes", Default: "1", Min: "1", Max: "16", applies: onlyOf("planes", withPlanes...),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Upper.Planes }),
		Meaning: "networks that share no switch: the NICs of a GPU are in them in turn (cluster.nic.per_gpu), and the ports of a NIC",
	},
	{
		Path: "fabric.spines", Default: "2", Min: "0", Max: "1024", applies: onlyOf("spines", withSpines...),
		value: in(whole, func(s *Scenario) *int { return &s.Fabric.Spines }),
		Meaning: "number of spine switches, of each pod and plane where there are several; 0 leaves the rails " +
			"(or leaves) unconnected",
	},
	{
		Path: "fabric.spines_per_leaf", Default: "all", Word: "all", Min: "1", Max: "1024",
		applies: onlyOf("spines", withSpines...),
		value:   in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Fabric.Upper.SpinesPerLeaf }),
		Meaning: "spines that a leaf has links to, those from the next one on from leaf to leaf",
	},
	{
		Path: "fabric.rotated", Default: "false", applies: onlyOf("spines", withSpines...),
		value: in(boolean, func(s *Scenario) *bool { return &s.Fabric.Upper.Rotated }),
		Meaning: "each leaf's first uplink goes to the next spine, so an equal hash names another spine at each; " +
			"always with spines_per_leaf",
	},
	{
		Path: "fabric.superspines", Default: "2", Min: "0", Max: "4096", applies: onlySupers,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Upper.SuperSpines }),
		Meaning: "number of super-spine switches of each plane",
		Also:    []string{"super_spines", "cores"},
	},
	{
		Path: "fabric.superspine_groups", Default: "1", Min: "1", Max: "1024", applies: onlySupers,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Upper.SuperGroups }),
		Meaning: "groups of super-spines: spine i of a pod has links to those of group i, modulo this",
	},
	{Path: "fabric.dragonfly", Meaning: "the sizes of a dragonfly; hosts are spread over its routers in order"},
	{
		Path: "fabric.dragonfly.groups", Default: "3", Min: "1", Max: "4096", applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Dragonfly.Groups }),
		Meaning: "groups, every two linked",
	},
	{
		Path: "fabric.dragonfly.routers", Default: "2", Min: "1", Max: "4096", applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Dragonfly.Routers }),
		Meaning: "routers of a group, every two linked",
	},
	{
		Path: "fabric.dragonfly.global", Default: "1", Min: "0", Max: "1024", applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Dragonfly.Global }),
		Meaning: "links of a router to other groups",
	},
	{
		Path: "fabric.dragonfly.local_rate", Min: "1Mb/s", Max: "10Tb/s", Rule: "cluster.nic.speed",
		applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Fabric.Dragonfly.LocalRate }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Cluster.NIC.Speed.String() },
		Meaning: "rate of a link inside a group",
	},
	{
		Path: "fabric.dragonfly.global_rate", Min: "1Mb/s", Max: "10Tb/s", Rule: "fabric.dragonfly.local_rate",
		applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Fabric.Dragonfly.GlobalRate }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Fabric.Dragonfly.LocalRate.String() },
		Meaning: "rate of a link between groups",
	},
	{
		Path: "fabric.dragonfly.local_length", Default: "20m", Min: "1mm", Max: "1000km",
		applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(length, func(s *Scenario) *unit.Length { return &s.Fabric.Dragonfly.LocalLength }),
		Meaning: "cable length inside a group",
		Source:  assumed,
	},
	{
		Path: "fabric.dragonfly.global_length", Default: "100m", Min: "1mm", Max: "1000km",
		applies: onlyOf("groups", topo.DesignDragonfly),
		value:   in(length, func(s *Scenario) *unit.Length { return &s.Fabric.Dragonfly.GlobalLength }),
		Meaning: "cable length between groups",
		Source:  assumed,
	},
	{Path: "fabric.links", Meaning: "the cables"},
	{
		Path: "fabric.links.host", Min: "1Mb/s", Max: "10Tb/s", Rule: "cluster.nic.speed", applies: where(unlessCustom),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Fabric.Links.Host }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Cluster.NIC.Speed.String() },
		Meaning: "rate of a link between a NIC and its switch",
	},
	{
		Path: "fabric.links.spine", Min: "1Mb/s", Max: "10Tb/s", Rule: "fabric.links.host", applies: onlyOf("spines", withSpines...),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Fabric.Links.Spine }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Fabric.Links.Host.String() },
		Meaning: "rate of a link between a rail or leaf switch and a spine",
	},
	{
		Path: "fabric.links.length", Default: "20m", Min: "1mm", Max: "1000km", applies: where(unlessCustom),
		value:   in(length, func(s *Scenario) *unit.Length { return &s.Fabric.Links.Length }),
		Meaning: "cable length; light takes 5 ns per metre",
		Source:  assumed,
	},
	{
		Path: "fabric.links.spine_length", Min: "1mm", Max: "1000km", Rule: "fabric.links.length",
		applies: onlyOf("spines", withSpines...),
		value:   in(length, func(s *Scenario) *unit.Length { return &s.Fabric.Links.SpineLength }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Fabric.Links.Length.String() },
		Meaning: "cable length between a rail or leaf switch and a spine",
	},
	{
		Path: "fabric.links.parallel", Default: "1", Min: "1", Max: "128", applies: onlyOf("spines", withSpines...),
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Links.Parallel }),
		Meaning: "cables between each rail or leaf switch and each spine",
	},
	{
		Path: "fabric.links.peer", Min: "0", Max: "128", Rule: "2 with fabric.design dual-rail, else 0",
		applies: where(func(s *Scenario) string {
			text := onlyOf("links between its switches", topo.DesignDualRail, topo.DesignRailOnly,
				topo.DesignRailOptimized, topo.DesignLeafSpine)(s)
			if text == "" && s.Fabric.Design != topo.DesignDualRail && !s.Cluster.NIC.Bonded() {
				return "NICs have one port (cluster.nic.ports): no two leaves share them"
			}
			return text
		}),
		value: in(whole, func(s *Scenario) *int { return &s.Fabric.Links.Peer }),
		derive: func(_ *decoder, b any, _ string) string {
			if b.(*Scenario).Fabric.Design == topo.DesignDualRail {
				return "2"
			}
			return "0"
		},
		Meaning: "cables between every two switches that bonded NICs share, as of a pair with MLAG: for what comes to one " +
			"that has lost the link to where it goes",
		Source: "assumed: MLAG's usual pair",
		Also:   []string{"peer_links"},
	},
	{
		Path: "fabric.links.superspine", Min: "1Mb/s", Max: "10Tb/s", Rule: "fabric.links.spine", applies: onlySupers,
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Fabric.Links.SuperSpine }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Fabric.Links.Spine.String() },
		Meaning: "rate of a link between a spine and a super-spine",
	},
	{
		Path: "fabric.links.superspine_length", Min: "1mm", Max: "1000km", Rule: "fabric.links.spine_length",
		applies: onlySupers,
		value:   in(length, func(s *Scenario) *unit.Length { return &s.Fabric.Links.SuperSpineLength }),
		derive:  func(d *decoder, b any, _ string) string { return b.(*Scenario).Fabric.Links.SpineLength.String() },
		Meaning: "cable length between a spine and a super-spine",
	},
	{
		Path: "fabric.links.superspine_parallel", Default: "1", Min: "1", Max: "128", applies: onlySupers,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Links.SuperParallel }),
		Meaning: "cables between a spine and each super-spine of its group",
	},
	{
		Path: "fabric.links.delay", Default: "none", Word: "none", Min: "1ps", Max: "10ms", applies: where(unlessCustom),
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Fabric.Links.Delay }),
		Meaning: "one-way delay of every link, instead of what its length gives",
		Also:    []string{"latency"},
	},
	{
		Path:    "fabric.links.named",
		value:   in(linkList, func(s *Scenario) *[]NamedLink { return &s.Fabric.Links.Named }),
		Meaning: "links that differ from the others of their tier; of a link that several entries match, later ones come on top",
	},
	{Path: "fabric.switch", Meaning: "one switch; all are alike but those in fabric.switches"},
	{
		Path: "fabric.switch.model", Default: "any", Choices: SwitchModels,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Switch.Model }),
		Meaning: "the model that ports, port_rate and buffer come from",
		Source:  "vendors' data sheets",
	},
	{
		Path: "fabric.switch.ports", Default: "any", Word: "any", Min: "1", Max: "4096",
		value:   in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Fabric.Switch.Ports }),
		Meaning: "ports that a switch has: a network that needs more is refused",
	},
	{
		Path: "fabric.switch.port_rate", Default: "any", Word: "any", Min: "1Mb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(s *Scenario) *Opt[unit.Bitrate] { return &s.Fabric.Switch.PortRate }),
		Meaning: "the highest rate of a port",
	},
	{
		Path: "fabric.switch.breakout", Default: "1", Min: "1", Max: "8",
		value: in(whole, func(s *Scenario) *int { return &s.Fabric.Switch.Breakout }),
		Meaning: "cables that a port may be split into, if together they are not faster than port_rate; 1: each cable " +
			"takes a port",
		Source: "assumed: models differ",
	},
	{
		Path: "fabric.switch.panel_rows", Default: "1", Min: "1", Max: "4",
		value: in(whole, func(s *Scenario) *int { return &s.Fabric.Switch.PanelRows }),
		Meaning: "rows that cables fill one after another where ports are numbered down each column; with 3 the first cables " +
			"take ports 1, 4, 7 (`railyard show inventory`)",
		Source: "T. Pasanen, Deep Learning for Network Engineers, chapter 13: 3 on a switch of 48 ports",
	},
	{
		Path: "fabric.switch.latency", Default: "600ns", Min: "0ns", Max: "1ms",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.Switch.Latency }),
		Meaning: "latency of the pipeline, after the last bit of a frame has arrived",
		Source:  assumed,
	},
	{
		Path: "fabric.switch.buffer", Default: "64MB", Min: "16KiB", Max: "1TB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.Switch.Buffer }),
		Meaning: "packet buffer shared by all ports",
		Source:  "Broadcom Tomahawk 3, NVIDIA Spectrum-3", Also: []string{"memory", "buffer_size"},
	},
	{
		Path: "fabric.switch.reserve", Default: "4KiB", Min: "0B", Max: "1GB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.Switch.Reserve }),
		Meaning: "part of the buffer set aside for each port and priority",
		Source:  "HPCC (SIGCOMM'19), authors' simulator",
	},
	{
		Path: "fabric.switch.release", Default: "end", Choices: Releases,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Switch.Release }),
		Meaning: "when the buffer of a sent frame is given back",
		Source:  assumed,
	},
	{
		Path:    "fabric.switches",
		value:   in(switchList, func(s *Scenario) *[]SwitchProfile { return &s.Fabric.Switches }),
		Meaning: "switches that differ from the others; of a switch that several entries match, later ones come on top",
	},
	{
		Path: "fabric.mtu", Default: "9216B", Min: "256B", Max: "16kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.MTU }),
		Meaning: "largest frame, FCS included",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.encapsulation", Default: "ethernet", Choices: Encapsulations,
		applies: onlyOf("links between leaves", append([]topo.DesignName{topo.DesignCustom, topo.DesignDragonfly}, withSpines...)...),
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Encapsulation }),
		Meaning: "what frames are in between leaves; every frame there, and nothing on the links of hosts",
		Source:  "RFC 7348 (VXLAN), RFC 6040 (ECN of tunnels)",
		Also:    []string{"overlay"},
	},
	{
		Path: "fabric.balance", Default: string(BalanceECMP), Choices: Balancers, Synonyms: BalancerTiers,
		value:   in(choice, func(s *Scenario) *string { return (*string)(&s.Fabric.Balance) }),
		Meaning: "how packets choose among equal paths; SLB, DLB, GLB and TELB stand for ecmp, dlb, glb and pinned",
		Also:    []string{"load_balancing", "lb"},
	},
	{Path: "fabric.hash", Meaning: "the hash by which a switch picks one of equal paths for a queue pair"},
	{
		Path: "fabric.hash.function", Default: "mix", Choices: HashFunctions,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Hash.Function }),
		Meaning: "what is computed of the fields; its remainder by the number of equal paths is the path",
		Source: "RFC 2992 (modulo-N hash); names of crc and xor: Broadcom RTAG7, SAI; toeplitz: Microsoft RSS; " +
			"mix: assumed, vendors publish none",
		Also: []string{"algorithm"},
	},
	{
		Path: "fabric.hash.fields", Default: "5-tuple", Choices: HashFields,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Hash.Fields }),
		Meaning: "which headers are hashed",
		Source: "5-tuple: vendors' default for IP; queue pair: user-defined fields of vendors, " +
			"Meta (SIGCOMM'24) calls it E-ECMP",
	},
	{
		Path: "fabric.hash.seed", Default: "same", Choices: HashSeeds,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Hash.Seed }),
		Meaning: "which switches hash alike; where they do, flows that one link brings are not spread again (polarisation)",
		Source: "assumed, vendors differ: SAI's default is 0 everywhere, SONiC has one for each role; Cumulus from 3.5.4 on draws " +
			"one per switch, Dell OS9 and Linux's Spectrum driver take the switch's MAC address (docs/balancing.md)",
	},
	{
		Path: "fabric.order", Default: "phases", Choices: Orders,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Order }),
		Meaning: "what of the same instant happens first",
		Source:  assumed,
	},
	{
		Path: "fabric.clock", Default: "exact", Choices: Clocks,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.Clock }),
		Meaning: "how transmit times and pacing gaps are rounded",
	},
	{Path: "fabric.qos", Meaning: "traffic classes, and what switches do when queues grow"},
	{
		Path: "fabric.qos.preset", Default: "default", Choices: QoSPresets,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.Preset }),
		Meaning: "where marking and pausing come from",
	},
	{
		Path: "fabric.qos.classes", Default: "all", Choices: ClassSets,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.Classes }),
		Meaning: "which traffic classes ports have queues and reserves for",
	},
	{
		Path: "fabric.qos.trust", Default: "dscp", Choices: Trusts,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.Trust }),
		Meaning: "by what switches put a frame into a class",
		Source:  "IEEE 802.1Q; RFC 2474",
		Also:    []string{"classify_by"},
	},
	{
		Path: "fabric.qos.dscp", Default: "24", Min: "0", Max: "63",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.DSCP }),
		Meaning: "DSCP of RoCE data",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.cnp_dscp", Default: "48", Min: "0", Max: "63",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.CNPDSCP }),
		Meaning: "DSCP of congestion notification packets",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.data_priority", Default: "3", Min: "0", Max: "7",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.DataPriority }),
		Meaning: "priority of RoCE data; PFC acts on it",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.cnp_priority", Default: "7", Min: "0", Max: "7",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.CNPPriority }),
		Meaning: "priority of congestion notification packets: served before all others",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.other_priority", Default: "0", Min: "0", Max: "7",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.OtherPriority }),
		Meaning: "priority of other traffic",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.data_weight", Default: "50", Min: "1", Max: "100",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.DataWeight }),
		Meaning: "share of RoCE data in deficit weighted round robin",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.other_weight", Default: "50", Min: "1", Max: "100",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.OtherWeight }),
		Meaning: "share of other traffic in deficit weighted round robin",
		Source:  "vendors' AI fabric guides",
	},
	{
		Path: "fabric.qos.drop_threshold", Default: "none", Word: "none", Min: "1kB", Max: "1TB",
		value: in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Fabric.QoS.DropThreshold }),
		Meaning: "what would make an egress queue of RoCE data longer is dropped, under PFC too; scales with the port as " +
			"ecn.min does; none: a queue ends with the buffer",
		Also: []string{"queue_limit", "tail_drop"},
	},
	{Path: "fabric.qos.ecn", Meaning: "marking of RoCE data by the length of the egress queue (WRED)"},
	{
		Path: "fabric.qos.ecn.enabled", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Fabric.QoS.ECN.Enabled }),
		Meaning: "switches mark",
	},
	{
		Path: "fabric.qos.ecn.min", Default: "auto", Word: "auto", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Fabric.QoS.ECN.Min }),
		Meaning: "nothing is marked below this queue length; auto: 100kB per 25 Gb/s of the port",
		Source:  "HPCC (SIGCOMM'19), authors' production values", Also: []string{"kmin"},
	},
	{
		Path: "fabric.qos.ecn.max", Default: "auto", Word: "auto", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Fabric.QoS.ECN.Max }),
		Meaning: "everything is marked above this queue length; auto: 400kB per 25 Gb/s of the port",
		Source:  "HPCC (SIGCOMM'19), authors' production values", Also: []string{"kmax"},
	},
	{
		Path: "fabric.qos.ecn.port_rate", Default: "any", Word: "any", Min: "1Mb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(s *Scenario) *Opt[unit.Bitrate] { return &s.Fabric.QoS.ECN.PortRate }),
		Meaning: "min and max hold for ports of this rate and scale with the port; any: they hold for all ports",
		Source:  assumed,
	},
	{
		Path: "fabric.qos.ecn.probability", Default: "auto", Word: "auto", Min: "1/1000000", Max: "1",
		value:   in(opt(ratio), func(s *Scenario) *Opt[unit.Ratio] { return &s.Fabric.QoS.ECN.Probability }),
		Meaning: "marking probability just below max; auto: 20%",
		Source:  "HPCC (SIGCOMM'19), authors' production values", Also: []string{"pmax"},
	},
	{
		Path: "fabric.qos.ecn.at", Default: "enqueue", Choices: Markings,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.ECN.When }),
		Meaning: "when the queue length is looked at",
		Source:  assumed,
	},
	{Path: "fabric.qos.pfc", Meaning: "priority flow control of RoCE data (IEEE 802.1Qbb)"},
	{
		Path: "fabric.qos.pfc.enabled", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Fabric.QoS.PFC.Enabled }),
		Meaning: "switches pause their neighbours instead of dropping RoCE data",
	},
	{
		Path: "fabric.qos.pfc.alpha", Default: "1/8", Min: "1/1024", Max: "128",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.QoS.PFC.Alpha }),
		Meaning: "xOFF is this times the free shared buffer (dynamic threshold)",
		Source:  "HPCC (SIGCOMM'19), authors' simulator",
	},
	{
		Path: "fabric.qos.pfc.alpha_rate", Default: "none", Word: "none", Other: "nic", Min: "1Mb/s",
		Max:   "10Tb/s",
		value: in(either(rate), func(s *Scenario) *Either[unit.Bitrate] { return &s.Fabric.QoS.PFC.AlphaRate }),
		Meaning: "alpha doubles until an ingress port's rate, halved as often, is not above this, or alpha is " +
			"1; nic: the slowest NIC's",
		Source: "HPCC (SIGCOMM'19), authors' simulator; none in switches: assumed",
	},
	{
		Path: "fabric.qos.pfc.threshold", Default: "none", Word: "none", Min: "1kB", Max: "1TB",
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Fabric.QoS.PFC.Threshold }),
		Meaning: "a fixed xOFF per port, instead of alpha",
		Also:    []string{"xoff"},
	},
	{
		Path: "fabric.qos.pfc.resume_offset", Min: "0B", Max: "1GB", Rule: "2 frames of fabric.mtu",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Fabric.QoS.PFC.ResumeOffset }),
		derive:  func(d *decoder, b any, _ string) string { return (2 * b.(*Scenario).Fabric.MTU).String() },
		Meaning: "xON = xOFF - this",
		Source:  "DCQCN (SIGCOMM'15)", Also: []string{"xon", "xon_offset"},
	},
	{
		Path: "fabric.qos.pfc.headroom", Default: "auto", Word: "auto", Min: "0B", Max: "1GB",
		value: in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Fabric.QoS.PFC.Headroom }),
		Meaning: "buffer per port for what arrives after xOFF; auto: cable, two frames, interface and " +
			"response delay",
		Source: "IEEE 802.1Qbb",
	},
	{
		Path: "fabric.qos.pfc.headroom_delays", Default: "none", Word: "none", Min: "1", Max: "1000",
		value: in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Fabric.QoS.PFC.HeadroomDelays }),
		Meaning: "makes the headroom of a port this many times what its link carries in its one-way delay, " +
			"instead of headroom",
		Source: "HPCC (SIGCOMM'19), authors' simulator: 3",
	},
	{
		Path: "fabric.qos.pfc.crossing", Default: "shared", Choices: Crossings,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.PFC.Crossing }),
		Meaning: "where the frame is charged whose arrival takes a port over xOFF",
	},
	{
		Path: "fabric.qos.pfc.quanta", Default: "65535", Min: "0", Max: "65535",
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.QoS.PFC.Quanta }),
		Meaning: "pause time asked for, in units of 512 bit times; 0: until resumed",
		Source:  "IEEE 802.1Qbb",
	},
	{
		Path: "fabric.qos.pfc.refresh", Default: "1/2", Min: "1/1000", Max: "1",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.QoS.PFC.Refresh }),
		Meaning: "the pause frame is repeated after this part of the pause time",
		Source:  assumed,
	},
	{
		Path: "fabric.qos.pfc.response", Default: "0ns", Word: "auto", Min: "0ns", Max: "1ms",
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Fabric.QoS.PFC.Response }),
		Meaning: "how long after a pause frame's arrival the neighbour stops; auto: by the speed of the link",
		Source:  "IEEE 802.1Qbb",
	},
	{Path: "fabric.qos.pfc.watchdog", Meaning: "what switches do about ports that are paused for too long"},
	{
		Path: "fabric.qos.pfc.watchdog.detect", Default: "none", Word: "none", Min: "1us", Max: "1h",
		value: in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Fabric.QoS.PFC.Watchdog.Detect }),
		Meaning: "after how long a pause, with packets waiting, the queue is taken out of PFC: 200ms is usual; " +
			"none: there is no watchdog",
		Also: []string{"detection_time", "interval"},
	},
	{
		Path: "fabric.qos.pfc.watchdog.restore", Default: "200ms", Min: "1us", Max: "1h",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.QoS.PFC.Watchdog.Restore }),
		Meaning: "how long no pause frame must have come until it is put back",
		Source:  "SONiC, PFC watchdog: detection and restoration time of 200 ms by default",
		Also:    []string{"restoration_time"},
	},
	{
		Path: "fabric.qos.pfc.watchdog.action", Default: "drop", Choices: WatchdogActions,
		value:   in(choice, func(s *Scenario) *string { return &s.Fabric.QoS.PFC.Watchdog.Action }),
		Meaning: "what happens to its packets meanwhile",
	},
	{
		Path: "fabric.qos.lossy_alpha", Default: "1", Min: "1/1024", Max: "128",
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Fabric.QoS.LossyAlpha }),
		Meaning: "a class without PFC drops beyond this times the free shared buffer",
		Source:  assumed,
	},
}

// linkFields: one entry of fabric.links.named.
var linkFields = []*Field{
	{
		Path: "link", Required: true, check: checkSomeLinks, pattern: somePattern,
		example: "node/peer such as rail1/host2",
		value:   in(text, func(l *NamedLink) *string { return &l.Link }),
		Meaning: "the link, both directions: node/peer, node/peer#2 for the second of parallel links; with * for any letters of " +
			"a name and ? for one, several links",
	},
	{
		Path: "rate", Default: "auto", Word: "auto", Min: "1Mb/s", Max: "100Tb/s",
		value:   in(opt(rate), func(l *NamedLink) *Opt[unit.Bitrate] { return &l.Rate }),
		Meaning: "its rate; auto: as the others",
		Also:    []string{"speed", "bandwidth"},
	},
	{
		Path: "length", Default: "auto", Word: "auto", Min: "1mm", Max: "1000km",
		value:   in(opt(length), func(l *NamedLink) *Opt[unit.Length] { return &l.Length }),
		Meaning: "its length, which gives its delay; auto: as the others",
	},
	{
		Path: "delay", Default: "auto", Word: "auto", Min: "1ps", Max: "10ms",
		value:   in(opt(duration), func(l *NamedLink) *Opt[unit.Duration] { return &l.Delay }),
		Meaning: "its one-way delay, instead of a length; auto: as the others",
		Also:    []string{"latency"},
	},
	{
		Path: "sender", Default: "both", Word: "both", check: checkNode, pattern: nodePattern, example: "a node such as rail1",
		value:   in(opt(text), func(l *NamedLink) *Opt[string] { return &l.Sender }),
		Meaning: "the end that sends at the rate, the other as before: a link of which one direction is slower or faster; both: each does",
	},
}
