package view

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/plan/design"
	"railyard/internal/plan/scenario"
)

// A Study is all that `railyard design` finds.
type Study struct {
	Requirement *scenario.Requirement
	File        string
	Source      []byte
	Layouts     []*design.Layout // by option; nil where refused
	Options     []*design.Option
	Timed       []Timed // by option, with --simulate
	Chosen      int     // index into options; -1: none closes
}

// Layout is that of the design which all is printed of.
func (s *Study) Layout() *design.Layout {
	if s.Chosen < 0 {
		return nil
	}
	return s.Layouts[s.Chosen]
}

// Timed is what a slice of a design took.
type Timed struct {
	Hosts     int           `json:"hosts"` // 0: the design does not close
	What      string        `json:"what"`
	Bytes     unit.Bytes    `json:"bytes"`
	AllReduce unit.Duration `json:"all_reduce_ps"`
	AllToAll  unit.Duration `json:"all_to_all_ps"`
}

// A DesignJSON is what `railyard design` finds, as data.
type DesignJSON struct {
	Name    string       `json:"name"`
	Hosts   int          `json:"hosts"`
	Now     int          `json:"hosts_now"`
	GPUs    int          `json:"gpus"`
	Options []optionJSON `json:"designs"`
	Chosen  *chosenJSON  `json:"chosen,omitempty"`
}

// An optionJSON is one design; of one that does not close only why.
type optionJSON struct {
	Design   string         `json:"design"`
	Refused  string         `json:"refused,omitempty"`
	Networks []networkJSON  `json:"networks,omitempty"`
	Reach    []sizing.Reach `json:"reach,omitempty"` // of the backend
	Losses   []sizing.Loss  `json:"losses,omitempty"`
	Power    unit.Power     `json:"power_mw,omitempty"`      // that is known, at most
	Unknown  int            `json:"power_unknown,omitempty"` // items whose power is not
	Typical  unit.Power     `json:"power_typical_mw,omitempty"`
	Typicals int            `json:"power_typical_unknown,omitempty"` // items whose typical power is not known
	Cost     string         `json:"cost,omitempty"`
	Unpriced int            `json:"unpriced,omitempty"`
	Timed    *Timed         `json:"simulated,omitempty"`
}

// A networkJSON is one of the networks of an option.
type networkJSON struct {
	Network  string     `json:"network"`
	Machines int        `json:"machines"`
	Room     int        `json:"room"`
	Segment  int        `json:"segment"`
	Segments int        `json:"segments"`
	Pods     int        `json:"pods"`
	Planes   int        `json:"planes"`
	Found    int        `json:"switches"`
	Bound    boundJSON  `json:"bound"` // no network of the family has fewer
	Tiers    []tierJSON `json:"tiers"`
	Cables   []int      `json:"cables"` // from hosts, from leaves, from spines
}

type boundJSON struct {
	Switches int `json:"switches"`
	sizing.Bound
}

type tierJSON struct {
	Role             string       `json:"role"`
	Switches         int          `json:"switches"`
	Model            string       `json:"model"`
	Used             int          `json:"ports_used"`
	There            int          `json:"ports_there"`
	Down             int          `json:"links_down"`
	DownRate         unit.Bitrate `json:"down_bps"`
	Up               int          `json:"links_up"`
	UpRate           unit.Bitrate `json:"up_bps,omitempty"`
	Oversubscription *unit.Ratio  `json:"oversubscription,omitempty"`
}

// A chosenJSON is the design of which all is told.
type chosenJSON struct {
	Design   string         `json:"design"`
	Growth   []design.Phase `json:"growth"`
	Bill     []itemJSON     `json:"bill"`
	Racks    int            `json:"racks"`
	Cables   int            `json:"cables"`
	Findings []findingJSON  `json:"findings"`
}

type itemJSON struct {
	Network string      `json:"network"`
	Kind    string      `json:"kind"`
	Item    string      `json:"item"`
	Count   int         `json:"count"`
	Power   *unit.Power `json:"power_mw"` // null: unknown
	Typical *unit.Power `json:"power_typical_mw"`
	Price   string      `json:"price_each,omitempty"`
}

// Data is a study as data.
func (s *Study) Data() DesignJSON {
	r := s.Requirement
	out := DesignJSON{Name: r.Name, Hosts: r.Hosts(), Now: r.HostsNow(), GPUs: r.Hosts() * r.Host.GPUs}
	for i := range s.Options {
		out.Options = append(out.Options, s.optionData(i))
	}
	l := s.Layout()
	if l == nil {
		return out
	}
	c := &chosenJSON{Design: l.Option.Design, Racks: len(l.Racks), Cables: len(l.Cables),
		Growth: design.Growth(l.Option, s.Requirement.HostsNow(), s.Requirement.Host.GPUs), Findings: CheckData(l.Findings, nil).Findings}
	for _, i := range l.Bill() {
		item := itemJSON{Network: i.Net, Kind: i.Kind, Item: i.Name, Count: i.Count}
		if i.Known {
			item.Power = &i.Power
		}
		if i.TypicallyKnown {
			item.Typical = &i.Typical
		}
		if i.Given {
			item.Price = i.Price.String()
		}
		c.Bill = append(c.Bill, item)
	}
	out.Chosen = c
	return out
}

func (s *Study) optionData(i int) optionJSON {
	o, l := s.Options[i], s.Layouts[i]
	data := optionJSON{Design: o.Design, Refused: o.Refused}
	if l == nil {
		return data
	}
	for _, n := range o.Nets {
		data.Networks = append(data.Networks, networkData(n))
	}
	t := design.Sum(l.Bill())
	data.Reach, data.Losses = o.Backend().Reach(), o.Backend().Losses()
	data.Power, data.Unknown, data.Unpriced = t.Most.Power, t.Most.Unknown, t.Unpriced
	data.Typical, data.Typicals = t.Typical.Power, t.Typical.Unknown
	if t.Cost.Currency != "" {
		data.Cost = t.Cost.String()
	}
	if s.Timed != nil {
		data.Timed = &s.Timed[i]
	}
	return data
}

func networkData(n *design.Net) networkJSON {
	w := n.Sized
	out := networkJSON{Network: n.Name, Machines: n.Machines, Room: w.Room(), Segment: w.Segment, Segments: w.Segments,
		Pods: w.Pods, Planes: w.Planes, Found: w.Switches(),
		Bound: boundJSON{w.Bound.Switches(), w.Bound}, Cables: []int{w.HostLinks(), w.LeafLinks(), w.SuperLinks()}}
	for _, t := range w.Tiers() {
		tier := tierJSON{Role: t.Role, Switches: t.Switches, Model: t.Switch.Model, Used: t.Used, There: t.There, Down: t.Down,
			DownRate: t.DownRate, Up: t.Up}
		if t.Up > 0 {
			r := t.Oversubscribed()
			tier.Oversubscription, tier.UpRate = &r, t.UpRate
		}
		out.Tiers = append(out.Tiers, tier)
	}
	return out
}
