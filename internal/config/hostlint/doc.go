// Package hostlint finds what is wrong with GPU servers, by what they say about themselves: each by itself, against each
// other, and against a design.
//
//	hostinfo.Host of each server --+
//	                               +--> lint.Findings: rule, severity, line, reason, fix
//	Design (what is meant), or none+
//
// A rule has a number, H01 to H29, with its source. Findings are of package lint: their severities, places and SARIF are those
// of switches' configurations.
//
// What was not collected is never taken as wrong: a rule looks at values that have a line, and what rests on absence asks
// whether the command that would have said it came to its end and was understood (Host.Complete).
//
// Which NICs count: those of NCCL_IB_HCA where that is set (NCCL user guide: a list of prefixes, = for whole names, ^ for all
// others), else all RDMA ports that are up. Of InfiniBand ports the rules of RoCE say nothing.
//
// Invariants: findings are in the order of hosts, files and lines; the same input gives the same findings. What several NICs of
// a host have in common is one finding with all its lines.
package hostlint
