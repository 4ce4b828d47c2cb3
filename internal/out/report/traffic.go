package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// trafficSide is how many rows and columns the matrix of traffic has at most.
const trafficSide = 64

// Traffic is how many bytes went from whom to whom through the network: payload of the
// messages that arrived, of every kind. What stayed inside a host is in no table.
type Traffic struct {
	What  string // a row is: "rank", "GPU or NIC", "host", "4 hosts"
	Ends  []End  // of the rows, and of the columns
	Bytes [][]unit.Bytes
}

// End is who sends and receives.
type End struct {
	Name string
	Host string // that it is in; its own name where it is one, or several
}

// trafficMeter sums messages in bounded memory: by sender and receiver as long as these
// are few, and by host, or by as many hosts as it takes for few rows.
type trafficMeter struct {
	hosts  []string // all of the network, by name
	row    map[string]int
	each   int // hosts to a row
	byHost [trafficSide][trafficSide]unit.Bytes
	ends   map[string]int // nil once there are too many
	ranks  []int          // of ends; -1: unknown
	byEnd  [trafficSide][trafficSide]unit.Bytes
	lost   bool // a host that no link names
}

func newTrafficMeter(links []result.LinkRow) *trafficMeter {
	m := &trafficMeter{row: map[string]int{}, ends: map[string]int{}}
	for n, tier := range tiersOf(links) {
		if tier == tierHost {
			m.hosts = append(m.hosts, n)
		}
	}
	slices.SortFunc(m.hosts, byName)
	m.each = max(1, (len(m.hosts)+trafficSide-1)/trafficSide)
	for i, h := range m.hosts {
		m.row[h] = i / m.each
	}
	return m
}

func (m *trafficMeter) add(row *result.FlowRow) {
	if row.Placed == 0 {
		return
	}
	from, a := m.row[hostOf(row.Src)]
	to, b := m.row[hostOf(row.Dst)]
	if !a || !b {
		m.lost = true
		return
	}
	m.byHost[from][to] += row.Bytes
	src, dst := m.end(row.Src), m.end(row.Dst)
	if m.ends == nil {
		return
	}
	m.byEnd[src][dst] += row.Bytes
	if row.Kind == result.KindCollective && min(m.ranks[src], m.ranks[dst]) < 0 {
		m.ranks[src], m.ranks[dst] = ranksOf(row.Name)
	}
}

// end returns the row of a sender or receiver.
func (m *trafficMeter) end(name string) int {
	i, known := m.ends[name]
	switch {
	case known || m.ends == nil:
	case len(m.ends) == trafficSide:
		m.ends = nil
	default:
		i = len(m.ends)
		m.ends[strings.Clone(name)] = i
		m.ranks = append(m.ranks, -1)
	}
	return i
}

// hostOf is the host of host1/gpu0 or host1/nic0.
func hostOf(end string) string {
	host, _, _ := strings.Cut(end, "/")
	return host
}

// ranksOf reads the ranks from the name of a collective's message, such as
// rank3>rank4#0; -1: it is none.
func ranksOf(name string) (src, dst int) {
	number := func(s string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(s, "rank"))
		if err != nil || !strings.HasPrefix(s, "rank") {
			return -1
		}
		return n
	}
	pair, _, _ := strings.Cut(name, "#")
	a, b, _ := strings.Cut(pair, ">")
	return number(a), number(b)
}

// known returns what was summed; nil: not who is where, or nothing.
func (m *trafficMeter) known() *Traffic {
	switch {
	case m.lost || len(m.row) == 0:
		return nil
	case len(m.ends) > 0 && !m.oneEach():
		return m.ofEnds()
	default:
		return m.ofHosts()
	}
}

// oneEach reports whether no host has two ends, so that hosts say as much.
func (m *trafficMeter) oneEach() bool {
	hosts := map[string]bool{}
	for e := range m.ends {
		hosts[hostOf(e)] = true
	}
	return len(hosts) == len(m.ends)
}

func (m *trafficMeter) ofEnds() *Traffic {
	names := slices.SortedFunc(maps.Keys(m.ends), func(a, b string) int {
		return cmp.Or(byName(hostOf(a), hostOf(b)), byName(a, b))
	})
	t := &Traffic{What: "rank"}
	rows := make([]int, len(names))
	for i, n := range names {
		rows[i] = m.ends[n]
		end := End{Name: n, Host: hostOf(n)}
		if r := m.ranks[rows[i]]; r >= 0 {
			end.Name = fmt.Sprintf("rank %d", r)
		} else {
			t.What = "GPU or NIC"
		}
		t.Ends = append(t.Ends, end)
	}
	t.fill(rows, &m.byEnd)
	return t
}

// ofHosts leaves out hosts that neither sent nor received, where rows are single hosts.
func (m *trafficMeter) ofHosts() *Traffic {
	t := &Traffic{What: "host"}
	if m.each > 1 {
		t.What = fmt.Sprintf("%d hosts", m.each)
	}
	var rows []int
	for i := range (len(m.hosts) + m.each - 1) / m.each {
		busy := false
		for k := range trafficSide {
			busy = busy || m.byHost[i][k]+m.byHost[k][i] > 0
		}
		if !busy && m.each == 1 {
			continue
		}
		name := nameAll(m.hosts[i*m.each:min((i+1)*m.each, len(m.hosts))], false)
		t.Ends = append(t.Ends, End{Name: name, Host: name})
		rows = append(rows, i)
	}
	t.fill(rows, &m.byHost)
	return t
}

func (t *Traffic) fill(rows []int, cells *[trafficSide][trafficSide]unit.Bytes) {
	for _, i := range rows {
		line := make([]unit.Bytes, len(rows))
		for k, j := range rows {
			line[k] = cells[i][j]
		}
		t.Bytes = append(t.Bytes, line)
	}
}
