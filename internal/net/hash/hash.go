package hash

import (
	"encoding/binary"
	"slices"

	"railyard/internal/base/splitmix"
)

// UDP is the protocol number of RoCEv2.
const UDP = 17

// Flow is the headers of a flow as switches see them.
type Flow struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
	Protocol         uint8
	QP               uint32 // destination queue pair of the base transport header, 24 bits
}

// Reverse returns the headers of the acknowledgements: the addresses change places, the ports do not.
// RoCEv2 has destination port 4791 in both directions. Both ends of a queue pair have one number here.
func (f Flow) Reverse() Flow {
	f.SrcIP, f.DstIP = f.DstIP, f.SrcIP
	return f
}

// Config says how switches hash.
type Config struct {
	Function  string // of Functions
	QP        bool   // the destination queue pair is a field, beside the 5-tuple
	PerSwitch bool   // each switch has a seed of its own, derived from Seed and its number
	Seed      uint64
	Role      uint64 // switches of another role have another seed, derived from Seed and this; 0: they have no role
}

// Switches says how each switch hashes.
type Switches struct {
	Config          // all but those with one of their own
	Own    []Config // of switches that hash otherwise
	OwnOf  []int32  // by number of a switch: index in Own, -1: none; nil: nobody has one
	// Outer gives the headers that a switch sees of a flow, where tunnels hide them; nil: it sees the flow's own.
	Outer func(s *Switches, f Flow, sw int) Flow
}

// Hash returns the hash of a flow at switch number sw.
func (s *Switches) Hash(f Flow, sw int) uint64 {
	if s.Outer != nil {
		f = s.Outer(s, f, sw)
	}
	return s.Inner(f, sw)
}

// Inner is Hash of the headers that it is given, tunnel or not.
func (s *Switches) Inner(f Flow, sw int) uint64 {
	if s.OwnOf != nil && s.OwnOf[sw] >= 0 {
		return s.Own[s.OwnOf[sw]].Hash(f, sw)
	}
	return s.Config.Hash(f, sw)
}

// WithSeed returns the same switches with seeds derived from another number.
func (s *Switches) WithSeed(seed uint64) *Switches {
	o := &Switches{Config: s.Config, Own: slices.Clone(s.Own), OwnOf: s.OwnOf, Outer: s.Outer}
	o.Seed = seed
	for i := range o.Own {
		o.Own[i].Seed = seed
	}
	return o
}

// A function hashes a flow with the seed of a switch.
type function func(f Flow, qp bool, seed uint64) uint64

// Functions holds every function by name.
var Functions = map[string]function{
	"mix": mix,
	"crc16": func(f Flow, qp bool, seed uint64) uint64 {
		return uint64(CRC16(uint16(seed), f.bytes(qp)))
	},
	"crc32": func(f Flow, qp bool, seed uint64) uint64 {
		return uint64(CRC32(uint32(seed), f.bytes(qp)))
	},
	"xor": func(f Flow, qp bool, seed uint64) uint64 {
		return uint64(uint16(seed) ^ XOR(f.bytes(qp)))
	},
	"toeplitz": toeplitz,
}

// Linear tells the functions whose seed only XORs a constant to the hash.
var Linear = map[string]bool{"crc16": true, "crc32": true, "xor": true}

// Hash returns the hash of a flow at switch number sw.
func (c Config) Hash(f Flow, sw int) uint64 {
	return Functions[c.Function](f, c.QP, c.SeedOf(sw))
}

// Pick returns which of n links a flow takes at switch number sw.
func (c Config) Pick(f Flow, sw, n int) int { return int(c.Hash(f, sw) % uint64(n)) }

// SeedOf returns the seed of switch number sw.
func (c Config) SeedOf(sw int) uint64 {
	if !c.PerSwitch {
		return splitmix.Mix(c.Seed ^ c.Role)
	}
	return splitmix.Mix(c.Seed ^ uint64(sw+1)*splitmix.Gamma)
}

// bytes returns the fields in the order of receive-side scaling, then what it has not: the queue
// pair, the protocol.
func (f Flow) bytes(qp bool) []byte {
	b := make([]byte, 0, 16)
	b = binary.BigEndian.AppendUint32(b, f.SrcIP)
	b = binary.BigEndian.AppendUint32(b, f.DstIP)
	b = binary.BigEndian.AppendUint16(b, f.SrcPort)
	b = binary.BigEndian.AppendUint16(b, f.DstPort)
	if qp {
		b = append(b, byte(f.QP>>16), byte(f.QP>>8), byte(f.QP))
	}
	return append(b, f.Protocol)
}

// toeplitz hashes all fields but the protocol, which receive-side scaling chooses the fields by. With
// seed 0 the key is RSSKey, with another it is drawn from both.
func toeplitz(f Flow, qp bool, seed uint64) uint64 {
	key, s := RSSKey, splitmix.Stream(seed)
	for i := 0; i < len(key) && seed != 0; i += 8 {
		word := binary.BigEndian.Uint64(key[i:])
		binary.BigEndian.PutUint64(key[i:], word^s.Next())
	}
	b := f.bytes(qp)
	return uint64(Toeplitz(key[:], b[:len(b)-1]))
}

func mix(f Flow, qp bool, seed uint64) uint64 {
	h := splitmix.Mix(seed ^ (uint64(f.SrcIP)<<32 | uint64(f.DstIP)))
	h = splitmix.Mix(h ^ (uint64(f.Protocol^UDP)<<32 | uint64(f.SrcPort)<<16 | uint64(f.DstPort)))
	if qp {
		h = splitmix.Mix(h ^ uint64(f.QP))
	}
	return h
}
