package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// several is a run of the reference without randomness and with several flows for each host, as
// shipped, its hosts around one switch.
type several struct {
	name  string
	hosts int
	rate  string
	keys  string // of the scenario, beside what all have
	flows []flow
	want  []int64 // completion of each flow, ns
}

// flow is a line of the reference's flow file; start in ns.
type flow struct {
	from, to     int
	bytes, start int64
}

// each gives every host but the last flows of these sizes to the last.
func each(hosts int, sizes ...int64) (flows []flow) {
	for from := 1; from < hosts; from++ {
		for _, b := range sizes {
			flows = append(flows, flow{from, hosts, b, 0})
		}
	}
	return flows
}

// thrice is three flows of 500 kB from each of eight hosts.
var thrice = each(9, 500_000, 500_000, 500_000)

// bothWays are flows to host 3 whose senders are paused, and flows to these senders, whose
// acknowledgements leave by the paused ports.
var bothWays = []flow{{1, 3, 2_000_000, 0}, {2, 3, 2_000_000, 0}, {4, 1, 700_000, 0}, {5, 2, 700_000, 0}}

const (
	noECN   = "qos: {ecn: {enabled: false}}"
	pfcOnly = "congestion: {algorithm: none}\n  " + noECN
	shallow = pfcOnly + ", switch: {buffer: 4MiB}"
	timely  = "congestion: {algorithm: timely, timely: {ai: 100Mb/s, hai: 500Mb/s, min_rate: 100Mb/s}}\n" +
		"transport: {frames: {header: 56B, ack: 60B}}"
	dcqcn   = "congestion: {preset: hpcc-ns3}\n"
	mark75  = "  qos: {ecn: {min: 75kB, max: 75kB, probability: 100%}}"
	mark300 = "  qos: {ecn: {min: 300kB, max: 300kB, probability: 100%}}"
	tiny    = "\n  " + noECN + ", switch: {buffer: 1MiB}"
	hpccKey = "congestion: {algorithm: hpcc, hpcc: {rate_ai: 50Mb/s, min_rate: 100Mb/s, base_rtt: %s, tx_unit: " +
		"128B, queue_unit: 80B, fast_react: %v}}\n" +
		"transport: {frames: {header: 90B, ack: 88B}}"
)

