package design

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// Kinds of items, in the order in which a bill lists them.
const (
	SwitchItem      = "switch"
	NICItem         = "NIC"
	TransceiverItem = "transceiver"
	CableItem       = "cable"
)

var itemKinds = []string{SwitchItem, NICItem, TransceiverItem, CableItem}

// An Item is a line of a bill of materials.
type Item struct {
	Net   string
	Kind  string
	Name  string
	Count int

	Length unit.Length // of a cable; its name ends in it

	// Power is of one: the most, Typical. Of all but switches the most is taken as typical.
	Power, Typical        unit.Power
	Known, TypicallyKnown bool

	Price scenario.Amount
	Given bool // the price is
}

// bill collects items.
type bill struct {
	items []Item
	at    map[[3]string]int
}

// add counts so many more of an item. No power is one that is not known; passive things take none.
func (b *bill) add(net, kind, name string, count int, power unit.Power, passive bool) *Item {
	if count == 0 {
		return nil
	}
	if b.at == nil {
		b.at = map[[3]string]int{}
	}
	key := [3]string{net, kind, name}
	i, known := b.at[key]
	if !known {
		i = len(b.items)
		b.at[key] = i
		known := passive || power > 0
		b.items = append(b.items, Item{Net: net, Kind: kind, Name: name, Power: power, Typical: power, Known: known,
			TypicallyKnown: known && kind != SwitchItem})
	}
	b.items[i].Count += count
	return &b.items[i]
}

// cable counts one more cable of a length.
func (b *bill) cable(net, name string, length unit.Length, power unit.Power, passive bool) {
	b.add(net, CableItem, fmt.Sprintf("%s %v", name, length), 1, power, passive).Length = length
}

// Bill returns the items by network, kind and name.
func (l *Layout) Bill() []Item {
	order := map[string]int{}
	for i, n := range l.Option.Nets {
		order[n.Name] = i
	}
	all := slices.Clone(l.bill.items)
	for i := range all {
		all[i].Price, all[i].Given = l.r.PriceOf(all[i].Name)
	}
	slices.SortFunc(all, func(a, b Item) int {
		return cmp.Or(cmp.Compare(order[a.Net], order[b.Net]),
			cmp.Compare(slices.Index(itemKinds, a.Kind), slices.Index(itemKinds, b.Kind)), cmp.Compare(a.Sort(), b.Sort()),
			cmp.Compare(a.Length, b.Length))
	})
	return all
}

// Sort is the name of an item without its length.
func (i *Item) Sort() string {
	if i.Length == 0 {
		return i.Name
	}
	return strings.TrimSuffix(i.Name, " "+i.Length.String())
}

// A Total is a sum over items, and what is missing from it.
type Total struct {
	Most, Typical PowerSum
	Cost          scenario.Amount
	Unpriced      int // items without a price
	Priced        string
}

// A PowerSum is over the items whose power is known.
type PowerSum struct {
	Power   unit.Power
	Unknown int    // items whose power is not known
	Of      string // what the sum is of where it is not of all: "optics, some cables"
	parts   parts
}

func (s *PowerSum) add(i *Item, each unit.Power, known bool) {
	if known {
		s.Power += unit.Power(i.Count) * each
	} else {
		s.Unknown += i.Count
	}
	s.parts.add(i.Kind, known)
	s.Of = s.parts.text()
}

// Sum adds up items.
func Sum(items []Item) (t Total) {
	var priced parts
	for _, i := range items {
		t.Most.add(&i, i.Power, i.Known)
		t.Typical.add(&i, i.Typical, i.TypicallyKnown)
		if i.Given {
			t.Cost.Hundredths += int64(i.Count) * i.Price.Hundredths
			t.Cost.Currency = i.Price.Currency
		} else {
			t.Unpriced += i.Count
		}
		priced.add(i.Kind, i.Given)
	}
	t.Priced = priced.text()
	return t
}

// parts are which kinds of items are in a sum, in the order of itemKinds.
type parts [4]struct{ in, out bool }

func (p *parts) add(kind string, in bool) {
	at := &p[slices.Index(itemKinds, kind)]
	at.in, at.out = at.in || in, at.out || !in
}

// text is empty where all items are in the sum, or none. Kinds of which all are in it come first.
func (p *parts) text() string {
	var whole, some []string
	complete := true
	for i, k := range p {
		name := [...]string{"switches", "NICs", "optics", "cables"}[i]
		switch {
		case k.in && k.out:
			some = append(some, name)
		case k.in:
			whole = append(whole, name)
		}
		complete = complete && !k.out
	}
	if complete {
		return ""
	}
	if len(some) > 0 {
		some[0] = "some " + some[0]
	}
	return strings.Join(append(whole, some...), ", ")
}

