package dump

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/net/telemetry"
)

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	metricLine = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^{}]*\}\s*|\s+)[-+0-9.NI]`)
)

// isMetrics reports whether a text is that of an exporter.
func isMetrics(first string) bool {
	return strings.HasPrefix(first, "# HELP ") || strings.HasPrefix(first, "# TYPE ") || strings.HasPrefix(first, "# UNIT ") ||
		metricLine.MatchString(first)
}

// Labels by which a device is named: the surest first. An instance is an address of an exporter.
var deviceLabels = []string{"Hostname", "hostname", "host_name", "nodename", "source", "instance"}

// metrics reads the text format of Prometheus (0.0.4), or OpenMetrics (1.0), which ends with # EOF and has times in seconds.
type metrics struct {
	*Reader
	section
	seconds bool
	node    string // of node_uname_info
	now     instant
	timed   bool
	labels  []label
	late    []late // samples whose device or time is said later in the text
}

type label struct{ name, value string }

// late is a sample that may wait for the name of its device, or for its time.
type late struct {
	name     int
	port     string
	gpu      bool
	priority int8
	device   string // as a label has it; "": none has
	at       instant
	timed    bool
	value    int64
	line     int
}

func (r *Reader) metrics(s section) error {
	m := &metrics{Reader: r, section: s, now: s.at, timed: s.timed}
	trimmed := strings.TrimRight(s.text, " \t\r\n")
	m.seconds = strings.HasSuffix(trimmed, "\n# EOF") || trimmed == "# EOF"
	n := 0
	for text := range strings.Lines(s.text) {
		n++
		if err := m.line(n, strings.TrimRight(text, " \t\r\n")); err != nil {
			return err
		}
	}
	return m.finish()
}

// line reads a sample.
func (m *metrics) line(n int, text string) error {
	if text == "" || text[0] == '#' {
		return nil
	}
	end := strings.IndexAny(text, "{ \t")
	if end <= 0 || !metricName.MatchString(text[:end]) {
		return m.problem(n, 0, text, "want NAME{LABEL=\"VALUE\",...} VALUE [TIME]")
	}
	metric, rest := text[:end], text[end:]
	m.labels = m.labels[:0]
	if rest[0] == '{' {
		at, err := m.readLabels(rest)
		if err != nil {
			return m.problem(n, end+at, text, "%v", err)
		}
		rest, end = rest[at:], end+at
	}
	rest, _, _ = strings.Cut(rest, " # ") // an exemplar
	words := strings.Fields(rest)
	if len(words) < 1 || len(words) > 2 {
		return m.problem(n, end, text, "want a value, and a time at most, behind the metric")
	}
	value, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		return m.problem(n, end+strings.Index(rest, words[0]), text, "want a number")
	}
	at, timed := m.now, m.timed
	if len(words) == 2 {
		if at, err = m.time(words[1]); err != nil {
			return m.problem(n, end+strings.LastIndex(rest, words[1]), text, "%v", err)
		}
		timed = true
	}
	switch metric {
	case "node_uname_info":
		if node, known := m.label("nodename"); known {
			if address, known := m.label("instance"); known {
				m.nodes[address] = node
			} else {
				m.node = node
			}
		}
		return nil
	case "node_time_seconds":
		if _, far := m.label("instance"); !far && !timed {
			at, err := seconds(words[0])
			if err != nil && value > 0 && value < mostSeconds { // 1.7e+09
				at, err = instant{int64(value), int64((value-math.Floor(value))*1e6) * 1e6}, nil
			}
			m.now, m.timed = at, err == nil
		}
		return nil
	}
	of := m.names.at[metric]
	if len(of) == 0 {
		m.pass("metric %s: no counter here has that name", located.Cut(metric))
		return nil
	}
	for _, i := range of {
		if err := m.take(n, i, text, metric, words[0], value, at, timed); err != nil {
			return err
		}
	}
	return nil
}

// take turns a sample into that of a counter.
func (m *metrics) take(n, i int, text, metric, word string, value float64, at instant, timed bool) error {
	of := &m.names.list[i]
	if v, _ := m.label(of.label); of.label != "" && v != of.value {
		m.pass("metric %s with another %s than %s", metric, of.label, of.value)
		return nil
	}
	s := late{name: i, priority: -1, at: at, timed: timed, gpu: of.gpu != "", line: n}
	var known bool
	which := of.port
	if s.gpu {
		which = of.gpu
	}
	if s.port, known = m.label(which); !known || s.port == "" {
		m.pass("metric %s without the label %s", metric, which)
		return nil
	}
	if s.gpu {
		s.port = "gpu" + s.port
	}
	p := ""
	if k := strings.Index(of.metric, "{P}"); k >= 0 {
		p = metric[k : k+1]
	} else if of.priority != "" {
		if p, known = m.label(of.priority); !known {
			m.pass("metric %s without the label %s", metric, of.priority)
			return nil
		}
	}
	if p != "" {
		d, err := strconv.ParseUint(p, 10, 8)
		if err != nil || d > 7 {
			m.pass("metric %s of %s %s: want a priority from 0 to 7", metric, of.priority, located.Shown(p))
			return nil
		}
		s.priority = int8(d)
	}
	for _, l := range deviceLabels {
		if v, known := m.label(l); known && v != "" {
			if s.device = v; l == "instance" {
				m.addresses[strings.Clone(v)] = true
			}
			break
		}
	}
	v, known, err := of.whole(word, value)
	if err != nil {
		return m.problem(n, strings.LastIndex(text, word), text, "%v", err)
	}
	if !known {
		return nil
	}
	if s.value = v; s.device == "" || !s.timed {
		m.late = append(m.late, s)
		return nil
	}
	return m.put(&s)
}

// whole is the value of a counter. What is no number, all ones, or less than 0 of a gauge, was not read.
func (of *name) whole(word string, value float64) (v int64, known bool, err error) {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n >= 0 && of.num == 1 && of.den == 1 {
		return n, true, nil
	}
	switch {
	case math.IsNaN(value) || word == "18446744073709551615":
		return 0, false, nil
	case value < 0 && telemetry.Counters[of.counter].Nature == telemetry.Gauge:
		return 0, false, nil
	}
	scaled := math.Round(value * float64(of.num) / float64(of.den))
	if !(scaled >= 0 && scaled < 1<<62) {
		return 0, false, fmt.Errorf("want %s from 0 to 2^62", telemetry.Counters[of.counter].Unit)
	}
	return int64(scaled), true, nil
}

func (m *metrics) label(name string) (string, bool) {
	for i := range m.labels {
		if m.labels[i].name == name {
			return m.labels[i].value, true
		}
	}
	return "", false
}

// readLabels reads {name="value",...} and returns where it ends.
func (m *metrics) readLabels(s string) (at int, err error) {
	at = 1
	for {
		for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
			at++
		}
		if at < len(s) && s[at] == '}' {
			return at + 1, nil
		}
		eq := strings.IndexByte(s[at:], '=')
		if eq < 0 || !metricName.MatchString(strings.TrimSpace(s[at:at+eq])) {
			return at, fmt.Errorf("want LABEL=\"VALUE\" or }")
		}
		name := strings.TrimSpace(s[at : at+eq])
		at += eq + 1
		for at < len(s) && s[at] == ' ' {
			at++
		}
		if at >= len(s) || s[at] != '"' {
			return at, fmt.Errorf("want a value in quotes")
		}
		value, end, err := quoted(s, at)
		if err != nil {
			return end, err
		}
		if slices.ContainsFunc(m.labels, func(l label) bool { return l.name == name }) {
			return at, fmt.Errorf("label %s: given twice", name)
		}
		m.labels = append(m.labels, label{name, value})
		for at = end; at < len(s) && s[at] == ' '; at++ {
		}
		switch {
		case at < len(s) && s[at] == ',':
			at++
		case at >= len(s) || s[at] != '}':
			return at, fmt.Errorf("want a comma or }")
		}
	}
}

// quoted reads a value in quotes that begins at a place, and returns where it ends.
func quoted(s string, at int) (value string, end int, err error) {
	close := strings.IndexAny(s[at+1:], `"\`)
	if close >= 0 && s[at+1+close] == '"' { // nearly all
		return s[at+1 : at+1+close], at + close + 2, nil
	}
	var b strings.Builder
	for i := at + 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i + 1, nil
		case '\\':
			if i++; i >= len(s) {
				return "", i, fmt.Errorf("want a quote at the end of a value")
			}
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case '\\', '"':
				b.WriteByte(s[i])
			default:
				return "", i - 1, fmt.Errorf(`want \\, \" or \n`)
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", len(s), fmt.Errorf("want a quote at the end of a value")
}

