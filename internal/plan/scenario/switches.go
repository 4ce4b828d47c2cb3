package scenario

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// SwitchProfile is how the switches differ that Match names. What is not set is as fabric says.
type SwitchProfile struct {
	Match                   string // as path.Match has it, without classes
	Latency                 Opt[unit.Duration]
	Buffer, Reserve, MTU    Opt[unit.Bytes]
	DataWeight, OtherWeight Opt[int]
	ECN                     ProfileECN
	PFC                     ProfilePFC

	// DSCP and CNPDSCP are the code points that the switches take for RoCE data and CNPs.
	DSCP, CNPDSCP                            Opt[int]
	DataPriority, CNPPriority, OtherPriority Opt[int]

	Hash      ProfileHash
	Balance   Opt[Balancer] // of SwitchBalancers
	Flowlet   ProfileFlowlet
	DLB       ProfileDLB
	Spray     ProfileSpray
	Resilient ProfileResilient
}

// ProfileHash is how the switches of a SwitchProfile hash.
type ProfileHash struct{ Function, Fields, Seed Opt[string] }

// ProfileFlowlet is what a SwitchProfile has of Flowlet.
type ProfileFlowlet struct{ Gap Opt[unit.Duration] }

// ProfileDLB is what it has of DLB.
type ProfileDLB struct {
	Mode               Opt[string]
	Gap, Sampling      Opt[unit.Duration]
	LoadMin, LoadMax   Opt[unit.Ratio]
	QueueMin, QueueMax Opt[unit.Bytes]
	Weight             Opt[unit.Ratio]
}

// ProfileSpray is what it has of Spray.
type ProfileSpray struct {
	Pick                    Opt[string]
	Samples, Memory, Grades Opt[int]
	QueueMin, QueueMax      Opt[unit.Bytes]
}

// ProfileResilient is what it has of Resilient.
type ProfileResilient struct{ Buckets Opt[int] }

// ProfileECN is the marking of a SwitchProfile.
type ProfileECN struct {
	Enabled     Opt[bool]
	Min, Max    Opt[unit.Bytes]
	Probability Opt[unit.Ratio]
}

// ProfilePFC is the priority flow control of a SwitchProfile.
type ProfilePFC struct {
	Enabled      Opt[bool]
	Alpha        Opt[unit.Ratio]
	Threshold    Either[unit.Bytes] // auto, or none
	ResumeOffset Opt[unit.Bytes]
	Headroom     Opt[unit.Bytes]
}

// SwitchesKey is the key that gives switches what they have that differ from the others.
func (f *Fabric) SwitchesKey() string {
	if f.Config.Set {
		return "fabric.config"
	}
	return "fabric.switches"
}

// Matches reports whether a switch with this name is meant.
func (p *SwitchProfile) Matches(name string) bool {
	ok, _ := path.Match(p.Match, name)
	return ok
}

// With returns the fabric as a switch with a profile has it.
func (f Fabric) With(p *SwitchProfile) Fabric {
	q := &f.QoS
	f.Switch.Latency, f.Switch.Buffer = p.Latency.Or(f.Switch.Latency), p.Buffer.Or(f.Switch.Buffer)
	f.Switch.Reserve, f.MTU = p.Reserve.Or(f.Switch.Reserve), p.MTU.Or(f.MTU)
	q.DataWeight, q.OtherWeight = p.DataWeight.Or(q.DataWeight), p.OtherWeight.Or(q.OtherWeight)
	q.ECN.Enabled = p.ECN.Enabled.Or(q.ECN.Enabled)
	q.ECN.Min, q.ECN.Max = over(p.ECN.Min, q.ECN.Min), over(p.ECN.Max, q.ECN.Max)
	q.ECN.Probability = over(p.ECN.Probability, q.ECN.Probability)
	q.PFC.Enabled, q.PFC.Alpha = p.PFC.Enabled.Or(q.PFC.Enabled), p.PFC.Alpha.Or(q.PFC.Alpha)
	q.PFC.ResumeOffset = p.PFC.ResumeOffset.Or(q.PFC.ResumeOffset)
	if p.PFC.Headroom.Set {
		q.PFC.Headroom, q.PFC.HeadroomDelays = p.PFC.Headroom, Opt[int]{}
	}
	q.DSCP, q.CNPDSCP = p.DSCP.Or(q.DSCP), p.CNPDSCP.Or(q.CNPDSCP)
	q.DataPriority, q.CNPPriority = p.DataPriority.Or(q.DataPriority), p.CNPPriority.Or(q.CNPPriority)
	q.OtherPriority = p.OtherPriority.Or(q.OtherPriority)
	p.choose(&f)
	switch p.PFC.Threshold.Word {
	case "none":
		q.PFC.Threshold = Opt[unit.Bytes]{}
	case "":
		q.PFC.Threshold = Some(p.PFC.Threshold.Value)
	}
	return f
}

