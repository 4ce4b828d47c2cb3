// Package cause names the reasons for which time passes: one list for every
// message, step, table and report.
//
// Invariant: a Split of a span sums to that span exactly, to the picosecond.
package cause

import "railyard/internal/unit"

// Cause is why an instant passed without the work being finished.
type Cause uint8

// The causes, in the order in which tables and reports show them.
const (
	Compute        Cause = iota // a compute operation ran
	HostPath                    // NVLink, PCIe, NIC latency and the wait for those pipes
	Dependency                  // nothing was posted yet: somebody else had to finish first
	RateLimit                   // the congestion controller paced the sender
	Window                      // the sender's window was full
	Serialisation               // bits of this message were being put on a wire
	Propagation                 // light in a cable
	SwitchLatency               // a switch's pipeline
	Queueing                    // other traffic was served first
	Pause                       // a PFC pause held the queue
	Retransmission              // waiting for, or repeating, bytes that had been sent before
	Count
)

var names = [Count]string{"compute", "host path", "dependency", "rate limit", "window", "serialisation",
	"propagation", "switch latency", "queueing", "pause", "retransmission"}

// String returns the name that tables and reports use.
func (c Cause) String() string { return names[c] }

// Column returns the name as a column of a table: lower case, underscores.
func (c Cause) Column() string {
	b := []byte(names[c])
	for i := range b {
		if b[i] == ' ' {
			b[i] = '_'
		}
	}
	return string(b)
}

// All lists the causes in order.
func All() []Cause {
	all := make([]Cause, Count)
	for i := range all {
		all[i] = Cause(i)
	}
	return all
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
