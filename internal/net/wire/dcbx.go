package wire

import (
	"encoding/binary"
	"fmt"
)

var (
	ouiIEEE8021 = [3]byte{0x00, 0x80, 0xC2}
	ouiCEE      = [3]byte{0x00, 0x1B, 0x21}
)

// DCBX is what data centre bridging says in LLDP (IEEE 802.1Q annex D.2, from 802.1Qaz): TLVs of type 127, OUI
// 00-80-C2. What is nil is not said.
type DCBX struct {
	Config      *ETS            // subtype 9: which traffic classes there are, and what each may send
	Recommended *Recommendation // subtype 10: what it would like the neighbour to do
	PFC         *PFCConfig      // subtype 11
	Apps        []Application   // subtype 12: which priority an application takes
}

const (
	dcbxConfig = 9 + iota
	dcbxRecommended
	dcbxPFC
	dcbxApps
)

// Transmission selection of a traffic class (IEEE 802.1Q table 8-6).
const (
	StrictPriority = 0
	CreditShaper   = 1
	ETSShare       = 2 // enhanced transmission selection: a share of the bandwidth
)

// Shares is how the traffic classes of a port share it (IEEE 802.1Q sections D.2.8.5 to D.2.8.7).
//
//	bytes
//	  4   traffic class of priority 0 ... 7, 4 bits each
//	  8   per cent of the bandwidth, by traffic class
//	  8   transmission selection, by traffic class
type Shares struct {
	Class     [8]uint8 // by priority: 4 bits
	Bandwidth [8]uint8 // by traffic class: per cent
	Selection [8]uint8 // by traffic class
}

// ETS is the ETS configuration TLV: a byte, then Shares (section D.2.8).
//
//	+-+-+-+-+-+-+-+-+
//	|W|C| 0   | max |   W: willing, C: credit-based shaper, traffic classes that it can have (0: 8)
//	+-+-+-+-+-+-+-+-+
type ETS struct {
	Willing bool // takes the neighbour's recommendation
	Shaper  bool
	Classes uint8 // 3 bits
	Shares
}

// Recommendation is the ETS recommendation TLV: a reserved byte, then Shares (section D.2.9).
type Recommendation struct{ Shares }

// PFCConfig is the PFC configuration TLV (section D.2.10).
//
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|W|M| 0 |  cap  | enable 7 ... 0|   W: willing, M: MACsec bypass, cap: classes that can have PFC
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type PFCConfig struct {
	Willing, Bypass bool
	Capability      uint8 // 4 bits
	Enable          uint8 // bit p: priority p
}

// Application is an entry of the application priority TLV (section D.2.11): a reserved byte, then of each
//
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|prio | 0 | sel |           protocol            |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type Application struct {
	Priority, Selector uint8 // 3 bits each
	Protocol           uint16
}

// Selectors: what an application's protocol is a number of (IEEE 802.1Q table D-10; 5 is 802.1Qcd's).
const (
	SelectEtherType = 1
	SelectTCP       = 2 // port of TCP or SCTP
	SelectUDP       = 3 // port of UDP or DCCP
	SelectPort      = 4 // port of any of these
	SelectDSCP      = 5
)

func (d *DCBX) append(b []byte) []byte {
	add := func(subtype uint8, value []byte) {
		b = appendTLV(b, tlvOrganisation, append(append(ouiIEEE8021[:len(ouiIEEE8021):len(ouiIEEE8021)], subtype), value...))
	}
	if c := d.Config; c != nil {
		add(dcbxConfig, c.Shares.append([]byte{bit(c.Willing, 7) | bit(c.Shaper, 6) | c.Classes&7}))
	}
	if r := d.Recommended; r != nil {
		add(dcbxRecommended, r.Shares.append([]byte{0}))
	}
	if p := d.PFC; p != nil {
		add(dcbxPFC, []byte{bit(p.Willing, 7) | bit(p.Bypass, 6) | p.Capability&15, p.Enable})
	}
	if len(d.Apps) > 0 {
		v := []byte{0}
		for _, a := range d.Apps {
			v = binary.BigEndian.AppendUint16(append(v, a.Priority<<5|a.Selector&7), a.Protocol)
		}
		add(dcbxApps, v)
	}
	return b
}

func (s *Shares) append(b []byte) []byte {
	for p := 0; p < 8; p += 2 {
		b = append(b, s.Class[p]<<4|s.Class[p+1]&15)
	}
	return append(append(b, s.Bandwidth[:]...), s.Selection[:]...)
}

// take reads a TLV; it reports false if its subtype says something else, or what was said already.
func (d *DCBX) take(subtype uint8, v []byte) (known bool, err error) {
	switch {
	case subtype == dcbxConfig && d.Config == nil:
		if err := exactly("ETS configuration", v, 21); err != nil {
			return true, err
		}
		d.Config = &ETS{Willing: v[0]&0x80 != 0, Shaper: v[0]&0x40 != 0, Classes: v[0] & 7, Shares: decodeShares(v[1:])}
	case subtype == dcbxRecommended && d.Recommended == nil:
		if err := exactly("ETS recommendation", v, 21); err != nil {
			return true, err
		}
		d.Recommended = &Recommendation{decodeShares(v[1:])}
	case subtype == dcbxPFC && d.PFC == nil:
		if err := exactly("PFC configuration", v, 2); err != nil {
			return true, err
		}
		d.PFC = &PFCConfig{Willing: v[0]&0x80 != 0, Bypass: v[0]&0x40 != 0, Capability: v[0] & 15, Enable: v[1]}
	case subtype == dcbxApps && len(d.Apps) == 0:
		if len(v) < 4 || len(v)%3 != 1 {
			return true, fmt.Errorf("application priorities of %d bytes, want one and three for each", len(v))
		}
		for v = v[1:]; len(v) > 0; v = v[3:] {
			d.Apps = append(d.Apps, Application{Priority: v[0] >> 5, Selector: v[0] & 7, Protocol: binary.BigEndian.Uint16(v[1:])})
		}
	default:
		return false, nil
	}
	return true, nil
}

func decodeShares(v []byte) (s Shares) {
	for p := range s.Class {
		s.Class[p] = v[p/2] >> (4 * uint(1-p%2)) & 15
	}
	s.Bandwidth, s.Selection = [8]uint8(v[4:]), [8]uint8(v[12:])
	return s
}

func exactly(what string, v []byte, n int) error {
	if len(v) != n {
		return fmt.Errorf("%s of %d bytes, want %d", what, len(v), n)
	}
	return nil
}
