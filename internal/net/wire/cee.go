package wire

import (
	"encoding/binary"
	"fmt"
)

// CEE is DCBX as it was before IEEE 802.1Qaz, which older switches speak: one TLV of type 127, OUI 00-1B-21,
// subtype 2, with TLVs of its own inside (DCB Capability Exchange Protocol Base Specification, revision 1.01,
// sections 3 and 4).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|    type     |     length      | oper. version |  max version  |   of a feature: groups (2), PFC (3),
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+   applications (4)
//	|E|W|R|   0     |    subtype    |  what it says
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-
//	 E: enable, W: willing, R: error
//
// The control TLV (1) comes first: versions, then sequence and acknowledgement number, 32 bits each.
type CEE struct {
	Sequence, Acknowledged uint32
	Groups                 *CEEGroups
	PFC                    *CEEPFC
	Apps                   *CEEApps
}

// Feature is what each feature says of itself.
type Feature struct{ Enable, Willing, Error bool }

// CEEGroups shares the bandwidth among groups of priorities; group 15 is strict.
type CEEGroups struct {
	Feature
	Group     [8]uint8 // by priority: 4 bits
	Bandwidth [8]uint8 // by group: per cent
	Classes   uint8    // that it can have
}

// CEEPFC says which priorities have PFC.
type CEEPFC struct {
	Feature
	Enabled uint8 // bit p: priority p
	Classes uint8 // that can have it
}

// CEEApps says which priorities applications take.
type CEEApps struct {
	Feature
	List []CEEApp
}

// CEEApp is an application: an ethertype (selector 0), or a port of TCP or UDP (1).
type CEEApp struct {
	Protocol   uint16
	Selector   uint8 // 2 bits
	Priorities uint8 // bit p: priority p
}

const ceeSubtype = 2

const (
	ceeControl = 1 + iota
	ceeGroups
	ceePFC
	ceeApps
)

func (c *CEE) append(b []byte) []byte {
	v := append(ouiCEE[:len(ouiCEE):len(ouiCEE)], ceeSubtype)
	control := binary.BigEndian.AppendUint32([]byte{0, 0}, c.Sequence)
	v = appendTLV(v, ceeControl, binary.BigEndian.AppendUint32(control, c.Acknowledged))
	if g := c.Groups; g != nil {
		f := g.Feature.append()
		for p := 0; p < 8; p += 2 {
			f = append(f, g.Group[p]<<4|g.Group[p+1]&15)
		}
		v = appendTLV(v, ceeGroups, append(append(f, g.Bandwidth[:]...), g.Classes))
	}
	if p := c.PFC; p != nil {
		v = appendTLV(v, ceePFC, append(p.Feature.append(), p.Enabled, p.Classes))
	}
	if a := c.Apps; a != nil {
		f := a.Feature.append()
		for _, e := range a.List {
			f = append(binary.BigEndian.AppendUint16(f, e.Protocol), e.Selector&3)
			f = append(f, ouiCEE[1], ouiCEE[2], e.Priorities)
		}
		v = appendTLV(v, ceeApps, f)
	}
	return appendTLV(b, tlvOrganisation, v)
}

func (f Feature) append() []byte {
	return []byte{0, 0, bit(f.Enable, 7) | bit(f.Willing, 6) | bit(f.Error, 5), 0}
}

func decodeCEE(b []byte) (*CEE, error) {
	c := &CEE{}
	for n := 0; len(b) > 0; n++ {
		if len(b) < 2 {
			return nil, fmt.Errorf("CEE: %d bytes, want 2: type and length", len(b))
		}
		v := binary.BigEndian.Uint16(b)
		typ, length := v>>9, int(v&511)
		if b = b[2:]; len(b) < length {
			return nil, fmt.Errorf("CEE: TLV of type %d: %d bytes, want %d", typ, len(b), length)
		}
		if (n == 0) != (typ == ceeControl) {
			return nil, fmt.Errorf("CEE: TLV %d of type %d, want one control TLV (1), and that first", n+1, typ)
		}
		if err := c.take(typ, b[:length]); err != nil {
			return nil, fmt.Errorf("CEE: %w", err)
		}
		b = b[length:]
	}
	return c, nil
}

func (c *CEE) take(typ uint16, v []byte) error {
	least, known := map[uint16]int{ceeControl: 10, ceeGroups: 17, ceePFC: 6, ceeApps: 4}[typ]
	if !known {
		return fmt.Errorf("TLV of type %d, want control (1), groups (2), PFC (3) or applications (4)", typ)
	}
	if len(v) < least || len(v) > least && typ != ceeApps {
		return fmt.Errorf("TLV of type %d with %d bytes, want %d", typ, len(v), least)
	}
	if typ == ceeControl {
		c.Sequence, c.Acknowledged = binary.BigEndian.Uint32(v[2:]), binary.BigEndian.Uint32(v[6:])
		return nil
	}
	f := Feature{Enable: v[2]&0x80 != 0, Willing: v[2]&0x40 != 0, Error: v[2]&0x20 != 0}
	switch v = v[4:]; {
	case typ == ceeGroups && c.Groups == nil:
		g := &CEEGroups{Feature: f, Bandwidth: [8]uint8(v[4:]), Classes: v[12]}
		for p := range g.Group {
			g.Group[p] = v[p/2] >> (4 * uint(1-p%2)) & 15
		}
		c.Groups = g
	case typ == ceePFC && c.PFC == nil:
		c.PFC = &CEEPFC{Feature: f, Enabled: v[0], Classes: v[1]}
	case typ == ceeApps && c.Apps == nil:
		return c.applications(f, v)
	default:
		return fmt.Errorf("a second TLV of type %d, want one", typ)
	}
	return nil
}

func (c *CEE) applications(f Feature, v []byte) error {
	if len(v)%6 != 0 {
		return fmt.Errorf("applications of %d bytes, want six for each", len(v))
	}
	c.Apps = &CEEApps{Feature: f}
	for ; len(v) > 0; v = v[6:] {
		c.Apps.List = append(c.Apps.List,
			CEEApp{Protocol: binary.BigEndian.Uint16(v), Selector: v[2] & 3, Priorities: v[5]})
	}
	return nil
}
