// Package intent says what the devices of a plan are meant to be: what configurations of switches and what
// GPU servers say of themselves is held against it.
//
//	plan.Plan -> Switches -> lint.Design      DSCPs, frames, neutral configurations, cables
//	          -> Hosts    -> hostlint.Design  DSCPs, MTU, leaves, ports, addresses
//	          -> HostOf   -> Host             all that one host is to say, with commission's checks
//	hosts that were read -> Written -> lint.Hosts, where there is no plan
//
// It judges nothing: lint and hostlint do.
//
// Invariant: a value is a function of the plan, or of what hosts say: nothing is assumed beside them.
package intent
