package fabric_test

import (
	"fmt"
	"math"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
)

// probability is the WRED curve as it is drawn in books.
func probability(q, low, high, p float64) float64 {
	switch {
	case q <= low:
		return 0
	case q > high:
		return 1
	}
	return p * (q - low) / (high - low)
}

// TestMarkingFollowsTheCurve: two hosts fill a queue with pairs of frames that arrive at the
// instant at which one leaves, and it then drains. The queue that each frame sees on its arrival,
// and leaves behind, is therefore known; the number of marks must be within five standard
// deviations of the curve's.
func TestMarkingFollowsTheCurve(t *testing.T) {
	const pairs, low, high = 2000, 200_000, 1_800_000
	p := unit.Ratio{Num: 1, Den: 2}
	expect := func(queues []int) (mean, deviation float64) {
		for _, q := range queues {
			x := probability(float64(q*frame), low, high, p.Float())
			mean += x
			deviation += x * (1 - x)
		}
		return mean, math.Sqrt(deviation)
	}
	var before, behind []int // by frame, in frames
	q := 0
	for k := range pairs {
		if k > 0 {
			q--
			behind = append(behind, q)
		}
		before = append(before, q)
		if k == 0 {
			behind = append(behind, 0) // goes straight out
		} else {
			q++
		}
		before = append(before, q)
		q++
	}
	for ; q > 0; q-- {
		behind = append(behind, q-1)
	}
	for _, c := range []struct {
		dequeue bool
		seen    []int
	}{{false, before}, {true, behind}} {
		mean, sd := expect(c.seen)
		for seed := range uint64(5) {
			cfg := lossy()
			cfg.LinkOverhead, cfg.Seed = 0, seed
			cfg.Classes[0].ECN = qos.Curve(low, high, p, c.dequeue)
			n := newNet(t, star(t, fast, fast, fast), cfg)
			n.send(t, 0, 0, 2, 0, pairs, frame)
			n.send(t, 0, 1, 2, 0, pairs, frame)
			n.run(t)
			if got := float64(n.stats(n.down(2)).Marks); math.Abs(got-mean) > 5*sd {
				t.Errorf("at dequeue %v, seed %d: %.0f marks, want %.1f +- 5 x %.1f", c.dequeue, seed, got, mean, sd)
			}
			// Arrivals see what departures leave behind, but not the same frames: the last ones see
			// a full queue and leave an empty one.
			marked, last := 0, 0
			for i, a := range n.hosts[2].arrived {
				if a.marked {
					marked++
					if i >= 2*pairs-100 {
						last++
					}
				}
			}
			if want := map[bool]int{false: 100, true: 0}[c.dequeue]; last != want {
				t.Errorf("at dequeue %v, seed %d: %d of the last 100 frames are marked, want %d",
					c.dequeue, seed, last, want)
			}
			if int64(marked) != n.stats(n.down(2)).Marks || n.stats(n.down(2)).MaxQueue != pairs*frame {
				t.Errorf("%d frames arrive marked, %d were; longest queue %v", marked, n.stats(n.down(2)).Marks,
					n.stats(n.down(2)).MaxQueue)
			}
		}
	}
}

// TestStrictFirst: a strict frame waits for no more than the frame that is being sent, and of two
// strict classes the higher priority goes first.
func TestStrictFirst(t *testing.T) {
	cfg := lossy()
	cfg.Classes = []fabric.Class{{Name: "data", Priority: 3, Weight: 50}, {Name: "low", Priority: 5, Strict: true},
		{Name: "cnp", Priority: 7, Strict: true}}
	n := newNet(t, star(t, fast, fast, fast, fast, slow), cfg)
	const to = 4
	n.send(t, 0, 0, to, 0, 50, 4000)
	at := unit.Time(20 * unit.Microsecond)
	low := n.send(t, at, 1, to, 1, 2, 100)
	high := n.send(t, at, 2, to, 2, 2, 100)
	n.run(t)
	// Data frames leave back to back from the first one's admission on; the strict ones are
	// admitted together and leave at the next boundary.
	admitted := unit.Time(0).Add(fast.TransmitTime(4020) + cable + latent)
	service := slow.TransmitTime(4020)
	strict := at.Add(fast.TransmitTime(120) + cable + latent)
	boundary := admitted.Add((strict.Sub(admitted)/service + 1) * service)
	want := map[unit.Time]int{}
	for i, b := range []int{high, high, low, low} {
		want[boundary.Add(unit.Duration(i+1)*slow.TransmitTime(120)+cable)] = b
	}
	got := 0
	for _, a := range n.hosts[to].arrived {
		if a.batch == low || a.batch == high {
			if b, ok := want[a.at]; !ok || b != a.batch {
				t.Errorf("strict frame of batch %d arrives at %v, want %v", a.batch, a.at, want)
			}
			got++
		}
	}
	if got != 4 {
		t.Errorf("%d strict frames arrive", got)
	}
}

