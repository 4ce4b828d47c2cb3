package fabric

// Quirks are habits of a simulator that a run is compared with, and of no network. They are off the
// way of frames: nil, and most runs have none.
type Quirks struct {
	// AsScheduled is for an engine with InOrderOfPushing: the end and the arrival of a frame are
	// scheduled when its first bit leaves. So of two events at one instant, the event of the frame
	// that left first comes first. Hosts work after all that was scheduled before, and flows in order
	// of their numbers.
	AsScheduled bool
	// TruncateNS cuts every transmit time to whole nanoseconds, as ns-3 does with the clock that the
	// HPCC authors' simulator ships with.
	TruncateNS bool
}

// scheduled reports whether events of an instant happen in the order in which they were scheduled.
func (q *Quirks) scheduled() bool { return q != nil && q.AsScheduled }

// truncates reports whether times are cut to whole nanoseconds.
func (q *Quirks) truncates() bool { return q != nil && q.TruncateNS }
