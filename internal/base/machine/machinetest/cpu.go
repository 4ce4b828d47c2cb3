// Package machinetest measures benchmarks in CPU time, user and system, beside the time that Go takes:
// a machine that others use has it too, and it counts all cores.
//
//	cpu := machinetest.Start(b)   timer and CPU time run
//	cpu.Stop(); ...; cpu.Start()  what is between is in neither
//	cpu.Report()                  cpu-ns/op
//
// A test that something does not take the square of its size asks Whole.
package machinetest

import (
	"testing"

	"railyard/internal/base/machine"
)

// CPU is the CPU time of a benchmark's operations.
type CPU struct {
	b          *testing.B
	began, sum float64
}

// Start starts the benchmark's timer anew, and measures from now on.
func Start(b *testing.B) *CPU {
	b.ResetTimer()
	return &CPU{b: b, began: machine.CPU()}
}

// Stop stops both: what follows is not measured.
func (c *CPU) Stop() {
	c.b.StopTimer()
	c.sum += machine.CPU() - c.began
}

// Start goes on after Stop.
func (c *CPU) Start() {
	c.began = machine.CPU()
	c.b.StartTimer()
}

// Report ends the measurement, reports the CPU time of an operation, and returns that of all, in
// seconds.
func (c *CPU) Report() float64 {
	c.Stop()
	c.b.ReportMetric(c.sum*1e9/float64(c.b.N), "cpu-ns/op")
	return c.sum
}
