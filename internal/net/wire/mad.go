package wire

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
)

// CMKind is the attribute of a connection manager's message (IBTA vol. 1 section 12.6, table 99).
type CMKind uint16

// The messages that set up a connection and take it down.
const (
	CMRequest         CMKind = 0x0010 // REQ
	CMDelay           CMKind = 0x0011 // MRA: the message has come, its answer takes a while
	CMReject          CMKind = 0x0012 // REJ
	CMReply           CMKind = 0x0013 // REP
	CMReady           CMKind = 0x0014 // RTU: ready to use
	CMDisconnect      CMKind = 0x0015 // DREQ
	CMDisconnectReply CMKind = 0x0016 // DREP
)

var cmNames = map[CMKind]string{CMRequest: "REQ", CMDelay: "MRA", CMReject: "REJ", CMReply: "REP", CMReady: "RTU", CMDisconnect: "DREQ",
	CMDisconnectReply: "DREP"}

// String returns the standard's short name.
func (k CMKind) String() string {
	if s := cmNames[k]; s != "" {
		return s
	}
	return fmt.Sprintf("CM attribute 0x%04x", uint16(k))
}

// Values of a MAD header of the communication management class (IBTA vol. 1 sections 13.4.2 and 16.7).
const (
	madBase      = 1
	madCMClass   = 0x07
	madCMVersion = 2
	madSend      = 0x03

	madHeaderBytes unit.Bytes = 24
)

// GID names a port. RoCEv2 takes the IPv6 address, or the IPv4 address mapped into one (annex A17, A17.4.5).
type GID [16]byte

// CM is a connection manager's message: a management datagram of 256 bytes, which goes from queue pair 1 to queue
// pair 1 (IBTA vol. 1, 13.4.2 and 12.6). Fields that its kind has not got are zero.
//
//	bytes
//	  1   base version 1
//	  1   management class 0x07, communication management
//	  1   class version 2
//	  1   method 0x03, Send
//	  4   status and class specific: 0
//	  8   transaction id
//	  2   attribute id: what message it is
//	  6   reserved, attribute modifier: 0
//	 232  the message: see Request, Reply
type CM struct {
	Kind        CMKind
	Transaction uint64
	LocalID     uint32 // communication id: the connection's name at who sends this
	RemoteID    uint32 // its name at the other end; 0 in a REQ
	RemoteQP    uint32 // DREQ: 24 bits
	Request     Request
	Reply       Reply
	Reject      Reject
	Delay       Delay
}

// Reject is what a REJ says (IBTA vol. 1 section 12.6.7). What stands behind the reason is not read.
//
//	0  4   local communication id      8  1  what is rejected : 2
//	4  4   remote communication id     9  1  length of what stands behind the reason : 7
//	                                  10  2  reason
type Reject struct {
	Of     Rejected
	Reason Reason
}

// Rejected is the message that a REJ rejects: 2 bits.
type Rejected uint8

// What may be rejected.
const (
	RejectsRequest Rejected = iota
	RejectsReply
	RejectsNone
)

// Reason is why a connection is rejected (IBTA vol. 1 section 12.6.7.2).
type Reason uint16

// Reasons.
const (
	RejectResources Reason = 3
	RejectTimeout   Reason = 4
	RejectID        Reason = 6
	RejectService   Reason = 8
	RejectStale     Reason = 10
	RejectConsumer  Reason = 28
)

var reasons = map[Reason]string{RejectResources: "no resources", RejectTimeout: "timeout", RejectID: "invalid communication ID",
	RejectService: "invalid service ID: nobody listens", RejectStale: "stale connection", RejectConsumer: "the application refuses"}

// String returns the standard's words for those above.
func (r Reason) String() string {
	if s := reasons[r]; s != "" {
		return s
	}
	return fmt.Sprintf("reason %d", uint16(r))
}