// choose sets how a switch chooses among equal links.
func (p *SwitchProfile) choose(f *Fabric) {
	h, d, s := &f.Hash, &f.DLB, &f.Spray
	h.Function, h.Fields, h.Seed = p.Hash.Function.Or(h.Function), p.Hash.Fields.Or(h.Fields), p.Hash.Seed.Or(h.Seed)
	if p.Hash.Seed.Set {
		h.Role = p.Match
	}
	f.Balance, f.Flowlet.Gap = p.Balance.Or(f.Balance), p.Flowlet.Gap.Or(f.Flowlet.Gap)
	d.Mode, d.Gap, d.Sampling = p.DLB.Mode.Or(d.Mode), p.DLB.Gap.Or(d.Gap), p.DLB.Sampling.Or(d.Sampling)
	d.LoadMin, d.LoadMax = p.DLB.LoadMin.Or(d.LoadMin), p.DLB.LoadMax.Or(d.LoadMax)
	d.QueueMin, d.QueueMax = p.DLB.QueueMin.Or(d.QueueMin), p.DLB.QueueMax.Or(d.QueueMax)
	d.Weight = p.DLB.Weight.Or(d.Weight)
	s.Pick, s.Samples, s.Memory = p.Spray.Pick.Or(s.Pick), p.Spray.Samples.Or(s.Samples), p.Spray.Memory.Or(s.Memory)
	s.Grades = p.Spray.Grades.Or(s.Grades)
	s.QueueMin, s.QueueMax = p.Spray.QueueMin.Or(s.QueueMin), p.Spray.QueueMax.Or(s.QueueMax)
	f.Resilient.Buckets = p.Resilient.Buckets.Or(f.Resilient.Buckets)
}

// Idle returns the groups of parameters that an entry gives and a switch does not use that is as f says.
func (p *SwitchProfile) Idle(f *Fabric) (keys []string) {
	idle := func(key string, given, used bool) {
		if given && !used {
			keys = append(keys, key)
		}
	}
	idle("flowlet", p.Flowlet != ProfileFlowlet{}, f.Balance == BalanceFlowlet)
	idle("dlb", p.DLB != ProfileDLB{}, f.Balance.WeighsLinks())
	idle("dlb.gap", p.DLB.Gap.Set, f.DLB.Mode == "flowlet")
	idle("spray", p.Spray != ProfileSpray{}, f.Balance == BalanceSpray)
	idle("spray.samples", p.Spray.Samples.Set, f.Spray.Pick == "drill")
	idle("spray.memory", p.Spray.Memory.Set, f.Spray.Pick == "drill")
	idle("spray.grades", p.Spray.Grades.Set, f.Spray.Pick == "least-queue")
	idle("spray.queue_min", p.Spray.QueueMin.Set, f.Spray.Pick == "least-queue")
	idle("spray.queue_max", p.Spray.QueueMax.Set, f.Spray.Pick == "least-queue")
	idle("resilient", p.Resilient != ProfileResilient{}, f.Balance == BalanceResilient)
	return keys
}

// over is a value if it is set, else what lies below it.
func over[T any](own, below Opt[T]) Opt[T] {
	if own.Set {
		return own
	}
	return below
}

// checkSwitches reports entries of fabric.switches that do nothing, or that make no switch.
func (d *decoder) checkSwitches(s *Scenario) {
	for i := range s.Fabric.Switches {
		p, at := &s.Fabric.Switches[i], fmt.Sprintf("fabric.switches[%d]", i)
		if !d.clean(at, switchFields) {
			continue
		}
		own := *p
		if own.Match = ""; own == (SwitchProfile{PFC: ProfilePFC{Threshold: Either[unit.Bytes]{Word: "auto"}}}) {
			d.problem(at, "does nothing, want buffer, latency, ecn or another key as well", "")
			continue
		}
		f := s.Fabric.With(p)
		if curve := curveProblem(s, &f); curve != "" && d.ok("fabric.qos.ecn", "fabric.links") {
			d.problem(d.culprit(at+".ecn.min", at+".ecn.max", at), curve, "")
		}
		if t := f.QoS.PFC.Threshold; t.Set && d.ok("fabric.qos.pfc", "fabric.switch") {
			if text := xonProblem(&f); text != "" {
				d.problem(d.culprit(at+".pfc.resume_offset", at+".pfc.threshold", at), text, "")
			}
			if t.Value > f.Switch.Buffer {
				d.problem(d.culprit(at+".pfc.threshold", at+".buffer", at), fmt.Sprintf(
					"threshold %s is larger than the buffer, %s: PFC would never act", t.Value, f.Switch.Buffer), "")
			}
		}
		d.checkSwitchClasses(s, p, &f, at)
		d.checkSwitchBalance(s, p, &f, at)
		headers := s.Transport.Frames.MaxHeaders()
		if p.MTU.Set && d.ok("transport.mtu", "transport.frames") && s.Transport.MTU+headers > p.MTU.Value {
			d.problem(at+".mtu", fmt.Sprintf("%s: payload %s and %s of headers do not fit, want at least %s",
				p.MTU.Value, s.Transport.MTU, headers, s.Transport.MTU+headers), "or a smaller transport.mtu")
		}
	}
}

