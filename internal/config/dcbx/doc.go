// Package dcbx is what two ends of a link make of what they tell each other by data centre bridging
// exchange: configured on each side, operational on both.
//
//	End --(what it says: wire.DCBX, wire.CEE)--+
//	                                           +--Resolve--> State of each end
//	End ---------------------------------------+
//
// IEEE (802.1Q-2018 clause 38, from 802.1Qaz):
//
//	PFC   a willing side takes a peer's that is not; of two willing ones the lower MAC address has
//	      its way; two that are not willing have each its own
//	ETS   a willing side takes the peer's recommendation, if there is one; each side by itself
//
// CEE (DCB Capability Exchange Protocol Base Specification 1.01, section 4): a willing side takes the
// other's; of two alike in that, settings that differ put the feature in error, and it is off. It is
// off, too, where a side does not have it, or has it disabled.
//
// Two ends speak IEEE if both can, else CEE; if neither is common to them, each hears nothing: then
// IEEE's own settings hold, and CEE's features are off. A port whose PFC is auto has none then.
//
// Invariants: Resolve is a function of its arguments; each end's state is what that end would have if
// it were asked first; what is not heard changes nothing.
package dcbx
