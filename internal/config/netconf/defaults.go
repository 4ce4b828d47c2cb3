package netconf

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// A Default is what a platform does where a configuration says nothing.
type Default struct {
	What    string `json:"what"`
	Value   string `json:"value"`
	Release string `json:"release,omitempty"` // and platform, where others differ
	Source  string `json:"source"`
}

// Defaults are those of a platform.
type Defaults struct {
	// The largest frame, header and FCS included, of a port that is switched, of one that is routed, and of an SVI; 0: not
	// known.
	SwitchedMTU unit.Bytes `json:"switched_frame_bytes,omitempty"`
	RoutedMTU   unit.Bytes `json:"routed_frame_bytes,omitempty"`
	SVIMTU      unit.Bytes `json:"svi_frame_bytes,omitempty"`
	// All lists them with their sources, for people.
	All []Default `json:"all,omitempty"`
}

// FrameDefault is a default of frames, for people.
func FrameDefault(what string, frame unit.Bytes, release, source string) Default {
	return Default{What: "largest frame of " + what, Value: fmt.Sprint(frame), Release: release, Source: source}
}

// Frame is the largest frame of an interface, and whether the configuration says it; 0: not known.
func (p *Parsed) Frame(i *Interface) (frame unit.Bytes, said bool) {
	switch {
	case i.MTU != 0:
		return i.MTU, true
	case i.Kind == SVI:
		return p.Defaults.SVIMTU, false
	case i.Kind == Loopback:
		return 0, false
	case i.Routed || len(i.Addresses) > 0:
		return p.Defaults.RoutedMTU, false
	}
	return p.Defaults.SwitchedMTU, false
}

// InVLANs are the VLANs that a port is in, as far as is known.
func (i *Interface) InVLANs() (all VLANs) {
	if i.Trunk {
		if all = i.Allowed; len(all) == 0 {
			all = VLANs{{1, 4094}}
		}
	}
	if i.VLAN > 0 && i.VLAN < 4095 {
		all = append(slices.Clip(all), [2]int{i.VLAN, i.VLAN})
	}
	return all
}
