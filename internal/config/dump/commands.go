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

// first is the rank of what commands print: it goes before metrics of exporters.
const first = -1

// put takes a value that a command printed.
func (r *Reader) put(s *section, n int, port string, c telemetry.Counter, priority int8, v int64) error {
	if err := r.add(key{device: s.host, port: port}, column{c, priority}, first, sample{s.at, v}); err != nil {
		return s.problem(n, 0, "", "%v", err)
	}
	return nil
}

// ready says what a section lacks: whose it is, and its time. "": nothing.
func (s *section) ready(what string) string {
	switch {
	case s.host == "":
		return what + " of no device: want a prompt before it, such as admin@leaf1:~$ COMMAND"
	case !s.timed:
		return what + " of no time: want what date -Ins printed at a prompt of the device before it"
	}
	return ""
}

// grid is a table with a line of dashes below its heading, as SONiC prints it.
type grid struct {
	title string
	heads []string
	spans [][2]int // of columns, in characters
	rows  []gridRow
}

type gridRow struct {
	line  int
	text  string
	cells []string
}

// dashes are the spans of a line that has nothing but dashes and blanks; nil: it is none.
func dashes(line string) (all [][2]int) {
	if !strings.HasPrefix(strings.TrimSpace(line), "--") || strings.Trim(line, "- ") != "" {
		return nil
	}
	for i := 0; i < len(line); {
		if line[i] == ' ' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] == '-' {
			i++
		}
		all = append(all, [2]int{from, i})
	}
	return all
}

// grids divides a section into tables.
func (s *section) grids() (all []*grid, err error) {
	if n := strings.Count(s.text, "\n"); n > mostRows {
		return nil, s.problem(1, 0, "", "%s lines of one command, want at most %s", unit.Count(int64(n)), unit.Count(mostRows))
	}
	lines := strings.Split(s.text, "\n")
	title := ""
	var cur *grid
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if i+1 < len(lines) {
			if spans := dashes(lines[i+1]); spans != nil {
				cur = &grid{title: title, spans: spans}
				if cur.heads, err = s.cells(i+1, line, spans); err != nil {
					return nil, err
				}
				all = append(all, cur)
				i++
				continue
			}
		}
		switch {
		case strings.TrimSpace(line) == "":
			cur, title = nil, ""
		case cur == nil:
			title = line
		default:
			cells, err := s.cells(i+1, line, cur.spans)
			if err != nil {
				return nil, err
			}
			cur.rows = append(cur.rows, gridRow{i + 1, line, cells})
		}
	}
	return all, nil
}

// cells cuts a line at the columns.
func (s *section) cells(n int, line string, spans [][2]int) (all []string, err error) {
	text := []rune(line)
	at := 0
	for _, x := range spans {
		if gap := string(text[min(at, len(text)):min(x[0], len(text))]); strings.TrimSpace(gap) != "" {
			return nil, s.problem(n, len(string(text[:min(at, len(text))])), line, "want each value below the dashes of its column")
		}
		all = append(all, strings.TrimSpace(string(text[min(x[0], len(text)):min(x[1], len(text))])))
		at = x[1]
	}
	if at < len(text) && strings.TrimSpace(string(text[at:])) != "" {
		return nil, s.problem(n, len(string(text[:at])), line, "want each value below the dashes of its column")
	}
	return all, nil
}

// isGrid reports whether a text has a table of that form.
func isGrid(text string) bool {
	for l := range strings.Lines(text) {
		if dashes(strings.TrimRight(l, " \t\r\n")) != nil {
			return true
		}
	}
	return false
}

// cellOf is the column of a counter.
type cellOf struct {
	head    string
	counter telemetry.Counter
}

