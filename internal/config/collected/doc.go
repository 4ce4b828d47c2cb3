// Package collected reads what was collected of devices and lies in folders: configurations of switches, what GPU servers say
// of themselves, what devices hear by LLDP, what operators dump. It is a stranger's: each kind has a bound on files and bytes,
// and what is named by mistake shows none of its words.
//
//	FILE, folder of a device, folder of such folders -> Paths -> Files -> Read -> Device (netconf.Parsed)
//	folders of hosts                                 -> Hosts -> hostinfo.Host
//	tables of neighbours                             -> LLDP  -> what lint.Device hears
//	a folder of texts                                -> Shown -> telemetry, graph, Dump (what was made of each file)
//
// What a text means its own room says (netconf, hostinfo, lldp, dump); this one finds the texts, and says which are of no
// use.
//
// Invariant: what is read of a folder does not depend on where it lies; files are taken in the order of their names.
package collected
