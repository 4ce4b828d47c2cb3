package qos

import (
	"cmp"
	"fmt"
	"strings"

	"railyard/internal/base/unit"
)

// Cure is a change of a scenario.
type Cure struct {
	Path   string `json:"path"`  // key of the scenario
	Value  string `json:"value"` // to set, as the scenario writes it
	Reason string `json:"reason"`
}

// Mistake is something about thresholds that is hardly meant.
type Mistake struct {
	Name   string `json:"mistake"`
	Path   string `json:"path"`   // key of the scenario that makes it
	Reason string `json:"reason"` // a sentence without a full stop
	// Cures are to be applied together; none: the arithmetic knows no cure.
	Cures []Cure `json:"cures,omitempty"`
}

// The mistakes.
const (
	PFCBeforeECN    = "PFC before ECN"     // one sender alone is paused before marking is complete
	HeadroomShort   = "headroom too small" // less than what can arrive after xOFF
	XOFFAboveBuffer = "xOFF above buffer"  // a fixed xOFF that the shared part cannot hold
	MarksMissing    = "nothing marks"      // ECN is off, and the algorithm needs marks
	DropsBeforeECN  = "drops before ECN"   // a queue drops before marking is complete
	DropsBeforePFC  = "drops before PFC"   // a queue under PFC drops before one sender alone is paused
)

const (
	pfcPath  = "fabric.qos.pfc."
	ecnPath  = "fabric.qos.ecn."
	dropPath = "fabric.qos.drop_threshold"
)

// Of cures.
const (
	greatestAlpha = 1               // more lets one port hold most of the buffer
	curveRatio    = 4               // ECN max to min, as in DefaultECN
	headroomGrain = 100 * unit.Byte // headroom is a multiple of it
)

// problem is one class of a policy with its sites.
type problem struct {
	policy Policy
	sites  []Site
	class  int
	reacts bool
	rows   []Row
}

// Mistakes returns what is wrong with the thresholds of a class, with cures that hold: each was
// applied, and the thresholds worked out again. reacts says whether senders slow down on marks. What is wrong
// with switches that differ from the others has no cure: it is up to what makes them differ. Switches that put
// the traffic into another class make no mistake with it: they do not know it.
func (p *Policy) Mistakes(sites []Site, class int, reacts bool) ([]Mistake, error) {
	var alike []Site
	var names []string
	of := map[string][]Site{}
	for _, s := range sites {
		if s.In != nil {
			continue
		}
		if s.Own == nil {
			alike = append(alike, s)
			continue
		}
		if of[s.Match] == nil {
			names = append(names, s.Match)
		}
		of[s.Match] = append(of[s.Match], s)
	}
	all, err := p.mistakes(alike, class, reacts)
	for _, name := range names {
		own, wrong := of[name][0].Own.mistakes(of[name], class, reacts)
		for _, m := range own {
			m.Path, m.Reason, m.Cures = "fabric.switches", name+": "+m.Reason, nil
			all = append(all, m)
		}
		err = cmp.Or(err, wrong)
	}
	return all, err
}

// mistakes is Mistakes for switches with one policy.
func (p *Policy) mistakes(sites []Site, class int, reacts bool) ([]Mistake, error) {
	c := problem{policy: *p, sites: sites, class: class, reacts: reacts}
	var err error
	if c.rows, err = p.Rows(sites, class, reacts); err != nil || len(c.rows) == 0 {
		return nil, err
	}
	var all []Mistake
	for _, m := range []Mistake{c.pfcFirst(), c.aboveBuffer(), c.headroomShort(), c.marksMissing(), c.dropsBeforeECN(),
		c.dropsBeforePFC()} {
		if m.Name != "" {
			all = append(all, m)
		}
	}
	return all, nil
}

// with returns the problem under a changed policy; false: the buffer is too small for it.
func (c *problem) with(change func(*Policy)) (*problem, bool) {
	n := *c
	n.policy.Classes = append([]Class(nil), c.policy.Classes...)
	change(&n.policy)
	var err error
	n.rows, err = n.policy.Rows(n.sites, n.class, n.reacts)
	return &n, err == nil
}

// latest returns the row with the largest of a figure that is above 0.
func (c *problem) latest(figure func(*Row) unit.Bytes) *Row {
	var worst *Row
	for i := range c.rows {
		if f := figure(&c.rows[i]); f > 0 && (worst == nil || f > figure(worst)) {
			worst = &c.rows[i]
		}
	}
	return worst
}

// least returns the smallest of a figure.
func (c *problem) least(figure func(*Row) unit.Bytes) unit.Bytes {
	b := figure(&c.rows[0])
	for i := range c.rows {
		b = min(b, figure(&c.rows[i]))
	}
	return b
}

