package run

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/foresight"
)

const smallLarge = `
cluster: {hosts: 2, host: {gpus: 8, preset: hgx-h100}}
job:
  model: {layers: 4, hidden: 512, ffn: 2048, heads: 8, vocabulary: 4096, sequence: 512, batch: 16}
  parallel: {tp: 8, pp: 2, micro_batches: 4, sequence: true}
`

// Without a network there is a step, its waterfall, and no cause; the step is that of the plan.
func TestLargeModelByFormula(t *testing.T) {
	text := strings.Replace(smallLarge, "job:", "run: {network: formula}\njob:", 1)
	r := run(t, text, Options{})
	if r.Network != "formula" || r.Diagnosis != nil || r.StepSplit != nil || r.CriticalPath != nil || r.PacketHops != 0 {
		t.Errorf("network %q, diagnosis %v, split %v, %d packet-hops", r.Network, r.Diagnosis, r.StepSplit, r.PacketHops)
	}
	if !noteWith(r.Summary, "the network was not run (run.network: formula)") || r.Efficiency.GPUs != 16 || r.Efficiency.Alike != 8 {
		t.Errorf("notes %q, %+v", r.Notes, r.Efficiency)
	}
	in, err := Inspect(read(t, text))
	if err != nil {
		t.Fatal(err)
	}
	last := unit.Duration(0)
	for _, spans := range foresight.Forecast(in.Plan, &in.Plan.Jobs[0]) {
		for _, s := range spans {
			last = max(last, s.End)
		}
	}
	if last != r.StepTime {
		t.Errorf("the step took %v, the plan says %v", r.StepTime, last)
	}
}

// By packets the stages send over the network; sums of parts on a host do not, so they do not change with the fabric.
func TestLargeModelByPackets(t *testing.T) {
	r := run(t, smallLarge, Options{})
	sumsToTheStep(t, r, "large")
	if r.Network != "" || r.PacketHops == 0 || r.Diagnosis == nil {
		t.Errorf("network %q, %d packet-hops", r.Network, r.PacketHops)
	}
	// NCCL's latency of a hop between hosts, 14 us, holds that of the network.
	slow := run(t, strings.Replace(smallLarge, "job:", "fabric: {switch: {latency: 30us}, links: {length: 500m}}\njob:", 1), Options{})
	if slow.StepTime <= r.StepTime {
		t.Errorf("a step of %v on a slower fabric, %v", slow.StepTime, r.StepTime)
	}
	for i := range r.Efficiency.Communication {
		a, b := &r.Efficiency.Communication[i], &slow.Efficiency.Communication[i]
		if a.Kind == "tensor" && (a.Exposed+a.Hidden != b.Exposed+b.Hidden || a.Between != 0) {
			t.Errorf("sums of parts took %v, on a slower fabric %v; %v between hosts", a.Exposed+a.Hidden, b.Exposed+b.Hidden, a.Between)
		}
	}
	messages := run(t, strings.Replace(smallLarge, "cluster: {", "cluster: {nvlink_collectives: messages, ", 1), Options{})
	if messages.StepTime <= 0 || messages.PacketHops != r.PacketHops {
		t.Errorf("by messages inside hosts: %v, %d packet-hops, want %d", messages.StepTime, messages.PacketHops, r.PacketHops)
	}
}

