package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// incast runs n flows of b bytes into one host of a star at 100 Gb/s, marking and PFC on.
func incast(t *testing.T, n int, b unit.Bytes, ctl cc.Params, change func(*rig)) (*rig, *queueSeries) {
	t.Helper()
	r := hpcc(star(n+1, 100*unit.GigabitPerSec), ctl)
	if change != nil {
		change(r)
	}
	q := &queueSeries{port: r.graph.NICs[n].Port ^ 1}
	r.fabric.SampleEvery, r.fabric.OnSample = unit.Microsecond, q.add
	r.build(t)
	for i := range n {
		r.flow(t, topo.NICID(i), topo.NICID(n), b, 0)
	}
	r.run(t)
	r.fab.FlushSamples(r.eng.Now())
	return r, q
}

// last returns when the last flow was complete.
func (r *rig) last() (d unit.Duration) {
	for _, f := range r.flows {
		d = max(d, f.Acked.Sub(0))
	}
	return d
}

// share is which part of the bottleneck's rate the flows got until the last was complete, headers
// counted.
func (r *rig) share(n int, b unit.Bytes) float64 {
	return float64((100 * unit.GigabitPerSec).TransmitTime(unit.Bytes(n)*b/1000*1048)) / float64(r.last())
}

// queueSeries collects the sampled queue of a port.
type queueSeries struct {
	port  topo.PortID
	index []int64
	value []int64
}

func (s *queueSeries) add(_ int32, x fabric.Sample) {
	if x.Port == s.port {
		s.index = append(s.index, x.Index)
		s.value = append(s.value, int64(x.Bytes))
	}
}

// series expands the run lengths to one sample each interval up to n.
func (s *queueSeries) series(n int64) []float64 {
	out := make([]float64, n+1)
	k, v := 0, 0.0
	for i := range out {
		for k < len(s.index) && s.index[k] <= int64(i) {
			v = float64(s.value[k])
			k++
		}
		out[i] = v
	}
	return out
}

// settled returns mean and maximum of the samples in the second and third quarter of a run: past
// the start, before the end.
func (s *queueSeries) settled(d unit.Duration) (mean, most float64) {
	n := int64(d / unit.Microsecond)
	x := s.series(n)[n/4 : 3*n/4]
	for _, v := range x {
		mean += v / float64(len(x))
		most = max(most, v)
	}
	return mean, most
}

// HPCC, SIGCOMM'19, section 5: queues stay near zero while the link is used to eta, 95 %.
func TestHPCCKeepsQueuesNearZero(t *testing.T) {
	const n, b = 8, 4_000_000
	r, q := incast(t, n, b, cc.Defaults["hpcc"], func(r *rig) {
		r.nic.Telemetry, r.fabric.Telemetry = true, true
		r.fabric.Classes[0].ECN = nil
	})
	mean, most := q.settled(r.last())
	t.Logf("link used %.3f, queue mean %.0f B, max %.0f B", r.share(n, b), mean, most)
	if u := r.share(n, b); u < 0.93 || u > 0.97 {
		t.Errorf("link used to %.3f, want eta = 0.95", u)
	}
	if mean > 5*1048 || most > 20*1048 {
		t.Errorf("queue of %.0f B in the mean and %.0f B at most: want a few packets", mean, most)
	}
}

// DCTCP, SIGCOMM'10, section 3: with a single marking threshold K the queue stays near K and the
// link stays full.
func TestDCTCPHoldsTheQueueNearK(t *testing.T) {
	const n, b, k = 8, 4_000_000, 100_000
	r, q := incast(t, n, b, cc.Defaults["dctcp"], func(r *rig) {
		r.fabric.Classes[0].ECN = qos.Curve(k, k, unit.Ratio{Num: 1, Den: 1}, true)
	})
	mean, most := q.settled(r.last())
	t.Logf("link used %.3f, queue mean %.0f B, max %.0f B", r.share(n, b), mean, most)
	if u := r.share(n, b); u < 0.98 {
		t.Errorf("link used to %.3f, want it full", u)
	}
	if mean < k/2 || mean > 2*k {
		t.Errorf("queue of %.0f B in the mean, want about K = %d B", mean, k)
	}
}