// Delay is what an MRA says (IBTA vol. 1 section 12.6.6).
//
//	8  1  the message that came : 2      9  1  service timeout : 5
type Delay struct {
	Of      Rejected
	Timeout uint8 // 5 bits: the answer takes at most 4.096 us x 2^v
}

// Request is what a REQ says of its sender, and asks for (IBTA vol. 1 section 12.6.5). Of paths it has
// the primary one.
//
//	 0      4   local communication id             36  3+1  EE context 0, initiator depth
//	 4      4   reserved                           40  3+1  EE context 0, timeout : 5, service : 2, flow control : 1
//	 8      8   service id                         44  3+1  starting PSN, timeout : 5, retries : 3
//	16      8   local CA GUID                      48    2  P_Key
//	24      4   reserved                           50    1  path MTU : 4, RDC : 1, RNR retries : 3
//	28      4   Q_Key 0                            51    1  CM retries : 4, SRQ : 1, extended type : 3
//	32   3+1    local queue pair, responder        52    44 primary path: LIDs, GIDs, label, rate, class, hops, ...
//	            resources                          96    44 alternate path: 0
//	                                              140    92 private data
type Request struct {
	ServiceID      uint64
	GUID           uint64 // of the local channel adapter
	QP             uint32 // 24 bits
	Responder      uint8  // RDMA reads and atomics that it takes at once
	Initiator      uint8  // that it will have outstanding at once
	RemoteTimeout  uint8  // 5 bits: what it expects of the other CM, 4.096 us x 2^v
	LocalTimeout   uint8  // 5 bits: what the other may expect of it
	FlowControl    bool   // end to end
	PSN            PSN    // with which the other end, which this message goes to, is to begin (12.6.5)
	Retries        uint8  // 3 bits
	RNRRetries     uint8  // 3 bits; 7: without end
	PKey           uint16
	MTU            MTU
	CMRetries      uint8 // 4 bits
	SRQ            bool
	LocalLID       uint16 // 0xFFFF in RoCE, which has none
	RemoteLID      uint16
	LocalGID       GID
	RemoteGID      GID
	FlowLabel      uint32 // 20 bits
	PacketRate     uint8  // 6 bits, section 9.11
	TrafficClass   uint8
	HopLimit       uint8
	ServiceLevel   uint8 // 4 bits
	SubnetLocal    bool
	AckTimeout     uint8 // 5 bits: of the queue pair, 4.096 us x 2^v
	Private        RequestPrivate
	RemoteEECN     uint32 // 24 bits; 0 but for reliable datagrams
	TransportClass uint8  // 2 bits: 0, a reliable connection
}

// RequestPrivate and ReplyPrivate is what applications send along: IBTA vol. 1, 12.6.5 and 12.6.8.
type (
	RequestPrivate [92]byte
	ReplyPrivate   [196]byte
)

// Reply is what a REP says of its sender (IBTA vol. 1 section 12.6.8).
//
//	 0  4    local communication id       24  1   responder resources
//	 4  4    remote communication id      25  1   initiator depth
//	 8  4    Q_Key 0                      26  1   target ACK delay : 5, failover : 2, flow control : 1
//	12  3+1  local queue pair             27  1   RNR retries : 3, SRQ : 1
//	16  3+1  local EE context 0           28  8   local CA GUID
//	20  3+1  starting PSN                 36 196  private data
type Reply struct {
	QP          uint32 // 24 bits
	PSN         PSN    // with which the other end is to begin
	Responder   uint8
	Initiator   uint8
	AckDelay    uint8 // 5 bits
	Failover    uint8 // 2 bits: an alternate path was accepted (0) or not
	FlowControl bool
	RNRRetries  uint8 // 3 bits
	SRQ         bool
	GUID        uint64
	Private     ReplyPrivate
}

// MTU is the code of a path MTU: 1 to 5 for 256 to 4096 bytes (IBTA vol. 1 section 12.6.5).
type MTU uint8

