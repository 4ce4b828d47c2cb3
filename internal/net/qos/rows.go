package qos

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Order says whether a port marks before its senders are paused, if one sender alone fills it. More
// senders are paused later.
type Order string

// The orders.
const (
	MarksFirst  Order = "ECN"        // marking has reached its maximum before the first pause
	MarksBegin  Order = "ECN begins" // marking has begun, but not reached its maximum
	PausesFirst Order = "PFC"        // paused before anything is marked
	MarksOnly   Order = "ECN only"   // no PFC
	PausesOnly  Order = "PFC only"   // no ECN, or an algorithm that does not look at it
	Neither     Order = "neither"    // nor PFC
)

// order returns which acts first on one sender alone; reacts says whether senders slow down on
// marks.
func (p *Port) order(reacts bool) Order {
	reacts = reacts && p.Marks()
	switch {
	case !p.Lossless() && !reacts:
		return Neither
	case !p.Lossless():
		return MarksOnly
	case !reacts:
		return PausesOnly
	case p.PFC.FirstPause >= p.ECN.Max:
		return MarksFirst
	case p.PFC.FirstPause > p.ECN.Min:
		return MarksBegin
	}
	return PausesFirst
}

// reason says an order in words.
func (p *Port) reason(o Order) string {
	paused := "one sender alone is paused with " + p.PFC.FirstPause.Human() + " in the switch"
	switch o {
	case MarksFirst:
		return fmt.Sprintf("%s, and above %s everything is marked", paused, p.ECN.Max.Human())
	case MarksBegin:
		return fmt.Sprintf("%s: marking begins before that, at %s, but everything is marked only above %s",
			paused, p.ECN.Min.Human(), p.ECN.Max.Human())
	case PausesFirst:
		return fmt.Sprintf("%s, and nothing is marked below %s", paused, p.ECN.Min.Human())
	case MarksOnly:
		return "PFC is off: marking begins at " + p.ECN.Min.Human()
	case PausesOnly:
		return paused + ", and no mark slows it down"
	}
	return "PFC is off, and no mark slows a sender down"
}

// Site is switches that are alike: of one kind, with the same links and configuration.
type Site struct {
	Kind  string
	Links []Link
	Count int
	Match string  // of switches that differ from the others: what names them, "spine*, spine2"
	Own   *Policy // theirs; nil: that of the others
	// In is the class that they put the traffic into which is asked for; nil: that one.
	In *In
}

// In is a class of traffic by its number and what it is called.
type In struct {
	Class int
	Name  string
}

// policy is that of the site, where p is that of most.
func (s *Site) policy(p *Policy) *Policy {
	if s.Own != nil {
		return s.Own
	}
	return p
}

// Row is what ports that are alike do with a class.
type Row struct {
	Switch string `json:"switch"`          // kind
	Match  string `json:"match,omitempty"` // of switches that differ from the others: what names them
	Class  string `json:"class,omitempty"` // the traffic is in this class there, not in its own
	Ports  int    `json:"ports"`           // on all switches
	Port
	First  Order  `json:"first_to_act"`
	Reason string `json:"reason"`
}

// Rows lists what the sites' ports do with the traffic of a class, a row for each kind of port in order of the
// first.
func (p *Policy) Rows(sites []Site, class int, reacts bool) ([]Row, error) {
	var rows []Row
	for _, site := range sites {
		s, err := site.policy(p).Switch(site.Links)
		if err != nil {
			return nil, fmt.Errorf("%s switch: %w", site.Kind, err)
		}
		at, name := class, ""
		if site.In != nil {
			at, name = site.In.Class, site.In.Name
		}
		for i := at; i < len(s.Ports); i += len(p.Classes) {
			port := &s.Ports[i]
			k := slices.IndexFunc(rows, func(r Row) bool { return r.Switch == site.Kind && r.Match == site.Match && r.Port == *port })
			if k < 0 {
				k = len(rows)
				o := port.order(reacts)
				rows = append(rows, Row{Switch: site.Kind, Match: site.Match, Class: name, Port: *port, First: o,
					Reason: port.reason(o)})
			}
			rows[k].Ports += site.Count
		}
	}
	return rows, nil
}

// Tightest returns the row whose marking begins latest, measured against the bound below which ECN
// comes before PFC whatever the traffic; nil: no port has both, with senders that slow down on
// marks.
func Tightest(rows []Row) *Row {
	var t *Row
	for i := range rows {
		r := &rows[i]
		if r.First != MarksFirst && r.First != MarksBegin && r.First != PausesFirst {
			continue
		}
		if t == nil || r.PFC.SafeMark-r.ECN.Min < t.PFC.SafeMark-t.ECN.Min {
			t = r
		}
	}
	return t
}

// MarksBeforePauses says of a row with both whether marking begins before PFC acts whatever the
// traffic.
func (r *Row) MarksBeforePauses() string {
	bound, from := r.PFC.SafeMark.Human(), r.ECN.Min.Human()
	if r.ECN.Min < r.PFC.SafeMark {
		return fmt.Sprintf("Whatever the traffic, ECN comes before PFC: marking begins at %s, below the bound of %s",
			from, bound)
	}
	return fmt.Sprintf("With many senders PFC can come before ECN: marking begins at %s, and ECN comes first "+
		"whatever the traffic only below %s", from, bound)
}

// Of returns the rows of a switch of a kind by its name: those of the entries that match it, or those
// of the switches without any.
func Of(rows []Row, kind, name string) (own []Row) {
	most := 0
	for i := range rows {
		if rows[i].Switch != kind {
			continue
		}
		n := matches(rows[i].Match, name)
		if n > most {
			most, own = n, nil
		}
		if n == most {
			own = append(own, rows[i])
		}
	}
	return own
}

// matches counts the patterns that match a name; -1: one does not.
func matches(patterns, name string) (n int) {
	if patterns == "" {
		return 0
	}
	for pattern := range strings.SplitSeq(patterns, ", ") {
		if ok, _ := path.Match(pattern, name); !ok {
			return -1
		}
		n++
	}
	return n
}

// MarkingOf returns the profile of the ports with a rate; false: they do not mark, or there are none.
func MarkingOf(rows []Row, r unit.Bitrate) (Marking, bool) {
	for i := range rows {
		if rows[i].Rate == r && rows[i].Marks() {
			return rows[i].ECN, true
		}
	}
	return Marking{}, false
}

// XOFFRange returns the lowest and the highest xOFF, while the buffer is empty, of ingress ports.
func XOFFRange(rows []Row) (low, high unit.Bytes, ok bool) {
	for i := range rows {
		r := &rows[i]
		if !r.Lossless() {
			continue
		}
		if !ok || r.PFC.XOFF < low {
			low = r.PFC.XOFF
		}
		high, ok = max(high, r.PFC.XOFF), true
	}
	return low, high, ok
}