// time reads the time of a sample: seconds of OpenMetrics, else milliseconds.
func (m *metrics) time(word string) (instant, error) {
	if m.seconds {
		return seconds(word)
	}
	ms, err := strconv.ParseInt(word, 10, 64)
	if err != nil || ms < 0 || ms > mostSeconds*1000 {
		return instant{}, fmt.Errorf("want a time in milliseconds since 1970, or in seconds where # EOF ends the text")
	}
	return instant{ms / 1000, ms % 1000 * 1_000_000_000}, nil
}

// mostSeconds is the year 2200.
const mostSeconds = 7_258_118_400

// seconds reads seconds since 1970 with up to twelve decimals.
func seconds(word string) (instant, error) {
	whole, part, _ := strings.Cut(word, ".")
	sec, err := strconv.ParseUint(whole, 10, 63)
	ps, known := fraction(part)
	if err != nil || !known || sec > mostSeconds {
		return instant{}, fmt.Errorf("want seconds since 1970 such as 946684800.25, before 2200")
	}
	return instant{int64(sec), ps}, nil
}

// fraction reads the decimals of a second, "" for none; of more than twelve, the others must be 0.
func fraction(digits string) (ps int64, known bool) {
	if len(digits) > 12 {
		if strings.Trim(digits[12:], "0") != "" {
			return 0, false
		}
		digits = digits[:12]
	}
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	for range 12 - len(digits) {
		n *= 10
	}
	return int64(n), err == nil
}

// finish gives samples their devices and times.
func (m *metrics) finish() error {
	for i := range m.late {
		s := &m.late[i]
		if !s.timed {
			if s.at = m.now; !m.timed {
				return m.problem(s.line, 0, "", "a sample without a time: want one behind the value, node_time_seconds, or "+
					"what date -Ins printed before")
			}
		}
		if s.device == "" {
			s.device = cmp.Or(m.node, m.host)
		}
		if s.device == "" {
			m.pass("metric %s of no device: want a label instance, node_uname_info, or a prompt", m.names.list[s.name].metric)
			continue
		}
		if err := m.put(s); err != nil {
			return err
		}
	}
	return nil
}

// put hands a sample on.
func (m *metrics) put(s *late) error {
	of := &m.names.list[s.name]
	err := m.is(s.device, of.role, of.metric)
	if err == nil {
		err = m.add(key{s.device, s.port, s.gpu}, column{of.counter, s.priority}, s.name, sample{s.at, s.value})
	}
	if err != nil {
		return m.problem(s.line, 0, "", "%v", err)
	}
	return nil
}