// early returns how much is missing at a port for marking to be complete before the first pause.
func early(r *Row) unit.Bytes {
	if r.First != MarksBegin && r.First != PausesFirst {
		return 0
	}
	return r.ECN.Max - r.PFC.FirstPause
}

// pfcFirst is PFC that pauses even a sender that is alone before marking is complete: it takes the
// place of congestion control (DCQCN, SIGCOMM'15, section 4).
func (c *problem) pfcFirst() Mistake {
	worst := c.latest(early)
	if worst == nil {
		return Mistake{}
	}
	m := Mistake{Name: PFCBeforeECN, Path: pfcPath + "alpha",
		Reason: fmt.Sprintf("PFC can act before ECN: %s (%s, port of %s)", worst.Reason,
			worst.Switch, worst.Rate.Human())}
	if worst.PFC.Fixed > 0 {
		m.Path = pfcPath + "threshold"
		m.Cures = c.higherXOFF()
	} else {
		m.Cures = c.higherAlpha()
	}
	if m.Cures == nil {
		m.Cures = c.earlierMarks()
	}
	return m
}

// higherXOFF raises a fixed xOFF to the end of the marking curve, if the shared part holds that for
// all ports.
func (c *problem) higherXOFF() []Cure {
	xoff := c.latest(func(r *Row) unit.Bytes { return r.ECN.Max }).ECN.Max
	n, fits := c.with(func(p *Policy) { p.PFC.Threshold = xoff })
	if !fits || n.latest(early) != nil || xoff > n.least(func(r *Row) unit.Bytes { return r.PFC.SafeStatic }) {
		return nil
	}
	return []Cure{{pfcPath + "threshold", xoff.String(),
		"then everything is marked before a port pauses its neighbour"}}
}

// higherAlpha raises alpha by powers of two.
func (c *problem) higherAlpha() []Cure {
	for a := Bounded(c.policy.PFC.Alpha); ; {
		if a.Den%2 == 0 {
			a.Den /= 2
		} else {
			a.Num *= 2
		}
		if a.Num > greatestAlpha*a.Den {
			return nil
		}
		if n, fits := c.with(func(p *Policy) { p.PFC.Alpha = a }); fits && n.latest(early) == nil {
			return []Cure{{pfcPath + "alpha", a.String(),
				"then everything that one sender sends is marked before it is paused"}}
		}
	}
}

// earlierMarks lowers the curve: below the bound that holds whatever the traffic or, where that is
// less than a frame, below where one sender alone is paused.
func (c *problem) earlierMarks() []Cure {
	end := c.least(func(r *Row) unit.Bytes { return r.PFC.FirstPause })
	low := Round(c.least(func(r *Row) unit.Bytes { return r.PFC.SafeMark }))
	why := "then marking begins before any port pauses its neighbour, whatever the traffic"
	if low < c.policy.Frame {
		low, why = Round(end/curveRatio), "then everything that one sender sends is marked before it is paused"
	}
	high := Round(min(curveRatio*low, end))
	n, fits := c.with(func(p *Policy) {
		e := *p.Classes[c.class].ECN
		e.Min, e.Max = Length{Bytes: low}, Length{Bytes: high}
		p.Classes[c.class].ECN = &e
	})
	if low < c.policy.Frame || !fits || n.latest(early) != nil {
		return nil
	}
	return []Cure{
		{ecnPath + "port_rate", "any", "min and max hold for ports of every rate"},
		{ecnPath + "min", low.String(), why},
		{ecnPath + "max", high.String(), why},
	}
}

// Round cuts a length to two digits.
func Round(b unit.Bytes) unit.Bytes {
	grain := unit.Bytes(1)
	for b/grain >= 100 {
		grain *= 10
	}
	return b / grain * grain
}

// aboveBuffer is a fixed xOFF that is never reached: the buffer runs out first, and pauses all
// ports at once.
func (c *problem) aboveBuffer() Mistake {
	over := func(r *Row) unit.Bytes { return r.PFC.Fixed - r.Shared }
	worst := c.latest(over)
	if worst == nil {
		return Mistake{}
	}
	m := Mistake{Name: XOFFAboveBuffer, Path: pfcPath + "threshold",
		Reason: fmt.Sprintf("the fixed xOFF of %s is above "+
			"the %s that the ports of a %s share: a port pauses its neighbour only when the buffer is full",
			worst.PFC.Fixed.Human(), worst.Shared.Human(), worst.Switch)}
	bound := c.least(func(r *Row) unit.Bytes { return r.PFC.SafeStatic })
	n, fits := c.with(func(p *Policy) { p.PFC.Threshold = 0 })
	switch {
	case fits && n.latest(early) == nil:
		m.Cures = []Cure{{pfcPath + "threshold", "none", "then xOFF is a part of what is free"}}
	case Round(bound) >= unit.Kilobyte:
		why := "the largest with which the shared part cannot run out"
		m.Cures = []Cure{{pfcPath + "threshold", Round(bound).String(), why}}
	}
	return m
}

