package view

import (
	"fmt"
	"slices"
	"strconv"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
	"railyard/internal/plan/design"
)

// BesideText lays the designs side by side.
func (s *Study) BesideText(out *sheet.Sheet) {
	out.Title("Designs side by side, the backend's figures; power and cost of all networks")
	totals := make([]design.Total, len(s.Options))
	for i, l := range s.Layouts {
		if l != nil {
			totals[i] = design.Sum(l.Bill())
		}
	}
	names := []string{"", "leaves", "spines", "super-spines", "switches", "no fewer than", "cables", "switches between NICs",
		"GPUs cut off by a failed leaf", "hosts cut off by it"}
	most, typical, missing := s.incomplete(totals)
	names = append(names, most, typical, missing)
	if s.Timed != nil {
		names = append(names, "all-reduce, slice", "all-to-all, slice")
	}
	var columns [][]string
	for i, o := range s.Options {
		if s.Layouts[i] == nil {
			continue
		}
		w, t := o.Backend(), &totals[i]
		leaf := w.Losses()[1]
		cost := design.Unknown
		if t.Cost.Currency != "" {
			cost = t.Cost.Human()
		}
		column := []string{o.Design, num(w.Leaves()), num(w.Spines()), num(w.SuperSpines()), num(w.Switches()),
			num(w.Bound.Switches()),
			num(w.HostLinks() + w.LeafLinks() + w.SuperLinks()), hopsText(w), num(leaf.GPUs), num(leaf.Hosts),
			powerText(t.Most), powerText(t.Typical), cost}
		if s.Timed != nil {
			column = append(column, s.Timed[i].AllReduce.Human(), s.Timed[i].AllToAll.Human())
		}
		columns = append(columns, column)
	}
	if len(columns) > 0 {
		out.Columns(names, columns)
	}
	for _, o := range s.Options {
		if o.Refused != "" {
			out.Hang("  ", "    ", o.Design+" is refused: "+o.Refused)
		} else {
			out.Hang("  ", "    ", o.Design+", switches: "+o.Bounds())
		}
	}
	if s.Timed != nil {
		for i, o := range s.Options {
			if s.Timed[i].Hosts > 0 {
				out.Hang("  ", "    ", fmt.Sprintf("slice of %s: %s", o.Design, s.Timed[i].What))
			}
		}
	}
}

// powerText is the part of a power that is known.
func powerText(s design.PowerSum) string {
	if s.Power == 0 && s.Unknown > 0 {
		return design.Unknown
	}
	return s.Power.Human()
}

// incomplete are the names of the rows of sums: with what is in them, where designs do not all have the same.
func (s *Study) incomplete(totals []design.Total) (most, typical, cost string) {
	var powered, typically, priced []string
	for i, t := range totals {
		if s.Layouts[i] != nil {
			powered, typically = append(powered, only(t.Most.Of)), append(typically, only(t.Typical.Of))
			priced = append(priced, only(t.Priced))
		}
	}
	name := func(what string, of []string) string {
		if of = slices.Compact(of); len(of) == 1 {
			return what + of[0]
		}
		return what + ", known part"
	}
	return name("power, at most", powered), name("typically", typically), name("cost", priced)
}

// only says of what a sum is that is not complete.
func only(parts string) string {
	if parts == "" {
		return ""
	}
	return " (" + parts + " only)"
}

func num(n int) string { return unit.Count(int64(n)) }

// hopsText is how many switches are between NICs, nearest and farthest.
func hopsText(w *sizing.Network) string {
	reach := w.Reach()
	if len(reach) == 0 {
		return "-"
	}
	text := strconv.Itoa(reach[0].Switches)
	for _, r := range reach[1:] {
		if r.Switches < 0 {
			text += ", NVLink"
			continue
		}
		text += " or " + strconv.Itoa(r.Switches)
	}
	return text
}

// TiersText prints the tiers of each network.
func (s *Study) TiersText(out *sheet.Sheet, o *design.Option) {
	out.Title(o.Design + ": tiers")
	rows := [][]string{{"tier", "switches", "down", "up", "ratio", "ports", "model"}}
	for _, n := range o.Nets {
		for i, t := range n.Sized.Tiers() {
			name, up, ratio := n.Name+" "+t.Role, "-", "-"
			if i > 0 {
				name = "  " + t.Role
			}
			if t.Up > 0 {
				up, ratio = fmt.Sprintf("%dx%v", t.Up, t.UpRate), fmt.Sprintf("%.3g:1", t.Oversubscribed().Float())
			}
			rows = append(rows, []string{name, num(t.Switches), fmt.Sprintf("%dx%v", t.Down, t.DownRate), up, ratio,
				fmt.Sprintf("%d/%d", t.Used, t.There), t.Switch.Model})
		}
	}
	out.Grid("lrrrrrw", rows)
	w := o.Backend()
	text := fmt.Sprintf("%s of %s", unit.CountOf(int64(w.Segments), "segment"), unit.CountOf(int64(w.Segment), "host"))
	lower, upper := "to spines", "to super-spines"
	if w.Design == topo.DesignDragonfly {
		text = fmt.Sprintf("%s of %s with %s each", unit.CountOf(int64(w.Pods), "group"), unit.CountOf(int64(w.Segments/w.Pods), "router"),
			unit.CountOf(int64(w.Segment), "host"))
		lower, upper = "inside groups", "between groups"
	} else if w.Pods > 1 {
		text += ", " + unit.CountOf(int64(w.Pods), "pod")
	}
	if w.Planes > 1 {
		text += ", " + unit.CountOf(int64(w.Planes), "plane")
	}
	out.Wrap("  ", fmt.Sprintf("backend: %s; room for %s; cables: %s to hosts, %s %s, %s %s", text,
		unit.CountOf(int64(w.Room()), "host"), num(w.HostLinks()), num(w.LeafLinks()), lower, num(w.SuperLinks()), upper))
}