// Swift, SIGCOMM'20, section 3.1: the delay converges to the target while the link stays full. The
// default target here is 10 us of queueing above the base delay: 125 kB at 100 Gb/s.
func TestSwiftHoldsTheTargetDelay(t *testing.T) {
	const n, b = 8, 4_000_000
	r, q := incast(t, n, b, cc.Defaults["swift"], func(r *rig) { r.fabric.Classes[0].ECN = nil })
	mean, most := q.settled(r.last())
	target := float64((100 * unit.GigabitPerSec).BytesIn(cc.Defaults["swift"].(cc.Swift).Queueing))
	t.Logf("link used %.3f, queue mean %.0f B, max %.0f B, target %.0f B", r.share(n, b), mean, most, target)
	if u := r.share(n, b); u < 0.98 {
		t.Errorf("link used to %.3f, want it full", u)
	}
	if mean > 2*target {
		t.Errorf("queue of %.0f B in the mean, want at most twice the target's %.0f B", mean, target)
	}
}

// TIMELY, SIGCOMM'15, section 4.3: below Tlow and above Thigh the gradient is overridden, so the
// queueing delay settles between them whatever the start. 40 MB flows: the start-up at line rate,
// which the paper avoids, is over early.
func TestTIMELYKeepsTheDelayBelowThigh(t *testing.T) {
	const n, b = 4, 40_000_000
	p := cc.Defaults["timely"].(cc.TIMELY)
	r, q := incast(t, n, b, p, func(r *rig) { r.fabric.Classes[0].ECN = nil })
	mean, most := q.settled(r.last())
	high := float64((100 * unit.GigabitPerSec).BytesIn(p.High))
	t.Logf("link used %.3f, queue mean %.0f B, max %.0f B; Thigh is %.0f B", r.share(n, b), mean, most, high)
	if most > high {
		t.Errorf("queue of %.0f B, want below Thigh = %.0f B", most, high)
	}
}

// IRN, SIGCOMM'18, figure 1: selective repeat with a BDP window needs no lossless network;
// go-back-N sends the window again for each loss.
func TestSelectiveRepeatResendsOnlyWhatIsLost(t *testing.T) {
	lossy := func(selective bool) *rig {
		r, _ := incast(t, 2, 10_000_000, cc.None{Window: cc.Window{Bytes: 52_000}}, func(r *rig) {
			if r.nic.Transport.AckDuplicates = true; selective {
				r.nic.Transport.Selective, r.nic.Transport.Receiver = true, roce.Direct
			}
			r.nic.Transport.Timeout, r.nic.Transport.Retries = 320*unit.Microsecond, 7
			r.nic.Transport.TimeoutLow, r.nic.Transport.LowPackets = 100*unit.Microsecond, 3
			r.fabric.Faults = &fabric.Faults{Chances: fabric.Chances{Drop: unit.Ratio{Num: 1, Den: 1000}}}
		})
		return r
	}
	gbn, irn := lossy(false), lossy(true)
	lost := int64(0)
	for id := range irn.graph.Ports {
		lost += irn.fab.Stats(irn.eng.Now(), topo.PortID(id)).Faulted
	}
	t.Logf("go-back-N resent %d and took %v, selective repeat %d and %v; %d frames lost", gbn.net.Retransmits(),
		gbn.last(), irn.net.Retransmits(), irn.last(), lost)
	if irn.net.Retransmits() > lost {
		t.Errorf("selective repeat resent %d packets for %d lost frames", irn.net.Retransmits(), lost)
	}
	if gbn.net.Retransmits() < 10*irn.net.Retransmits() || irn.last() >= gbn.last() {
		t.Errorf("go-back-N resent %d and took %v, selective repeat %d and %v: want the second far below the first",
			gbn.net.Retransmits(), gbn.last(), irn.net.Retransmits(), irn.last())
	}
}

// A bit error discards the frame whose FCS it breaks: of N frames of L bytes, N x 8L x rate are
// lost in the mean.
func TestBitErrorsDiscardFrames(t *testing.T) {
	r, _ := incast(t, 1, 50_000_000, cc.None{Window: cc.Window{Bytes: 52_000}}, func(r *rig) {
		selective(r)
		r.nic.Transport.Timeout, r.nic.Transport.Retries = 320*unit.Microsecond, 7
		r.fabric.Faults = &fabric.Faults{Chances: fabric.Chances{BitErrors: unit.Ratio{Num: 1, Den: 10_000_000}}}
	})
	frames, lost := int64(0), int64(0)
	for id := range r.graph.Ports {
		s := r.fab.Stats(r.eng.Now(), topo.PortID(id))
		frames, lost = frames+s.Bytes, lost+s.Faulted
	}
	want := float64(frames) * 8 / 10_000_000
	// want is about 85: 1.4 is beyond three standard deviations
	if float64(lost) < want/1.4 || float64(lost) > want*1.4 {
		t.Errorf("%d frames lost of %d bytes at 1e-7, want about %.0f", lost, frames, want)
	}
}
