// Package telemetry is what a fabric shows of itself to those who run it, as one value: counters of ports and NICs as
// they were read, GPUs, collectives, steps and lines of logs. It holds no path, flow, cause or fault: who judges by it
// knows what an operator knows.
//
//	telemetry.parquet --> Row, Row, ... --+
//	texts of devices  --> Row, Row, ... --+--> Builder --> Telemetry {Series, Collectives, Steps, Lines}
//
// A Series is one port, NIC or GPU over time. Counters are as devices have them: they count from some time on, wrap at
// their width and begin anew after a reboot; Rise says how much was counted between two reads, if that is known. A read
// that failed is Unknown, which is not 0.
//
// Invariants: a series is in order of its device's clock, which need not be that of others; a value is at least 0, or
// Unknown; what a counter counts, its unit and width stand in one table, Counters.
package telemetry
