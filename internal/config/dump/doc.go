// Package dump reads what operators collect of a fabric, as text, into telemetry, and writes telemetry as such texts.
//
//	metrics of node, NIC, switch and GPU exporters --+
//	what commands print, behind their prompts      --+--> Reader --> telemetry.Telemetry, and what was not understood
//	logs, flight recorder                          --+
//	telemetry --> Write --> the same texts
//
// A text is known by what it holds, never by its name. It is a session, where prompts stand in it:
//
//	admin@leaf1:~$ date -Ins
//	2000-01-01T00:00:00,000020+00:00     the time of what follows
//	admin@leaf1:~$ show pfc counters     the device, and the command
//	...
//
// or one thing alone. Which metric is which counter, in which unit, says a table (names.txt, Names).
//
// Invariants: a text of a known form is read whole, or is refused with the place of what is wrong; what is of no known
// form, or has no counter, is listed (Reader.Unread), never dropped silently. What was not printed, or as N/A, is
// unknown and not 0. Times begin with midnight UTC before the earliest. What Write has written, Reader reads as the
// same telemetry, but for what a form has no room for (Lost).
package dump
