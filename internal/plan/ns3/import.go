package ns3

import (
	"cmp"
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Imported is what a folder comes to: three files, and what their reader should know.
type Imported struct {
	Scenario, Topology, Flows []byte
	Notes                     []string
}

// Names says what the three files will be called: the scenario names the other two.
type Names struct{ Name, Topology, Flows string }

// Import reads config.txt, and the topology and flow files that it names, by their base names. open
// returns what a file holds, at most MaxBytes, with an error that does not name it.
func Import(open func(name string) ([]byte, error), names Names) (*Imported, error) {
	read := func(name string) ([]byte, error) {
		src, err := open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return src, nil
	}
	src, err := read("config.txt")
	if err != nil {
		return nil, err
	}
	c, err := readConfig("config.txt", src)
	if err != nil {
		return nil, err
	}
	m := &importer{c: c, names: names}
	topology, flows := m.file("TOPOLOGY_FILE", "topology.txt"), m.file("FLOW_FILE", "flow.txt")
	if src, err = read(topology); err != nil {
		return nil, err
	}
	if m.p, err = readTopology(topology, src); err != nil {
		return nil, err
	}
	if src, err = read(flows); err != nil {
		return nil, err
	}
	list, rest, err := readFlows(flows, src, m.p)
	if err != nil {
		return nil, err
	}
	out := &Imported{Topology: m.p.text(topology)}
	out.Flows, m.zero = flowsCSV(list, m.p, flows)
	out.Scenario = m.scenario()
	if n := countCut(list); n > 0 {
		m.note("starts: %d of %d are a little earlier than %s says: the simulator cuts seconds to whole "+
			"nanoseconds, of 2.000005 s to 2.000004999 s", n, len(list), flows)
	}
	if rest > 0 {
		m.note("%s: %d words after the last of its %d flows were not read", flows, rest, len(list))
	}
	m.note("paths: ECMP here does not pick as the simulator does. Where they matter, add a path to each flow in %s",
		names.Flows)
	m.note("clock: the simulator as shipped cuts times to whole nanoseconds; fabric.clock: truncate-ns does so too")
	out.Notes = append(m.notes, c.notes()...)
	return out, append(c.t.problems, m.p.t.problems...).Err()
}

// importer turns the files into a scenario.
type importer struct {
	c     *config
	p     *topology
	names Names
	zero  unit.Time
	notes []string
	b     strings.Builder
}

func (m *importer) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

func (m *importer) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// file returns the base name of the file that a key names.
func (m *importer) file(key, otherwise string) string {
	if text, ok := m.c.text[key]; ok {
		return path.Base(text)
	}
	return otherwise
}

// scenario prints the scenario.
func (m *importer) scenario() []byte {
	hosts, gpus := m.p.servers()
	m.line("# From config.txt of the HPCC authors' ns-3 simulator. The preset sets what the file leaves to the model.")
	m.line("name: %s\npreset: hpcc-ns3\n", m.names.Name)
	m.line("cluster:\n  hosts: %d\n  host: {gpus: %d%s}\n  nic: {speed: %s}\n", hosts, gpus, m.nvlink(),
		rateText(m.p.slowestCard()))
	m.line("fabric:\n  design: custom\n  topology: %q\n  switch: {buffer: %dMiB}\n%s", m.names.Topology,
		m.c.whole("BUFFER_SIZE", 1, 1<<20), m.ecn())
	m.line("transport: {mtu: %dB, ack_every: %d, ack_paused: %v%s%s}\n", m.c.whole("PACKET_PAYLOAD_SIZE", 64, 9000),
		m.ackEvery(), !m.c.is("ACK_HIGH_PRIO"), m.header(), m.window())
	m.line("congestion: %s\n", m.congestion())
	if f := m.faults(); f != "" {
		m.line("faults:\n%s", f)
	}
	m.line("job: {flows_csv: %q}", m.names.Flows)
	return []byte(m.b.String())
}

func (m *importer) nvlink() string {
	if m.p.gpus == 0 {
		return ""
	}
	rate, delay, alike := m.p.nvlink()
	if rate == 0 {
		return ""
	}
	if !alike {
		m.note("links to NVSwitches differ; the first one's rate and delay hold for all hosts")
	}
	m.note("NVLink of %s servers: flows between GPUs of one server cross the network here if a flow file lists them",
		cmp.Or(m.p.model, "the"))
	return fmt.Sprintf(", nvlink: %s, nvlink_latency: %s", rateText(rate), delay)
}

func (m *importer) ackEvery() int64 {
	if m.c.is("L2_BACK_TO_ZERO") {
		m.c.fail("L2_BACK_TO_ZERO", "go-back-0 is not modelled, want 0")
	}
	if !m.c.is("RATE_BOUND") {
		m.c.fail("RATE_BOUND", "senders without a rate limiter are not modelled, want 1")
	}
	if n := m.c.whole("L2_ACK_INTERVAL", 1, 65536); n > 1 {
		m.note("L2_ACK_INTERVAL %d: the simulator counts bytes, and acknowledges every packet once it has so many", n)
	}
	return 1
}

// header says what in-band telemetry or time stamps add to data and acknowledgements: of the
// latter's 60 B at least, 46 are in use.
func (m *importer) header() string {
	more := map[string]int{"hpcc": 42, "timely": 8}[m.algorithm()]
	if more == 0 {
		return ""
	}
	return fmt.Sprintf(", frames: {header: %dB, ack: %dB}", 48+more, max(60, 46+more))
}

func (m *importer) algorithm() string {
	if !m.c.is("ENABLE_QCN") && m.c.text["CC_MODE"] == "1" {
		return "none" // nothing is marked, so DCQCN never acts
	}
	return map[string]string{"0": "none", "1": "dcqcn", "3": "hpcc", "7": "timely", "8": "dctcp"}[m.c.text["CC_MODE"]]
}

// window is HAS_WIN with VAR_WIN; HPCC keeps a window of its own.
func (m *importer) window() string {
	if !m.c.is("HAS_WIN") || m.algorithm() == "hpcc" {
		return ""
	}
	w := "bdp"
	if m.c.is("GLOBAL_T") {
		_, bdp := m.p.longestTrip(m.c.whole("PACKET_PAYLOAD_SIZE", 64, 9000))
		w = fmt.Sprintf("%dB", bdp)
	}
	return fmt.Sprintf(", window: %s, window_scale: %v", w, m.c.is("VAR_WIN"))
}

// ecn is the marking curve, which scales with the port or is one for all.
func (m *importer) ecn() string {
	if !m.c.is("ENABLE_QCN") {
		return "  qos: {ecn: {enabled: false}}\n"
	}
	var lows, highs, chances []*big.Rat
	rates := m.p.rates()
	for _, r := range rates {
		for _, k := range []struct {
			key string
			to  *[]*big.Rat
		}{{"KMIN_MAP", &lows}, {"KMAX_MAP", &highs}, {"PMAX_MAP", &chances}} {
			v := m.c.at(k.key, r)
			if v == nil {
				m.c.fail(k.key, "no entry for links of %s (%d)", rateText(r), r)
				return ""
			}
			*k.to = append(*k.to, v)
		}
	}
	for i := range rates {
		if chances[i].Cmp(chances[0]) != 0 {
			m.c.fail("PMAX_MAP", "links of %s and %s have different probabilities, and a scenario has one",
				rateText(rates[0]), rateText(rates[i]))
			return ""
		}
	}
	port := ""
	switch equal, scaled := m.same(lows, highs), m.scale(lows, rates) && m.scale(highs, rates); {
	case equal:
	case scaled:
		port = ", port_rate: " + rateText(rates[0])
	default:
		m.c.fail("KMIN_MAP", "thresholds for links of %s to %s neither are the same nor scale with the rate, and a "+
			"scenario has one curve", rateText(rates[0]), rateText(rates[len(rates)-1]))
		return ""
	}
	return fmt.Sprintf("  qos: {ecn: {min: %skB, max: %skB, probability: %s%s}}\n", decimalText(lows[0]),
		decimalText(highs[0]), decimalText(chances[0]), port)
}

func (m *importer) same(lists ...[]*big.Rat) bool {
	for _, l := range lists {
		if slices.ContainsFunc(l, func(v *big.Rat) bool { return v.Cmp(l[0]) != 0 }) {
			return false
		}
	}
	return true
}

// scale reports whether values grow with rates.
func (m *importer) scale(values []*big.Rat, rates []unit.Bitrate) bool {
	for i := range values {
		if new(big.Rat).Mul(values[i], big.NewRat(int64(rates[0]), int64(rates[i]))).Cmp(values[0]) != 0 {
			return false
		}
	}
	return true
}

// decimalText prints a value that was read from a decimal number.
func decimalText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(12), "0")
}

