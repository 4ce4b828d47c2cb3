package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/out/result"
)

// weather is what the fabric may do to the same training; each must really happen.
var weather = []struct {
	name, fabric, background string
	happened                 func(*result.Summary) bool
}{
	{"clean", "", "", func(s *result.Summary) bool { return s.ECNMarks+s.Pauses+s.Drops+s.Retransmits == 0 }},
	{"incast", "fabric: {switch: {buffer: 2MB}, qos: {ecn: {min: 50kB, max: 200kB}}}\n", bursts("400kB", "200us", 20),
		func(s *result.Summary) bool { return s.ECNMarks > 0 && s.CNPs > 0 && s.Pauses > 0 && s.Drops == 0 }},
	{"ecn-only", "fabric: {qos: {ecn: {min: 50kB, max: 200kB}, pfc: {enabled: false}}}\n", bursts("400kB", "200us", 20),
		func(s *result.Summary) bool { return s.ECNMarks > 0 && s.CNPs > 0 && s.Pauses == 0 }},
	{"pfc-only", "fabric: {switch: {buffer: 2MB}, qos: {ecn: {enabled: false}}}\ncongestion: {algorithm: none}\n",
		bursts("400kB", "200us", 20),
		func(s *result.Summary) bool { return s.Pauses > 0 && s.ECNMarks == 0 && s.Drops == 0 }},
	{"lossy", "fabric: {switch: {buffer: 200kB}, qos: {ecn: {enabled: false}, pfc: {enabled: false}}}\ncongestion: " +
		"{algorithm: none}\ntransport: {timeout: 100us, retries: 100}\n",
		bursts("300kB", "300us", 20), func(s *result.Summary) bool { return s.Drops > 0 && s.Retransmits > 0 }},
}

// Whatever the fabric does, and over however many rings, every rank ends with the oracle's weights,
// bit for bit.
func TestWeightsEqualTheOraclesInAnyWeather(t *testing.T) {
	for channels := 1; channels <= 4; channels++ {
		job := training(t, 6, channels)
		want, err := train.Oracle(reference(t, cluster8(5)+job))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range weather {
			t.Run(fmt.Sprintf("%s over %d rings", w.name, channels), func(t *testing.T) {
				r := run(t, cluster8(5)+w.fabric+w.background+job, Options{Workers: -1})
				if !w.happened(r.Summary) {
					t.Errorf("%d marks, %d CNPs, %d pauses, %d drops, %d retransmissions", r.ECNMarks, r.CNPs, r.Pauses,
						r.Drops, r.Retransmits)
				}
				for id, weights := range r.weights {
					if !equal(weights, want.Weights[id]) {
						t.Fatalf("rank %d differs from the oracle", id)
					}
				}
				if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
					t.Errorf("weights_sha256 %s is not that of the weights", r.WeightsSHA256)
				}
			})
		}
	}
}

// Losses cost the training its own packets, and time; not its result.
func TestLossesHitTheTrainingItself(t *testing.T) {
	lossy := weather[len(weather)-1]
	job := training(t, 20, 1)
	clean, r := run(t, cluster8(5)+job, Options{}), run(t, cluster8(5)+lossy.fabric+lossy.background+job, Options{})
	resent := int64(0)
	for _, f := range rows(t, r.Run.Flows()) {
		if f.Kind == result.KindCollective {
			resent += f.Retransmits
		}
	}
	if resent == 0 {
		t.Error("no gradient was sent again")
	}
	if r.StepSplit.Mean.Retransmission == 0 || r.VirtualTime <= clean.VirtualTime {
		t.Errorf("retransmission took %v of a step; %v in all, %v without losses", r.StepSplit.Mean.Retransmission,
			r.VirtualTime, clean.VirtualTime)
	}
	if r.WeightsSHA256 != clean.WeightsSHA256 {
		t.Error("losses changed the weights")
	}
}

