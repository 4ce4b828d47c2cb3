package dcbx

import (
	"bytes"

	"railyard/internal/net/wire"
)

// An End is one side of a link and what it says.
type End struct {
	MAC  [6]byte
	IEEE *wire.DCBX // nil: it does not speak IEEE's
	CEE  *wire.CEE  // nil: it does not speak CEE
}

// Version is what two ends speak.
type Version uint8

// The versions.
const (
	Silent Version = iota // they have none in common
	IEEE
	CEE
)

// String returns nothing, IEEE or CEE.
func (v Version) String() string { return [...]string{"nothing", "IEEE", "CEE"}[v] }

// Source is whose settings hold.
type Source uint8

// The sources.
const (
	Own    Source = iota // the end's
	Peer                 // the neighbour's
	Off                  // nobody's: the feature is not on at both ends
	Failed               // nobody's: the ends differ, and CEE takes that for an error
)

// String returns own, peer, off or error.
func (s Source) String() string { return [...]string{"own", "peer", "off", "error"}[s] }

// A State is what is operational at an end.
type State struct {
	Version Version
	PFC     uint8 // bit p: priority p pauses and is paused
	PFCFrom Source
	ETS     *wire.Shares // nil: nothing is said of it
	ETSFrom Source
}

// Resolve returns what is operational at each end.
func Resolve(a, b *End) (atA, atB State) { return at(a, b), at(b, a) }

// at is the state of an end.
func at(own, peer *End) State {
	switch {
	case own.IEEE != nil && peer.IEEE != nil:
		return ieee(own, peer)
	case own.CEE != nil && peer.CEE != nil:
		return cee(own.CEE, peer.CEE)
	case own.IEEE != nil:
		return ieee(own, &End{IEEE: &wire.DCBX{}}).unheard()
	case own.CEE != nil:
		return cee(own.CEE, &wire.CEE{}).unheard()
	}
	return State{PFCFrom: Off, ETSFrom: Off}
}

// unheard is a state of an end whose peer it does not understand.
func (s State) unheard() State {
	s.Version = Silent
	return s
}

func ieee(own, peer *End) State {
	s := State{Version: IEEE}
	here, there := own.IEEE.PFC, peer.IEEE.PFC
	switch {
	case here == nil:
		s.PFCFrom = Off
	case there != nil && here.Willing && (!there.Willing || bytes.Compare(peer.MAC[:], own.MAC[:]) < 0):
		s.PFC, s.PFCFrom = there.Enable, Peer
	default:
		s.PFC = here.Enable
	}
	switch {
	case own.IEEE.Config == nil:
		s.ETSFrom = Off
	case own.IEEE.Config.Willing && peer.IEEE.Recommended != nil:
		s.ETS, s.ETSFrom = &peer.IEEE.Recommended.Shares, Peer
	default:
		s.ETS = &own.IEEE.Config.Shares
	}
	return s
}

func cee(own, peer *wire.CEE) State {
	s := State{Version: CEE, PFCFrom: Off, ETSFrom: Off}
	if a, b := own.PFC, peer.PFC; a != nil && b != nil {
		s.PFCFrom = feature(a.Feature, b.Feature, a.Enabled == b.Enabled)
		switch s.PFCFrom {
		case Own:
			s.PFC = a.Enabled
		case Peer:
			s.PFC = b.Enabled
		}
	}
	if a, b := own.Groups, peer.Groups; a != nil && b != nil {
		s.ETSFrom = feature(a.Feature, b.Feature, a.Group == b.Group && a.Bandwidth == b.Bandwidth)
		switch s.ETSFrom {
		case Own:
			s.ETS = shares(a)
		case Peer:
			s.ETS = shares(b)
		}
	}
	return s
}

// feature says whose settings of a feature hold, of two ends that have it.
func feature(own, peer wire.Feature, same bool) Source {
	switch {
	case !own.Enable || !peer.Enable:
		return Off
	case own.Willing && !peer.Willing:
		return Peer
	case own.Willing == peer.Willing && !same:
		return Failed
	}
	return Own
}

// strictGroup is the group of priorities that are served before all shares.
const strictGroup = 15

// shares are groups of priorities as IEEE's traffic classes.
func shares(g *wire.CEEGroups) *wire.Shares {
	s := &wire.Shares{Bandwidth: g.Bandwidth}
	for p, group := range g.Group {
		if s.Class[p] = group; group != strictGroup {
			s.Selection[group%8] = wire.ETSShare
		}
	}
	return s
}
