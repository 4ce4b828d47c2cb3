package scenario

import (
	"railyard/internal/unit"
)

// switchFields: one entry of fabric.switches. What it does not say is as fabric.switch, fabric.mtu and
// fabric.qos say.
var switchFields = []*Field{
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
