package netconf

import (
	"net/netip"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// A Device is the configuration of one switch.
type Device struct {
	Name       string      `json:"name"`
	Interfaces []Interface `json:"interfaces"`               // loopback, SVIs by VLAN, ports by number
	BGP        *BGP        `json:"bgp,omitempty"`            // nil: it has no sessions
	Tunnels    *Tunnels    `json:"vxlan,omitempty"`          // nil: it is no end of any
	Peer       *Peer       `json:"peer,omitempty"`           // nil: it is alone
	QoS        *QoS        `json:"qos,omitempty"`            // nil: nothing is said of it
	LLDP       *LLDP       `json:"lldp,omitempty"`           // nil: nothing is said of it
	Balance    *Balance    `json:"load_balancing,omitempty"` // nil: nothing is said of it
}

// Kind is what an interface is.
type Kind uint8

// The kinds of interfaces.
const (
	Physical Kind = iota // a port
	SVI                  // the switch's own interface in a VLAN
	Loopback
	Bundle // a port channel
)

// String returns port, SVI, loopback or port channel.
func (k Kind) String() string { return [...]string{"port", "SVI", "loopback", "port channel"}[k] }

// MarshalText writes it as String does.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// An Interface is a port, an SVI or a loopback.
type Interface struct {
	Name        string         `json:"name"`
	Kind        Kind           `json:"kind"`
	Description string         `json:"description,omitempty"`
	Addresses   []netip.Prefix `json:"addresses,omitempty"`
	// VLAN is of an SVI its own, of a port the one it is an access port of; 0: none, it is routed.
	VLAN int `json:"vlan,omitempty"`
	// Channel is the port channel that a port is in: the peer's link carries all VLANs, another one is the same on both
	// peers; 0: none.
	Channel int `json:"channel,omitempty"`
	// Read and not rendered: a VRF that it is in, "": the default one; that a port carries several VLANs, or is routed
	// without an address of its own.
	VRF    string `json:"vrf,omitempty"`
	Trunk  bool   `json:"trunk,omitempty"`
	Routed bool   `json:"routed,omitempty"`
	// Allowed are the VLANs of a trunk; none: all, or it is not said.
	Allowed VLANs        `json:"-"`
	Down    bool         `json:"shutdown,omitempty"`
	MTU     unit.Bytes   `json:"largest_frame_bytes,omitempty"` // header and FCS included; 0: not said
	Speed   unit.Bitrate `json:"rate_bps,omitempty"`            // of a port; 0: not said
	MAC     string       `json:"mac,omitempty"`                 // of an SVI, 00:00:5e:00:01:01; "": its own
	QoS     *PortQoS     `json:"qos,omitempty"`                 // of a port; nil: nothing is said of it
	LLDP    PortLLDP     `json:"lldp,omitzero"`                 // of a port
}

// VLANs are ranges of numbers, the ends included; none: all.
type VLANs [][2]int

// mostRanges bounds how many of a line are taken.
const mostRanges = 4094

// ReadVLANs reads 101,110-119; nil: it is something else.
func ReadVLANs(text string) (all VLANs) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || a < 1 || b < a || b > 4094 || len(all) == mostRanges {
			return nil
		}
		all = append(all, [2]int{a, b})
	}
	return all
}

// BGP is what a switch says to others of its routes.
type BGP struct {
	AS        uint32        `json:"as"`
	RouterID  netip.Addr    `json:"router_id"`
	Keepalive unit.Duration `json:"keepalive_ps"`
	Hold      unit.Duration `json:"hold_ps"`
	// MaximumPaths is how many equal routes are used, at least 1. Inside an AS those are equal that were
	// reflected as often.
	MaximumPaths int `json:"maximum_paths"`
	// Relax takes routes over neighbours of several ASs for equal, if their paths are of one length.
	Relax      bool           `json:"multipath_relax"`
	Neighbours []Neighbour    `json:"neighbours"`
	Networks   []netip.Prefix `json:"networks"` // that it originates, if it has them
	// Connected says that it originates the subnets of interfaces, those that a policy lets through. It is not rendered.
	Connected bool `json:"redistributes_connected,omitempty"`
	// Listen is from where whoever comes is a neighbour. It is not rendered.
	Listen     []netip.Prefix `json:"listens_to,omitempty"`
	Aggregates []Aggregate    `json:"aggregates,omitempty"`
}

// A Neighbour is the other end of a session. It carries the unicast routes of its address's family, or
// those of EVPN alone.
type Neighbour struct {
	Address netip.Addr `json:"address"`
	// Port is the interface of a session that is between the link's own addresses (RFC 5549), Address is not valid then;
	// its AS may be any other than this one, or the same.
	Port     string `json:"interface,omitempty"`
	External bool   `json:"external,omitempty"`
	Internal bool   `json:"internal,omitempty"`

	AS          uint32 `json:"as"`
	Description string `json:"description,omitempty"`
	AllowASIn   int    `json:"allow_as_in,omitempty"` // how often the own AS may stand in a path from it
	BFD         *BFD   `json:"bfd,omitempty"`         // nil: none

	EVPN   bool       `json:"evpn,omitempty"`
	Source netip.Addr `json:"source,omitzero"` // the own address of the session; not valid: that of the link
	// Hops is how many links the session may go over, another AS at its end; 0: one.
	Hops int `json:"hops,omitempty"`

	// Inside one AS (RFC 4456):
	Client      bool `json:"reflector_client,omitempty"` // what others in the AS have told is passed on to it
	NextHopSelf bool `json:"next_hop_self,omitempty"`    // it is told this switch as next hop of all routes

	Down bool `json:"shutdown,omitempty"` // the session is shut down; not rendered
}

// BFD is how two neighbours watch each other.
type BFD struct {
	Interval   unit.Duration `json:"interval_ps"`
	Multiplier int           `json:"multiplier"`
}

// An Aggregate is a prefix that is originated while a route inside it is there.
type Aggregate struct {
	Prefix      netip.Prefix `json:"prefix"`
	SummaryOnly bool         `json:"summary_only"` // routes inside it are not advertised
}
