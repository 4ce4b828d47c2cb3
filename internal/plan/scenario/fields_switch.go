package scenario

import (
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// switchFields: one entry of fabric.switches. What it does not say is as the keys of fabric say.
var switchFields = slices.Concat(switchQoS, switchBalance)

// ownOf is the field of a switch for a field of all switches: the same values, and auto.
func ownOf(path string, value variable) *Field {
	i := slices.IndexFunc(balanceFields, func(f *Field) bool { return f.Path == path })
	f := balanceFields[i]
	return &Field{
		Path: strings.TrimPrefix(path, "fabric."), Default: "auto", Word: "auto", Min: f.Min, Max: f.Max,
		Choices: f.Choices, Meaning: f.Meaning + "; auto: as the others", Also: f.Also, value: value,
	}
}

// switchBalance: how a switch chooses among equal links.
var switchBalance = []*Field{
	{
		Path: "balance", Default: "auto", Word: "auto", Choices: SwitchBalancers, Synonyms: switchTiers,
		value:   in(opt(typed[Balancer](choice)), func(p *SwitchProfile) *Opt[Balancer] { return &p.Balance }),
		Meaning: "how packets choose among the equal links of the switches, as in fabric.balance; auto: as the others",
		Also:    []string{"load_balancing", "lb"},
	},
	{Path: "hash", Meaning: "the hash of the switches, as in fabric.hash"},
	{
		Path: "hash.function", Default: "auto", Word: "auto", Choices: HashFunctions,
		value:   in(opt(choice), func(p *SwitchProfile) *Opt[string] { return &p.Hash.Function }),
		Meaning: "what is computed of the fields; auto: as the others",
		Also:    []string{"algorithm"},
	},
	{
		Path: "hash.fields", Default: "auto", Word: "auto", Choices: HashFields,
		value:   in(opt(choice), func(p *SwitchProfile) *Opt[string] { return &p.Hash.Fields }),
		Meaning: "which headers are hashed; auto: as the others",
	},
	{
		Path: "hash.seed", Default: "auto", Word: "auto", Choices: SwitchHashSeeds,
		value:   in(opt(choice), func(p *SwitchProfile) *Opt[string] { return &p.Hash.Seed }),
		Meaning: "with which switches they hash alike; role is SONiC's way; auto: as the others",
	},
	{Path: "flowlet", Meaning: "parameters of balance: flowlet, as in fabric.flowlet"},
	ownOf("fabric.flowlet.gap", in(opt(duration), func(p *SwitchProfile) *Opt[unit.Duration] { return &p.Flowlet.Gap })),
	{Path: "dlb", Meaning: "parameters of balance: dlb and glb, as in fabric.dlb"},
	ownOf("fabric.dlb.mode", in(opt(choice), func(p *SwitchProfile) *Opt[string] { return &p.DLB.Mode })),
	ownOf("fabric.dlb.gap", in(opt(duration), func(p *SwitchProfile) *Opt[unit.Duration] { return &p.DLB.Gap })),
	ownOf("fabric.dlb.sampling", in(opt(duration), func(p *SwitchProfile) *Opt[unit.Duration] { return &p.DLB.Sampling })),
	ownOf("fabric.dlb.load_min", in(opt(ratio), func(p *SwitchProfile) *Opt[unit.Ratio] { return &p.DLB.LoadMin })),
	ownOf("fabric.dlb.load_max", in(opt(ratio), func(p *SwitchProfile) *Opt[unit.Ratio] { return &p.DLB.LoadMax })),
	ownOf("fabric.dlb.queue_min", in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.DLB.QueueMin })),
	ownOf("fabric.dlb.queue_max", in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.DLB.QueueMax })),
	ownOf("fabric.dlb.weight", in(opt(ratio), func(p *SwitchProfile) *Opt[unit.Ratio] { return &p.DLB.Weight })),
	{Path: "spray", Meaning: "parameters of balance: spray, as in fabric.spray"},
	ownOf("fabric.spray.pick", in(opt(choice), func(p *SwitchProfile) *Opt[string] { return &p.Spray.Pick })),
	ownOf("fabric.spray.samples", in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.Spray.Samples })),
	ownOf("fabric.spray.grades", in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.Spray.Grades })),
	ownOf("fabric.spray.queue_min", in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.Spray.QueueMin })),
	ownOf("fabric.spray.queue_max", in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.Spray.QueueMax })),
	ownOf("fabric.spray.memory", in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.Spray.Memory })),
	{Path: "resilient", Meaning: "parameters of balance: resilient, as in fabric.resilient"},
	ownOf("fabric.resilient.buckets", in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.Resilient.Buckets })),
}

