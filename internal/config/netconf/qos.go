package netconf

import (
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// QoS is what a device does with traffic classes.
//
//	DSCP --Classify--> traffic class --Queue--> egress queue: strict or a share, ECN
//	                        '--Pause--> priority that its PFC frames name, buffer of its ingress
type QoS struct {
	Profiles []Profile `json:"profiles"` // of its ports; Interface.QoS names one
	Watchdog Watchdog  `json:"watchdog,omitzero"`
	Pools    Pools     `json:"pools,omitzero"`
}

// CodePoints is how many DSCPs there are (RFC 2474).
const CodePoints = 64

// Classes is how many traffic classes, queues and priorities there are (IEEE 802.1Q).
const Classes = 8

// A Profile is how a port treats traffic classes.
type Profile struct {
	Classify [CodePoints]uint8 `json:"traffic_class_of_dscp"` // the traffic class of each DSCP
	Classes  []Class           `json:"classes"`               // those that are used, ascending
}

// A Class is a traffic class: what NX-OS calls a qos-group, Cumulus a switch priority.
type Class struct {
	TC     uint8  `json:"traffic_class"`
	Queue  uint8  `json:"queue"`         // at egress
	Strict bool   `json:"strict"`        // its queue is served before those with shares
	Share  int    `json:"share_percent"` // percent of what strict queues leave; 0: none is said
	ECN    *ECN   `json:"ecn,omitempty"`
	Pause  *Pause `json:"pause,omitempty"` // nil: packets are dropped
	// Drop is the drop threshold of its queue, 0: none, or the platform's own. Fit leaves it out: no
	// command of any platform is on record.
	Drop unit.Bytes `json:"drop_bytes,omitempty"`
}

// ECN is a WRED profile of an egress queue. It is in bytes or, where a platform counts so, in
// percent of the queue.
type ECN struct {
	Min         unit.Bytes `json:"min_bytes,omitempty"` // 0 where it is in percent
	Max         unit.Bytes `json:"max_bytes,omitempty"`
	MinFill     int        `json:"min_percent,omitempty"` // of the queue
	MaxFill     int        `json:"max_percent,omitempty"`
	Probability int        `json:"probability_percent"` // percent, at Max; above it everything
	Drops       bool       `json:"drops,omitempty"`     // it drops where it should mark
	// Scale is what Least and Most are counted in where that is no length: segments, milliseconds; "": Min and Max say it.
	// It is not rendered.
	Scale string `json:"scale,omitempty"`
	Least int    `json:"min_scaled,omitempty"`
	Most  int    `json:"max_scaled,omitempty"`
}

// A Pause is PFC of a traffic class.
type Pause struct {
	Priority uint8   `json:"priority"`         // that PFC frames name
	Buffer   *Buffer `json:"buffer,omitempty"` // nil: the platform's own
}

// A Buffer is what the ingress of a port keeps for a class, and when it pauses: at XOFF bytes, or at
// Alpha times what is free of the shared part.
type Buffer struct {
	XOFF     unit.Bytes `json:"xoff_bytes,omitempty"` // 0: dynamic
	Alpha    unit.Ratio `json:"alpha,omitzero"`       // of a dynamic one, in lowest terms
	Resume   unit.Bytes `json:"resume_offset_bytes"`  // xON = xOFF - this
	Reserve  unit.Bytes `json:"reserve_bytes"`        // its own part of the buffer
	Headroom unit.Bytes `json:"headroom_bytes"`       // for what arrives after xOFF
}

// A Watchdog is a PFC watchdog's setting. What is 0 or empty is the platform's.
type Watchdog struct {
	On      bool          `json:"on"`                   // for the device as a whole, where a platform has that
	Poll    unit.Duration `json:"poll_ps,omitempty"`    // how often queues are looked at
	Detect  unit.Duration `json:"detect_ps,omitempty"`  // a queue paused for so long is stuck
	Restore unit.Duration `json:"restore_ps,omitempty"` // it is given back after so long without a pause
	Action  string        `json:"action,omitempty"`     // what is done with its packets: drop, forward
}

// Pools is how the packet buffer is split. What is 0 is the platform's.
type Pools struct {
	Size     unit.Bytes `json:"size_bytes,omitempty"`     // the whole
	Headroom unit.Bytes `json:"headroom_bytes,omitempty"` // of it, for headroom of all ports
	// Percent of the buffer, for platforms that count so.
	LosslessPart int `json:"lossless_percent,omitempty"`
	HeadroomPart int `json:"headroom_percent,omitempty"`
	LossyPart    int `json:"lossy_percent,omitempty"`
}

// PFCMode says who decides about PFC on a port.
type PFCMode uint8

// The modes.
const (
	PFCOff  PFCMode = iota
	PFCOn           // whatever the neighbour says
	PFCAuto         // DCBX decides with the neighbour
)

// String returns off, on or auto.
func (m PFCMode) String() string { return [...]string{"off", "on", "auto"}[m] }

// MarshalText writes it as String does.
func (m PFCMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// A PortQoS is what a port does.
type PortQoS struct {
	Profile  int         `json:"profile"` // index in QoS.Profiles
	PFC      PFCMode     `json:"pfc"`
	Watchdog bool        `json:"watchdog"`
	Cable    unit.Length `json:"cable_mm,omitempty"` // that thresholds are made for; 0: not said
}

// DCBX says how a port exchanges its settings with its neighbour (IEEE 802.1Qaz).
type DCBX uint8

// The kinds of DCBX.
const (
	DCBXDefault DCBX = iota // the platform's
	DCBXIEEE
	DCBXCEE
	DCBXOff
)

// String returns default, ieee, cee or off.
func (d DCBX) String() string { return [...]string{"default", "ieee", "cee", "off"}[d] }

// MarshalText writes it as String does.
func (d DCBX) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// LLDP is what a device says to its neighbours (IEEE 802.1AB).
type LLDP struct {
	On   bool `json:"on"`
	DCBX DCBX `json:"dcbx"` // of ports that do not say
}

// PortLLDP is where a port differs.
type PortLLDP struct {
	Silent bool `json:"silent,omitempty"` // it neither sends nor hears
	DCBX   DCBX `json:"dcbx,omitzero"`
}

// A Balance is how a device chooses among equal links.
type Balance struct {
	Method string        `json:"method"`               // ecmp, dlb
	Unit   string        `json:"unit,omitempty"`       // of dlb: flowlet, packet
	Gap    unit.Duration `json:"gap_ps,omitempty"`     // of flowlets; 0: the platform's
	MAC    string        `json:"mac,omitempty"`        // that NX-OS's dlb writes, the same on all switches
	Ports  []string      `json:"ports,omitempty"`      // of dlb; none: all
	Seed   uint32        `json:"seed,omitempty"`       // of ecmp's hash; 0: the platform's
	QP     bool          `json:"queue_pair,omitempty"` // ecmp hashes the destination queue pair beside the 5-tuple
}

// Class returns the class of a number; nil: it is not used.
func (p *Profile) Class(tc uint8) *Class {
	for i := range p.Classes {
		if p.Classes[i].TC == tc {
			return &p.Classes[i]
		}
	}
	return nil
}

// DSCPs lists those of a traffic class.
func (p *Profile) DSCPs(tc uint8) (all []int) {
	for d, c := range p.Classify {
		if c == tc {
			all = append(all, d)
		}
	}
	return all
}

// Default is the traffic class that most DSCPs are in, of several the lowest.
func (p *Profile) Default() (tc uint8) {
	var n [Classes]int
	for _, c := range p.Classify {
		n[c%Classes]++
	}
	for c := range n {
		if n[c] > n[tc] {
			tc = uint8(c)
		}
	}
	return tc
}

// Buffer returns what its pauses have of the ingress buffer; nil: nothing is said, or it pauses nothing.
func (c *Class) Buffer() *Buffer {
	if c.Pause == nil {
		return nil
	}
	return c.Pause.Buffer
}

// used reports whether a class is more than its number.
func (c *Class) used() bool { return c.Strict || c.Share > 0 || c.ECN != nil || c.Pause != nil }

// Tidy leaves of a profile's classes those that a DSCP is in or that say something, ascending.
func (p *Profile) Tidy() {
	var of [Classes]bool
	for _, tc := range p.Classify {
		of[tc%Classes] = true
	}
	kept := p.Classes[:0:0]
	for tc := range uint8(Classes) {
		c := p.Class(tc)
		switch {
		case c == nil && of[tc]:
			kept = append(kept, Class{TC: tc, Queue: tc})
		case c != nil && (of[tc] || c.used()):
			kept = append(kept, *c)
		}
	}
	p.Classes = kept
}

// Percents makes shares of queues that are not strict percents: 100 together. It reports whether they were not.
func (p *Profile) Percents() bool {
	sum, widest := 0, -1
	for k := range p.Classes {
		if c := &p.Classes[k]; !c.Strict && c.Share > 0 {
			sum += c.Share
			if widest < 0 || c.Share > p.Classes[widest].Share {
				widest = k
			}
		}
	}
	if sum == 0 || sum == 100 {
		return false
	}
	rest := 100
	for k := range p.Classes {
		if c := &p.Classes[k]; !c.Strict && c.Share > 0 {
			c.Share = max(1, c.Share*100/sum)
			rest -= c.Share
		}
	}
	p.Classes[widest].Share += rest // what rounding leaves
	return true
}

// Equal reports whether two profiles treat classes alike.
func (p *Profile) Equal(q *Profile) bool {
	return p.Classify == q.Classify && slices.EqualFunc(p.Classes, q.Classes, func(a, b Class) bool {
		return a.TC == b.TC && a.Queue == b.Queue && a.Strict == b.Strict && a.Share == b.Share &&
			Equal(a.ECN, b.ECN) && equalPause(a.Pause, b.Pause)
	})
}

func equalPause(a, b *Pause) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Priority == b.Priority && Equal(a.Buffer, b.Buffer))
}

