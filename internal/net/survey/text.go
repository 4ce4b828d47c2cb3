package survey

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// Rows are the survey for people: what, how much, and more about it.
func (s *Survey) Rows() (rows [][]string) {
	add := func(what, value, more string) { rows = append(rows, []string{what, value, more}) }
	for _, u := range s.Ports {
		ports := strconv.Itoa(u.Most)
		if u.Least != u.Most {
			ports = fmt.Sprintf("%d to %d", u.Least, u.Most)
		}
		more := "in use, of " + count(u.Switches, u.Role)
		if u.There > 0 {
			more = fmt.Sprintf("in use of the %d that each of %s has", u.There, count(u.Switches, u.Role))
		}
		add("ports of a "+u.Role, ports, more)
	}
	for _, c := range s.Cuts {
		add("cut "+c.Below+" to "+c.Above, c.Rate.Human(), "each way, over "+count(c.Links, "link"))
	}
	for _, f := range s.Flows {
		add("maximum flow", f.Rate.Human(), "from "+f.From+" into "+f.To)
	}
	for _, p := range s.Pairs {
		add("pairs of NICs", unit.Count(p.Count), p.text())
	}
	for _, p := range s.Ranks {
		add("pairs of ranks", unit.Count(p.Count), p.text())
	}
	for _, p := range s.Points {
		add("failure of a "+p.What, count(p.NICs, "NIC"), p.text())
	}
	for _, m := range s.Meets {
		add("equal hashes", fmt.Sprintf("%d of %s", m.Most, count(m.Below, m.Role)), "below a "+m.Above+" meet there at most, at one "+
			"place of their whole lists of uplinks")
	}
	if len(s.Cycle) == 0 {
		add("cycle of waits", "none", "no buffer can wait for itself")
	} else {
		add("cycle of waits", count(len(s.Cycle), "port"), s.CycleText())
	}
	return rows
}

// CycleText names the ports of the cycle, each of which may wait for the next.
func (s *Survey) CycleText() string {
	return strings.Join(append(s.Cycle[:len(s.Cycle):len(s.Cycle)], s.Cycle[0]), " > ")
}

func (p *Pairs) text() string {
	switch {
	case p.Switches < 0:
		return "no path between them"
	case p.Switches == 0:
		return "cabled to each other"
	case p.Ways == math.MaxInt64:
		return count(p.Switches, "switch") + " on each of more equal paths than can be counted"
	case p.Ways == 1:
		return count(p.Switches, "switch") + " on the only path"
	}
	return fmt.Sprintf("%s on each of %s equal paths", count(p.Switches, "switch"), unit.Count(p.Ways))
}

func (p *Point) text() string {
	who := span(p.First, p.Last)
	if p.Count > 1 {
		who = fmt.Sprintf("each of %s, %s,", unit.Count(int64(p.Count)), who)
	}
	text := who + " cuts them off from most others"
	if p.GPUs > 0 {
		text += "; " + count(p.GPUs, "GPU") + " without another of their own"
	}
	if p.Hosts > 0 {
		text += "; " + count(p.Hosts, "host") + " without any"
	}
	return text
}

// count is a number of things.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "leaf"):
		return unit.Count(int64(n)) + " " + strings.TrimSuffix(what, "f") + "ves"
	case strings.HasSuffix(what, "ch"):
		return unit.Count(int64(n)) + " " + what + "es"
	}
	return unit.Count(int64(n)) + " " + what + "s"
}
