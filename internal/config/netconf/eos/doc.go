// Package eos is the words of Arista EOS for quality of service.
//
//	qos map dscp ... to traffic-class     one for the device
//	qos map traffic-class ... to tx-queue one for the device
//	qos profile NAME                      PFC, and of each queue: scheduling, ECN
//	interface EthernetN                   service-profile NAME
//
// Commands and their sources are in docs/config.md.
//
// Invariants: what Fit returns of a device that pauses by the number of its classes, Render takes;
// port N of a device is EthernetN, part M of it EthernetN/M.
package eos
