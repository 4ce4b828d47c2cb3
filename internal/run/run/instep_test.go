package run

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/reuse"
	"railyard/internal/engine/sim"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/record"
)

// Layers that do what the one before did are simulated once, in a job of one step: with any partition, on one core and on two.
func TestLayersAreToldAgain(t *testing.T) {
	r := reused(t, sharded(12, 1, "zero: 3"), Options{Islands: 1}, Options{Islands: 3}, Options{Islands: 2, Workers: 2})
	if r.Parts < 12 || 2*r.Simulated > r.Represented || r.Steps > 0 {
		t.Errorf("%+v", r)
	}
}

// sharded is a model of so many layers and steps on two hosts, whose layers take long enough for the network to come to rest.
func sharded(layers, steps int, layout string) string {
	return fmt.Sprintf(`
cluster: {hosts: 2, host: {preset: hgx-h100, gpus: 4}}
job:
  model: {layers: %d, hidden: 1024, ffn: 2048, heads: 8, vocabulary: 512, sequence: 2048, batch: 64, steps: %d}
  parallel: {%s}
`, layers, steps, layout)
}

// Micro-batches that do the same are told again, with the layers that are told again in them.
func TestMicroBatchesAreToldAgain(t *testing.T) {
	r := reused(t, sharded(12, 1, "zero: 3, micro_batches: 8"), Options{Islands: 3}, Options{Islands: 2, Workers: 2})
	if r.Parts < 12 || 2*r.Simulated > r.Represented {
		t.Errorf("%+v", r)
	}
}

// The last backward of a stage, layer by layer with the sums of its gradients, is told again while the other stage waits for it, or is
// done: what stands still is the same, though it has stood for longer.
func TestPartsAreToldWhileOthersStandStill(t *testing.T) {
	for _, steps := range []int{1, 2} {
		r := reused(t, fmt.Sprintf(`
cluster: {hosts: 4, host: {preset: hgx-h100, gpus: 2}}
job:
  model: {layers: 24, hidden: 1024, ffn: 2048, heads: 8, vocabulary: 512, sequence: 2048, batch: 64, steps: %d}
  parallel: {tp: 2, pp: 2, micro_batches: 2, zero: 1}
`, steps), Options{Islands: 3}, Options{Islands: 2, Workers: 2})
		if r.Parts < 12 || 9*r.Simulated > 4*r.Represented { // half of it is an image
			t.Errorf("%+v", r)
		}
	}
}

// A rank that reduces what came last, while nothing is on its way any more, is waited for: only then is a part over.
func TestPartsEndBehindThoseThatReduce(t *testing.T) {
	r := reused(t, `
cluster: {hosts: 2, host: {gpus: 4}}
fabric: {qos: {ecn: {enabled: false}, pfc: {enabled: true}}}
congestion: {algorithm: none}
job:
  replay: {steps: 2, forward: 2ms, update: 1ms, buckets: [`+strings.Repeat("{compute: 2ms, bytes: 4MiB}, ", 8)+`]}
  collective: {algorithm: chain}
`, Options{Islands: 3}, Options{Islands: 2, Workers: 2})
	if 2*r.Simulated > r.Represented {
		t.Errorf("%+v", r)
	}
}

// Steps whose parts are told again are told whole, with these, from the first.
func TestStepsAreToldWholeWithTheirParts(t *testing.T) {
	for _, steps := range []int{3, 6} {
		r := reused(t, sharded(8, steps, "zero: 3, micro_batches: 8"), Options{Islands: 2})
		if r.Parts < 20 || r.Steps != int64(steps)-1 || 4*r.Simulated > r.Represented {
			t.Errorf("%d steps: %+v", steps, r)
		}
	}
}

// A step that begins as the first did is told from it, and so are all behind it, the last too: one step is simulated, whatever their
// number.
func TestStepsAreToldFromTheFirst(t *testing.T) {
	one := run(t, sharded(12, 1, "zero: 3"), Options{}).Reuse.Simulated
	for _, steps := range []int64{2, 3, 7} {
		r := reused(t, sharded(12, int(steps), "zero: 3"), Options{Islands: 1}, Options{Islands: 3}, Options{Islands: 2, Workers: 2})
		if r.Steps != steps-1 || 5*r.Simulated > 6*one {
			t.Errorf("%d steps: %+v; one takes %d", steps, r, one)
		}
	}
}

