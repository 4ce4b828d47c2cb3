package fabric

import (
	"fmt"
	"slices"
)

// Switches may put frames into other classes than NICs do, and give classes other priorities.
//
//	NIC: class 0, DSCP 24 --> switch: DSCP 24 is class 1 --> next switch: DSCP 24 is class 0
//
// A frame keeps its DSCP, and is in the class that the switch where it is has for that. A PFC frame names a
// priority: it holds the class that has this priority where it arrives, and none if no class has it.

// codePoints is how many DSCPs there are (RFC 2474).
const codePoints = 64

// classes is what switches make of DSCPs and priorities.
type classes struct {
	of []*[codePoints]uint8 // by link, where it leads to: the class of a DSCP; nil: frames keep their class
}

// validateClasses reports a port whose classes cannot be told apart, or that are not those of the others.
func (c *Config) validateClasses(p PortProfile) error {
	if len(p.Classes) != len(c.Classes) {
		return fmt.Errorf("fabric: a switch with %d traffic classes among others with %d", len(p.Classes), len(c.Classes))
	}
	for k := range p.Classes {
		own := &p.Classes[k]
		if !own.Strict && own.Weight <= 0 || own.Priority > 7 {
			return fmt.Errorf("fabric: class %s of a switch is not that of the others", own.Name)
		}
		for _, other := range p.Classes[:k] {
			if other.Priority == own.Priority {
				return fmt.Errorf("fabric: classes %s and %s of a switch share priority %d", other.Name, own.Name, own.Priority)
			}
		}
	}
	if p.ClassOf == nil {
		return nil
	}
	if len(c.DSCP) != len(c.Classes) {
		return fmt.Errorf("fabric: a switch looks at DSCPs, and there are %d for %d classes", len(c.DSCP), len(c.Classes))
	}
	for _, class := range p.ClassOf {
		if int(class) >= len(c.Classes) {
			return fmt.Errorf("fabric: a switch puts frames into class %d of %d", class, len(c.Classes))
		}
	}
	return nil
}

// Remaps reports whether a frame may be in another class at a switch than the one for which its NIC sent it: then
// packets carry their DSCP.
func (c *Config) Remaps() bool {
	remaps := c.Untagged != nil
	for i := range c.Profiles {
		p := &c.Profiles[i]
		remaps = remaps || p.ClassOf != nil || slices.ContainsFunc(p.Ports, func(o PortProfile) bool { return o.ClassOf != nil })
	}
	if c.Faults != nil {
		for i := range c.Faults.Settings {
			remaps = remaps || c.Faults.Settings[i].ClassOf != nil
		}
	}
	return remaps
}

// untagged is the class of frames of any DSCP that have no tag.
func (c *Config) untagged() *[codePoints]uint8 {
	var of [codePoints]uint8
	for i := range of {
		of[i] = *c.Untagged
	}
	return &of
}

// strictOf are the strict classes, in order of service.
func strictOf(classes []Class) (strict []uint8) {
	for prio := 7; prio >= 0; prio-- {
		for c, cl := range classes {
			if cl.Strict && int(cl.Priority) == prio {
				strict = append(strict, uint8(c))
			}
		}
	}
	return strict
}

// classOf returns the class of each DSCP at a port of a switch: its own map, or the classes for which NICs write it. Where it
// looks at tags that is the class which has the priority of the NIC's there.
func (c *Config) classOf(p *PortProfile) *[codePoints]uint8 {
	if p.ClassOf != nil {
		return p.ClassOf
	}
	if c.Untagged != nil {
		of := c.untagged()
		for class, dscp := range c.DSCP {
			for own := range p.Classes {
				if p.Classes[own].Priority == c.Classes[class].Priority {
					of[dscp%codePoints] = uint8(own)
				}
			}
		}
		return of
	}
	var of [codePoints]uint8
	for class, dscp := range c.DSCP {
		of[dscp%codePoints] = uint8(class)
	}
	return &of
}