// equip puts switches and NICs on the bill.
func (l *Layout) equip(all []*drawn) {
	for _, w := range all {
		n := w.net
		for _, t := range n.Sized.Tiers() {
			model := l.r.Switch(t.Switch.Model)
			if i := l.bill.add(n.Name, SwitchItem, model.Name, t.Switches, model.Power, false); i != nil {
				i.Typical, i.TypicallyKnown = model.Typical, model.Typical > 0
			}
		}
		switch n.Name {
		case Backend:
			nic := &l.r.NIC
			ports := l.r.Rails() * nic.PerGPU
			l.bill.add(n.Name, NICItem, fmt.Sprintf("%s %dx%v", nic.Model, nic.Ports, nic.Speed), n.Machines*ports/nic.Ports, 0,
				false)
		case Frontend, Storage:
			l.bill.add(n.Name, NICItem, fmt.Sprintf("nic %dx%v", n.Sized.Ports, n.Sized.HostRate), n.Machines, 0, false)
		}
	}
}

// bundle puts a bundle of cables and what is at their ends on the bill.
func (b *bill) bundle(l *Layout, w *drawn, all *bundle, m *catalogue.Medium, cables []Cable, links []topo.LinkID) {
	net, rate := w.net.Name, cables[all.cables[0]].Rate
	n := len(all.cables)
	if !m.Optics {
		name := fmt.Sprintf("%s %v", m.Name, rate)
		switch {
		case len(all.cages) == 1:
			name = fmt.Sprintf("%s %dx%v splitter", m.Name, n, rate)
		case len(all.cages) == 2:
			name = fmt.Sprintf("%s %dx%v", m.Name, n, rate)
		}
		b.cable(net, name, all.longest, m.SwitchEnd+unit.Power(n)*m.NICEnd, m.Least == 0)
		return
	}
	for _, c := range all.cages {
		kind := w.graph.Nodes[c.node].Kind
		model := w.net.model(l.r, kind)
		parts := min(max(model.Breakout, 1), int(model.Rate/rate))
		b.add(net, TransceiverItem, plugged(fmt.Sprintf("%s %dx%v", m.Name, parts, rate), l.switchPlug(net, model)), 1,
			switchPower(m, model), false)
	}
	for _, i := range all.cables {
		b.cable(net, "fibre "+m.Name, cables[i].Length, 0, true)
		for _, p := range [2]topo.PortID{topo.PortID(2 * links[i]), topo.PortID(2*links[i] + 1)} {
			name := w.ports[p]
			switch {
			case name.NIC >= 0:
				b.add(net, TransceiverItem, plugged(fmt.Sprintf("%s %v", m.Name, rate), l.nicPlug(net, rate)), 1, m.NICEnd, false)
			case name.Part == 0:
				model := w.net.model(l.r, w.graph.Nodes[w.graph.Ports[p].Node].Kind)
				b.add(net, TransceiverItem, plugged(fmt.Sprintf("%s %v", m.Name, rate), l.switchPlug(net, model)), 1,
					switchPower(m, model), false)
			}
		}
	}
}

// plugged adds the form of a plug to what is plugged in.
func plugged(name string, plug catalogue.Plug) string {
	if plug == "" {
		return name
	}
	return name + " " + string(plug)
}

// switchPlug is what is plugged into a switch, empty where that is not known.
func (l *Layout) switchPlug(net string, model *catalogue.Switch) catalogue.Plug {
	switch {
	case net == Backend && l.r.Optics.Switch != "auto":
		return catalogue.Plug(l.r.Optics.Switch)
	case model.Cage == catalogue.OSFP:
		return catalogue.TwinFinned
	}
	return ""
}

// nicPlug is what is plugged into a NIC.
func (l *Layout) nicPlug(net string, rate unit.Bitrate) catalogue.Plug {
	switch {
	case net != Backend:
		return ""
	case l.r.Optics.NIC != "auto":
		return catalogue.Plug(l.r.Optics.NIC)
	case rate >= 400*unit.GigabitPerSec:
		return catalogue.SingleFlat
	}
	return ""
}

// switchPower is that of a transceiver in a switch, known of twin-port cages only.
func switchPower(m *catalogue.Medium, model *catalogue.Switch) unit.Power {
	if model.Cage != catalogue.OSFP {
		return 0
	}
	return m.SwitchEnd
}
