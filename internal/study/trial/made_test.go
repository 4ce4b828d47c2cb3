package trial

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

// Patterns take the place of what a scenario has beside its network, on hosts that are evenly apart. What this notices: bytes that are
// not what each rank sends, a host that is left out or named twice, background or faults that stay.
func TestPatternsThatAreMade(t *testing.T) {
	const more = `
name: more
cluster: {hosts: 8, host: {gpus: 2}, nic: {speed: 100Gb/s}, slow: [{rank: 1, factor: 2}]}
fabric: {design: single-switch}
job: {model: {layers: 1, hidden: 64, heads: 2, ffn: 64, vocabulary: 128, sequence: 8, batch: 16, steps: 40}}
background: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10kB}]}
faults: [{link: host1/rail1, drop: 0.01}]
`
	var said strings.Builder
	for _, hosts := range []int{0, 3, 20} {
		sc, err := scenario.Parse("more.yaml", []byte(more))
		if err != nil {
			t.Fatal(err)
		}
		tn := &tuning{base: sc, opt: options(Own, "incast", "ring", "all-to-all"), found: &Found{}}
		tn.own = Pattern{Name: Own, What: "the scenario's own", scenario: sc}
		tn.opt.Hosts, tn.opt.Bytes = hosts, 1001
		if reason := tn.shorten(); reason != "" {
			t.Fatal(reason)
		}
		if err := tn.patterns(context.Background()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&said, "of %d hosts: %+v\n", hosts, tn.found.Slice)
		for _, p := range tn.found.Patterns {
			fmt.Fprintf(&said, "%s: %s, %d faults, %d background, %d slow\n", p.Name, p.What, len(p.scenario.Faults),
				len(p.scenario.Background.Flows), len(p.scenario.Cluster.Slow))
			for i := range p.scenario.Jobs {
				j := &p.scenario.Jobs[i]
				for k := range j.Collectives {
					c := &j.Collectives[k]
					fmt.Fprintf(&said, "  %s by %s, %v, on hosts %v\n", c.Op, c.Algorithm, c.Bytes, p.scenario.HostsOf(j))
				}
				if j.Model != nil {
					fmt.Fprintf(&said, "  %d steps\n", j.Model.Steps)
				}
			}
		}
	}
	scripttest.Golden(t, "patterns.txt", said.String())
}

// The answer says what was chosen, and against what; the plot holds each point once, as what it is first.
func TestAnswers(t *testing.T) {
	us := func(n int) unit.Duration { return unit.Duration(n) * unit.Microsecond }
	points := func() []Point {
		return []Point{{Number: 1, Kind: "own", Delay: us(90), Paused: us(8), Throughput: 0.8},
			{Number: 2, Delay: us(20), Paused: us(2), Throughput: 1, Frontier: true},
			{Number: 3, Delay: us(50), Throughput: 0.9, Paused: us(3)}, {Number: 4, Failed: 1}}
	}
	dropping := points()
	dropping[0].Drops = 3
	for _, c := range []struct {
		found Found
		want  string
	}{
		{Found{Points: points()}, "Every point drops packets or fails: no thresholds were chosen."},
		{Found{Points: points(), Chosen: 1}, "The scenario's own thresholds are as good as any of 4 points."},
		{Found{Points: points(), Chosen: 2}, "Point 2 of 4 is chosen: the longest queue takes 20 us, ports are paused for 2 us, " +
			"throughput is 100 % of the fastest; with the scenario's own thresholds it is 90 us, 8 us and 80.0 %."},
		{Found{Points: dropping, Chosen: 2}, "Point 2 of 4 is chosen: the longest queue takes 20 us, ports are paused for 2 us, " +
			"throughput is 100 % of the fastest; the scenario's own thresholds drop packets."},
	} {
		if got := c.found.answer(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	f := Found{Points: points(), Chosen: 2}
	for _, what := range []string{"paused", "throughput"} {
		c := f.plot(what)
		var got []string
		for _, s := range c.Lines.Series {
			got = append(got, fmt.Sprint(s.Key, s.X, s.Y))
		}
		for _, m := range c.Lines.Marks {
			got = append(got, m.Key+" "+m.Label)
		}
		want := map[string]string{"paused": "chosen[2e+07] [2e+06]; own[9e+07] [8e+06]; dominated[5e+07] [3e+06]",
			"throughput": "chosen[2e+07] [1]; own[9e+07] [0.8]; dominated[5e+07] [0.9]"}[what] + "; own 1; chosen 2"
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %s, want %s", what, strings.Join(got, "; "), want)
		}
	}
}
