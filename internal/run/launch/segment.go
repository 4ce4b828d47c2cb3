//go:build unix

package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"railyard/internal/engine/rank"
	"railyard/internal/job/workload"
)

// segment is memory that a launcher and the ranks of its node share: a board for each rank, and two rings for each pair of
// them that sends each other something.
//
//	+---------+---------+-----+-----------------+-----------------+-----+
//	| board 0 | board 1 | ... | pair 0: a to b  | pair 0: b to a  | ... |
//	+---------+---------+-----+-----------------+-----------------+-----+
type segment struct {
	mem    []byte
	boards []*rank.Board // by rank of the node
	rings  map[[2]int32][2][]byte
}

// ringBytes is how much a ring holds: less where there are many.
func ringBytes(pairs int) int {
	const most, all = 1 << 20, 256 << 20
	n := most
	for pairs > 0 && 2*pairs*n > all && n > 4096 {
		n /= 2
	}
	return n
}

// localPairs are the pairs of a node's ranks that send each other something, the lower first.
func localPairs(work *workload.Job, first int32, ranks int) (all [][2]int32) {
	end := first + int32(ranks)
	rank.Pairs(work, func(a, b int32) {
		if a >= first && a < end && b >= first && b < end {
			all = append(all, [2]int32{a, b})
		}
	})
	return all
}

// segmentBytes is how long a segment is.
func segmentBytes(ranks, pairs, ring int) int {
	return ranks*rank.BoardBytes + 2*pairs*rank.RingBytes(ring)
}

// mapSegment maps the memory of a file that begins with the boards of so many ranks.
func mapSegment(f *os.File, ranks int) (*segment, error) {
	info, err := f.Stat()
	if err != nil || info.Size() < int64(ranks*rank.BoardBytes) {
		return nil, fmt.Errorf("shared memory has no room for %d boards", ranks)
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("shared memory of %d bytes: %w", info.Size(), err)
	}
	s := &segment{mem: mem}
	for i := range ranks {
		s.boards = append(s.boards, rank.BoardAt(mem[i*rank.BoardBytes:]))
	}
	return s, nil
}

// divide gives pairs their rings.
func (s *segment) divide(pairs [][2]int32, ring int) error {
	ranks := len(s.boards)
	if want := segmentBytes(ranks, len(pairs), ring); len(s.mem) != want {
		return fmt.Errorf("shared memory of %d bytes, want %d: %d ranks and %d pairs", len(s.mem), want, ranks, len(pairs))
	}
	s.rings = map[[2]int32][2][]byte{}
	at := s.mem[ranks*rank.BoardBytes:]
	next := func() []byte {
		n := rank.RingBytes(ring)
		b := at[:n:n]
		at = at[n:]
		return b
	}
	for _, p := range pairs {
		s.rings[p] = [2][]byte{next(), next()}
	}
	return nil
}

// ways are the rings from a rank to its peer and back.
func (s *segment) ways(me, peer int32) (there, back []byte) {
	if me < peer {
		r := s.rings[[2]int32{me, peer}]
		return r[0], r[1]
	}
	r := s.rings[[2]int32{peer, me}]
	return r[1], r[0]
}

func (s *segment) close() { _ = unix.Munmap(s.mem) }