// All GPUs of a job are paid for as long as a step takes, those that stand for others with them; a replay likewise.
func TestCostOfAStep(t *testing.T) {
	const cost = "cost: {gpu_hour: 2.50EUR, power: 1.4kW}\n"
	for _, c := range []struct {
		text string
		gpus float64
	}{
		{strings.Replace(smallLarge, "job:", "run: {network: formula}\n"+cost+"job:", 1), 16},
		{"cluster: {hosts: 3, host: {gpus: 2}}\n" + cost +
			"job: {replay: {steps: 2, forward: 10us, buckets: [{bytes: 100kB, compute: 5us}]}}\n", 6},
	} {
		r := run(t, c.text, Options{})
		price, energy := r.Efficiency.Cost, r.Efficiency.Energy
		seconds := r.StepTime.Seconds()
		if price == nil || energy == nil || price.Currency != "EUR" || !near(price.Step, c.gpus*2.5*seconds/3600) ||
			!near(energy.Step, c.gpus*1400*seconds) {
			t.Errorf("%v GPUs, a step of %v: %+v, %+v", c.gpus, r.StepTime, price, energy)
		}
	}
	if r := run(t, strings.Replace(smallLarge, "job:", "run: {network: formula}\njob:", 1), Options{}); r.Efficiency.Cost != nil ||
		r.Efficiency.Energy != nil {
		t.Errorf("%+v, %+v without a price", r.Efficiency.Cost, r.Efficiency.Energy)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// By packets, too, a step without overlap ends, sends the same, and is no shorter: no timetable has stages wait for each
// other for ever.
func TestLargeModelWithoutOverlap(t *testing.T) {
	for _, parallel := range []string{"pp: 4, micro_batches: 4", "pp: 4, micro_batches: 8, schedule: interleaved, tp: 4",
		"pp: 2, micro_batches: 8, schedule: gpipe, zero: 2", "zero: 3, micro_batches: 2"} {
		text := strings.Replace(smallLarge, "tp: 8, pp: 2, micro_batches: 4, sequence: true", parallel, 1)
		text = strings.NewReplacer("layers: 4", "layers: 8", "batch: 16", "batch: 64").Replace(text)
		all := run(t, text, Options{})
		none := run(t, strings.Replace(text, "batch: 64", "batch: 64, overlap: none", 1), Options{})
		sumsToTheStep(t, none, parallel)
		if none.StepTime <= all.StepTime {
			t.Errorf("%s: a step of %v without overlap, of %v with it", parallel, none.StepTime, all.StepTime)
		}
		for i := range all.Efficiency.Communication {
			if a, b := all.Efficiency.Communication[i].Bytes, none.Efficiency.Communication[i].Bytes; a != b {
				t.Errorf("%s: %v sent without overlap, %v with it", parallel, b, a)
			}
		}
	}
}

// Twice all peaks and rates, half of launch and of all latencies, halve a whole step, whether what ranks send is simulated,
// inside hosts and between them, or a closed form stands for it.
func TestTwiceAsFastHalvesAWholeStep(t *testing.T) {
	const at = `
cluster: {hosts: 2, nvlink_collectives: %s, nic: {speed: %s}, host: {preset: %s, gpus: %d%s}%s}
fabric: {design: single-switch%s}
congestion: {algorithm: none}
run: {network: %s}
job:
  model: {layers: 4, hidden: 1024, ffn: 4096, heads: 16, vocabulary: 32000, sequence: 1024, batch: 16}
  parallel: {%s}
`
	const host = ", nvlink: %dGB/s, nvlink_latency: %dns, pcie: %dGB/s, pcie_latency: %dns, launch: %dns, flops: %dTFLOP/s, " +
		"flops_fp32: %dTFLOP/s, flops_bf16: %dTFLOP/s, memory_bandwidth: %dGB/s"
	half := func(preset, inside, network, parallel string, gpus int) {
		own := []any{450, 1000, 63, 300, 3000, 495, 67, 989, 3350}
		for i, twice := range []bool{true, false, true, false, false, true, true, true, true} {
			if v := own[i].(int); twice {
				own[i] = 2 * v
			} else {
				own[i] = v / 2
			}
		}
		given := fmt.Sprintf(host, 450, 1000, 63, 300, 3000, 495, 67, 989, 3350)
		slow := run(t, fmt.Sprintf(at, inside, "400Gb/s, latency: 500ns", preset, gpus, given, "",
			", links: {length: 20m}, switch: {latency: 600ns}", network, parallel), Options{}).StepTime
		fast := run(t, fmt.Sprintf(at, inside, "800Gb/s, latency: 250ns", preset, gpus, fmt.Sprintf(host, own...),
			", protocols: {speed: 2}", ", links: {length: 10m}, switch: {latency: 300ns}", network, parallel), Options{}).StepTime
		if d := float64(slow-2*fast) / float64(slow); math.Abs(d) > 1e-6 { // each kernel and frame is rounded to a picosecond
			t.Errorf("%s, inside %s, between %s, %s: a step of %v, twice as fast %v: %.2g off", preset, inside, network, parallel, slow,
				fast, d)
		}
	}
	for _, parallel := range []string{"tp: 2, pp: 2, micro_batches: 4, zero: 1", "tp: 4, dp: 2, micro_batches: 2, sequence: true",
		"zero: 3, dp: 8"} {
		for _, preset := range []string{"hgx-a100", "hgx-h100", "hgx-b200"} {
			half(preset, "formula", "formula", parallel, 4)
		}
		half("hgx-h100", "messages", "packets", parallel, 4)
		half("hgx-h100", "formula", "packets", parallel, 4)
	}
	half("hgx-h100", "formula", "formula", "tp: 16", 8)
	half("hgx-h100", "formula", "formula", "zero: 3", 8)
}