// MTUOf returns the code of the largest path MTU that is no more than so many bytes; 0: there is none.
func MTUOf(payload unit.Bytes) (m MTU) {
	for m < 5 && (m+1).Bytes() <= payload {
		m++
	}
	return m
}

// Bytes returns the payload of a full packet.
func (m MTU) Bytes() unit.Bytes { return 128 << m }

// Append writes the datagram after b: MADBytes.
func (c *CM) Append(b []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, MADBytes)...)
	h := b[start:]
	h[0], h[1], h[2], h[3] = madBase, madCMClass, madCMVersion, madSend
	binary.BigEndian.PutUint64(h[8:], c.Transaction)
	binary.BigEndian.PutUint16(h[16:], uint16(c.Kind))
	m := h[madHeaderBytes:]
	binary.BigEndian.PutUint32(m, c.LocalID)
	switch c.Kind {
	case CMRequest:
		c.Request.put(m)
		return b
	case CMReply:
		c.Reply.put(m)
	case CMReject:
		m[8] = uint8(c.Reject.Of) << 6
		binary.BigEndian.PutUint16(m[10:], uint16(c.Reject.Reason))
	case CMDelay:
		m[8], m[9] = uint8(c.Delay.Of)<<6, c.Delay.Timeout<<3
	case CMDisconnect:
		put24(m[8:], c.RemoteQP, 0)
	}
	binary.BigEndian.PutUint32(m[4:], c.RemoteID)
	return b
}

// DecodeCM reads the datagram at the start of b.
func DecodeCM(b []byte) (*CM, error) {
	if err := need(b, MADBytes, "MAD"); err != nil {
		return nil, err
	}
	switch {
	case b[0] != madBase || b[1] != madCMClass || b[2] != madCMVersion:
		return nil, fmt.Errorf("MAD: base version %d, class 0x%02x version %d, want 1, 0x07 version 2: communication "+
			"management", b[0], b[1], b[2])
	case b[3] != madSend:
		return nil, fmt.Errorf("MAD: method 0x%02x, want 0x%02x: Send", b[3], madSend)
	}
	c := &CM{Kind: CMKind(binary.BigEndian.Uint16(b[16:])), Transaction: binary.BigEndian.Uint64(b[8:])}
	m := b[madHeaderBytes:MADBytes]
	c.LocalID = binary.BigEndian.Uint32(m)
	switch c.Kind {
	case CMRequest:
		return c, c.Request.get(m)
	case CMReply:
		c.Reply.get(m)
	case CMDisconnect:
		c.RemoteQP, _ = get24(m[8:])
	case CMReject:
		c.Reject = Reject{Rejected(m[8] >> 6), Reason(binary.BigEndian.Uint16(m[10:]))}
	case CMDelay:
		c.Delay = Delay{Rejected(m[8] >> 6), m[9] >> 3}
	case CMReady, CMDisconnectReply:
	default:
		return nil, fmt.Errorf("MAD: %v, want REQ (0x0010), MRA (0x0011), REJ (0x0012), REP (0x0013), RTU (0x0014), DREQ (0x0015) "+
			"or DREP (0x0016)",
			c.Kind)
	}
	c.RemoteID = binary.BigEndian.Uint32(m[4:])
	return c, nil
}

func (r *Request) put(m []byte) {
	binary.BigEndian.PutUint64(m[8:], r.ServiceID)
	binary.BigEndian.PutUint64(m[16:], r.GUID)
	put24(m[32:], r.QP, r.Responder)
	put24(m[36:], 0, r.Initiator)
	put24(m[40:], r.RemoteEECN, r.RemoteTimeout<<3|r.TransportClass<<1|bit(r.FlowControl, 0))
	put24(m[44:], uint32(r.PSN), r.LocalTimeout<<3|r.Retries)
	binary.BigEndian.PutUint16(m[48:], r.PKey)
	m[50] = uint8(r.MTU)<<4 | r.RNRRetries
	m[51] = r.CMRetries<<4 | bit(r.SRQ, 3)
	binary.BigEndian.PutUint16(m[52:], r.LocalLID)
	binary.BigEndian.PutUint16(m[54:], r.RemoteLID)
	copy(m[56:], r.LocalGID[:])
	copy(m[72:], r.RemoteGID[:])
	binary.BigEndian.PutUint32(m[88:], r.FlowLabel<<12|uint32(r.PacketRate))
	m[92], m[93] = r.TrafficClass, r.HopLimit
	m[94], m[95] = r.ServiceLevel<<4|bit(r.SubnetLocal, 3), r.AckTimeout<<3
	copy(m[140:], r.Private[:])
}

