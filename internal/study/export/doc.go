// Package export writes what a run directory holds in the forms of other tools.
//
//	result.Run -> Write -> trace-event JSON (Perfetto)
//	                       OpenMetrics text (Prometheus)
//	                       texts such as operators collect, a folder for each form (dump)
//	                       a CSV file for each table
//
// What a form looks like result and dump say; this room makes the files.
//
// Invariants: a file is there whole or not at all; what was begun when a context ends is left out, what was whole stays.
package export
