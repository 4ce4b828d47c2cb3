package scenario

import "railyard/internal/base/unit"

// thing is a key that says what a fault happens to.
func thing(path, example, meaning string, check func(string) string, pattern string, also []string,
	at func(*Fault) *Opt[string]) *Field {
	return &Field{
		Path: path, Default: "none", Word: "none", check: check, pattern: pattern, example: example,
		value: in(opt(text), at), Meaning: meaning, Also: also,
	}
}

// faultFields: one entry of faults.
var faultFields = []*Field{
	thing(OnLink, "node/peer such as rail1/spine1, or all",
		"the link, both directions: node/peer, node/peer#2 for the second of parallel links; with * for any letters of "+
			"a name and ? for one, several links; or all",
		checkLink, linkPattern, []string{"links", "cable"}, func(f *Fault) *Opt[string] { return &f.Link }),
	thing(OnPort, "node/peer such as rail1/spine1",
		"the port of a switch, by the link that leads from it: node/peer; with * and ? several", checkSomeLinks, somePattern,
		[]string{"ports", "interface"}, func(f *Fault) *Opt[string] { return &f.Port }),
	thing(OnSwitch, "a name such as spine1, or spine*", "the switch; with * and ? several", checkSwitchNames, switchesPattern,
		[]string{"switches", "node"}, func(f *Fault) *Opt[string] { return &f.Switch }),
	thing(OnHost, "a name such as host1, or host*", "the host; with * and ? several", checkHostNames, switchesPattern,
		[]string{"hosts", "server"}, func(f *Fault) *Opt[string] { return &f.Host }),
	thing(OnGPU, "a GPU such as host1/gpu0, or host1/*", "the GPU; with * and ? several", checkGPUs, gpusPattern,
		[]string{"gpus", "rank"}, func(f *Fault) *Opt[string] { return &f.GPU }),
	{
		Path: "at", Default: "0s", Min: "0s", Max: "24h",
		value:   in(duration, func(f *Fault) *unit.Duration { return &f.At }),
		Meaning: "virtual time at which it begins",
		Also:    []string{"start"},
	},
	{
		Path: "for", Default: "ever", Word: "ever", Min: "1ps", Max: "24h",
		value: in(opt(duration), func(f *Fault) *Opt[unit.Duration] { return &f.For }),
		Meaning: "how long it lasts; of down, storm and hang their own value says it, and a frame that a link loses is lost " +
			"if it arrives meanwhile",
		Also: []string{"lasts"},
	},
	{
		Path: "count", Default: "1", Min: "1", Max: "10000",
		value:   in(whole, func(f *Fault) *int { return &f.Count }),
		Meaning: "how many times it happens: a link that flaps",
		Also:    []string{"times", "repeat"},
	},
	{
		Path: "every", Default: "0s", Min: "0s", Max: "24h",
		value:   in(duration, func(f *Fault) *unit.Duration { return &f.Every }),
		Meaning: "with count: from one beginning to the next",
		Also:    []string{"period", "interval"},
	},
	{
		Path: "drop", Default: "0", Min: "0", Max: "1",
		value:   in(ratio, func(f *Fault) *unit.Ratio { return &f.Drop }),
		Meaning: "of a link: probability that a frame is lost",
		Also:    []string{"loss"},
	},
	{
		Path: "duplicate", Default: "0", Min: "0", Max: "1",
		value:   in(ratio, func(f *Fault) *unit.Ratio { return &f.Duplicate }),
		Meaning: "of a link: probability that a frame arrives twice",
	},
	{
		Path: "reorder", Default: "0", Min: "0", Max: "1",
		value:   in(ratio, func(f *Fault) *unit.Ratio { return &f.Reorder }),
		Meaning: "of a link: probability that a frame changes places with the one that follows it closely",
	},
	{
		Path: "bit_errors", Default: "0", Min: "0", Max: "1",
		value: in(ratio, func(f *Fault) *unit.Ratio { return &f.BitErrors }),
		Meaning: "of a link, as a lossy optic: probability that a bit is wrong; a frame with a wrong bit is lost, so long " +
			"frames more often than short ones",
		Also: []string{"ber"},
	},
	{
		Path: "pfc", Default: "false",
		value:   in(boolean, func(f *Fault) *bool { return &f.PFC }),
		Meaning: "drop and bit_errors hit PFC frames too",
	},
	{
		Path: "down", Default: "none", Word: "none", Min: "1ps", Max: "24h",
		value: in(opt(duration), func(f *Fault) *Opt[unit.Duration] { return &f.Down }),
		Meaning: "how long the link carries nothing, or all links of the switch or host; a switch loses what its buffer " +
			"holds as well: it reboots",
		Also: []string{"flap", "reboot", "duration"},
	},
	{
		Path: "convergence", Word: "never", Min: "0ns", Max: "24h",
		Rule:   "fabric.routing: bfd_interval x bfd_multiplier, or hold, and then update; 600ms where protocol is none",
		value:  in(opt(duration), func(f *Fault) *Opt[unit.Duration] { return &f.Convergence }),
		derive: func(d *decoder, _ any, _ string) string { return d.scenario.Fabric.Routing.Convergence().String() },
		Meaning: "how long after the link goes down, and comes up again, all switches route without it, and with it; " +
			"until then what is sent onto it is lost; never: routes do not change",
		Source: "assumed: BGP with BFD (3 x 100 ms) until all have heard and routes are in hardware",
		Also:   []string{"reroute", "detection"},
	},
	{
		Path: "storm", Default: "none", Word: "none", Min: "1ps", Max: "24h",
		value: in(opt(duration), func(f *Fault) *Opt[unit.Duration] { return &f.Storm }),
		Meaning: "how long an end of the link sends pause frames without end: a slow or broken receiver, or a switch whose " +
			"PFC is stuck",
		Also: []string{"stuck", "stuck_pfc"},
	},
	{
		Path: "sender", Default: "host", Word: "host", check: checkNode, pattern: nodePattern,
		example: "a node such as spine1",
		value:   in(opt(text), func(f *Fault) *Opt[string] { return &f.Sender }),
		Meaning: "with storm: the end of the link that sends them; host: the link's host",
	},
	{
		Path: "speed", Default: "full", Word: "full", Min: "1Mb/s", Max: "10Tb/s",
		value:   in(opt(rate), func(f *Fault) *Opt[unit.Bitrate] { return &f.Speed }),
		Meaning: "of a link: at what rate both ends send: it came up degraded",
		Also:    []string{"rate", "degraded"},
	},
	{Path: "config", Meaning: "how a port is configured otherwise than its switch"},
	{
		Path: "config.forgotten", Default: "false",
		value: in(boolean, func(f *Fault) *bool { return &f.Config.Forgotten }),
		Meaning: "nobody has configured the port: it marks nothing, neither sends PFC frames nor heeds them, and takes " +
			"what comes in by it for other traffic, whatever its DSCP",
	},
	{
		Path: "config.ecn", Default: "auto", Word: "auto",
		value:   in(opt(boolean), func(f *Fault) *Opt[bool] { return &f.Config.ECN }),
		Meaning: "false: the port marks nothing; auto: as its switch",
	},
	{
		Path: "config.min", Default: "auto", Word: "auto", Min: "0B", Max: "1TB",
		value:   in(opt(byteCount), func(f *Fault) *Opt[unit.Bytes] { return &f.Config.Min }),
		Meaning: "queue length at which marking begins there; auto: as its switch",
	},
	{
		Path: "config.max", Default: "auto", Word: "auto", Min: "0B", Max: "1TB",
		value:   in(opt(byteCount), func(f *Fault) *Opt[unit.Bytes] { return &f.Config.Max }),
		Meaning: "queue length above which all packets are marked there; auto: as its switch",
	},
	{
		Path: "config.pfc", Default: "auto", Word: "auto",
		value:   in(opt(boolean), func(f *Fault) *Opt[bool] { return &f.Config.PFC }),
		Meaning: "false: the port neither sends PFC frames nor heeds them; auto: as its switch",
	},
	{
		Path: "config.xoff", Default: "auto", Word: "auto", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(f *Fault) *Opt[unit.Bytes] { return &f.Config.XOFF }),
		Meaning: "xOFF of the port, beyond the reserve; auto: as its switch",
		Also:    []string{"threshold"},
	},
	{
		Path: "config.mtu", Default: "auto", Word: "auto", Min: "64B", Max: "16kB",
		value:   in(opt(byteCount), func(f *Fault) *Opt[unit.Bytes] { return &f.Config.MTU }),
		Meaning: "largest frame, FCS included, that the port takes and sends: longer ones are lost; auto: any",
	},
	{
		Path: "config.dscp", Default: "auto", Word: "auto", Min: "0", Max: "63",
		value: in(opt(whole), func(f *Fault) *Opt[int] { return &f.Config.DSCP }),
		Meaning: "the DSCP that the port takes for RoCE data; what has another and is no CNP is other traffic; " +
			"auto: as its switch",
	},
	{
		Path: "leak", Default: "none", Word: "none", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(f *Fault) *Opt[unit.Bytes] { return &f.Leak }),
		Meaning: "of a switch: so much of its shared buffer is in use for nothing, at most what is free as it begins",
		Also:    []string{"buffer_leak"},
	},
	{
		Path: "pcie", Default: "full", Word: "full", Min: "1Mb/s", Max: "10Tb/s",
		value:   in(opt(byteRate), func(f *Fault) *Opt[unit.Bitrate] { return &f.PCIe }),
		Meaning: "of a host: rate of the PCIe link of each of its NICs, each direction",
		Also:    []string{"slow_pcie"},
	},
	{
		Path: "pcie_link", Default: "none", Word: "none", check: checkHostLink, pattern: hostLinkPattern,
		example: "part/part such as CPU0/PCIe1",
		value:   in(opt(text), func(f *Fault) *Opt[string] { return &f.PCIeLink }),
		Meaning: "with pcie: this link of cluster.host.graph is slow, not those of the NICs",
	},
	{
		Path: "staged", Default: "false",
		value: in(boolean, func(f *Fault) *bool { return &f.Staged }),
		Meaning: "of a host: its NICs cannot reach the memory of GPUs (no peer memory module), so what they carry is staged in " +
			"host memory and crosses the PCIe of NICs twice; with cluster.host.graph it goes up to the CPU of its GPU and " +
			"down again, over links that others share",
		Also: []string{"no_gdr", "peer_memory"},
	},
	{
		Path: "hang", Default: "none", Word: "none", Min: "1ps", Max: "24h",
		value: in(opt(duration), func(f *Fault) *Opt[unit.Duration] { return &f.Hang }),
		Meaning: "how long the GPU computes nothing, or the host does nothing at all; its NICs go on to answer: they need " +
			"no processor for that",
		Also: []string{"dead", "stop"},
	},
	{
		Path: "slow", Default: "none", Word: "none", Min: "1/100", Max: "1000",
		value:   in(opt(ratio), func(f *Fault) *Opt[unit.Ratio] { return &f.Slow }),
		Meaning: "of a GPU: kernels, launches included, take times as long",
		Also:    []string{"factor", "multiplier"},
	},
}