// TestWeightedShares: two backlogged classes share a port by weight in bytes, whatever their
// frames' sizes: the bytes served by weight differ by no more than the deficit bound (Shreedhar and
// Varghese, SIGCOMM 1995, theorem 2).
func TestWeightedShares(t *testing.T) {
	for _, c := range []struct{ weight0, weight1, size0, size1 int }{
		{50, 50, 1500, 1500}, {50, 50, 9216, 64}, {50, 50, 300, 4178}, {30, 70, 1500, 1500}, {30, 70, 9000, 500},
		{30, 70, 500, 9000}, {10, 100, 4000, 4000},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			cfg := lossy()
			cfg.Classes = []fabric.Class{{Name: "a", Priority: 0, Weight: c.weight0},
				{Name: "b", Priority: 3, Weight: c.weight1}}
			n := newNet(t, star(t, fast, fast, slow), cfg)
			const total = 2_000_000
			n.send(t, 0, 0, 2, 0, total/c.size0, unit.Bytes(c.size0))
			n.send(t, 0, 1, 2, 1, total/c.size1, unit.Bytes(c.size1))
			n.run(t)
			var served [2]int
			left := [2]int{total / c.size0, total / c.size1}
			least := min(c.weight0, c.weight1)
			quantum := [2]float64{float64(9216 * c.weight0 / least), float64(9216 * c.weight1 / least)}
			for _, a := range n.hosts[2].arrived[2:] { // both queues are filled from the third frame on
				served[a.class] += a.size
				if left[a.class]--; left[a.class] == 2 {
					break
				}
				// In rounds of a quantum: both are within one round, plus the deficit of one frame
				// each.
				rounds := [2]float64{float64(served[0]) / quantum[0], float64(served[1]) / quantum[1]}
				bound := 1 + float64(c.size0)/quantum[0] + float64(c.size1)/quantum[1]
				if math.Abs(rounds[0]-rounds[1]) > bound {
					t.Fatalf("at %v served %v, quanta %v: %.2f rounds apart, bound %.2f", a.at, served, quantum,
						rounds[0]-rounds[1], bound)
				}
			}
			share := float64(served[0]) / float64(served[0]+served[1])
			want := float64(c.weight0) / float64(c.weight0+c.weight1)
			if math.Abs(share-want) > 0.1*want {
				t.Errorf("class a got %.3f of the bytes, want %.3f", share, want)
			}
		})
	}
}

// TestIdleClassLeavesItsShare: a class alone has the whole link, and gathers no credit while it is
// idle.
func TestIdleClassLeavesItsShare(t *testing.T) {
	cfg := lossy()
	cfg.Classes = []fabric.Class{{Name: "a", Priority: 0, Weight: 50}, {Name: "b", Priority: 3, Weight: 50}}
	n := newNet(t, star(t, fast, fast, fast), cfg)
	n.send(t, 0, 0, 2, 0, 1000, frame)
	n.run(t)
	last := n.hosts[2].arrived[999].at
	if want := unit.Time(0).Add(1001*fast.TransmitTime(frame+20) + 2*cable + latent); last != want {
		t.Errorf("1000 frames alone arrive by %v, want %v", last, want)
	}
}

// TestLossyDrops: a frame of a class without PFC is dropped when its queue with it would pass alpha
// times the free buffer; a plain simulation of one queue says which.
func TestLossyDrops(t *testing.T) {
	for _, alpha := range []unit.Ratio{{Num: 1, Den: 2}, {Num: 1, Den: 1}, {Num: 4, Den: 1}, {Num: 1, Den: 8}} {
		const size, count = 100_000, 500
		cfg := lossy()
		cfg.Buffer.Size, cfg.Buffer.LossyAlpha = size, alpha
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, count, frame)
		n.run(t)

		in, out := fast.TransmitTime(frame+20), slow.TransmitTime(frame+20)
		held, waiting, drops, longest := int64(0), int64(0), int64(0), int64(0)
		busyUntil := unit.Time(-1) // of the port; at that instant its frame's buffer is free
		for k := range unit.Duration(count) {
			now := unit.Time(0).Add((k+1)*in + cable + latent)
			for busyUntil >= 0 && busyUntil <= now {
				held -= frame
				if waiting == 0 {
					busyUntil = -1
					break
				}
				waiting -= frame
				busyUntil = busyUntil.Add(out)
			}
			if waiting+frame > alpha.Of(size-held) || held+frame > size {
				drops++
				continue
			}
			held += frame
			if busyUntil < 0 {
				busyUntil = now.Add(out)
			} else {
				waiting += frame
			}
			longest = max(longest, waiting)
		}
		s := n.stats(n.down(1))
		if s.Drops != drops || int64(s.MaxQueue) != longest || drops == 0 {
			t.Errorf("alpha %v: %d drops, longest queue %v; want %d, %d", alpha, s.Drops, s.MaxQueue, drops, longest)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for name, change := range map[string]func(*fabric.Config){
		"no class":         func(c *fabric.Config) { c.Classes = nil },
		"no weight":        func(c *fabric.Config) { c.Classes[0].Weight = 0 },
		"shared priority":  func(c *fabric.Config) { c.Classes = append(c.Classes, c.Classes[0]) },
		"no MTU":           func(c *fabric.Config) { c.MTU = 0 },
		"MTU of 16 bits":   func(c *fabric.Config) { c.MTU = 65536 },
		"buffer too small": func(c *fabric.Config) { c.Buffer.Size, c.Buffer.Reserve = 100, 100 },
		"headroom too large": func(c *fabric.Config) {
			c.Classes[0].Lossless = true
			c.PFC.Headroom = qos.FixedHeadroom(32 * unit.Megabyte)
		},
	} {
		cfg := lossy()
		change(&cfg)
		g := star(t, fast, fast)
		if _, err := fabric.New(newNet(t, g, lossy()).eng, g, cfg, make([]int32, len(g.Nodes))); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Log(err)
		}
	}
}