// checkSwitchClasses reports an entry whose switches cannot tell classes apart. f is the fabric as they have it.
func (d *decoder) checkSwitchClasses(s *Scenario, p *SwitchProfile, f *Fabric, at string) {
	q := &f.QoS
	classes := []struct {
		key   string
		given bool
		value int
	}{
		{"data_priority", p.DataPriority.Set, q.DataPriority},
		{"cnp_priority", p.CNPPriority.Set, q.CNPPriority},
		{"other_priority", p.OtherPriority.Set, q.OtherPriority},
		{"dscp", p.DSCP.Set, q.DSCP},
		{"cnp_dscp", p.CNPDSCP.Set, q.CNPDSCP},
	}
	for i, a := range classes {
		if a.given && q.Classes == "data" && a.key != "data_priority" && d.ok("fabric.qos.classes") {
			d.problem(at+"."+a.key, "fabric.qos.classes is data: there is no other class", "fabric.qos.classes: all")
			continue
		}
		for _, b := range classes[:i] {
			if (i < 3) == (b.key != "dscp") && a.value == b.value && (a.given || b.given) && d.ok("fabric.qos") {
				path := at + "." + a.key
				if !a.given {
					path = at + "." + b.key
				}
				d.problem(path, fmt.Sprintf("%d: %s and %s of these switches must differ", a.value, b.key, a.key), "")
			}
		}
	}
}

// checkSwitchBalance reports an entry that gives switches a method which does not go with that of the others, or
// bounds that do not bound anything.
func (d *decoder) checkSwitchBalance(s *Scenario, p *SwitchProfile, f *Fabric, at string) {
	if all := s.Fabric.Balance; p.Balance.Set && all.WholeWay() && d.ok("fabric.balance") {
		d.problem(at+".balance", fmt.Sprintf("fabric.balance is %s: it chooses whole paths, and no switch may differ", all),
			"another fabric.balance")
		return
	}
	if !d.ok("fabric.dlb") {
		return
	}
	if p.DLB.LoadMin.Set || p.DLB.LoadMax.Set {
		if f.DLB.LoadMax.Den > 0 && f.DLB.LoadMin.Cmp(f.DLB.LoadMax) >= 0 {
			d.problem(d.culprit(at+".dlb.load_max", at+".dlb.load_min"),
				fmt.Sprintf("load_max %s: want more than load_min, %s", f.DLB.LoadMax, f.DLB.LoadMin), "")
		}
	}
	if (p.DLB.QueueMin.Set || p.DLB.QueueMax.Set) && f.DLB.QueueMax > 0 && f.DLB.QueueMin >= f.DLB.QueueMax {
		d.problem(d.culprit(at+".dlb.queue_max", at+".dlb.queue_min"),
			fmt.Sprintf("queue_max %s: want more than queue_min, %s", f.DLB.QueueMax, f.DLB.QueueMin), "")
	}
	if !d.ok("fabric.spray") {
		return
	}
	if (p.Spray.QueueMin.Set || p.Spray.QueueMax.Set) && f.Spray.QueueMax > 0 && f.Spray.QueueMin >= f.Spray.QueueMax {
		d.problem(d.culprit(at+".spray.queue_max", at+".spray.queue_min"),
			fmt.Sprintf("queue_max %s: want more than queue_min, %s", f.Spray.QueueMax, f.Spray.QueueMin), "")
	}
}

// A Difference is a key of fabric that a switch has otherwise than the others: "-" where it means nothing to them.
type Difference struct {
	Key    string `json:"key"` // as below fabric
	Own    string `json:"own"`
	Others string `json:"others"`
}

// Differences returns what a switch has otherwise that is as f says, in the order of the table.
func (s *Scenario) Differences(f *Fabric) (all []Difference) {
	own := *s
	own.Fabric = *f
	for _, x := range slices.Concat(fabricFields, balanceFields) {
		if x.at(s) == nil || x.List() != nil || x.Unfit(&own) != "" {
			continue
		}
		d := Difference{strings.TrimPrefix(x.Path, "fabric."), x.format(x.at(&own)), "-"}
		if x.Unfit(s) == "" {
			d.Others = x.format(x.at(s))
		}
		if d.Own != d.Others {
			all = append(all, d)
		}
	}
	return all
}
