package wire

import (
	"encoding/binary"
	"fmt"
)

// ImmDt is immediate data, for the completion at the receiver (IBTA vol. 1 section 9.3.6): 32 bits.
type ImmDt uint32

// Append writes the header after b.
func (h ImmDt) Append(b []byte) []byte { return binary.BigEndian.AppendUint32(b, uint32(h)) }

// DecodeImmDt reads the header at the start of b.
func DecodeImmDt(b []byte) (ImmDt, error) {
	if err := need(b, ImmDtBytes, "immediate data"); err != nil {
		return 0, err
	}
	return ImmDt(binary.BigEndian.Uint32(b)), nil
}

// AtomicETH asks for an atomic operation on 8 bytes of the receiver's memory (IBTA vol. 1
// section 9.3.3, AtomicETH).
//
//	bytes
//	  8   virtual address
//	  4   R_Key
//	  8   what is swapped in, or added
//	  8   what is compared with; a fetch and add leaves it zero
type AtomicETH struct {
	Address   uint64 // virtual address in the receiver's registered memory
	RKey      uint32
	SwapOrAdd uint64
	Compare   uint64
}

// Append writes the header after b.
func (h AtomicETH) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.Address)
	b = binary.BigEndian.AppendUint32(b, h.RKey)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, h.SwapOrAdd), h.Compare)
}

// DecodeAtomicETH reads the header at the start of b.
func DecodeAtomicETH(b []byte) (AtomicETH, error) {
	if err := need(b, AtomicETHBytes, "AtomicETH"); err != nil {
		return AtomicETH{}, err
	}
	return AtomicETH{Address: binary.BigEndian.Uint64(b), RKey: binary.BigEndian.Uint32(b[8:]),
		SwapOrAdd: binary.BigEndian.Uint64(b[12:]), Compare: binary.BigEndian.Uint64(b[20:])}, nil
}

// AtomicAckETH is what the memory held before an atomic operation (IBTA vol. 1 section 9.3.5).
type AtomicAckETH uint64

// Append writes the header after b.
func (h AtomicAckETH) Append(b []byte) []byte { return binary.BigEndian.AppendUint64(b, uint64(h)) }

// DecodeAtomicAckETH reads the header at the start of b.
func DecodeAtomicAckETH(b []byte) (AtomicAckETH, error) {
	if err := need(b, AtomicAckETHBytes, "AtomicAckETH"); err != nil {
		return 0, err
	}
	return AtomicAckETH(binary.BigEndian.Uint64(b)), nil
}

// DETH is the header of datagrams: who sends, and the key that the receiving queue pair wants (IBTA vol. 1
// section 9.3.2).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|                             Q_Key                             |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//	|   reserved    |               source queue pair               |
//	+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
type DETH struct {
	QKey     uint32
	SourceQP uint32 // 24 bits
}

// The queue pair of connection managers and other general services, and its Q_Key (IBTA vol. 1, sections 3.9.4 and
// 10.2.4.2).
const (
	ServiceQP          = 1
	ServiceQKey uint32 = 0x80010000
)

// Append writes the header after b.
func (h DETH) Append(b []byte) []byte {
	if h.SourceQP >= 1<<24 {
		panic(fmt.Sprintf("wire: DETH field too large: %+v", h))
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, h.QKey), h.SourceQP)
}

// DecodeDETH reads the header at the start of b.
func DecodeDETH(b []byte) (DETH, error) {
	if err := need(b, DETHBytes, "DETH"); err != nil {
		return DETH{}, err
	}
	return DETH{QKey: binary.BigEndian.Uint32(b), SourceQP: binary.BigEndian.Uint32(b[4:]) & (1<<24 - 1)}, nil
}
