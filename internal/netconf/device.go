package netconf

import (
	"net/netip"

	"railyard/internal/unit"
)

// A Device is the configuration of one switch.
type Device struct {
	Name       string
	Interfaces []Interface // loopback, SVIs by VLAN, ports by number
	BGP        *BGP        // nil: it has no sessions
}

// Kind is what an interface is.
type Kind uint8

// The kinds of interfaces.
const (
	Physical Kind = iota // a port
	SVI                  // the switch's own interface in a VLAN
	Loopback
)

// String returns port, SVI or loopback.
func (k Kind) String() string { return [...]string{"port", "SVI", "loopback"}[k] }

// An Interface is a port, an SVI or a loopback.
type Interface struct {
	Name        string
	Kind        Kind
	Description string
	Addresses   []netip.Prefix
	VLAN        int          // of an SVI its own, of a port the one it is an access port of; 0: none, it is routed
	MTU         unit.Bytes   // the largest frame, header and FCS included; 0: not said
	Speed       unit.Bitrate // of a port; 0: not said
}

// BGP is what a switch says to others of its routes.
type BGP struct {
	AS              uint32
	RouterID        netip.Addr
	Keepalive, Hold unit.Duration
	MaximumPaths    int // equal routes that are used; at least 1
	// Relax takes routes over neighbours of several ASs for equal, if their paths are of one length.
	Relax      bool
	Neighbours []Neighbour
	Networks   []netip.Prefix // that it originates, if it has them
	Aggregates []Aggregate
}

// A Neighbour is the other end of a session. It carries the unicast routes of its address's family.
type Neighbour struct {
	Address     netip.Addr
	AS          uint32
	Description string
	AllowASIn   int  // how often the own AS may stand in a path from it
	BFD         *BFD // nil: none
}

// BFD is how two neighbours watch each other.
type BFD struct {
	Interval   unit.Duration
	Multiplier int
}

// An Aggregate is a prefix that is originated while a route inside it is there.
type Aggregate struct {
	Prefix      netip.Prefix
	SummaryOnly bool // routes inside it are not advertised
}
