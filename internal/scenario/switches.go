package scenario

import (
	"fmt"
	"path"

	"railyard/internal/unit"
)

// SwitchProfile is how the switches differ that Match names. What is not set is as fabric says.
type SwitchProfile struct {
	Match                   string // as path.Match has it, without classes
	Latency                 Opt[unit.Duration]
	Buffer, Reserve, MTU    Opt[unit.Bytes]
	DataWeight, OtherWeight Opt[int]
	ECN                     ProfileECN
	PFC                     ProfilePFC
}

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
	switch p.PFC.Threshold.Word {
	case "none":
		q.PFC.Threshold = Opt[unit.Bytes]{}
	case "":
		q.PFC.Threshold = Some(p.PFC.Threshold.Value)
	}
	return f
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
		headers := s.Transport.Frames.MaxHeaders()
		if p.MTU.Set && d.ok("transport.mtu", "transport.frames") && s.Transport.MTU+headers > p.MTU.Value {
			d.problem(at+".mtu", fmt.Sprintf("%s: payload %s and %s of headers do not fit, want at least %s",
				p.MTU.Value, s.Transport.MTU, headers, s.Transport.MTU+headers), "or a smaller transport.mtu")
		}
	}
}
