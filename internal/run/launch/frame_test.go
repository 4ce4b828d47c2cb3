//go:build unix

package launch

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/run/run"
)

func TestFrames(t *testing.T) {
	want := newFrame(kindReady, 5, ready{PID: 812, Address: "127.0.0.1:4000"})
	b := appendFrame(nil, &want)
	got, err := readFrame(bytes.NewReader(b), smallBody)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v comes back as %+v, %v", want, got, err)
	}
	var r ready
	if err := got.decode(&r); err != nil || r.PID != 812 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := got.decode(&start{}); err == nil {
		t.Error("ready is read as start")
	}
	for n := range b {
		if _, err := readFrame(bytes.NewReader(b[:n]), smallBody); err == nil {
			t.Errorf("%d bytes of %d are a frame", n, len(b))
		}
	}
	if _, err := readFrame(bytes.NewReader(nil), smallBody); err != io.EOF {
		t.Errorf("nothing is %v", err)
	}
	if _, err := readFrame(bytes.NewReader(b), 3); err == nil {
		t.Error("a frame with more than may come")
	}
}

// toldJob is a job of two ranks that sum what they have.
func toldJob(t testing.TB) *workload.Job {
	t.Helper()
	s, err := coll.RingAllReduce([][]int32{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	c := workload.Collective{Name: "sum", ElemBytes: 4, Schedule: s, Range: workload.Range{Elems: 8}}
	job := &workload.Job{
		Groups: []workload.Group{{Name: "group", Ranks: []int32{0, 1}}}, Collectives: []workload.Collective{c}, Of: []int32{0, 0},
		Buffers: []workload.Buffer{{Name: "output", Elems: 8, ElemBytes: 4}},
		Programs: []workload.Program{{
			Streams: []workload.Stream{{Name: "compute", Group: workload.ComputeGroup}, {Name: "group"}},
			Ops:     []workload.Op{{Name: "sum", Kind: workload.Communication, Stream: 1, Body: -1}},
		}},
		Training: &workload.Training{Stages: []workload.Stage{{Masters: 0, State: []int32{0}}}},
	}
	return job
}

func told() *run.Told {
	t := &run.Told{Step: exec.StepRecord{Rank: 1, Step: 7, Start: 3, End: 900, Comm: 5, Overlap: 2, Computing: 4},
		Waits:      []exec.Wait{{Op: 0, From: 4, To: 8}, {Op: -1, From: 8, To: 9}},
		Operations: []exec.OperationRecord{{Rank: 1, Step: 7, Name: "sum", Stream: 1, Start: 4, End: 9, ReleasedBy: -1}},
		Said:       train.Said{Step: 7, Loss: 0.25, Held: true, Params: []float32{1, 2, 3}},
		Wrong:      []int64{-1, 0, 7}}
	t.Step.Split[2] = 897
	t.Said.State[0] = []float32{4}
	t.Said.Digest[3] = 9
	return t
}

// What a rank tells comes back, whole or not at all.
func TestTold(t *testing.T) {
	job, want := toldJob(t), told()
	b := appendTold(nil, want)
	got, err := decodeTold(job, 1, b)
	if err != nil || !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v comes back as %+v, %v", want, got, err)
	}
	if int64(len(b)) > toldBytes(job) {
		t.Errorf("%d bytes, at most %d are expected", len(b), toldBytes(job))
	}
	for n := range b {
		if _, err := decodeTold(job, 1, b[:n]); err == nil {
			t.Errorf("%d bytes of %d are a step", n, len(b))
		}
	}
	if _, err := decodeTold(job, 1, append(b, 0)); err == nil {
		t.Error("a byte more is a step")
	}
}

func FuzzReadFrame(f *testing.F) {
	hello := newFrame(kindHello, -1, hello{Version: "1"})
	f.Add(appendFrame(nil, &hello))
	f.Add(appendFrame(nil, &frame{kindStep, 1, appendTold(nil, told())}))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readFrame(bytes.NewReader(b), smallBody)
		if err != nil {
			return
		}
		if again := appendFrame(nil, &got); !bytes.HasPrefix(b, again) {
			t.Errorf("%x reads as %+v", b, got)
		}
	})
}

func FuzzDecodeTold(f *testing.F) {
	job := toldJob(f)
	f.Add(appendTold(nil, told()))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeTold(job, 1, b)
		if err == nil && !bytes.Equal(appendTold(nil, &got), b) {
			t.Errorf("%x reads as %+v", b, got)
		}
	})
}

func TestWords(t *testing.T) {
	for want, all := range map[string][]int32{"rank 4": {4}, "ranks 4 and 6": {4, 6}, "ranks 1, 2 and 3": {1, 2, 3},
		"ranks 0, 1, 2, 3, 4, 5, 6, 7 and 2 others": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		if got := rankList(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
