package ns3

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// config is the configuration file. Keys that are not given have the simulator's own defaults.
type config struct {
	t     *tokens
	set   map[string]token    // where a key's first value stands
	order []string            // keys as they are given
	text  map[string]string   // first value
	num   map[string]*big.Rat // of a number
	maps  map[string][]point  // of a map from link rates
	down  [3]int64            // LINK_DOWN: microseconds, node, node
}

// point is an entry of KMIN_MAP, KMAX_MAP or PMAX_MAP.
type point struct {
	rate  unit.Bitrate
	value *big.Rat
}

// What a key is followed by.
const (
	isNumber = iota // read by the simulator as a whole number: of 1e3 it would take the 1 and go on with a key e3
	isReal          // read as a floating-point number, so that 1e-3 is one
	isText
	isRate
	isMap
	isLinkDown
)

// keys says what each known key is followed by and, in about, why it has no meaning here; empty
// where it has one.
var keys = map[string]struct {
	kind  int
	about string
}{
	"TOPOLOGY_FILE": {isText, ""}, "FLOW_FILE": {isText, ""},
	"ENABLE_QCN": {isNumber, ""}, "CC_MODE": {isNumber, ""}, "PACKET_PAYLOAD_SIZE": {isNumber, ""},
	"L2_ACK_INTERVAL": {isNumber, ""}, "L2_BACK_TO_ZERO": {isNumber, ""}, "ERROR_RATE_PER_LINK": {isReal, ""},
	"ALPHA_RESUME_INTERVAL": {isReal, ""}, "RATE_DECREASE_INTERVAL": {isReal, ""}, "RP_TIMER": {isReal, ""},
	"EWMA_GAIN":           {isReal, ""},
	"FAST_RECOVERY_TIMES": {isNumber, ""}, "CLAMP_TARGET_RATE": {isNumber, ""}, "RATE_AI": {isRate, ""},
	"RATE_HAI": {isRate, ""}, "DCTCP_RATE_AI": {isRate, ""}, "INT_MULTI": {isNumber, ""}, "MIN_RATE": {isRate, ""},
	"HAS_WIN": {isNumber, ""}, "VAR_WIN": {isNumber, ""}, "GLOBAL_T": {isNumber, ""}, "U_TARGET": {isReal, ""},
	"MI_THRESH": {isNumber, ""}, "RATE_BOUND": {isNumber, ""},
	"KMAX_MAP": {isMap, ""}, "KMIN_MAP": {isMap, ""}, "PMAX_MAP": {isMap, ""}, "BUFFER_SIZE": {isNumber, ""},
	"ACK_HIGH_PRIO": {isNumber, ""}, "FAST_REACT": {isNumber, ""}, "LINK_DOWN": {isLinkDown, ""},

	"USE_DYNAMIC_PFC_THRESHOLD": {isNumber, "switches of the model use the dynamic threshold either way"},
	"PAUSE_TIME":                {isReal, "the model's pauses hold until resumed"},
	"L2_CHUNK_SIZE":             {isNumber, "it only matters with go-back-0"},
	"MULTI_RATE":                {isNumber, "HPCC here keeps one window for all hops"},
	"SAMPLE_FEEDBACK":           {isNumber, "telemetry is read from every acknowledgement"},
	"PINT_LOG_BASE":             {isReal, pint}, "PINT_PROB": {isReal, pint},
	"DATA_RATE": {isText, "the topology says it"}, "LINK_DELAY": {isText, "the topology says it"},
	"NIC_TOTAL_PAUSE_TIME": {isNumber, "it only changes what the simulator prints"},
	"SIMULATOR_STOP_TIME":  {isReal, "a run ends when its flows have"},
	"ENABLE_TRACE":         {isNumber, written}, "TRACE_FILE": {isText, written}, "TRACE_NODE": {isNumber, written},
	"TRACE_OUTPUT_FILE": {isText, written},
	"FCT_OUTPUT_FILE":   {isText, written}, "PFC_OUTPUT_FILE": {isText, written}, "SEND_OUTPUT_FILE": {isText, written},
	"QLEN_MON_FILE": {isText, written}, "QLEN_MON_START": {isNumber, written}, "QLEN_MON_END": {isNumber, written},
	"QLEN_MON_INTERVAL": {isNumber, written},
	"BW_MON_FILE":       {isText, written}, "BW_MON_INTERVAL": {isNumber, written}, "RATE_MON_FILE": {isText, written},
	"CNP_MON_FILE":    {isText, written},
	"QP_MON_INTERVAL": {isNumber, written}, "MON_START": {isNumber, written}, "MON_END": {isNumber, written},
}

const (
	pint    = "HPCC-PINT is not modelled"
	written = "it says what the simulator writes; output: in the scenario does so here"
)

// defaults are what the simulator takes for keys that are not given.
var defaults = map[string]string{
	"ENABLE_QCN": "1", "CC_MODE": "1", "PACKET_PAYLOAD_SIZE": "1000", "L2_BACK_TO_ZERO": "0",
	"ERROR_RATE_PER_LINK":   "0",
	"ALPHA_RESUME_INTERVAL": "55", "RATE_DECREASE_INTERVAL": "4", "FAST_RECOVERY_TIMES": "5",
	"CLAMP_TARGET_RATE": "0", "MIN_RATE": "100Mb/s",
	"HAS_WIN": "1", "VAR_WIN": "0", "GLOBAL_T": "1", "U_TARGET": "0.95", "MI_THRESH": "5", "RATE_BOUND": "1",
	"BUFFER_SIZE": "16", "DCTCP_RATE_AI": "1000Mb/s", "INT_MULTI": "1",
	"ACK_HIGH_PRIO": "0", "FAST_REACT": "1", "MULTI_RATE": "1",
}