// The sum over ranks in the ring's order differs from one rank's in the last bits only.
func TestTwentyStepsStayCloseToOneRank(t *testing.T) {
	yaml := cluster8(2) + training(t, 20, 4)
	r := run(t, yaml, Options{})
	cfg := reference(t, yaml)
	one, err := train.OneRank(cfg)
	if err != nil {
		t.Fatal(err)
	}
	tensors(cfg.Model, func(name string, lo, hi int) {
		if d := distance(r.weights[0][lo:hi], one.Weights[0][lo:hi]); d > 1e-5 {
			t.Errorf("%s is %g of its norm away from one rank's", name, d)
		}
	})
	if equal(r.weights[0], cfg.Model.Init(cfg.Seed)) {
		t.Error("nothing was learnt")
	}
}

// misplaced is the memory of a network that once names wrong bytes.
type misplaced struct {
	exec.Memory
	from, until int32 // the buffers that count
	left        int   // calls until it does
	wrong       func(*exec.Ref)
}

func (m *misplaced) Bytes(rank int32, r exec.Ref) []byte {
	if r.Buffer >= m.from && r.Buffer < m.until {
		if m.left--; m.left == 0 {
			m.wrong(&r)
		}
	}
	return m.Memory.Bytes(rank, r)
}

// The packets carry the gradients: one message placed wrongly, and the weights are others.
func TestWrongPlacementChangesTheWeights(t *testing.T) {
	yaml := cluster8(2) + training(t, 3, 2)
	cfg := reference(t, yaml)
	want, err := train.Oracle(cfg)
	if err != nil {
		t.Fatal(err)
	}
	staging := int32(len(cfg.Work.Buffers))
	for name, wrong := range map[string]func(*exec.Ref){
		"right":                func(*exec.Ref) {},
		"4 bytes further":      func(r *exec.Ref) { r.Off += 4 },
		"in the other staging": func(r *exec.Ref) { r.Buffer ^= 1 }, // what is missing is NaN
	} {
		m := &misplaced{from: staging, until: staging + 4, left: 9, wrong: wrong} // of two all-reduces
		r, err := tryRun(t, context.Background(), yaml,
			Options{memory: func(live exec.Memory) exec.Memory { m.Memory = live; return m }})
		if m.left > 0 {
			t.Fatal("nothing was placed")
		}
		if ended := err != nil; ended != (name == "in the other staging") {
			t.Errorf("%s: %v", name, err)
		}
		same := true
		for id, weights := range r.weights {
			same = same && equal(weights, want.Weights[id])
		}
		if same != (name == "right") {
			t.Errorf("%s: weights equal the oracle's: %v", name, same)
		}
	}
}

// One message of the broadcast that is not where it belongs, and there are weights without a number.
func TestAWrongBroadcastShows(t *testing.T) {
	yaml := cluster8(2) + training(t, 3, 2)
	staging := int32(len(reference(t, yaml).Work.Buffers)) + 4
	for _, c := range []struct {
		name  string
		left  int
		wrong func(*exec.Ref)
		want  string
	}{
		{"right", 1, func(*exec.Ref) {}, ""},
		{"first, 4 bytes further", 1, func(r *exec.Ref) { r.Off += 4 }, "the loss of step 0 is NaN, NaN weights"},
		{"later, 4 bytes further", 9, func(r *exec.Ref) { r.Off += 4 }, "the loss of step 0 is NaN, NaN weights"},
		{"elsewhere", 6, func(r *exec.Ref) { r.Buffer, r.Off = 0, 0 }, "the loss of step 0 is NaN, NaN weights"},
	} {
		m := &misplaced{from: staging, until: staging + 1, left: c.left, wrong: c.wrong}
		r, err := tryRun(t, context.Background(), yaml,
			Options{memory: func(live exec.Memory) exec.Memory { m.Memory = live; return m }})
		if m.left > 0 {
			t.Fatalf("%s: nothing was placed", c.name)
		}
		var found []string
		if err != nil && strings.Contains(err.Error(), "the loss of step 0 is NaN") {
			found = append(found, "the loss of step 0 is NaN")
		}
		if slices.ContainsFunc(slices.Concat(r.weights...), func(w float32) bool { return w != w }) {
			found = append(found, "NaN weights")
		}
		if got := strings.Join(found, ", "); got != c.want || (err != nil) != (len(found) > 1) {
			t.Errorf("%s: %q, error %v, want %q", c.name, got, err, c.want)
		}
	}
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// distance is |a - b| / |b|.
func distance(a, b []float32) float64 {
	var diff, norm float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		diff += d * d
		norm += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(diff / norm)
}
