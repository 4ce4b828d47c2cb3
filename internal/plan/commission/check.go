package commission

import (
	"fmt"
	"strconv"

	"railyard/internal/base/unit"
)

// Kind is what a value is of.
type Kind uint8

// The kinds of values.
const (
	Count     Kind = iota // of things
	Rate                  // bits per second
	Bandwidth             // bits per second, written in bytes as nccl-tests does
	Time                  // picoseconds
	Fraction              // parts per million
	PortRate              // bits per second of a port, 0: it is down
	End                   // the device and port at the other end of a cable
)

// A Value is one of a kind, in its unit.
type Value struct {
	Kind Kind
	N    int64
	Text string // of an End: spine1/Ethernet1/1
}

// What a port is that carries nothing, and one that sees no neighbour.
const (
	down   = "down"
	nobody = "none"
)

const million = 1_000_000

// String prints a value as Parse reads it.
func (v Value) String() string {
	switch v.Kind {
	case End:
		return v.Text
	case PortRate, Rate:
		if v.Kind == PortRate && v.N == 0 {
			return down
		}
		return strconv.FormatFloat(float64(v.N)/1e9, 'f', -1, 64) + "Gb/s"
	case Bandwidth:
		return strconv.FormatFloat(float64(v.N)/8e9, 'f', -1, 64) + "GB/s"
	case Time:
		return unit.Duration(v.N).String()
	case Fraction:
		return strconv.FormatFloat(float64(v.N)/(million/100), 'f', -1, 64) + "%"
	}
	return strconv.FormatInt(v.N, 10)
}

// Short prints a value for people: four digits.
func (v Value) Short() string {
	switch v.Kind {
	case Rate:
		return strconv.FormatFloat(float64(v.N)/1e9, 'g', 4, 64) + "Gb/s"
	case Bandwidth:
		return strconv.FormatFloat(float64(v.N)/8e9, 'g', 4, 64) + "GB/s"
	case Time:
		return unit.Duration(v.N).Human()
	}
	return v.String()
}

// parse reads a value of a kind.
func (k Kind) parse(text string) (v Value, err error) {
	v.Kind = k
	switch {
	case k == End:
		v.Text = text
		return v, nil
	case k == PortRate && text == down:
		return v, nil
	}
	switch k {
	case PortRate, Rate, Bandwidth:
		var r unit.Bitrate
		r, err = unit.ParseBitrate(text)
		v.N = int64(r)
	case Time:
		var d unit.Duration
		d, err = unit.ParseDuration(text)
		v.N = int64(d)
	case Fraction:
		var r unit.Ratio
		if r, err = unit.ParseRatio(text); err == nil {
			v.N = r.Of(million)
		}
	default:
		if v.N, err = strconv.ParseInt(text, 10, 62); err != nil || v.N < 0 {
			err = fmt.Errorf("%q: want a whole number such as 0 or 64", text)
			return v, err
		}
	}
	if err != nil && k == PortRate {
		err = fmt.Errorf("%w; or %s", err, down)
	}
	if err == nil && v.N < 0 {
		err = fmt.Errorf("%q: negative, want 0 or more", text)
	}
	return v, err
}

// Source is what gave the value that is expected.
type Source string

// The sources.
const (
	FromInventory Source = "inventory"
	FromPackets   Source = "packets"
	FromFormula   Source = "closed form"
	FromRun       Source = "run"
	FromRule      Source = "rule"
)

// Stage is a step of the order.
type Stage string

// The stages, in their order.
const (
	Links       Stage = "links"
	Sessions    Stage = "sessions and next hops"
	Idle        Stage = "PFC and ECN, idle"
	Load        Stage = "PFC and ECN, under load"
	Write       Stage = "write bandwidth of each rail"
	Collectives Stage = "all-reduce"
	Steps       Stage = "steps"
)

// A Check is one thing to measure.
type Check struct {
	Key    string // by which it is measured: links.host.up
	Stage  Stage
	What   string // in words
	Expect Value
	Low    *int64 // the least that is accepted; nil: anything less
	High   *int64 // the most
	Source Source
	Layer  string // where a deviation likely lies
	Note   string

	port *port // that it is about alone; nil: about more
}

// accepts reports whether a value is one that the check takes. A neighbour may be named without its port.
func (c *Check) accepts(v Value) bool {
	if v.Kind == End {
		return v.Text == c.Expect.Text || v.Text == deviceOf(c.Expect.Text)
	}
	return (c.Low == nil || v.N >= *c.Low) && (c.High == nil || v.N <= *c.High)
}

// Accepted says in words what is accepted.
func (c *Check) Accepted() string {
	at := func(n int64) string { return Value{Kind: c.Expect.Kind, N: n}.Short() }
	switch {
	case c.Expect.Kind == End:
		return c.Expect.Text
	case c.Low != nil && c.High != nil && *c.Low == *c.High:
		return at(*c.Low)
	case c.Low != nil && c.High != nil:
		return at(*c.Low) + " to " + at(*c.High)
	case c.Low != nil:
		return "at least " + at(*c.Low)
	case c.High != nil:
		return "at most " + at(*c.High)
	}
	return "anything"
}

// Layers of a cluster, from rack power to the job (curricula count about fifteen).
const (
	power     = "1 power, or the device itself"
	cables    = "2 cables, optics"
	underlay  = "3 underlay: addresses, BGP"
	above     = "3 underlay, or what it carries: EVPN, VNIs"
	lossless  = "4 lossless QoS: classification, PFC, ECN"
	wholeHost = "5 to 9: BIOS (ACS, IOMMU), PCIe width, NIC firmware, GPU driver, peermem: all rails alike"
	oneRail   = "2 or 7: cable, optics or NIC of that rail"
	balanced  = "3 underlay: equal paths that are not shared equally (polarisation), or 14 NCCL: rails, GID, queue pairs"
	library   = "14 NCCL: protocol, algorithm, launch; or 10 host addresses and routes"
	job       = "15 job, or 8 GPU: one that is slow"
)