// telemetryRates are the link rates that the simulator's telemetry header has a code for.
var telemetryRates = []unit.Bitrate{25 * unit.GigabitPerSec, 50 * unit.GigabitPerSec, 100 * unit.GigabitPerSec,
	200 * unit.GigabitPerSec, 400 * unit.GigabitPerSec}

// congestion is the congestion control of CC_MODE.
func (m *importer) congestion() string {
	c := m.c
	micro := func(key string) string { return decimalText(c.num[key]) + "us" }
	rate := func(key string) string {
		r, err := parseRate(c.text[key])
		if err != nil {
			c.fail(key, "want a rate such as 50Mb/s")
		}
		return rateText(r)
	}
	need := func(list ...string) {
		for _, key := range list {
			if c.num[key] == nil {
				c.fail(key, "the algorithm of CC_MODE needs it")
				c.num[key] = big.NewRat(1, 1)
			}
		}
	}
	switch a := m.algorithm(); a {
	case "none":
		return "{algorithm: none}"
	case "dcqcn":
		need("RP_TIMER", "EWMA_GAIN")
		return fmt.Sprintf("{algorithm: dcqcn, g: %s, alpha_timer: %s, decrease_interval: %s, increase_timer: %s,\n"+
			"  fast_recovery: %d, clamp_target: %v, rate_ai: %s, rate_hai: %s, min_rate: %s}",
			decimalText(c.num["EWMA_GAIN"]), micro("ALPHA_RESUME_INTERVAL"),
			micro("RATE_DECREASE_INTERVAL"), micro("RP_TIMER"),
			c.whole("FAST_RECOVERY_TIMES", 1, 1000), c.is("CLAMP_TARGET_RATE"), rate("RATE_AI"),
			rate("RATE_HAI"), rate("MIN_RATE"))
	case "hpcc":
		rtt, _ := m.p.longestTrip(c.whole("PACKET_PAYLOAD_SIZE", 64, 9000))
		base := ""
		if c.is("GLOBAL_T") {
			base = fmt.Sprintf(", base_rtt: %s", rtt)
		}
		for _, r := range m.p.rates() {
			if !slices.Contains(telemetryRates, r) {
				m.note("links of %s: the simulator's telemetry header knows 25, 50, 100, 200 and 400 Gb/s only, and "+
					"takes them for another", rateText(r))
			}
		}
		units := c.whole("INT_MULTI", 1, 500)
		if _, given := c.set["MULTI_RATE"]; !given {
			m.note("MULTI_RATE is not given, which is 1: %s", keys["MULTI_RATE"].about)
		}
		return fmt.Sprintf("{algorithm: hpcc, hpcc: {eta: %s, max_stage: %d, rate_ai: %s, min_rate: %s%s, tx_unit: "+
			"%dB, queue_unit: %dB, fast_react: %v}}", decimalText(c.num["U_TARGET"]), c.whole("MI_THRESH", 0, 1000),
			rate("RATE_AI"), rate("MIN_RATE"), base, 128*units, 80*units, c.is("FAST_REACT"))
	case "timely":
		return fmt.Sprintf("{algorithm: timely, timely: {ai: %s, hai: %s, min_rate: %s}}", rate("RATE_AI"),
			rate("RATE_HAI"), rate("MIN_RATE"))
	case "dctcp":
		need("EWMA_GAIN")
		return fmt.Sprintf("{algorithm: dctcp, dctcp: {g: %s, rate_ai: %s, min_rate: %s}}",
			decimalText(c.num["EWMA_GAIN"]), rate("DCTCP_RATE_AI"), rate("MIN_RATE"))
	}
	c.fail("CC_MODE", "not modelled, want 0 (none), 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)")
	return ""
}