// headroomShort is headroom below what can arrive after xOFF.
func (c *problem) headroomShort() Mistake {
	short := func(r *Row) unit.Bytes { return r.PFC.HeadroomNeeded - r.PFC.Headroom }
	worst := c.latest(short)
	if worst == nil || c.policy.PFC.Headroom.None() {
		return Mistake{}
	}
	m := Mistake{Name: HeadroomShort, Path: pfcPath + "headroom",
		Reason: fmt.Sprintf("headroom is %s, and %s can arrive "+
			"after xOFF (%s, port of %s): packets under PFC can be dropped",
			worst.PFC.Headroom.Human(), worst.PFC.HeadroomNeeded.Human(), worst.Switch, worst.Rate.Human())}
	var first []Cure
	if c.policy.PFC.Headroom.rule == delaysHeadroom {
		m.Path = pfcPath + "headroom_delays"
		first = []Cure{{m.Path, "none", "then headroom is that of the formula, or as given"}}
	}
	needed := c.latest(func(r *Row) unit.Bytes { return r.PFC.HeadroomNeeded }).PFC.HeadroomNeeded
	fixed := (needed + headroomGrain - 1) / headroomGrain * headroomGrain
	for _, try := range []struct {
		rule  Headroom
		value string
	}{{FormulaHeadroom(c.policy.MTU, c.policy.Pipeline), "auto"}, {FixedHeadroom(fixed), fixed.String()}} {
		if n, fits := c.with(func(p *Policy) { p.PFC.Headroom = try.rule }); fits && n.latest(short) == nil {
			why := "then there is room for all that can arrive after xOFF"
			m.Cures = append(first, Cure{pfcPath + "headroom", try.value, why})
			break
		}
	}
	return m
}

// marksMissing is an algorithm that waits for marks where nothing marks.
func (c *problem) marksMissing() Mistake {
	r := &c.rows[0]
	if !c.reacts || r.Marks() {
		return Mistake{}
	}
	return Mistake{Name: MarksMissing, Path: ecnPath + "enabled",
		Reason: "congestion control waits for marks, and no switch marks",
		Cures:  []Cure{{ecnPath + "enabled", "true", "then senders slow down before ports pause or drop"}}}
}

// dropsBeforeECN is a drop threshold in the marking curve: packets that were to be marked are lost.
func (c *problem) dropsBeforeECN() Mistake {
	worst := c.latest(func(r *Row) unit.Bytes { return dropsShort(r, r.Marks() && c.reacts, r.ECN.Max) })
	if worst == nil {
		return Mistake{}
	}
	return Mistake{Name: DropsBeforeECN, Path: dropPath,
		Reason: fmt.Sprintf("a queue drops beyond %s, and everything is marked only above %s (%s, port of %s)",
			worst.Drop.Human(), worst.ECN.Max.Human(), worst.Switch, worst.Rate.Human()),
		Cures: []Cure{{dropPath, "none", "then senders are marked before anything is dropped"}}}
}

// dropsBeforePFC is a drop threshold that one sender alone crosses before it is paused: PFC protects
// nothing.
func (c *problem) dropsBeforePFC() Mistake {
	worst := c.latest(func(r *Row) unit.Bytes { return dropsShort(r, r.Lossless(), r.PFC.FirstPause) })
	if worst == nil {
		return Mistake{}
	}
	return Mistake{Name: DropsBeforePFC, Path: dropPath,
		Reason: fmt.Sprintf("a queue under PFC drops beyond %s, and one sender alone is paused with %s in the switch "+
			"(%s, port of %s)", worst.Drop.Human(), worst.PFC.FirstPause.Human(), worst.Switch, worst.Rate.Human()),
		Cures: []Cure{{dropPath, "none", "then ports pause their neighbours and nothing is dropped"}}}
}

// dropsShort is how far a drop threshold lies below another threshold, if both are there.
func dropsShort(r *Row, there bool, other unit.Bytes) unit.Bytes {
	if !there || r.Drop == 0 {
		return 0
	}
	return other - r.Drop
}

// Advice says the cures in words: "set a: x and b: y; then ..."; "": there is none.
func (m *Mistake) Advice() string {
	if len(m.Cures) == 0 {
		return ""
	}
	keys := make([]string, len(m.Cures))
	for i, c := range m.Cures {
		keys[i] = c.Path + ": " + c.Value
	}
	list := keys[0]
	if n := len(keys); n > 1 {
		list = strings.Join(keys[:n-1], ", ") + " and " + keys[n-1]
	}
	return "set " + list + "; " + m.Cures[len(m.Cures)-1].Reason
}