// readConfig reads a configuration.
func readConfig(file string, src []byte) (*config, error) {
	c := &config{t: tokenize(file, src), set: map[string]token{}, text: map[string]string{}, num: map[string]*big.Rat{},
		maps: map[string][]point{}}
	for c.t.more() && len(c.t.problems) == 0 {
		key, _ := c.t.take("a key")
		k, known := keys[key.text]
		first, again := c.set[key.text]
		switch {
		case !known:
			c.t.fail(key, "%s: unknown key", located.Shown(key.text))
			c.t.problems[len(c.t.problems)-1].Hint = meant(key.text)
		case again:
			c.t.fail(key, "%s: given twice, first on line %d", key.text, first.line)
		default:
			c.value(key, k.kind)
		}
	}
	if len(c.set) == 0 && len(c.t.problems) > 0 && !holdsKey(src) {
		// Likely another file: none of its words is shown.
		c.t.problems = located.Problems{{File: file, Message: "holds no key of a configuration of the HPCC simulator, want " +
			"lines such as TOPOLOGY_FILE topology.txt"}}
		return c, c.t.err()
	}
	for key, text := range defaults {
		if _, ok := c.set[key]; !ok {
			c.text[key] = text
			if r, ok := parseDecimal(text, false); ok {
				c.num[key] = r
			}
		}
	}
	return c, c.t.err()
}

// holdsKey reports whether a key stands anywhere.
func holdsKey(src []byte) bool {
	for word := range bytes.FieldsSeq(src) {
		if _, ok := keys[string(word)]; ok {
			return true
		}
	}
	return false
}

// value reads what follows a key.
func (c *config) value(key token, kind int) {
	c.set[key.text], c.order = key, append(c.order, key.text)
	switch kind {
	case isNumber, isReal:
		if r, w, ok := c.t.decimal(key.text, kind == isReal); ok {
			c.num[key.text], c.text[key.text], c.set[key.text] = r, w.text, w
		}
	case isMap:
		c.readMap(key)
	case isLinkDown:
		for i := range c.down {
			c.down[i], _, _ = c.t.number(key.text, 0, 1<<40)
		}
	default:
		w, ok := c.t.take("the value of " + key.text)
		if !ok {
			return
		}
		c.text[key.text], c.set[key.text] = w.text, w
		if _, err := parseRate(w.text); kind == isRate && err != nil {
			c.t.fail(w, "%s: %v", key.text, err)
		}
	}
}

func (c *config) readMap(key token) {
	n, _, _ := c.t.number(key.text+": number of entries", 0, 1000)
	for range n {
		rate, _, ok := c.t.number(key.text+": link rate in b/s", 1, 1e15)
		if !ok {
			return
		}
		v, _, ok := c.t.decimal(key.text, key.text == "PMAX_MAP")
		if !ok {
			return
		}
		c.maps[key.text] = append(c.maps[key.text], point{unit.Bitrate(rate), v})
	}
}

// at returns the value of a map at a link rate; of several the last, as in the simulator.
func (c *config) at(key string, r unit.Bitrate) *big.Rat {
	for _, p := range slices.Backward(c.maps[key]) {
		if p.rate == r {
			return p.value
		}
	}
	return nil
}

// is reports whether a flag is on.
func (c *config) is(key string) bool { return c.num[key] != nil && c.num[key].Sign() != 0 }

// whole returns a value that must be a whole number from lo to hi.
func (c *config) whole(key string, lo, hi int64) int64 {
	r := c.num[key]
	if r == nil || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() < lo || r.Num().Int64() > hi {
		c.fail(key, "want a whole number from %d to %d", lo, hi)
		return lo
	}
	return r.Num().Int64()
}

// fail reports a mistake in the value of a key, or that it is missing.
func (c *config) fail(key, format string, args ...any) {
	if w, ok := c.set[key]; ok {
		if w.text != key { // a value, and not the key of several
			key += ": " + located.Shown(w.text)
		}
		c.t.fail(w, "%s: %s", key, fmt.Sprintf(format, args...))
		return
	}
	c.t.fail(top, "no %s: %s", key, fmt.Sprintf(format, args...))
}

// notes names the keys that have no meaning here, in the order of the file.
func (c *config) notes() []string {
	byReason := map[string][]string{}
	var reasons []string
	for _, key := range c.order {
		k := keys[key]
		if k.about == "" {
			continue
		}
		if byReason[k.about] == nil {
			reasons = append(reasons, k.about)
		}
		byReason[k.about] = append(byReason[k.about], key)
	}
	var out []string
	for _, r := range reasons {
		out = append(out, strings.Join(byReason[r], ", ")+" left out: "+r)
	}
	return out
}

// parseRate reads a rate as ns-3 writes it: 100Gbps or 50Mb/s.
func parseRate(s string) (unit.Bitrate, error) {
	r, err := unit.ParseBitrate(strings.Replace(s, "bps", "b/s", 1))
	if err != nil || r <= 0 {
		return 0, fmt.Errorf("%s: want a rate such as 100Gbps or 50Mb/s", located.Shown(s))
	}
	return r, nil
}

// meant suggests the known key closest to a word: that with the longest common beginning of at
// least 4 letters.
func meant(word string) string {
	best, most := "", 3
	for _, k := range sortedKeys() {
		n := 0
		for n < len(k) && n < len(word) && k[n] == word[n] {
			n++
		}
		if n > most {
			best, most = k, n
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

func sortedKeys() []string {
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}
