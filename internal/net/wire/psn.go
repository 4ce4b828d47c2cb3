package wire

// PSN is a packet sequence number: 24 bits that wrap around (IBTA vol. 1 section
// 9.7.1). Numbers are compared within half the circle: at most 2^23 - 1 packets of a
// queue pair may be outstanding.
//
//	     0
//	  .-----.        Sub is the shorter way round:
//	 /       \       PSN(1).Sub(0xFFFFFF) = 2
//	|         |      a is before b if b.Sub(a) > 0
//	 \       /
//	  '-----'
//	  0x800000
type PSN uint32

// PSNMask holds the bits of a PSN.
const PSNMask PSN = 1<<24 - 1

// Add returns the number n packets after p, or -n before it.
func (p PSN) Add(n int) PSN { return (p + PSN(uint32(n))) & PSNMask }

// Next returns the number after p.
func (p PSN) Next() PSN { return (p + 1) & PSNMask }

// Sub returns how many packets p is after q: -2^23 to 2^23 - 1.
func (p PSN) Sub(q PSN) int { return int(int32((p-q)<<8) >> 8) }

// Before reports whether p comes before q.
func (p PSN) Before(q PSN) bool { return p.Sub(q) < 0 }