var severalShipped = []several{
	{"8:1 HPCC, 3 flows a host", 9, "100Gb/s", fmt.Sprintf(hpccKey, "4.16us", true), thrice, []int64{
		1118323, 1078953, 966023, 1050187, 1000324, 1022546, 1007610, 1016999, 1105228, 1097535, 1107657, 958120,
		1069692, 1087840, 997587, 1054847, 1102215, 963373, 983460, 1117071, 1063455, 1107291, 1064851, 1110992}},
	{"8:1 HPCC at 400 Gb/s, 3 flows a host", 9, "400Gb/s", fmt.Sprintf(hpccKey, "4.04us", true), thrice, []int64{
		277491, 269847, 263867, 280526, 277892, 272284, 280891, 280870, 279367, 272515, 274481, 275873,
		272846, 277386, 273691, 263888, 250827, 277955, 241042, 242572, 271682, 275964, 247522, 275543}},
	{"4:1 HPCC once a round trip, odd sizes", 5, "100Gb/s", fmt.Sprintf(hpccKey, "4.16us", false),
		each(5, 300_333, 200_777), []int64{
			181075, 151262, 191614, 152287, 185303, 160389, 190764, 159729}},
	{"8:1 DCQCN at 25 Gb/s, all marked above 75 kB", 9, "25Gb/s", dcqcn + mark75, each(9, 1_000_000), []int64{
		3452970, 3457995, 3458665, 3453640, 3454980, 3445935, 3480059, 3467040}},
	{"4:1 DCQCN, all marked above 300 kB, 3 a host", 5, "100Gb/s", dcqcn + mark300,
		each(5, 500_000, 300_333, 200_000), []int64{
			877372, 516088, 449847, 837714, 509335, 433662, 838449, 508890, 433745, 882489, 527323, 449764}},
	{"4:1 DCQCN at 25 Gb/s, scaled windows, 3 a host", 5, "25Gb/s",
		dcqcn + "transport: {window: 14500B, window_scale: true}\n" + mark75,
		each(5, 500_000, 300_333, 200_000), []int64{
			1472112, 1248667, 959078, 1487187, 1226864, 961758, 1490872, 1233471, 911508, 1490537, 1231340, 938643}},
	{"8:1 PFC only, 4 MiB, 3 flows a host", 9, "100Gb/s", shallow, each(9, 333_333, 1_000_000, 500_000), []int64{
		666883, 1215799, 878985, 666189, 1218372, 884712, 662092, 1217376, 882222, 661896, 1219700, 888032,
		669984, 1220530, 890771, 675718, 1221443, 893676, 674941, 1211649, 872926, 674662, 1214803, 908367}},
	{"8:1 PFC only at 400 Gb/s, 4 MiB, 3 a host", 9, "400Gb/s", shallow, each(9, 333_333, 1_000_000, 500_000), []int64{
		156376, 297078, 223658, 155809, 296898, 222318, 180258, 297358, 228238, 163417, 295498, 211138,
		164424, 295478, 209238, 162790, 295638, 213818, 156383, 296718, 219298, 172631, 296098, 216638}},
	{"4:1 TIMELY, 2 flows a host", 5, "100Gb/s", timely, each(5, 300_333, 200_777), []int64{
		172387, 138894, 172418, 138960, 172449, 139026, 172480, 139092}},
	{"4:1 at 400 Gb/s, starts of any nanosecond", 5, "400Gb/s", pfcOnly, []flow{
		{4, 5, 77, 0}, {4, 5, 300_000, 1716}, {2, 5, 300_000, 3842}, {1, 5, 300_000, 7365},
		{2, 5, 150_077, 11_690}, {3, 5, 300_000, 15_102},
		{1, 5, 77, 17_401}, {3, 5, 77, 18_602}, {1, 5, 150_077, 18_988}, {2, 5, 77, 19_357}, {4, 5, 150_077, 19_413},
		{3, 5, 150_077, 20_072}}, []int64{
		4006, 14222, 16356, 18033, 15050, 24366, 11641, 11662, 20200, 11989, 20637, 21680}},
	{"both ways, ACKs held by PFC", 5, "100Gb/s", "congestion: {algorithm: none}\ntransport: {ack_paused: true}" + tiny,
		bothWays, []int64{336091, 336008, 63635, 63639}},
	{"both ways, ACKs not held", 5, "100Gb/s", "congestion: {algorithm: none}\ntransport: {ack_paused: false}" + tiny,
		bothWays, []int64{336091, 336008, 63630, 63634}},
}

// scenario writes the run as a user would. A line of keys that begins with blanks goes into fabric.
func (e *several) scenario() string {
	var b strings.Builder
	keys, fabric, _ := strings.Cut(e.keys, "\n  ")
	if fabric != "" {
		fabric = ", " + fabric
	}
	fmt.Fprintf(&b, "name: reference\npreset: hpcc-ns3\ncluster: {hosts: %d, host: {gpus: 1}}\n", e.hosts)
	const form = "fabric: {design: single-switch, clock: truncate-ns, links: {host: %s, delay: 1us}%s}\n%s\njob:\n  " +
		"flows:\n"
	fmt.Fprintf(&b, form, e.rate, fabric, keys)
	for _, f := range e.flows {
		fmt.Fprintf(&b, "  - {from: host%d/nic0, to: host%d/nic0, bytes: %dB, start: %dns}\n",
			f.from, f.to, f.bytes, f.start)
	}
	b.WriteString("output: {queues: false, flows: false, operations: false}\n")
	return b.String()
}

// run returns the completion of each flow in ns.
func (e *several) run(ctx context.Context, runs Runner) ([]int64, error) {
	sc, err := scenario.Parse("reference.yaml", []byte(e.scenario()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	sum, err := runs(ctx, sc, run.Options{Force: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	var got []int64
	for _, f := range sum.Flows {
		got = append(got, int64(f.Took()/unit.Nanosecond))
	}
	return got, nil
}

// several compares runs with several flows for each host to the nanosecond, flow by flow.
func (s *suite) several() error {
	for i := range severalShipped {
		e := &severalShipped[i]
		got, err := e.run(s.ctx, s.opt.Run)
		if err != nil {
			return err
		}
		s.ran()
		agree := 0
		for k, want := range e.want {
			if k < len(got) && got[k] == want {
				agree++
			}
		}
		put := func(quantity, u string, want, got float64) {
			s.add(Row{"several flows a host, as shipped", e.name, quantity, u, want, got, 0, "exact to the ns"})
		}
		put("flows that end at its nanosecond", "", float64(len(e.want)), float64(agree))
		put("last completion", "ns", float64(slices.Max(e.want)), float64(slices.Max(got)))
	}
	return nil
}