// faults is error rates and LINK_DOWN.
func (m *importer) faults() string {
	var b strings.Builder
	ports := m.p.ports()
	all := m.c.num["ERROR_RATE_PER_LINK"]
	rate, links := new(big.Rat), []int{}
	for i, l := range m.p.links {
		if _, outside := ports[i]; !outside {
			continue
		}
		r := l.loss
		if r.Sign() == 0 {
			r = all // the rate of the configuration holds where a link has none
		}
		switch {
		case r.Sign() == 0:
			continue
		case rate.Sign() != 0 && r.Cmp(rate) != 0:
			m.p.t.fail(l.src, "link %d %d: error rate %s, and another link has %s: a scenario has one", l.a, l.b,
				decimalText(r), decimalText(rate))
			return ""
		}
		rate = r
		links = append(links, i)
	}
	if len(links) == len(ports) && rate.Sign() > 0 {
		fmt.Fprintf(&b, "  - {link: all, drop: %s, pfc: true}\n", decimalText(rate))
	} else {
		for _, i := range links {
			fmt.Fprintf(&b, "  - {link: %q, drop: %s, pfc: true}\n", ports[i], decimalText(rate))
		}
	}
	m.linkDown(&b, ports)
	return b.String()
}

// linkDown is LINK_DOWN: so many microseconds after 2 s, for good.
func (m *importer) linkDown(b *strings.Builder, ports map[int]string) {
	us, x, y := m.c.down[0], int(m.c.down[1]), int(m.c.down[2])
	if us == 0 {
		return
	}
	at := unit.Time(2 * unit.Second).Add(unit.Duration(min(us, 1<<36)) * unit.Microsecond).Sub(m.zero)
	if at < 0 || at > 24*unit.Hour {
		m.c.fail("LINK_DOWN", "before the first flow starts, or a day after it")
		return
	}
	for i, l := range m.p.links {
		if _, ok := ports[i]; ok && (l.a == x && l.b == y || l.a == y && l.b == x) {
			fmt.Fprintf(b, "  - {link: %q, at: %s, down: 24h}\n", ports[i], at)
			m.note("LINK_DOWN: routes do not change here; the simulator's do")
			return
		}
	}
	m.c.fail("LINK_DOWN", "no link between nodes %d and %d", x, y)
}
