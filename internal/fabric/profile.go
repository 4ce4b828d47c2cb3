package fabric

import (
	"fmt"

	"railyard/internal/qos"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Profile is how a switch is configured where it is not as the others: it stands for the fields of
// Config with these names. Names and strictness of classes, how long a pause lasts and how soon it acts, when
// a frame's buffer is free and where the frame is charged that crosses xOFF are the same for all.
type Profile struct {
	Classes       []Class
	ClassOf       *[codePoints]uint8 // the class of a frame, by its DSCP; nil: that for which NICs write it
	PFC           PFC
	Buffer        Buffer
	SwitchLatency unit.Duration
	MTU           unit.Bytes
}

// profile returns how a node is configured.
func (c *Config) profile(id topo.NodeID) Profile {
	if c.ProfileOf != nil && c.ProfileOf[id] >= 0 {
		return c.Profiles[c.ProfileOf[id]]
	}
	return c.all()
}

// all is how the switches are configured that have no profile.
func (c *Config) all() Profile {
	return Profile{Classes: c.Classes, PFC: c.PFC, Buffer: c.Buffer, SwitchLatency: c.SwitchLatency, MTU: c.MTU}
}

// validateProfiles reports profiles that are not of the same classes, or that no frame passes.
func (c *Config) validateProfiles() error {
	for i := range c.Profiles {
		p := &c.Profiles[i]
		if err := c.validateClasses(p); err != nil {
			return err
		}
		if p.MTU < c.largest() || p.MTU > 65535 {
			return fmt.Errorf("fabric: MTU %v of a switch: want %v, the largest frame, to 65,535 B", p.MTU, c.largest())
		}
	}
	return nil
}

// largest is the largest frame that anybody sends.
func (c *Config) largest() unit.Bytes {
	if c.LargestFrame == 0 {
		return c.MTU
	}
	return c.LargestFrame
}

// Policy returns the configuration of the switches without a profile in the form that qos takes.
func (c *Config) Policy() qos.Policy {
	p := c.all()
	return p.policy(c)
}

// PolicyOf returns the configuration of a switch.
func (c *Config) PolicyOf(id topo.NodeID) qos.Policy {
	p := c.profile(id)
	return p.policy(c)
}

func (p *Profile) policy(c *Config) qos.Policy {
	q := qos.Policy{PFC: p.PFC, Buffer: p.Buffer, MTU: p.MTU, Frame: c.LargestFrame,
		Pause: c.PauseFrame + c.LinkOverhead, Pipeline: p.SwitchLatency}
	if q.Frame == 0 {
		q.Frame = p.MTU
	}
	for _, cl := range p.Classes {
		q.Classes = append(q.Classes, qos.Class{Lossless: cl.Lossless, ECN: cl.ECN, Drop: cl.Drop})
	}
	return q
}

// configure gives a switch what of its configuration frames meet.
func (n *node) configure(p *Profile) {
	n.reserve, n.resume, n.fixed = int64(p.Buffer.Reserve), int64(p.PFC.ResumeOffset), p.PFC.Threshold != 0
	n.lossyAlpha = qos.Bounded(p.Buffer.LossyAlpha)
	n.lossless = 0
	for c, cl := range p.Classes {
		if cl.Lossless {
			n.lossless |= 1 << c
		}
	}
}
