package rank_test

import (
	"encoding/binary"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// What the ideal driver leaves of any collective is left over TCP where messages are added or copied as they come.
func TestEveryCollectiveLands(t *testing.T) {
	elsewhere(t, func(*lending) func(*drive) joiner { return sockets })
}

// Of two ranks with one connection no message comes into a slot, however soon it comes after another, and those that are added
// in many pieces are whole.
//
// It fails if a link goes on to a message before the loop has done what the one before has given it to do.
func TestEveryMessageOfTwoRanksLands(t *testing.T) {
	const elems, steps = 150_001, 6
	job, memory := large(t, elems, steps)
	for i := range job.Programs {
		job.Programs[i].Device = workload.Device{MemoryBandwidth: unit.Bitrate(1e9), MemoryEff: unit.Ratio{Num: 1, Den: 1}}
	}
	for r := range memory.Buffers { // 0, 1 or 2, by place
		for i := range elems {
			binary.LittleEndian.PutUint32(memory.Buffers[r][0][4*i:], []uint32{0, 0x3f800000, 0x40000000}[(i+r)%3])
		}
	}
	l := inRooms(job, memory)
	defer l.close()
	if err := newDrive(job, steps, l, l, sockets).run(); err != nil {
		t.Fatal(err)
	}
	for r, b := range memory.Buffers {
		for i := range elems {
			want := []uint32{0x3f800000, 0x40400000, 0x40000000}[i%3] + (steps-1)<<23 // the sum, doubled by each further step
			if got := binary.LittleEndian.Uint32(b[0][4*i:]); got != want {
				t.Fatalf("rank %d: element %d is %#x, want %#x", r, i, got, want)
			}
		}
		if l.times[r] != 2*steps {
			t.Errorf("rank %d: %d messages came elsewhere than into their slots, of %d", r, l.times[r], 2*steps)
		}
	}
}