// sonic reads what SONiC's show commands print.
func (r *Reader) sonic(s section) error {
	all, err := s.grids()
	if err != nil {
		return err
	}
	if err := r.is(s.host, aSwitch, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	for _, g := range all {
		var err error
		switch has := func(h string) bool { return slices.Contains(g.heads, h) }; {
		case has("IFACE") && has("RX_ERR"):
			err = r.perPort(&s, g, "IFACE", []cellOf{{"RX_OK", telemetry.RxPackets}, {"TX_OK", telemetry.TxPackets},
				{"RX_ERR", telemetry.InErrors}, {"RX_DRP", telemetry.InDiscards}, {"TX_DRP", telemetry.OutDiscards}})
			if err == nil {
				err = r.states(&s, g, "IFACE", "STATE")
			}
		case has("Port Rx"):
			err = r.perPriority(&s, g, "Port Rx", "PFC", telemetry.RxPFC)
		case has("Port Tx"):
			err = r.perPriority(&s, g, "Port Tx", "PFC", telemetry.TxPFC)
		case has("UC0") && strings.Contains(g.title, "unicast queue"):
			err = r.perPriority(&s, g, "Port", "UC", telemetry.Watermark)
		case has("Priority") && has("Total RX Pause Time US"):
			err = r.perRow(&s, g, "Priority", "PFC", []cellOf{{"Total RX Pause Time US", telemetry.RxPause}}, 1)
		case has("Priority") && has("Total RX Pause Time MS"):
			err = r.perRow(&s, g, "Priority", "PFC", []cellOf{{"Total RX Pause Time MS", telemetry.RxPause}}, 1000)
		case has("TxQ") && has("Counter/bytes"):
			err = r.perRow(&s, g, "TxQ", "UC", []cellOf{{"Counter/pkts", telemetry.TxPackets}, {"Counter/bytes", telemetry.TxBytes},
				{"Drop/pkts", telemetry.OutDiscards}}, 1)
		case has("TxQ") && has("EcnMarked/pkts"):
			err = r.perRow(&s, g, "TxQ", "UC", []cellOf{{"EcnMarked/pkts", telemetry.ECNMarked}}, 1)
		case has("QUEUE") && has("STORM DETECTED/RESTORED"):
			err = r.storms(&s, g)
		case has("Interface") && has("Speed") && has("Oper"):
			if err = r.speeds(&s, g); err == nil {
				err = r.states(&s, g, "Interface", "Oper")
			}
		default:
			r.pass("a table with the columns %s", located.Cut(strings.Join(g.heads, ", ")))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cell is what stands in a column of a row; "": there is none.
func (g *grid) cell(row *gridRow, head string) string {
	if i := slices.Index(g.heads, head); i >= 0 {
		return row.cells[i]
	}
	return ""
}

// count reads a number with commas. N/A, and nothing, were not read.
func (s *section) count(row *gridRow, cell string) (v int64, known bool, err error) {
	if cell == "" || cell == "N/A" {
		return 0, false, nil
	}
	v, err = strconv.ParseInt(strings.ReplaceAll(cell, ",", ""), 10, 64)
	if err != nil || v < 0 {
		return 0, false, s.problem(row.line, max(0, strings.Index(row.text, cell)), row.text, "want a count from 0, or N/A")
	}
	return v, true, nil
}

// perPort reads a table with a row for each port and a column for each counter.
func (r *Reader) perPort(s *section, g *grid, port string, of []cellOf) error {
	for i := range g.rows {
		row := &g.rows[i]
		for _, c := range of {
			v, known, err := s.count(row, g.cell(row, c.head))
			if err == nil && known {
				err = r.put(s, row.line, g.cell(row, port), c.counter, -1, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// perPriority reads a table with a row for each port and a column for each priority.
func (r *Reader) perPriority(s *section, g *grid, port, prefix string, c telemetry.Counter) error {
	for i := range g.rows {
		row := &g.rows[i]
		for k, head := range g.heads {
			p, is := priorityOf(head, prefix)
			if !is {
				if head != port {
					r.pass("%s: the column %s", located.Cut(s.command), located.Shown(head))
				}
				continue
			}
			v, known, err := s.count(row, row.cells[k])
			if err == nil && known {
				err = r.put(s, row.line, g.cell(row, port), c, p, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// priorityOf reads PFC3, or UC3.
func priorityOf(text, prefix string) (int8, bool) {
	digit, is := strings.CutPrefix(text, prefix)
	if !is || len(digit) != 1 || digit[0] < '0' || digit[0] > '7' {
		return 0, false
	}
	return int8(digit[0] - '0'), true
}

// perRow reads a table with a row for each port and priority.
func (r *Reader) perRow(s *section, g *grid, priority, prefix string, of []cellOf, times int64) error {
	for i := range g.rows {
		row := &g.rows[i]
		p, is := priorityOf(g.cell(row, priority), prefix)
		if !is {
			r.pass("%s: %s %s", located.Cut(s.command), priority, located.Shown(g.cell(row, priority)))
			continue
		}
		for _, c := range of {
			v, known, err := s.count(row, g.cell(row, c.head))
			if err == nil && known && v < 1<<62/times {
				err = r.put(s, row.line, g.cell(row, "Port"), c.counter, p, v*times)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// storms reads what the PFC watchdog has found: QUEUE is PORT:PRIORITY, the numbers are detected/restored.
func (r *Reader) storms(s *section, g *grid) error {
	for i := range g.rows {
		row := &g.rows[i]
		port, queue, _ := strings.Cut(g.cell(row, "QUEUE"), ":")
		p, is := priorityOf(queue, "")
		found, _, _ := strings.Cut(strings.TrimPrefix(g.cell(row, "STORM DETECTED/RESTORED"), "N/A"), "/")
		v, known, err := s.count(row, found)
		if !is || port == "" {
			err = s.problem(row.line, 0, row.text, "want PORT:QUEUE with a queue from 0 to 7")
		}
		if err == nil && known {
			err = r.put(s, row.line, port, telemetry.Watchdog, p, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// states reads whether links are up.
func (r *Reader) states(s *section, g *grid, port, column string) error {
	for i := range g.rows {
		row := &g.rows[i]
		up := int64(0)
		switch state := g.cell(row, column); state {
		case "U", "up":
			up = 1
		case "D", "X", "down":
		case "N/A", "":
			continue
		default:
			return s.problem(row.line, max(0, strings.Index(row.text, state)), row.text, "want U, D, X, up or down")
		}
		if err := r.put(s, row.line, g.cell(row, port), telemetry.Up, -1, up); err != nil {
			return err
		}
	}
	return nil
}

// speed is 400G, 2.5G or 10000M.
var speed = regexp.MustCompile(`^(\d{1,7})(?:\.(\d{1,3}))?([GM])$`)

func (r *Reader) speeds(s *section, g *grid) error {
	for i := range g.rows {
		row := &g.rows[i]
		text := g.cell(row, "Speed")
		m := speed.FindStringSubmatch(text)
		switch {
		case text == "N/A" || text == "":
			continue
		case m == nil || m[3] == "M" && m[2] != "":
			return s.problem(row.line, max(0, strings.Index(row.text, text)), row.text, "want a speed such as 400G")
		}
		v := int64(number(m[1]))
		if m[3] == "G" {
			v = v*1000 + int64(number((m[2] + "000")[:3]))
		}
		if err := r.put(s, row.line, g.cell(row, "Interface"), telemetry.Speed, -1, v); err != nil {
			return err
		}
	}
	return nil
}

var (
	ofInterface = regexp.MustCompile(`^ethtool(?: -S)? ([^-\s]\S*)$`)
	statLine    = regexp.MustCompile(`^\s+([^:]+): (\d+)$`)
	speedLine   = regexp.MustCompile(`^\s*Speed: (\d+)Mb/s$`)
	linkLine    = regexp.MustCompile(`^\s*Link detected: (yes|no)\b`)
	carrier     = regexp.MustCompile(`^cat /sys/class/net/(\S+)/carrier_down_count$`)
	received    = regexp.MustCompile(`(^|_)rx(_|$)`)
	transmitted = regexp.MustCompile(`(^|_)tx(_|$)`)
)

// ethtool reads what ethtool -S IF prints. Its names are those of node_exporter's collector ethtool, which turns rx into
// received and tx into transmitted: one table has both.
func (r *Reader) ethtool(s section) error {
	port := ofInterface.FindStringSubmatch(s.command)[1]
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line == "NIC statistics:" {
			continue
		}
		m := statLine.FindStringSubmatch(line)
		if m == nil {
			return s.problem(n, 0, line, "want NAME: COUNT")
		}
		metric := "node_ethtool_" + transmitted.ReplaceAllString(received.ReplaceAllString(strings.ToLower(m[1]), "${1}received${2}"),
			"${1}transmitted${2}")
		of := r.names.at[metric]
		if len(of) == 0 {
			r.pass("ethtool -S: %s: no counter here has that name", located.Shown(m[1]))
			continue
		}
		name := &r.names.list[of[0]]
		v, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return s.problem(n, 0, line, "want a count below 2^64")
		}
		if v >= 1<<63 { // all ones: it was not read
			continue
		}
		priority := int8(-1)
		if k := strings.Index(name.metric, "{P}"); k >= 0 {
			priority = int8(metric[k] - '0')
		}
		if err := r.is(s.host, name.role, s.command); err != nil {
			return s.problem(n, 0, "", "%v", err)
		}
		if err := r.put(&s, n, port, name.counter, priority, int64(v)); err != nil {
			return err
		}
	}
	return nil
}

// link reads the speed and the state that ethtool IF prints.
func (r *Reader) link(s section) error {
	port := ofInterface.FindStringSubmatch(s.command)[1]
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if m := speedLine.FindStringSubmatch(line); m != nil {
			v, err := strconv.ParseInt(m[1], 10, 40)
			if err != nil {
				return s.problem(n, 0, line, "want a speed below 2^39 Mb/s")
			}
			if err := r.put(&s, n, port, telemetry.Speed, -1, v); err != nil {
				return err
			}
		} else if m := linkLine.FindStringSubmatch(line); m != nil {
			if err := r.put(&s, n, port, telemetry.Up, -1, int64(one(m[1] == "yes"))); err != nil {
				return err
			}
		}
	}
	return nil
}

// downs reads /sys/class/net/IF/carrier_down_count.
func (r *Reader) downs(s section) error {
	text := strings.TrimSpace(s.text)
	v, err := strconv.ParseInt(text, 10, 63)
	if err != nil || v < 0 {
		return s.problem(1, 0, text, "want how often the link went down")
	}
	return r.put(&s, 1, carrier.FindStringSubmatch(s.command)[1], telemetry.LinkDowns, -1, v)
}

// rdma reads rdma statistic, link DEVICE/PORT NAME COUNT ..., and rdma link, link DEVICE/PORT ... netdev IF ...
func (r *Reader) rdma(s section) error {
	if err := r.is(s.host, aHost, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	n, device := 0, ""
	for line := range strings.Lines(s.text) {
		n++
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "link" {
			device, _, _ = strings.Cut(words[1], "/")
			words = words[2:]
		}
		if len(words) == 0 {
			continue
		}
		if device == "" || len(words)%2 != 0 {
			return s.problem(n, 0, line, "want link DEVICE/PORT, and names each with a value")
		}
		for i := 0; i < len(words); i += 2 {
			if words[i] == "netdev" {
				r.joined[key{device: strings.Clone(s.host), port: strings.Clone(device)}] = strings.Clone(words[i+1])
				continue
			}
			c, known := counterOf(words[i])
			if !known || c < telemetry.NPMarked || c > telemetry.AckTimeouts {
				if words[i] != "state" && words[i] != "physical_state" && words[i] != "netdev_index" {
					r.pass("rdma statistic: %s: no counter here has that name", located.Shown(words[i]))
				}
				continue
			}
			v, err := strconv.ParseInt(words[i+1], 10, 63)
			if err != nil || v < 0 {
				return s.problem(n, strings.Index(line, words[i+1]), line, "want a count from 0 below 2^62")
			}
			if !s.timed {
				return s.problem(n, 0, "", "%s", s.ready("rdma statistic"))
			}
			if err := r.put(&s, n, device, c, -1, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// smiStamp is a time as nvidia-smi has it: of the host's zone, which is taken to be UTC.
var smiStamp = regexp.MustCompile(`^(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?$`)

// gpus reads what nvidia-smi --query-gpu=timestamp,index,utilization.gpu,power.draw --format=csv prints; other columns may be there.
func (r *Reader) gpuTable(s section) error {
	if err := r.is(s.host, aHost, s.command); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	var heads []string
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		cells := strings.Split(line, ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if heads == nil {
			heads = cells
			for _, h := range heads {
				if !slices.Contains([]string{"timestamp", "index", "utilization.gpu [%]", "power.draw [W]"}, h) {
					r.pass("nvidia-smi: the column %s", located.Shown(h))
				}
			}
			continue
		}
		if len(cells) != len(heads) {
			return s.problem(n, 0, line, "want %d values, as many as the heading has", len(heads))
		}
		if err := r.gpuRow(&s, n, line, heads, cells); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) gpuRow(s *section, n int, line string, heads, cells []string) error {
	of := func(head string) string { // what stands below it, without its unit
		if i := slices.Index(heads, head); i >= 0 {
			text, _, _ := strings.Cut(cells[i], " ")
			if head == "timestamp" {
				text = cells[i]
			}
			return text
		}
		return ""
	}
	at := s.at
	if text := of("timestamp"); text != "" {
		m := smiStamp.FindStringSubmatch(text)
		if m == nil {
			return s.problem(n, 0, line, "want a timestamp such as 2026/01/31 23:59:59.250")
		}
		sec, valid := moment{number(m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5]), number(m[6])}.unix()
		ps, known := fraction(m[7])
		if !valid || !known {
			return s.problem(n, 0, line, "want a timestamp such as 2026/01/31 23:59:59.250")
		}
		at = instant{sec, ps}
	} else if !s.timed {
		return s.problem(n, 0, "", "%s, or a column timestamp", s.ready("nvidia-smi"))
	}
	k := key{s.host, "gpu" + of("index"), true}
	if index, err := strconv.ParseUint(of("index"), 10, 16); err != nil || strconv.FormatUint(index, 10) != of("index") {
		return s.problem(n, 0, line, "want an index of a GPU")
	}
	for _, c := range []struct {
		head    string
		counter telemetry.Counter
		times   float64
	}{{"utilization.gpu [%]", telemetry.Utilisation, 1}, {"power.draw [W]", telemetry.Power, 1000}} {
		text := of(c.head)
		if text == "" || text[0] == '[' || text == "N/A" { // [N/A], [Unknown Error]
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v < 1e9) {
			return s.problem(n, max(0, strings.Index(line, text)), line, "want a number below %s", located.Shown(c.head))
		}
		if err := r.add(k, column{c.counter, -1}, first, sample{at, int64(v*c.times + 0.5)}); err != nil {
			return s.problem(n, 0, "", "%v", err)
		}
	}
	return nil
}

// commandForm tells which command printed a section.
func (r *Reader) commandForm(s *section, line string) (string, func(section) error) {
	what, read, timed := "", (func(section) error)(nil), true
	switch {
	case carrier.MatchString(s.command):
		what, read = "carrier_down_count", r.downs
	case line == "NIC statistics:":
		what, read = "ethtool -S", r.ethtool
	case strings.HasPrefix(line, "Settings for "):
		what, read = "ethtool", r.link
	case strings.HasPrefix(line, "link ") && strings.Contains(line, "/"):
		what, read, timed = "rdma", r.rdma, false
	case strings.Contains(line, "utilization.gpu") || strings.Contains(line, "power.draw"):
		what, read, timed = "nvidia-smi", r.gpuTable, false
	case isGrid(s.text):
		what, read = "SONiC's tables", r.sonic
	default:
		return "", nil
	}
	if why := s.ready(what); why != "" && (timed || s.host == "") {
		return why, nil
	}
	if strings.HasPrefix(what, "ethtool") && !ofInterface.MatchString(s.command) {
		return what + " of no interface: want ethtool -S IF before it", nil
	}
	return what, read
}
