package dump

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// NX-OS and EOS print tables whose heading begins with Port and whose rows begin with one, words with blanks between.

// portColumns are the headings of counters that are read.
var portColumns = map[string]telemetry.Counter{"InOctets": telemetry.RxBytes, "OutOctets": telemetry.TxBytes, "FCS": telemetry.InErrors,
	"FCS-Err": telemetry.InErrors, "Giants": telemetry.Oversize, "InDiscards": telemetry.InDiscards, "OutDiscards": telemetry.OutDiscards,
	"RxPfc": telemetry.RxPFC, "TxPfc": telemetry.TxPFC}

// packetColumns are those of which a counter is the sum.
var packetColumns = []struct {
	of   [3]string
	into telemetry.Counter
}{{[3]string{"InUcastPkts", "InMcastPkts", "InBcastPkts"}, telemetry.RxPackets},
	{[3]string{"OutUcastPkts", "OutMcastPkts", "OutBcastPkts"}, telemetry.TxPackets}}

// otherColumns tell that a table is of that kind, and are not read.
var otherColumns = []string{"Align-Err", "Single-Col", "Oper(VL", "Status"}

// headOf are the words of a heading; nil: the line is none.
func headOf(line string) []string {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "Port" {
		return nil
	}
	for _, w := range words[1:] {
		if _, is := portColumns[w]; is || slices.Contains(otherColumns, w) || packetsOf(w) >= 0 {
			return words
		}
	}
	return nil
}

// packetsOf is of which sum a column is a part; -1: of none.
func packetsOf(head string) int {
	for i := range packetColumns {
		if slices.Contains(packetColumns[i].of[:], head) {
			return i
		}
	}
	return -1
}

// isRule reports whether a line has nothing but dashes or equals signs.
func isRule(line string) bool { return strings.Trim(line, "-= \t") == "" }

// isPortTable reports whether a text begins with such a table, maybe below rules.
func isPortTable(text string) bool {
	for l := range strings.Lines(text) {
		if l = strings.TrimRight(l, " \t\r\n"); !isRule(l) {
			return headOf(l) != nil
		}
	}
	return false
}

// portTables reads such tables.
type portTables struct {
	*Reader
	*section
	heads  []string
	text   string // the heading
	sums   map[string]*[2]packets
	order  []string
	listed map[string]bool
}

// packets are what unicast, multicast and broadcast columns say, and in which line.
type packets struct {
	n    [3]int64
	read [3]bool
	line int
}

