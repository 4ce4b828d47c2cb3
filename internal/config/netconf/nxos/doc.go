// Package nxos is the words of Cisco NX-OS (Nexus 9000) for quality of service, LLDP, load balancing,
// addresses, VLANs and BGP with BFD.
//
//	class-map type qos      DSCP        --> name                 step 1
//	policy-map type qos     name        --> qos-group            step 2
//	policy-map type queuing qos-group n --> queue c-out-8q-qn    step 3
//	policy-map type network-qos: pause, MTU                      step 4
//	watchdog                                                     step 5
//	system qos, interface: where policies hold                   step 6
//
// The steps are those of examples 11-1 to 11-7 of T. Pasanen, Deep Learning for Network Engineers,
// 2025; names are the book's. Commands and their sources are in docs/config.md.
//
// Lines are a tree here (blocks), and not played by netconf/lines as those of other dialects: blocks
// are made by indentation alone and end without a word, the block of a range is read once for each
// port, and what a policy or a template says is read when all names are known, for it may come after
// its use. lines plays each line once, in order, and has a block end at a command of an outer one.
//
// Invariants: what Fit returns, Render takes; a queuing policy lists all eight queues; a queue has the
// number of its traffic class.
package nxos
