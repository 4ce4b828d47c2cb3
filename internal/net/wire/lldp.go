package wire

import (
	"encoding/binary"
	"fmt"
)

// LLDPAddress is where LLDP frames go: the nearest bridge (IEEE 802.1AB section 7.1).
var LLDPAddress = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E}

// Subtypes of chassis and port identifiers (IEEE 802.1AB sections 8.5.2 and 8.5.3).
const (
	ChassisMAC    = 4 // 6 bytes
	PortMAC       = 3
	PortInterface = 5 // interface name
)

// ID names a chassis or a port.
type ID struct {
	Subtype uint8
	Value   string // bytes as they are sent, 1 to 255
}

// TLV is an element that this package does not know: type (7 bits) and value.
type TLV struct {
	Type  uint8
	Value string
}

// LLDP is what a port tells its neighbour: the data unit after the ethertype 0x88CC (IEEE 802.1AB section 8.4).
// Each element is a TLV:
//
//	 0                   1
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-
//	|    type     |      length     | value, so many bytes
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-
//
// Chassis (type 1), port (2) and time to live (3) come first, an empty one (0) last.
type LLDP struct {
	Chassis, Port ID
	TTL           uint16 // seconds
	PortText      string // port description, type 4
	System        string // system name, type 5
	DCBX          DCBX   // IEEE 802.1Qaz
	CEE           *CEE   // what older switches speak instead
	Other         []TLV  // in the order in which they came
}

// Types of TLVs.
const (
	tlvEnd = iota
	tlvChassis
	tlvPort
	tlvTTL
	tlvPortText
	tlvSystem
	tlvOrganisation = 127
)

// Append writes the data unit after b.
func (l *LLDP) Append(b []byte) []byte {
	b = appendTLV(b, tlvChassis, append([]byte{l.Chassis.Subtype}, l.Chassis.Value...))
	b = appendTLV(b, tlvPort, append([]byte{l.Port.Subtype}, l.Port.Value...))
	b = appendTLV(b, tlvTTL, binary.BigEndian.AppendUint16(nil, l.TTL))
	if l.PortText != "" {
		b = appendTLV(b, tlvPortText, []byte(l.PortText))
	}
	if l.System != "" {
		b = appendTLV(b, tlvSystem, []byte(l.System))
	}
	b = l.DCBX.append(b)
	if l.CEE != nil {
		b = l.CEE.append(b)
	}
	for _, t := range l.Other {
		b = appendTLV(b, t.Type, []byte(t.Value))
	}
	return append(b, 0, 0)
}

func appendTLV(b []byte, typ uint8, value []byte) []byte {
	if typ > 127 || len(value) > 511 {
		panic(fmt.Sprintf("wire: TLV of type %d with %d bytes", typ, len(value)))
	}
	return append(binary.BigEndian.AppendUint16(b, uint16(typ)<<9|uint16(len(value))), value...)
}

// DecodeLLDP reads the data unit at the start of b, up to the TLV that ends it.
func DecodeLLDP(b []byte) (*LLDP, error) {
	l := &LLDP{}
	for n := 0; ; n++ {
		if len(b) < 2 {
			return nil, fmt.Errorf("LLDP: TLV %d: %d bytes, want 2: type and length", n+1, len(b))
		}
		v := binary.BigEndian.Uint16(b)
		typ, length := uint8(v>>9), int(v&511)
		if b = b[2:]; len(b) < length {
			return nil, fmt.Errorf("LLDP: TLV %d of type %d: %d bytes, want %d", n+1, typ, len(b), length)
		}
		value := b[:length]
		b = b[length:]
		if n < 3 && int(typ) != tlvChassis+n {
			return nil, fmt.Errorf("LLDP: TLV %d of type %d, want %d: chassis, port and time to live come first", n+1, typ,
				tlvChassis+n)
		}
		if typ == tlvEnd {
			if length != 0 {
				return nil, fmt.Errorf("LLDP: TLV %d: end with %d bytes, want none", n+1, length)
			}
			return l, nil
		}
		if err := l.take(n, typ, value); err != nil {
			return nil, fmt.Errorf("LLDP: TLV %d: %w", n+1, err)
		}
	}
}

// take reads the TLV with index n.
func (l *LLDP) take(n int, typ uint8, value []byte) (err error) {
	switch {
	case typ == tlvChassis && n == 0:
		l.Chassis, err = decodeID("chassis", value)
	case typ == tlvPort && n == 1:
		l.Port, err = decodeID("port", value)
	case typ == tlvTTL && n == 2:
		if len(value) < 2 {
			return fmt.Errorf("time to live of %d bytes, want 2", len(value))
		}
		l.TTL = binary.BigEndian.Uint16(value)
	case typ == tlvChassis || typ == tlvPort || typ == tlvTTL:
		return fmt.Errorf("a second one of type %d, want one", typ)
	case typ == tlvPortText && l.PortText == "" && len(value) > 0:
		l.PortText = string(value)
	case typ == tlvSystem && l.System == "" && len(value) > 0:
		l.System = string(value)
	case typ == tlvOrganisation:
		return l.organisation(value)
	default:
		l.Other = append(l.Other, TLV{typ, string(value)})
	}
	return err
}

// organisation reads a TLV that belongs to an organisation: three bytes of its OUI, a subtype, and what it says.
func (l *LLDP) organisation(value []byte) error {
	if len(value) < 4 {
		return fmt.Errorf("an organisation's, of %d bytes, want at least 4: OUI and subtype", len(value))
	}
	known, err := false, error(nil)
	switch [3]byte(value) {
	case ouiIEEE8021:
		known, err = l.DCBX.take(value[3], value[4:])
	case ouiCEE:
		if value[3] == ceeSubtype && l.CEE == nil {
			known = true
			l.CEE, err = decodeCEE(value[4:])
		}
	}
	if !known {
		l.Other = append(l.Other, TLV{tlvOrganisation, string(value)})
	}
	return err
}

func decodeID(what string, value []byte) (ID, error) {
	if len(value) < 2 || len(value) > 256 {
		return ID{}, fmt.Errorf("%s id of %d bytes, want 2 to 256: subtype and name", what, len(value))
	}
	return ID{value[0], string(value[1:])}, nil
}
