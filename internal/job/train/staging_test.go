package train

import (
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
)

// Whatever has landed has been read when the steps are over, and the memory for it is that of the few
// messages that were there at a time.
func TestFewSlotsHoldSomething(t *testing.T) {
	cfg := job{ranks: 8, channels: 2, steps: 4}.config(t)
	j := train(t, cfg, exectest.Net{}, nil)
	for id := range j.ranks {
		for i := range j.ranks[id].staging {
			s := &j.ranks[id].staging[i]
			for area, slots := range s.areas {
				for n, slot := range slots {
					if slot != nil {
						t.Errorf("rank %d: slot %d of area %d still holds something", id, n, area)
					}
				}
			}
			if n, most := int64(len(s.free)), s.slots.Channels*2; n == 0 || n > most {
				t.Errorf("rank %d has made memory for %d slots of %d, want 1 to %d", id, n, s.slots.Count(), most)
			}
		}
	}
}

// A body that reads a slot to which nothing has come gets NaN.
func TestASlotThatHoldsNothing(t *testing.T) {
	j, err := New(job{ranks: 2, channels: 1}.config(t))
	if err != nil {
		t.Fatal(err)
	}
	to := exec.Ref{Buffer: j.cfg.Work.Collectives[0].Buffer(coll.Out), Len: 8}
	from := exec.Ref{Buffer: exec.Staging(j.cfg.Work, 0, 1), Len: 8}
	sum := j.ranks[0].buffers[to.Buffer][:2]
	nan := func() bool { return sum[0] != sum[0] && sum[1] != sum[1] }
	if j.Reduce(0, 0, to, from); !nan() {
		t.Errorf("with nothing added: %v", sum)
	}
	clear(sum)
	copy(j.Bytes(0, from), []byte{0, 0, 128, 63, 0, 0, 0, 64})
	if j.Reduce(0, 0, to, from); sum[0] != 1 || sum[1] != 2 {
		t.Errorf("with 1 and 2 added: %v", sum)
	}
	j.Read(0, from)
	if j.Copy(0, 0, to, from); !nan() {
		t.Errorf("after it was read: %v", sum)
	}
}
