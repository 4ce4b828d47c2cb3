// Package cause names the reasons for which time passes: one list for every
// message, step, table and report.
//
// Invariant: a Split of a span sums to that span exactly, to the picosecond.
package cause

import (
	"strings"

	"railyard/internal/base/unit"
)

// Cause is why an instant passed without the work being finished.
type Cause uint8

// The causes, in the order in which tables and reports show them.
const (
	Compute         Cause = iota // a compute operation ran
	NVLink                       // NVLink, and the wait for it
	PCIe                         // PCIe between a GPU and its NIC, and the wait for it
	NIC                          // a NIC's own latency, sending and receiving
	Dependency                   // nothing was posted yet: another rank had to finish first
	Acknowledgement              // the data had arrived, its acknowledgement was on the way back
	RateLimit                    // the congestion controller paced the sender
	Window                       // the sender's window was full
	Serialisation                // bits of this message were being put on a wire
	Propagation                  // light in a cable
	SwitchLatency                // a switch's pipeline
	OwnQueueing                  // earlier packets of the same queue pair were served first
	Queueing                     // other traffic was served first
	Pause                        // a PFC pause held the queue
	Retransmission               // waiting for, or repeating, bytes that had been sent before
	Count
)

// about is all that is said of a cause anywhere: its name and what happens in its time.
var about = [Count]struct{ name, meaning string }{
	Compute:         {"compute", "a compute operation ran"},
	NVLink:          {"NVLink", "bytes crossed NVLink, or waited for it"},
	PCIe:            {"PCIe", "bytes crossed PCIe between a GPU and its NIC, or waited for it"},
	NIC:             {"NIC", "a NIC took its own time to send or to receive"},
	Dependency:      {"dependency", "a rank waited for data that another rank had not sent yet"},
	Acknowledgement: {"acknowledgement", "a rank waited for the acknowledgement of what it had sent"},
	RateLimit:       {"rate limit", "the congestion controller held a sender back"},
	Window:          {"window", "a sender's window was full and it waited for acknowledgements"},
	Serialisation:   {"serialisation", "bits of the message were being transmitted"},
	Propagation:     {"propagation", "bits were in flight in a cable"},
	SwitchLatency:   {"switch latency", "a packet was in the pipeline of a switch"},
	OwnQueueing:     {"own queueing", "earlier packets of the same queue pair were served first"},
	Queueing:        {"queueing", "packets of others were served first"},
	Pause:           {"pause", "a PFC pause held the packets"},
	Retransmission:  {"retransmission", "a sender waited for, or repeated, what it had sent before"},
}

// String returns the name that tables and reports use.
func (c Cause) String() string { return about[c].name }

// Meaning says in a clause what happens in the time of the cause.
func (c Cause) Meaning() string { return about[c].meaning }

// Column returns the name as a column of a table: lower case, underscores.
func (c Cause) Column() string { return strings.ReplaceAll(strings.ToLower(about[c].name), " ", "_") }

// All lists the causes in order.
func All() []Cause {
	all := make([]Cause, Count)
	for i := range all {
		all[i] = Cause(i)
	}
	return all
}

// Segment is part of a span: up to Until, Cause held it up.
type Segment struct {
	Until unit.Time
	Cause Cause
	At    int32 // where: a number that means something to whoever made it; -1: nowhere in particular
}

// Split is a span of time divided among the causes.
type Split [Count]unit.Duration

// Sum returns the whole span.
func (s *Split) Sum() unit.Duration {
	var t unit.Duration
	for _, d := range s {
		t += d
	}
	return t
}

// Add adds o to s, cause by cause.
func (s *Split) Add(o *Split) {
	for i := range s {
		s[i] += o[i]
	}
}

// Sub subtracts o from s, cause by cause.
func (s *Split) Sub(o *Split) {
	for i := range s {
		s[i] -= o[i]
	}
}