// Stages begin a step when they have ended the one before, and the first step all at once. What comes behind the wait for the first
// micro-batch is the same, and so is all but the beginning of their rows: all steps are told from the first, the last too.
func TestStagesAreToldFromTheFirst(t *testing.T) {
	layers := func(steps int) string {
		return fmt.Sprintf(`
cluster: {hosts: 4, host: {preset: hgx-h100}}
job:
  model: {preset: llama3-8b, layers: 8, batch: 32, gradients: bf16, steps: %d}
  parallel: {tp: 8, pp: 2, sequence: true, micro_batches: 8, zero: 1}
`, steps)
	}
	one := run(t, layers(1), Options{}).Reuse.Simulated
	for _, steps := range []int64{2, 4} {
		r := reused(t, layers(int(steps)), Options{Islands: 3}, Options{Islands: 2, Workers: 2})
		if r.Steps != steps-1 || 4*r.Simulated > 5*one {
			t.Errorf("%d steps: %+v; one takes %d", steps, r, one)
		}
	}
}

// A step that began in another way than the one before, and comes to the state that that had come to, is not told from it where its
// critical path leads to what was otherwise.
func TestAStepThatBeganInAnotherWayIsNotToldFromTheFirst(t *testing.T) {
	for _, hang := range []string{"15us", "100us"} {
		r := reused(t, fmt.Sprintf("faults: [{host: host2, at: 20us, hang: %s}]\n", hang)+sharded(12, 4, "zero: 3"), Options{Islands: 2})
		if r.Steps == 3 {
			t.Errorf("%+v: all steps were told from the first", r)
		}
	}
}

// Layers are alike, and so are states at two of them: where ranks are in the step tells them apart where whole steps are told.
func TestWhereRanksAreTellsStepsApart(t *testing.T) {
	all := []sighting{{past: make([]past, 1)}}
	run(t, sharded(4, 1, "zero: 3"), Options{Observe: Every(0, 300*unit.Microsecond, func(v View) {
		all = append(all, v.r.reuse.sighting(v.Now, 0, &reuse.Digest{}))
		all[len(all)-1].past = all[0].past
	})})
	elsewhere := 0
	for i := range all[1:] {
		i++
		if why := all[i].differs(&all[i]); why != "" {
			t.Errorf("a sighting differs from itself: %s", why)
		}
		if i > 1 && all[i].differs(&all[i-1]) == "ranks were elsewhere in the step" {
			elsewhere++
		}
	}
	other := all[1]
	other.past = []past{{since: 1, all: [32]byte{1}}}
	if why := other.differs(&all[1]); why != "the step had begun in another way" {
		t.Errorf("two pasts: %q", why)
	}
	if elsewhere < 4 {
		t.Errorf("of %d sightings of one state %d were elsewhere", len(all), elsewhere)
	}
}

// What is recorded of parts is bounded while it is recorded, too: then none is told again, and it is said why.
func TestWhatIsRecordedOfPartsIsBounded(t *testing.T) {
	const most = 60_000
	largest := int64(0)
	r := run(t, sharded(8, 1, "zero: 3"), Options{Observe: Every(0, 20*unit.Microsecond, func(v View) {
		v.r.reuse.most = most
		largest = max(largest, v.r.fab.Recorded()+v.r.record.Recorded())
	})})
	if r.Reuse.Parts > 0 || !strings.Contains(fmt.Sprint(r.Reuse.Notes), "within steps: a part has more to be told than is kept") {
		t.Errorf("%+v", r.Reuse)
	}
	if largest <= most {
		t.Errorf("%d bytes were recorded: too few to show anything", largest)
	}
}

// Of a job that hangs nothing more is weighed: a run with nothing else to do would never end.
func TestNothingIsWeighedWhereNothingHappens(t *testing.T) {
	for _, dry := range []bool{false, true} {
		r := &runner{eng: sim.New([]int{1}, unit.Microsecond), dry: dry, fab: &fabric.Fabric{}, record: &record.Recorder{}, net: &nic.Net{}}
		x := &repetition{run: r, marks: make([]mark, 1), most: 1}
		x.weigh(0)
		r.act(unit.Time(weighEvery))
		if len(r.acts) > 0 == dry {
			t.Errorf("dry: %v, and %d acts are to come", dry, len(r.acts))
		}
	}
}

