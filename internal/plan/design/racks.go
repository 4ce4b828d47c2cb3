package design

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// A Device is a machine or a switch, and where it stands.
type Device struct {
	Net    string // of a switch; of a machine empty
	Name   string
	Model  string // of a switch
	Height int    // rack units
	Left   bool   // its height is not known: that much is left for it

	Rack int // index into Layout.Racks
	Unit int // its lowest, from 1 at the bottom

	anchor int // the first host that it serves; -1: none
}

// A Rack is what stands in one, from the bottom up.
type Rack struct {
	Row, Column int // from 1
	Devices     []*Device
	Used        int // rack units
}

// Name is where it stands: R02-C05.
func (k *Rack) Name() string { return fmt.Sprintf("R%02d-C%02d", k.Row, k.Column) }

// unknownHeight is left for a device whose height is not known.
const unknownHeight = 2

// setHeight sets the height of a device, or what is left for it.
func (d *Device) setHeight(units int) {
	d.Height = units
	if units == 0 {
		d.Height, d.Left = unknownHeight, true
	}
}

// hostsPerRack is how many have room in a rack; findings say what does not.
func (l *Layout) hostsPerRack() int {
	k := &l.r.Racks
	n, bound := int(k.Height/l.r.Host.Height), "racks.height"
	if n == 0 {
		l.wrong("host.height", fmt.Sprintf("%v: a rack has %v", l.r.Host.Height, k.Height), "a larger racks.height")
		return 1
	}
	if k.Power.Set {
		if !l.r.Host.Power.Set {
			l.wrong("racks.power", "bounds the hosts of a rack, and host.power is unknown", "host.power")
			return 1
		}
		if m := int(k.Power.Value / l.r.Host.Power.Value); m < n {
			n, bound = m, "racks.power"
		}
		if n == 0 {
			l.wrong("host.power", fmt.Sprintf("%v: a rack has %v", l.r.Host.Power.Value, k.Power.Value),
				"a larger racks.power")
			return 1
		}
	}
	if k.Hosts.Set {
		if k.Hosts.Value > n {
			l.wrong("racks.hosts", fmt.Sprintf("%d: want at most %d, by %s", k.Hosts.Value, n, bound), "")
		}
		return min(n, k.Hosts.Value)
	}
	return n
}

// place puts hosts, in order, into rows of racks, the switches that serve them in the middle of their
// row, and all others into rows of their own between those.
func (l *Layout) place(hosts, others []*Device) {
	each := l.hostsPerRack()
	var near, core []*Device
	for _, d := range others {
		if d.anchor >= 0 {
			near = append(near, d)
		} else {
			core = append(core, d)
		}
	}
	slices.SortStableFunc(near, func(a, b *Device) int { return a.anchor - b.anchor })
	var rows [][]*Rack
	for first := 0; first < len(hosts); {
		racks := l.rowRacks(len(hosts)-first, each)
		var served []*Device
		for ; racks > 0; racks-- {
			last := first + racks*each
			served = near[:countWhile(near, func(d *Device) bool { return d.anchor < last })]
			if racks == 1 || racks+len(l.pack(served)) <= l.r.Racks.PerRow {
				break
			}
		}
		last := min(first+racks*each, len(hosts))
		rows = append(rows, l.row(hosts[first:last], each, served))
		near, first = near[len(served):], last
	}
	core = append(near, core...)
	middle := (len(rows) + 1) / 2
	for packed := range slices.Chunk(l.pack(core), l.r.Racks.PerRow) {
		rows = slices.Insert(rows, middle, packed)
		middle++
	}
	for i, row := range rows {
		for j, k := range row {
			k.Row, k.Column = i+1, j+1
			for _, d := range k.Devices {
				d.Rack = len(l.Racks)
			}
			l.Racks = append(l.Racks, k)
		}
	}
}

// rowRacks is how many racks of hosts a row begins with, before there is room for switches.
func (l *Layout) rowRacks(hosts, each int) int { return min((hosts+each-1)/each, l.r.Racks.PerRow) }

// row is racks of hosts with racks of switches in the middle.
func (l *Layout) row(hosts []*Device, each int, served []*Device) []*Rack {
	var row []*Rack
	for some := range slices.Chunk(hosts, each) {
		k := &Rack{}
		for _, d := range some {
			k.add(d)
		}
		row = append(row, k)
	}
	return slices.Insert(row, (len(row)+1)/2, l.pack(served)...)
}

// pack fills racks, one after the other.
func (l *Layout) pack(all []*Device) (racks []*Rack) {
	for _, d := range all {
		if len(racks) == 0 || racks[len(racks)-1].Used+d.Height > int(l.r.Racks.Height) {
			racks = append(racks, &Rack{})
		}
		racks[len(racks)-1].add(d)
	}
	return racks
}

func (k *Rack) add(d *Device) {
	d.Unit = k.Used + 1
	k.Used += d.Height
	k.Devices = append(k.Devices, d)
}

func countWhile(all []*Device, holds func(*Device) bool) int {
	for i, d := range all {
		if !holds(d) {
			return i
		}
	}
	return len(all)
}

// rackUnit is the height of one (EIA-310).
const rackUnit = 4445 // in hundredths of a millimetre

// way is how long a cable between two devices is: along the rows, and the slack of the requirement;
// within a rack the way up and half of that.
func (l *Layout) way(a, b *Device) unit.Length {
	k := &l.r.Racks
	if a.Rack == b.Rack {
		up := unit.Length(abs(a.Unit-b.Unit)*rackUnit/100) * unit.Millimetre
		return standard(up + k.Slack/2)
	}
	p, q := l.Racks[a.Rack], l.Racks[b.Rack]
	return standard(unit.Length(abs(p.Column-q.Column))*k.Width + unit.Length(abs(p.Row-q.Row))*k.RowPitch + k.Slack)
}

// standard rounds up to a length that cables come in: steps of half a metre up to 3 m, then 1, 5 and 10 m.
func standard(l unit.Length) unit.Length {
	step := 10 * unit.Metre
	switch {
	case l <= 3*unit.Metre:
		step = unit.Metre / 2
	case l <= 10*unit.Metre:
		step = unit.Metre
	case l <= 100*unit.Metre:
		step = 5 * unit.Metre
	}
	return max((l+step-1)/step, 1) * step
}

func abs(n int) int { return max(n, -n) }