// switchQoS: its buffer and classes, and what it does when queues grow.
var switchQoS = []*Field{
	{
		Path: "match", Required: true, check: checkSwitchNames, pattern: switchesPattern,
		example: "a name such as spine1, or spine*",
		value:   in(text, func(p *SwitchProfile) *string { return &p.Match }),
		Meaning: "which switches: a name, with * for any letters and ? for one",
		Also:    []string{"name", "switch"},
	},
	{
		Path: "latency", Default: "auto", Word: "auto", Min: "0ns", Max: "1ms",
		value:   in(opt(duration), func(p *SwitchProfile) *Opt[unit.Duration] { return &p.Latency }),
		Meaning: "latency of the pipeline; auto: as the others",
	},
	{
		Path: "buffer", Default: "auto", Word: "auto", Min: "16KiB", Max: "1TB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.Buffer }),
		Meaning: "packet buffer shared by all ports; auto: as the others",
		Also:    []string{"memory", "buffer_size"},
	},
	{
		Path: "reserve", Default: "auto", Word: "auto", Min: "0B", Max: "1GB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.Reserve }),
		Meaning: "part of the buffer set aside for each port and priority; auto: as the others",
	},
	{
		Path: "mtu", Default: "auto", Word: "auto", Min: "256B", Max: "16kB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.MTU }),
		Meaning: "largest frame, FCS included: headroom and round robin allow for it; auto: as the others",
	},
	{
		Path: "data_weight", Default: "auto", Word: "auto", Min: "1", Max: "100",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.DataWeight }),
		Meaning: "share of RoCE data in deficit weighted round robin; auto: as the others",
	},
	{
		Path: "other_weight", Default: "auto", Word: "auto", Min: "1", Max: "100",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.OtherWeight }),
		Meaning: "share of other traffic in deficit weighted round robin; auto: as the others",
	},
	{
		Path: "dscp", Default: "auto", Word: "auto", Min: "0", Max: "63",
		value: in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.DSCP }),
		Meaning: "the DSCP that the switches put into the class of RoCE data, whatever NICs write; a DSCP that is neither " +
			"this nor cnp_dscp is other traffic; auto: as the others",
	},
	{
		Path: "cnp_dscp", Default: "auto", Word: "auto", Min: "0", Max: "63",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.CNPDSCP }),
		Meaning: "the DSCP that the switches put into the class of CNPs; auto: as the others",
	},
	{
		Path: "data_priority", Default: "auto", Word: "auto", Min: "0", Max: "7",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.DataPriority }),
		Meaning: "priority of RoCE data: the switches' PFC frames name it, and those that name it hold it; auto: as the others",
	},
	{
		Path: "cnp_priority", Default: "auto", Word: "auto", Min: "0", Max: "7",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.CNPPriority }),
		Meaning: "priority of CNPs; auto: as the others",
	},
	{
		Path: "other_priority", Default: "auto", Word: "auto", Min: "0", Max: "7",
		value:   in(opt(whole), func(p *SwitchProfile) *Opt[int] { return &p.OtherPriority }),
		Meaning: "priority of other traffic; auto: as the others",
	},
	{Path: "ecn", Meaning: "marking, as in fabric.qos.ecn"},
	{
		Path: "ecn.enabled", Default: "auto", Word: "auto",
		value:   in(opt(boolean), func(p *SwitchProfile) *Opt[bool] { return &p.ECN.Enabled }),
		Meaning: "the switches mark; auto: as the others",
	},
	{
		Path: "ecn.min", Default: "auto", Word: "auto", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.ECN.Min }),
		Meaning: "nothing is marked below this queue length; auto: as the others",
		Also:    []string{"kmin"},
	},
	{
		Path: "ecn.max", Default: "auto", Word: "auto", Min: "1B", Max: "1TB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.ECN.Max }),
		Meaning: "everything is marked above this queue length; auto: as the others",
		Also:    []string{"kmax"},
	},
	{
		Path: "ecn.probability", Default: "auto", Word: "auto", Min: "1/1000000", Max: "1",
		value:   in(opt(ratio), func(p *SwitchProfile) *Opt[unit.Ratio] { return &p.ECN.Probability }),
		Meaning: "marking probability just below max; auto: as the others",
		Also:    []string{"pmax"},
	},
	{Path: "pfc", Meaning: "priority flow control, as in fabric.qos.pfc"},
	{
		Path: "pfc.enabled", Default: "auto", Word: "auto",
		value:   in(opt(boolean), func(p *SwitchProfile) *Opt[bool] { return &p.PFC.Enabled }),
		Meaning: "the switches pause their neighbours instead of dropping RoCE data; auto: as the others",
	},
	{
		Path: "pfc.alpha", Default: "auto", Word: "auto", Min: "1/1024", Max: "128",
		value:   in(opt(ratio), func(p *SwitchProfile) *Opt[unit.Ratio] { return &p.PFC.Alpha }),
		Meaning: "xOFF is this times the free shared buffer; auto: as the others",
	},
	{
		Path: "pfc.threshold", Default: "auto", Word: "auto", Other: "none", Min: "1kB", Max: "1TB",
		value:   in(either(byteCount), func(p *SwitchProfile) *Either[unit.Bytes] { return &p.PFC.Threshold }),
		Meaning: "a fixed xOFF per port, instead of alpha; none: alpha; auto: as the others",
		Also:    []string{"xoff"},
	},
	{
		Path: "pfc.resume_offset", Default: "auto", Word: "auto", Min: "0B", Max: "1GB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.PFC.ResumeOffset }),
		Meaning: "xON = xOFF - this; auto: as the others",
		Also:    []string{"xon", "xon_offset"},
	},
	{
		Path: "pfc.headroom", Default: "auto", Word: "auto", Min: "0B", Max: "1GB",
		value:   in(opt(byteCount), func(p *SwitchProfile) *Opt[unit.Bytes] { return &p.PFC.Headroom }),
		Meaning: "buffer per port for what arrives after xOFF; auto: as the others, by formula with this latency and mtu",
	},
}