// The same of drawn models, whose layers, micro-batches and steps are alike or are not, with whatever may tell them apart.
func TestReuseOfDrawnLayers(t *testing.T) {
	told, ran := 0, 0
	for seed := uint64(0); ran < (*reuseCases+1)/2; seed++ {
		yaml := drawnLayers(seed)
		sc, err := scenario.Parse("drawn.yaml", []byte(yaml))
		if err == nil {
			_, err = NewPlan(sc)
		}
		if err != nil { // its layers do not suit its ranks
			continue
		}
		ran++
		r := reused(t, yaml, Options{Islands: 1 + ran%3, Workers: 1 + ran%2})
		if r.Parts > 0 {
			told++
		}
		if strings.Contains(fmt.Sprint(r.Notes), "RDMA READ") {
			t.Errorf("%v\n%s", r.Notes, yaml)
		}
	}
	t.Logf("of %d drawn models %d had parts of steps told again", ran, told)
	if 4*told < ran {
		t.Errorf("of %d drawn models %d had parts of steps told again, want a quarter", ran, told)
	}
}

// drawnLayers draws a model of layers that compute long enough for the network to come to rest now and then.
func drawnLayers(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 48))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	var faults string
	switch r.IntN(8) {
	case 0:
		faults = fmt.Sprintf("faults: [{host: host1, at: %dus, hang: 300us}]\n", 1+r.IntN(3000))
	case 1:
		faults = fmt.Sprintf("faults: [{at: %dus, link: all, drop: 0.1%%, for: 700us}]\n", r.IntN(3000))
	}
	slow := ""
	if r.IntN(6) == 0 {
		slow = fmt.Sprintf(", slow: [{rank: %d, factor: %s}]", r.IntN(8), pick("1.5", "3"))
	}
	layout := []string{fmt.Sprintf("zero: %d", r.IntN(4)), fmt.Sprintf("micro_batches: %d", 1<<r.IntN(4))}
	if r.IntN(3) == 0 {
		layout = append(layout, "tp: 2")
	}
	if r.IntN(8) == 0 {
		layout = append(layout, "pp: 2")
	}
	layers, hidden, sequence, steps := 4+r.IntN(7), 256<<r.IntN(2), 1024<<r.IntN(4), 1+r.IntN(5)
	if r.IntN(4) == 0 { // whose micro-batches and steps have parts that are told again
		layout = []string{"zero: 3", "micro_batches: 8"}
		layers, hidden, sequence, steps = 6+r.IntN(4), 512, 2048, 1+r.IntN(4)
	}
	return fmt.Sprintf("seed: %d\ncluster: {hosts: 2, host: {preset: hgx-h100, gpus: %d}, nic: {speed: %s}%s}\n", seed, 2<<r.IntN(2),
		pick("100Gb/s", "400Gb/s", "400Gb/s"), slow) +
		fmt.Sprintf("fabric: {design: %s, switch: {buffer: %s}}\n", pick("rail-optimized", "single-switch", "leaf-spine"),
			pick("64MB", "4MB")) +
		fmt.Sprintf("congestion: {algorithm: %s}\ntransport: {qps_per_connection: %s}\n", pick(pick(windows...), "none", "dcqcn", "dcqcn"),
			pick("1", "1", "2")) +
		faults +
		fmt.Sprintf("job:\n  model: {layers: %d, hidden: %d, ffn: 1024, heads: 8, vocabulary: 512, sequence: %d, batch: 64, steps: %d%s}\n",
			layers, hidden, sequence, steps, pick("", "", ", recompute: full", ", overlap: none")) +
		fmt.Sprintf("  parallel: {%s}\n", strings.Join(layout, ", ")) +
		fmt.Sprintf("  collective: {algorithm: %s, channels: 2%s}\n", pick("ring", "ring", "auto"),
			pick("", "", ", slots: 4", ", protocol: ll")) +
		fmt.Sprintf("output: {sample: %s, flows: %v, operations: %v}\n", pick("1us", "700ns", "13us"), r.IntN(4) > 0, r.IntN(4) > 0)
}
