package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// experiment is a star of senders around one receiver.
type experiment struct {
	senders  int
	variant  string
	bytes    int64
	seed     uint64
	truncate bool
	series   unit.Duration // interval of the time series from 500 ns on, 0: none
}

// variants are the congestion parameters of the reference's tables as keys of a scenario.
var variants = map[string]string{
	"hpccdef": "congestion: {preset: hpcc-ns3}",
	"paper":   "congestion: {preset: hpcc-ns3-paper}",
	"vwin":    "congestion: {preset: hpcc-ns3}\ntransport: {window: 52kB, window_scale: true}",
	"pfconly": "congestion: {algorithm: none}",

	"pfconly, 4 MiB": "congestion: {algorithm: none}",
	"fixed window":   "congestion: {preset: hpcc-ns3}\ntransport: {window: 52kB, window_scale: false}",
	"HPCC": "congestion: {algorithm: hpcc, hpcc: {rate_ai: 50Mb/s, min_rate: 100Mb/s, base_rtt: 4.16us, tx_unit: " +
		"128B, queue_unit: 80B}}\n" +
		"transport: {frames: {header: 90B, ack: 88B}}",
	"TIMELY": "congestion: {algorithm: timely, timely: {ai: 10Mb/s, hai: 50Mb/s, min_rate: 100Mb/s}}\ntransport: " +
		"{frames: {header: 56B, ack: 60B}}",
}

// scenario writes the experiment as a user would.
func (e experiment) scenario() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: reference\npreset: hpcc-ns3\nseed: %d\n", e.seed)
	fmt.Fprintf(&b, "cluster: {hosts: %d, host: {gpus: 1}}\n", e.senders+1)
	clock := "exact"
	if e.truncate {
		clock = "truncate-ns"
	}
	more := ""
	if strings.HasPrefix(e.variant, "pfconly") {
		more = ", qos: {ecn: {enabled: false}}"
	}
	if strings.HasSuffix(e.variant, "4 MiB") {
		more += ", switch: {buffer: 4MiB}"
	}
	fmt.Fprintf(&b, "fabric: {design: single-switch, clock: %s, links: {host: 100Gb/s, delay: 1us}%s}\n", clock, more)
	fmt.Fprintln(&b, variants[e.variant])
	b.WriteString("job:\n  flows:\n")
	for i := range e.senders {
		fmt.Fprintf(&b, "  - {from: host%d/nic0, to: host%d/nic0, bytes: %dB}\n", i+1, e.senders+1, e.bytes)
	}
	b.WriteString("output: {queues: false, flows: false, operations: false}\n")
	return b.String()
}

// point is one instant of a time series.
type point struct {
	at            unit.Time
	queue, shared int64
	rate, target  float64 // of the first sender, bit/s
	alpha         float64
	sum           float64 // of all rates, bit/s
}

// outcome is what an experiment measured; times in us, queue in kB.
type outcome struct {
	fcts                []float64
	queueMean, queueP99 float64
	queueMax            float64
	cnps, pauses        float64
	series              []point
}

func (o *outcome) mean() float64 { return mean(o.fcts) }

// parsed is its scenario.
func (e experiment) parsed() (*scenario.Scenario, error) {
	sc, err := scenario.Parse("reference.yaml", []byte(e.scenario()))
	if err != nil {
		return nil, fmt.Errorf("%s %d:1: %w", e.variant, e.senders, err)
	}
	return sc, nil
}

// run runs the experiment.
func (e experiment) run(ctx context.Context, runs Runner) (*outcome, error) {
	sc, err := e.parsed()
	if err != nil {
		return nil, err
	}
	w := &watch{experiment: e}
	sum, err := runs(ctx, sc, run.Options{Force: true, Observe: w.observer()})
	if err != nil {
		return nil, fmt.Errorf("%s %d:1: %w", e.variant, e.senders, err)
	}
	return w.outcome(sum), nil
}

// watch looks on at a run of an experiment.
type watch struct {
	experiment
	queue  []float64 // kB
	series []point
}

// observer samples the queue each 1 us from 500 ns on until the last completion, as the reference's was.
func (w *watch) observer() run.Observer {
	return run.Every(500*unit.Nanosecond, unit.Microsecond, func(v run.View) {
		g := v.Plan().Graph
		port := g.Peer(g.NICs[w.senders].Port)
		w.queue = append(w.queue, float64(v.Queue(port))/1000)
		if every := w.experiment.series; every > 0 && (v.Now-500*unit.Time(unit.Nanosecond))%unit.Time(every) == 0 {
			w.series = append(w.series, w.point(v, port))
		}
	})
}

// outcome is what the run measured.
func (w *watch) outcome(sum *result.Summary) *outcome {
	o := &outcome{series: w.series}
	last := 0.0
	for _, f := range sum.Flows {
		fct := float64(f.Took()) / float64(unit.Microsecond)
		o.fcts = append(o.fcts, fct)
		last = max(last, fct)
		o.cnps += float64(f.CNPs)
	}
	for _, p := range sum.Pausing {
		if strings.HasPrefix(p.Port, "host") {
			o.pauses += float64(p.Received)
		}
	}
	queue := w.queue[:min(len(w.queue), int(last+0.5))]
	slices.Sort(queue)
	o.queueMean = mean(queue)
	if n := len(queue); n > 0 {
		o.queueP99, o.queueMax = queue[n*99/100], queue[n-1]
	}
	return o
}

func (e experiment) point(v run.View, port topo.PortID) point {
	p := point{at: v.Now, queue: int64(v.Queue(port)), shared: int64(v.Shared(0))}
	for i := range e.senders {
		s := v.Controller(int32(i))
		if i == 0 {
			p.rate, p.target, p.alpha = float64(s.Rate), float64(s.Target), s.Alpha
		}
		p.sum += float64(s.Rate)
	}
	return p
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(max(1, len(x)))
}
