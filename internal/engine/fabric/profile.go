package fabric

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// Profile is how a switch is configured where it is not as the others: it stands for the fields of
// Config with these names. Names of classes, how long a pause lasts and how soon it acts, when a frame's
// buffer is free and where the frame is charged that crosses xOFF are the same for all.
type Profile struct {
	Classes       []Class
	ClassOf       *[codePoints]uint8 // the class of a frame, by its DSCP; nil: that for which NICs write it
	PFC           PFC
	Buffer        Buffer
	SwitchLatency unit.Duration
	MTU           unit.Bytes
	Ports         []PortProfile // where its ports differ, in the order of its ports; nil: none does
}

// PortProfile is where a port is configured otherwise than its switch. What is nil is as the switch has it.
type PortProfile struct {
	Classes  []Class            // names and priorities are the switch's
	ClassOf  *[codePoints]uint8 // the class of a frame that comes in by it
	XOFF     *qos.XOFF          // of what comes in by it
	Headroom *unit.Bytes        // of each class under PFC
	Deaf     uint8              // bit c: class c does not heed PFC frames
}

// port is where port k of the switch differs.
func (p *Profile) port(k int) (own PortProfile) {
	if p.Ports != nil {
		own = p.Ports[k]
	}
	if own.Classes == nil {
		own.Classes = p.Classes
	}
	if own.ClassOf == nil {
		own.ClassOf = p.ClassOf
	}
	return own
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
		for k := range max(len(p.Ports), 1) {
			if err := c.validateClasses(p.port(k)); err != nil {
				return err
			}
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
	q.Classes = thresholdClasses(p.Classes)
	for k := range p.Ports {
		own := &p.Ports[k]
		q.Ports = append(q.Ports, qos.PortPolicy{Classes: thresholdClasses(own.Classes), XOFF: own.XOFF, Headroom: own.Headroom})
	}
	return q
}

// thresholdClasses are classes as thresholds need them; nil of nil.
func thresholdClasses(classes []Class) (all []qos.Class) {
	for _, cl := range classes {
		all = append(all, qos.Class{Lossless: cl.Lossless, ECN: cl.ECN, Drop: cl.Drop})
	}
	return all
}
