package frr

import (
	"regexp"
	"slices"

	"railyard/internal/config/netconf/lines"
)

// ifaces are lines of ifupdown2 in a text that has commands of FRR beside them.
var ifaces = regexp.MustCompile(`(?m)^(?:auto|iface) \S`)

// both reads texts that have both.
var both = &block{Known: slices.Concat(ifupdown.Known, knownAtTop), Rules: slices.Concat(ifupdown.Rules, top.Rules)}

// otherFamily is the block of a family that is in no model: VPNs, labels, link states. That a session is active in it is
// all that counts.
var otherFamily = &block{Ends: []string{"exit-address-family", "exit"}, Known: append([]string{"neighbor", "network",
	"distribute", "no", "vrf", "install"}, knownInFamily...), Rules: []rule{
	{Pattern: "neighbor ADDRESS activate", Do: func(r *reader, l *lines.Line) error {
		if err := r.neighbour(l, func(n *peer) { n.other = true }); err != nil {
			return err
		}
		return lines.ErrKnown
	}},
}}

// policed are lines that say what a session takes or gives; what they let through is in no model.
var policed = []rule{
	{Pattern: "neighbor ADDRESS route-map NAME WAY", Do: policy},
	{Pattern: "neighbor ADDRESS prefix-list NAME WAY", Do: policy},
	{Pattern: "neighbor ADDRESS filter-list NAME WAY", Do: policy},
	{Pattern: "neighbor ADDRESS distribute-list NAME WAY", Do: policy},
}

func policy(r *reader, l *lines.Line) error {
	if err := r.neighbour(l, func(n *peer) { n.policy = true }); err != nil {
		return err
	}
	return lines.ErrKnown
}
