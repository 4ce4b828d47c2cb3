package eos

import (
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// Frames by default: routed ports and SVIs take IP packets of 1,500 bytes, switched ports frames of the platform's most,
// whatever mtu says there.
const (
	routedFrame   = 1500*unit.Byte + 18
	switchedFrame = 9214*unit.Byte + 18
)

const manual = "EOS user manual"

// defaults are what EOS does where nothing is said.
var defaults = netconf.Defaults{RoutedMTU: routedFrame, SVIMTU: routedFrame, SwitchedMTU: switchedFrame, All: []netconf.Default{
	netconf.FrameDefault("a routed port or an SVI", routedFrame, "", manual+", Data Plane: MTU"),
	netconf.FrameDefault("a switched port", switchedFrame, "", manual+", Data Plane: MTU"),
	{What: "trust", Value: "DSCP of routed ports, CoS of switched ones",
		Source: manual + ", Quality of Service: port trust"},
	{What: "traffic class of CoS 0", Value: "1",
		Source: manual + ", Quality of Service: default CoS to traffic class map"},
	{What: "traffic class of DSCPs", Value: "0-7 in 1, 8-15 in 0, others by eights", Source: manual +
		", Quality of Service: default DSCP to traffic class map"},
	{What: "queue of a traffic class", Value: "of its number", Source: manual + ", Quality of Service"},
	{What: "BFD of a session", Value: "300ms, multiplier 3", Source: manual + ", BFD"},
	{What: "PFC watchdog", Value: "off", Source: manual + ", Priority Flow Control"},
}}