// QueueTaken reports whether a class that is not mapped has its queue's number in common with one that is.
func QueueTaken(queueOf [Classes]uint8, mapped [Classes]bool, tc uint8) bool {
	for other, there := range mapped {
		if there && !mapped[tc] && queueOf[other] == queueOf[tc] {
			return true
		}
	}
	return false
}

// Equal reports whether two values are the same, or both are not there.
func Equal[T comparable](a, b *T) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// Use returns the index of a profile in q, where it is added if no equal one is there.
func (q *QoS) Use(p Profile) int {
	for i := range q.Profiles {
		if q.Profiles[i].Equal(&p) {
			return i
		}
	}
	q.Profiles = append(q.Profiles, p)
	return len(q.Profiles) - 1
}

// ProfileOf returns how a port treats classes; nil: nothing is said of it.
func (d *Device) ProfileOf(i *Interface) *Profile {
	if d.QoS == nil || i.QoS == nil {
		return nil
	}
	return &d.QoS.Profiles[i.QoS.Profile]
}

// Port returns an interface by its name; nil: there is none.
func (d *Device) Port(name string) *Interface {
	for i := range d.Interfaces {
		if d.Interfaces[i].Name == name {
			return &d.Interfaces[i]
		}
	}
	return nil
}

// Ranges writes ascending numbers, those that follow each other as 8-15.
func Ranges(all []int) (texts []string) {
	for i := 0; i < len(all); {
		k := i
		for k+1 < len(all) && all[k+1] == all[k]+1 {
			k++
		}
		text := strconv.Itoa(all[i])
		if k > i {
			text += "-" + strconv.Itoa(all[k])
		}
		texts, i = append(texts, text), k+1
	}
	return texts
}
