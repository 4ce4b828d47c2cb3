// Package configs makes the configurations of a plan's switches, in no vendor's words: dialects render them.
//
//	plan.Plan -> Inventory -> Routers: names, addresses, sessions
//	          -> FabricConfig, thresholds -> Devices: profiles of ports, pools, watchdog, choice among links
//
// It reads no configuration: switches lays what was read over what a scenario says.
//
// Invariants: thresholds are the values that the engine runs with; what no configuration can say, such as half a percent, is
// an error at its key.
package configs
