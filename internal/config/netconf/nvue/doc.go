// Package nvue is the words of NVIDIA Cumulus Linux (NVUE) for quality of service.
//
//	nv set qos roce mode lossless      what RoCE needs, all at once: see roce
//	nv set qos mapping                 DSCPs beside roce's 26 and 48
//	nv set qos congestion-control P    ECN of traffic class 3, in bytes; of a port: profile P
//
// Commands and their sources are in docs/config.md.
//
// Invariants: what Render takes has the classes of roce, 0, 3 and 6; port N of a device is swpN, part M of it
// swpNs(M-1).
package nvue
