package lint

import "slices"

// A Rule is one of the checks.
type Rule struct {
	ID, Title, Reason, Fix string
}

// Rules are all of them, by number.
var Rules = []Rule{
	{"Q01", "DSCPs agree on all devices", "a packet is in another class at the next hop", "one map for all devices"},
	{"Q02", "RoCE data is in a class that pauses, at every hop",
		"it is dropped where it is not, and go-back-N repeats all after it",
		"map its DSCP to the class that pauses"},
	{"Q03", "CNPs do not pause and go first",
		"a CNP that waits behind data comes too late, and one in the class that pauses stops with it",
		"a class of its own for CNPs, strict, without PFC"},
	{"Q04", "ECN marks in the class that pauses", "without marks senders slow down only when they are paused",
		"a WRED profile with ECN on its queue"},
	{"Q05", "WRED min is below max", "equal values mark nothing, then everything", "min below max"},
	{"Q06", "ECN acts before PFC", "pauses take the place of congestion control and spread",
		"a lower WRED max, or a higher xOFF"},
	{"Q07", "headroom holds what arrives after xOFF", "what has no room is dropped though PFC is on",
		"headroom by cable, rate and frame"},
	{"Q08", "marking scales with the rate", "a queue drains in half the time at twice the rate",
		"min and max in proportion to the rate"},
	{"Q09", "few priorities pause", "each takes headroom of every port", "PFC on one or two priorities"},
	{"Q10", "the PFC watchdog is on and can act", "one stuck neighbour stops the fabric",
		"a watchdog on each port with PFC"},
	{"Q11", "the class that pauses is for RoCE alone", "other traffic is paused, and fills its buffer",
		"only RoCE's DSCPs in it"},
	{"Q12", "MTUs are equal and large enough", "frames that are too long are dropped",
		"one MTU, at least RDMA's and its headers"},
	{"Q13", "ports of one role are configured alike", "one forgotten port drops, or is paused for ever",
		"the same profile on all"},
	{"Q14", "NX-OS: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q15", "EOS: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q16", "Junos: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q17", "NX-OS DLB: one MAC, no egress policy",
		"no egress policy acts on its traffic, and a switch with another MAC does not take part",
		"the same mac-address on all; count marks at its ports"},
	{"Q18", "tiers hash with different seeds",
		"a second tier does not spread what the first one chose (polarisation)",
		"another seed for each tier"},
	{"Q19", "no buffers wait for each other in a circle", "with PFC all of them may stand still for ever",
		"one AS for all spines, so that no path goes down and up again; a watchdog"},
	{"Q20", "every line is understood", "what is not read is not checked", "see the line"},
	{"Q21", "watchdog and stock ECN by the platform's words",
		"the line is refused, or RoCE's class is not marked", "see the finding"},
	{"Q22", "LLDP and DCBX are on where PFC is auto", "without DCBX auto is off",
		"LLDP with DCBX on both ports, or PFC on"},
	{"Q23", "neighbours agree on PFC and shares", "one pauses a priority that the other does not",
		"the same on both ends"},
	{"Q24", "neighbours speak one DCBX", "IEEE and CEE do not understand each other",
		"the same version on both ends"},
	{"Q25", "switches that share NICs agree on them", "what a NIC gets depends on which of its ports is up",
		"the same VLAN, gateway, MTU, rate and priorities on all of them, one domain, and each the other's address"},
	{"Q26", "VLANs, VXLANs, subnets and summaries nest", "a summary without a subnet draws packets to nowhere",
		"summaries of what is there"},
	{"Q27", "addresses and subnets are one device's each", "packets go to whoever answered last",
		"one address for each end, and a subnet of its own for each link and rail"},
	{"Q28", "neighbours name each other's AS", "the session does not come up", "the AS that the other end has"},
	{"Q29", "both ends of a session have it, and it can be reached",
		"the session does not come up, and its link carries nothing",
		"the session on both ends, with an address of the link"},
	{"Q30", "BFD is on at both ends", "nobody answers: a failure is seen after the hold time only",
		"BFD at both ends, or at none"},
	{"Q31", "equal paths are used", "all packets take one of several links",
		"maximum-paths of at least the number of uplinks"},
	{"Q32", "what BGP originates is there", "a network that no interface has is never told",
		"the subnet of an interface"},
	{"Q33", "what is defined is used", "it has no effect until it is attached", "attach it, or take it away"},
	{"Q34", "what the design pauses the device pauses", "RoCE data is dropped where nothing pauses",
		"attach the policies to ports"},
	{"Q35", "devices are those of the design", "what has no place in the design is compared with nothing",
		"the host name of the design, or --map HOSTNAME=SWITCH"},
	{"Q36", "cables are where addresses and the design have them", "no session comes up on the link, or hosts are on another rail",
		"move the cable, or the addresses"},
}

// RuleOf returns a rule by its number.
func RuleOf(id string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{ID: id}
	}
	return Rules[i]
}