func (r *Request) get(m []byte) error {
	r.ServiceID, r.GUID = binary.BigEndian.Uint64(m[8:]), binary.BigEndian.Uint64(m[16:])
	r.QP, r.Responder = get24(m[32:])
	_, r.Initiator = get24(m[36:])
	var v uint8
	r.RemoteEECN, v = get24(m[40:])
	r.RemoteTimeout, r.TransportClass, r.FlowControl = v>>3, v>>1&3, v&1 != 0
	psn, v := get24(m[44:])
	r.PSN, r.LocalTimeout, r.Retries = PSN(psn), v>>3, v&7
	r.PKey = binary.BigEndian.Uint16(m[48:])
	r.MTU, r.RNRRetries = MTU(m[50]>>4), m[50]&7
	r.CMRetries, r.SRQ = m[51]>>4, m[51]>>3&1 != 0
	r.LocalLID, r.RemoteLID = binary.BigEndian.Uint16(m[52:]), binary.BigEndian.Uint16(m[54:])
	r.LocalGID, r.RemoteGID = GID(m[56:]), GID(m[72:])
	path := binary.BigEndian.Uint32(m[88:])
	r.FlowLabel, r.PacketRate = path>>12, uint8(path&63)
	r.TrafficClass, r.HopLimit = m[92], m[93]
	r.ServiceLevel, r.SubnetLocal, r.AckTimeout = m[94]>>4, m[94]>>3&1 != 0, m[95]>>3
	r.Private = RequestPrivate(m[140:])
	if r.MTU < 1 || r.MTU > 5 {
		return fmt.Errorf("REQ: path MTU code %d, want 1 (256 B) to 5 (4096 B)", r.MTU)
	}
	return nil
}

func (r *Reply) put(m []byte) {
	put24(m[12:], r.QP, 0)
	put24(m[20:], uint32(r.PSN), 0)
	m[24], m[25] = r.Responder, r.Initiator
	m[26] = r.AckDelay<<3 | r.Failover<<1 | bit(r.FlowControl, 0)
	m[27] = r.RNRRetries<<5 | bit(r.SRQ, 4)
	binary.BigEndian.PutUint64(m[28:], r.GUID)
	copy(m[36:], r.Private[:])
}

func (r *Reply) get(m []byte) {
	r.QP, _ = get24(m[12:])
	psn, _ := get24(m[20:])
	r.PSN, r.Responder, r.Initiator = PSN(psn), m[24], m[25]
	r.AckDelay, r.Failover, r.FlowControl = m[26]>>3, m[26]>>1&3, m[26]&1 != 0
	r.RNRRetries, r.SRQ = m[27]>>5, m[27]>>4&1 != 0
	r.GUID, r.Private = binary.BigEndian.Uint64(m[28:]), ReplyPrivate(m[36:])
}

// put24 writes 24 bits and the 8 behind them.
func put24(b []byte, v uint32, low uint8) {
	if v >= 1<<24 {
		panic(fmt.Sprintf("wire: 0x%x is more than 24 bits", v))
	}
	binary.BigEndian.PutUint32(b, v<<8|uint32(low))
}

func get24(b []byte) (v uint32, low uint8) {
	x := binary.BigEndian.Uint32(b)
	return x >> 8, uint8(x)
}