// GrowthText prints how a backend grows.
func (s *Study) GrowthText(out *sheet.Sheet, o *design.Option) {
	all := design.Growth(o, s.Requirement.HostsNow(), s.Requirement.Host.GPUs)
	if len(all) < 2 {
		return
	}
	out.Title(o.Design + ": growth of the backend")
	rows := [][]string{{"", "GPUs", "leaves", "spines", "super-spines", "cables"}}
	for _, p := range all {
		rows = append(rows, []string{p.What, num(p.GPUs), num(p.Leaves), num(p.Spines), num(p.SuperSpines),
			num(p.HostCables + p.LeafCables + p.Supers)})
	}
	out.Grid("lrrrrr", rows)
	out.Wrap("  ", "with all places kept, no cable moves later; a network of its own is cabled anew between its switches")
}

// LossText prints what each failure takes away.
func (s *Study) LossText(out *sheet.Sheet, o *design.Option) {
	out.Title(o.Design + ": what the failure of one takes away, with all places taken")
	rows := [][]string{{"failed", "GPUs", "hosts", "fewer", "left"}}
	for _, l := range o.Backend().Losses() {
		left := "-"
		if l.Where != "" {
			left = unit.Percent(l.Left.Float()) + " of the uplinks of " + l.Where
		}
		rows = append(rows, []string{l.What, num(l.GPUs), num(l.Hosts), num(l.Part), left})
	}
	out.Grid("lrrrw", rows)
	out.Wrap("  ", "GPUs, hosts: without any port of their own; fewer: GPUs with fewer ports than before")
}

// BillText prints the bill of materials.
func (s *Study) BillText(out *sheet.Sheet, l *design.Layout) {
	all := l.Bill()
	for _, n := range l.Option.Nets {
		out.Title(l.Option.Design + ": bill of materials, " + n.Name)
		rows := [][]string{{"kind", "count", "power each", "price each", "item"}}
		for _, i := range folded(all) {
			price := design.Unknown
			if i.Given {
				price = i.Price.Human()
			}
			if i.Net == n.Name {
				rows = append(rows, []string{i.Kind, num(i.Count), i.PowerText(), price, i.Name})
			}
		}
		out.Grid("lrrrw", rows)
	}
	out.Title(l.Option.Design + ": in all")
	t := design.Sum(all)
	for i, p := range [...]design.PowerSum{t.Most, t.Typical} {
		text := [...]string{"power, at most: ", "power, typically: "}[i] + powerText(p)
		if p.Power > 0 && p.Unknown > 0 {
			text += fmt.Sprintf("%s; that of %s is unknown", only(p.Of), unit.CountOf(int64(p.Unknown), "item"))
		}
		out.Wrap("  ", text)
	}
	text := "cost: no prices are given (prices)"
	if t.Cost.Currency != "" {
		text = "cost: " + t.Cost.Human()
		if t.Unpriced > 0 {
			text += fmt.Sprintf("%s; %s have no price", only(t.Priced), unit.CountOf(int64(t.Unpriced), "item"))
		}
	}
	out.Wrap("  ", text)
	out.Wrap("  ", fmt.Sprintf("%s in %s; hosts, their power and their cost are not in the bill",
		unit.CountOf(int64(len(l.Cables)), "cable"), unit.CountOf(int64(len(l.Racks)), "rack")))
}

// folded is a bill with cables that differ in length alone as one item.
func folded(all []design.Item) (out []design.Item) {
	first := 0
	for k, i := range all {
		name := i.Sort()
		if k > 0 && i.Length > 0 && all[k-1].Length > 0 && all[k-1].Net == i.Net && all[k-1].Sort() == name &&
			i.Given == all[k-1].Given && i.Price == all[k-1].Price {
			last := &out[len(out)-1]
			last.Count += i.Count
			last.Name = fmt.Sprintf("%s %v to %v", name, all[first].Length, i.Length)
			continue
		}
		first = k
		out = append(out, i)
	}
	return out
}
