package endpoint

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
)

// TestKernelIsSilent: what a kernel must not take it does not answer either, and its queue pair stays as it is: a packet of
// another partition, for another queue pair, and one whose ICRC is wrong, which it takes when it comes again.
func TestKernelIsSilent(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		each   func(*verbs.Attributes)
		want   verbs.Status
	}{
		"partition":  {"", func(a *verbs.Attributes) { a.PKey = 0x8001 }, verbs.RetryExceeded},
		"queue pair": {"", func(a *verbs.Attributes) { a.DestQP ^= 0x800000 }, verbs.RetryExceeded},
		"all ICRCs":  {"spoil:/1", nil, verbs.RetryExceeded},
		"an ICRC":    {"spoil:0 spoil:1", nil, verbs.Success},
	} {
		t.Run(name, func(t *testing.T) {
			e, k := withKernel(t, 3, c.script, "", func(a *verbs.Attributes) {
				a.Retries, a.Timeout = 2, 50*unit.Millisecond
				if c.each != nil {
					c.each(a)
				}
			})
			e.post(t, write(e, k.made.RKey, k.made.VAddr, 10))
			if w := e.poll(t, &e.send); w.Status != c.want {
				t.Errorf("%v, want %v", w.Status, c.want)
			}
			var counted verbs.Counters
			e.Do(func() { counted = *e.qp.Counters() })
			if counted.SequenceNAK != 0 || c.want != verbs.Success && e.Counters().Received != 0 {
				t.Errorf("the kernel answers: %+v, %+v", counted, e.Counters())
			}
			if s := k.do("STATE").State; s != "RTS" {
				t.Errorf("the kernel's queue pair in %s, want RTS", s)
			}
		})
	}
}
