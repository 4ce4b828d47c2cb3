// Package lint finds what is wrong with the configurations of switches: each by itself, against each
// other, and against a design.
//
//	netconf.Parsed of each device --+
//	                                +--> Findings: rule, severity, line, reason, fix
//	Design (what is meant), or none-+
//
// A rule has a number, Q01 to Q36. Most look at the neutral model, so they hold for every platform; forms that a
// platform takes otherwise than they are meant are found by its dialect (netconf.Slip).
//
// xOFF counts what an ingress port holds of a class, WRED what waits in an egress queue. They are
// converted before they are compared (Q06): the egress queue of a sender that is alone is what its
// ingress holds, so a pause comes at alpha / (1 + alpha) of the shared part, or at a fixed xOFF. xON
// is not compared with WRED.
//
// Neighbours are compared by what DCBX makes of their settings (package dcbx).
//
// Of Q25 (MLAG or ESI peers) what both tell a NIC is checked, and that each names the other. Of Q17 a reload
// that is pending is found where the files hold what the switch says of it.
//
// Invariants: findings are in the order of files and lines; the same input gives the same findings;
// nothing is found in what the platform was left.
//
// Sources: IEEE 802.1Qbb, 802.1Qaz; DCQCN (SIGCOMM 2015), section 4; vendors' guides: docs/config.md.
package lint