func (r *Reader) portTables(s section) error {
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	t := portTables{Reader: r, section: &s, sums: map[string]*[2]packets{}, listed: map[string]bool{}}
	n := 0
	for line := range strings.Lines(s.text) {
		if n++; n > mostRows {
			return s.problem(n, 0, "", "more than %s lines of one command", unit.Count(mostRows))
		}
		line = strings.TrimRight(line, " \t\r\n")
		if isRule(line) {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "Port ") {
			t.heads, t.text = headOf(line), line
			if t.heads == nil {
				r.pass("%s: a table with the columns %s", located.Cut(s.command), located.Cut(strings.Join(strings.Fields(line), ", ")))
			}
			continue
		}
		if t.heads == nil || strings.HasPrefix(line, "Total") {
			continue
		}
		if err := t.row(n, line); err != nil {
			return err
		}
	}
	for _, port := range t.order {
		for i, p := range t.sums[port] {
			if p.read != [3]bool{true, true, true} || p.n[0]+p.n[1] < 0 || p.n[0]+p.n[1]+p.n[2] < 0 {
				continue
			}
			if err := r.put(&s, p.line, port, packetColumns[i].into, -1, p.n[0]+p.n[1]+p.n[2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pfcRow is one of NX-OS's show interface priority-flow-control; the number in parentheses has a bit for each priority.
var pfcRow = regexp.MustCompile(`^\s*(\S+)\s+\S+\s+(?:On|Off)\s*(?:\((\d{1,3})\))?\s+(\d{1,19})\s+(\d{1,19})$`)

func (t *portTables) row(n int, line string) error {
	switch {
	case slices.Contains(t.heads, "Status"):
		return t.status(n, line)
	case slices.Contains(t.heads, "Oper(VL"):
		return t.pfc(n, line)
	}
	words := located.AppendWords(nil, line)
	if len(words) != len(t.heads) {
		return t.problem(n, 0, line, "%d words in a row, want %d, as many as the heading has", len(words), len(t.heads))
	}
	port := words[0].Text
	for i, head := range t.heads[1:] {
		text := words[1+i].Text
		c, known := portColumns[head]
		part := packetsOf(head)
		if !known && part < 0 {
			if !t.listed[head] {
				t.listed[head] = true
				t.pass("%s: the column %s", located.Cut(t.command), located.Shown(head))
			}
			continue
		}
		if text == "--" || text == "N/A" {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < 0 {
			return t.problem(n, byteOf(line, words[1+i].Column), line, "want a count from 0, or --")
		}
		if part >= 0 {
			t.sum(port, part, head, n, v)
		} else if err := t.put(t.section, n, port, c, -1, v); err != nil {
			return err
		}
	}
	return nil
}

// byteOf is where a column of characters, counted from 1, begins.
func byteOf(line string, column int) int {
	for i := range line {
		if column--; column == 0 {
			return i
		}
	}
	return len(line)
}

func (t *portTables) sum(port string, part int, head string, n int, v int64) {
	of := t.sums[port]
	if of == nil {
		of = &[2]packets{}
		t.sums[port] = of
		t.order = append(t.order, port)
	}
	k := slices.Index(packetColumns[part].of[:], head)
	of[part].n[k], of[part].read[k], of[part].line = v, true, n
}

// pfc reads what all priorities of a port got and sent, as that of its only lossless one where there is one.
func (t *portTables) pfc(n int, line string) error {
	m := pfcRow.FindStringSubmatch(line)
	if m == nil {
		return t.problem(n, 0, line, "want PORT MODE On (BITS) RXPPP TXPPP")
	}
	priority := int8(-1)
	for p := range int8(8) {
		if m[2] == strconv.Itoa(1<<p) {
			priority = p
		}
	}
	for i, c := range []telemetry.Counter{telemetry.RxPFC, telemetry.TxPFC} {
		v, err := strconv.ParseInt(m[3+i], 10, 64)
		if err != nil {
			return t.problem(n, strings.LastIndex(line, m[3+i]), line, "want a count below 2^63")
		}
		if err := t.put(t.section, n, m[1], c, priority, v); err != nil {
			return err
		}
	}
	return nil
}

// portSpeed is a-40G, 10G, 2.5G or 1000, of which the last is in Mb/s.
var portSpeed = regexp.MustCompile(`^(?:a-)?(\d{1,7})(?:\.(\d{1,3}))?([GM]?)$`)

// status reads whether a port is up, and its speed. Its name may have blanks, so columns are cut where their headings stand.
func (t *portTables) status(n int, line string) error {
	from, to := strings.Index(t.text, "Status"), strings.Index(t.text, "Vlan")
	if from < 0 || to <= from {
		return t.problem(n, 0, line, "want a heading with Status and then Vlan above it")
	}
	port, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	state, rest := "", []string(nil)
	if len(line) > to {
		state, rest = strings.TrimSpace(line[from:to]), strings.Fields(line[to:])
	}
	if len(rest) > 0 && rest[0] == "in" { // in Po5
		rest = rest[1:]
	}
	if state == "" || len(rest) < 3 {
		return t.problem(n, min(from, len(line)), line, "want a status, and a VLAN, a duplex and a speed")
	}
	if state != "unknown" {
		if err := t.put(t.section, n, port, telemetry.Up, -1, int64(one(state == "connected"))); err != nil {
			return err
		}
	}
	m := portSpeed.FindStringSubmatch(rest[2])
	if m == nil { // auto, unconf, --
		return nil
	}
	v := int64(number(m[1]))
	switch {
	case m[3] == "G":
		v = v*1000 + int64(number((m[2] + "000")[:3]))
	case m[2] != "":
		return t.problem(n, strings.LastIndex(line, rest[2]), line, "want a speed such as 400G")
	}
	return t.put(t.section, n, port, telemetry.Speed, -1, v)
}

// Lines of NX-OS's show queuing interface and of its PFC watchdog.
var (
	queuingOf = regexp.MustCompile(`^\s*(?:Egress|Ingress) Queuing for (\S+)`)
	stormsOf  = regexp.MustCompile(`^\s*(\S+) Interface PFC watchdog:`)
	groupOf   = regexp.MustCompile(`^QOS GROUP (\d)\b`)
	cosOf     = regexp.MustCompile(`PFC-COS \[(\d)\]`)
	cosRow    = regexp.MustCompile(`^\s*(\d)\s+\S+\s+\S+\s+(?:Active|Inactive)\s+(\d{1,19}|-)\s+(?:Active|Inactive)\s+(\d{1,19}|-)$`)
	mmuDrops  = regexp.MustCompile(`^\s*Ingress MMU Drop Pkts\s+(\d{1,19})$`)
)

// queueLabels are what boxes of a QoS group have; several of one counter are added up.
var queueLabels = map[string]telemetry.Counter{"Tx Pkts": telemetry.TxPackets, "Tx Byts": telemetry.TxBytes,
	"Dropped Pkts": telemetry.OutDiscards, "WRED/AFD & Tail Drop Pkts": telemetry.OutDiscards, "Shutdown": telemetry.Watchdog}

func isQueuing(text string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			return queuingOf.MatchString(l) || stormsOf.MatchString(l)
		}
	}
	return false
}

// queuing reads boxes of QoS groups, which are taken for priorities, and PFC by class of service.
func (r *Reader) queuing(s section) error {
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	port, group, n := "", int8(-1), 0
	for line := range strings.Lines(s.text) {
		if n++; n > mostRows {
			return s.problem(n, 0, "", "more than %s lines of one command", unit.Count(mostRows))
		}
		line = strings.TrimRight(line, " \t\r\n")
		var of []column
		var values []string
		if m := queuingOf.FindStringSubmatch(line); m != nil {
			port, group = m[1], -1
			continue
		} else if m := stormsOf.FindStringSubmatch(line); m != nil {
			port, group = m[1], -1
			continue
		} else if m := cosRow.FindStringSubmatch(line); m != nil {
			p := int8(m[1][0] - '0')
			of, values = []column{{telemetry.TxPFC, p}, {telemetry.RxPFC, p}}, m[2:]
		} else if m := mmuDrops.FindStringSubmatch(line); m != nil {
			of, values = []column{{telemetry.InDiscards, -1}}, m[1:]
		} else if strings.HasPrefix(strings.TrimSpace(line), "|") {
			if err := r.box(&s, n, line, port, &group); err != nil {
				return err
			}
			continue
		}
		for i, c := range of {
			v, err := strconv.ParseInt(values[i], 10, 64)
			switch {
			case values[i] == "-":
				continue
			case err != nil:
				return s.problem(n, strings.Index(line, values[i]), line, "want a count below 2^63")
			case c.priority > 7:
				return s.problem(n, 0, line, "want a class of service from 0 to 7")
			}
			if err := r.put(&s, n, port, c.counter, c.priority, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// box reads a line of a box: labels, each with counts behind it.
func (r *Reader) box(s *section, n int, line, port string, group *int8) error {
	sums, order, label := map[telemetry.Counter]int64{}, []telemetry.Counter(nil), ""
	for _, cell := range strings.Split(line, "|") {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if m := groupOf.FindStringSubmatch(cell); m != nil {
			if c := cosOf.FindStringSubmatch(cell); c != nil {
				m = c
			}
			if *group = int8(m[1][0] - '0'); *group > 7 {
				return s.problem(n, strings.Index(line, cell), line, "want a group from 0 to 7")
			}
			continue
		}
		if cell[0] < '0' || cell[0] > '9' {
			label = cell
			continue
		}
		c, known := queueLabels[label]
		if !known || *group < 0 {
			r.pass("%s: %s", located.Cut(s.command), located.Shown(label))
			continue
		}
		v, err := strconv.ParseInt(cell, 10, 64)
		if err != nil || sums[c]+v < 0 {
			return s.problem(n, strings.Index(line, cell), line, "want a count below 2^63")
		}
		if _, had := sums[c]; !had {
			order = append(order, c)
		}
		sums[c] += v
	}
	for _, c := range order {
		if err := r.put(s, n, port, c, *group, sums[c]); err != nil {
			return err
		}
	}
	return nil
}

// Times as show clock prints them: of EOS, of NX-OS, in UTC.
var (
	eosClock  = regexp.MustCompile(`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})$`)
	nxosClock = regexp.MustCompile(`^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))? UTC [A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d{4})$`)
)

// showClock reads it, if it is in UTC.
func showClock(text string) (instant, bool) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if m := nxosClock.FindStringSubmatch(l); m != nil {
			at := moment{number(m[7]), 1 + slices.Index(months, m[5]), number(m[6]), number(m[1]), number(m[2]), number(m[3])}
			sec, valid := at.unix()
			ps, known := fraction(m[4])
			return instant{sec, ps}, valid && known
		}
		if m := eosClock.FindStringSubmatch(l); m != nil && strings.Contains(text, "\nTimezone: UTC") {
			at := moment{number(m[6]), 1 + slices.Index(months, m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5])}
			sec, valid := at.unix()
			return instant{sec, 0}, valid
		}
	}
	return instant{}, false
}
