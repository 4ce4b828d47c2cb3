package rank_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/rank"
	"railyard/internal/job/workload"
)

// What the ideal driver leaves of any collective is left over TCP where messages are added or copied as they come.
func TestEveryCollectiveLands(t *testing.T) {
	elsewhere(t, func(*lending) func(*drive) joiner { return sockets })
}

// landing is a job of two ranks whose messages all land.
func landing(t *testing.T, elems, steps int64) (*workload.Job, *lending) {
	job, memory := large(t, elems, steps)
	for i := range job.Programs {
		job.Programs[i].Device = workload.Device{MemoryBandwidth: unit.Bitrate(1e9), MemoryEff: unit.Ratio{Num: 1, Den: 1}}
	}
	return job, inRooms(job, memory)
}

// What was added may not change until it has been sent on: its checksum is that of what was made.
//
// It fails if a message has the checksum of what lies in memory when it is sent.
func TestASumThatChangesIsFound(t *testing.T) {
	for name, join := range map[string]func(*drive) joiner{"rings": rings(1 << 12), "sockets": sockets} {
		t.Run(name, func(t *testing.T) {
			job, l := landing(t, 150_001, 1)
			defer l.close()
			d := newMended(job, 1, l, l, join, map[int32]func(rank.Link) rank.Link{0: func(k rank.Link) rank.Link {
				messages := 0
				return &fault{Link: k, change: func(_ int, f *rank.Frame, b []byte) (int, []byte) {
					if f.Kind == rank.FrameMessage {
						if messages++; messages == 2 {
							b[70_000] ^= 1
						}
					}
					return 1, b
				}}
			}}, 2)
			if err := d.run(); err == nil || !strings.Contains(err.Error(), "whose checksum is") {
				t.Errorf("%v, want a checksum that is wrong", err)
			}
		})
	}
}

// Of two ranks with one connection no message comes into a slot, however soon it comes after another, and those that are added
// in many pieces are whole.
//
// It fails if a link goes on to a message before the loop has done what the one before has given it to do.
func TestEveryMessageOfTwoRanksLands(t *testing.T) {
	const elems, steps = 150_001, 6
	job, l := landing(t, elems, steps)
	defer l.close()
	for r := range l.Buffers { // 0, 1 or 2, by place
		for i := range elems {
			binary.LittleEndian.PutUint32(l.Buffers[r][0][4*i:], []uint32{0, 0x3f800000, 0x40000000}[(i+r)%3])
		}
	}
	if err := newDrive(job, steps, l, l, sockets).run(); err != nil {
		t.Fatal(err)
	}
	for r, b := range l.Buffers {
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
