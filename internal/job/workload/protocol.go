package workload

import "railyard/internal/base/unit"

// Protocol is how the messages of a collective travel, beside what links and networks take: what a
// collective library puts round them. The zero Protocol adds nothing.
type Protocol struct {
	// Data of each Line bytes on a link are data, the rest says that they are there. 0: all are.
	Data, Line unit.Bytes
	// OnSwitch says that Data and Line are of messages that a switch adds up or copies alone.
	OnSwitch bool
	// Launch is what a collective takes before its first message, its kernel's launch included.
	Launch unit.Duration
	// Inside is what a message inside a host takes beside the link, which may be less than nothing:
	// the link's latency is of messages without a protocol. Between is what one between hosts takes
	// beside the network: the receiver finds out that it is there.
	Inside, Between unit.Duration
	// Rate is the most data per time that a rank sends another over NVLink on a channel. 0: no limit.
	Rate unit.Bitrate
}

// Wire returns the bytes that links carry for so many bytes of data: whole lines. bySwitch says that
// a switch adds up or copies them.
func (p *Protocol) Wire(n int64, bySwitch bool) int64 {
	if p == nil || p.Line == 0 || p.OnSwitch && !bySwitch {
		return n
	}
	return (n + int64(p.Data) - 1) / int64(p.Data) * int64(p.Line)
}

// launch sets what a collective takes before its first message: its kernel's launch, or more by the
// protocol, if there is one.
func (op *Op) launch(kernel unit.Duration, p *Protocol) {
	if op.Duration = kernel; p != nil {
		op.Duration = max(kernel, p.Launch)
	}
	op.Launch = op.Duration
}

// SetProtocols gives the collectives of the job protocols, nil: none.
func (j *Job) SetProtocols(of func(*Collective) *Protocol) {
	for i := range j.Collectives {
		j.Collectives[i].Protocol = of(&j.Collectives[i])
	}
	for i := range j.Programs {
		for k := range j.Programs[i].Ops {
			if op := &j.Programs[i].Ops[k]; op.Coll >= 0 && j.Collectives[op.Coll].Protocol != nil {
				op.launch(op.Duration, j.Collectives[op.Coll].Protocol)
			}
		}
	}
}
