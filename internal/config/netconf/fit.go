package netconf

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
)

// A Fitting is a device that is cut to what a platform has words for, and what was cut off. What is
// not said is the platform's own.
type Fitting struct {
	Device *Device
	Left   []string // sentences without a full stop
}

// NewFitting begins with a copy of a device.
func NewFitting(d *Device) *Fitting {
	f := &Fitting{Device: d.Clone()}
	f.onlyRead()
	f.Intern()
	return f
}

// Clone returns a copy that shares nothing which is changed in place.
func (d *Device) Clone() *Device {
	c := *d
	c.Interfaces = slices.Clone(d.Interfaces)
	for i := range c.Interfaces {
		c.Interfaces[i].QoS = clone(c.Interfaces[i].QoS)
	}
	c.QoS, c.LLDP, c.Balance, c.Peer = clone(d.QoS), clone(d.LLDP), clone(d.Balance), clone(d.Peer)
	c.Tunnels = d.Tunnels.clone()
	if c.QoS == nil {
		return &c
	}
	c.QoS.Profiles = slices.Clone(c.QoS.Profiles)
	for i := range c.QoS.Profiles {
		p := &c.QoS.Profiles[i]
		p.Classes = slices.Clone(p.Classes)
		for k := range p.Classes {
			of := &p.Classes[k]
			of.ECN, of.Pause = clone(of.ECN), clone(of.Pause)
			if of.Pause != nil {
				of.Pause.Buffer = clone(of.Pause.Buffer)
			}
		}
	}
	return &c
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Without returns a list without what is gone, in the place of the old one: nil where nothing is left, as in a device that
// never had any.
func Without[T any](all []T, gone func(T) bool) []T {
	if all = slices.DeleteFunc(all, gone); len(all) == 0 {
		return nil
	}
	return all
}

// Say notes something that is left to the platform, once.
func (f *Fitting) Say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(f.Left, text) {
		f.Left = append(f.Left, text)
	}
}

// NoRouting leaves the ports with their names: no addresses, VLANs, port channels or sessions.
func (f *Fitting) NoRouting(platform string) {
	d := f.Device
	said, channels := d.BGP != nil || d.Tunnels != nil, false
	d.BGP, d.Tunnels = nil, nil
	d.Interfaces = Without(d.Interfaces, func(i Interface) bool {
		said = said || i.Kind != Physical
		return i.Kind != Physical
	})
	for i := range d.Interfaces {
		p := &d.Interfaces[i]
		said = said || p.VLAN != 0 || len(p.Addresses) > 0
		channels = channels || p.Channel != 0
		p.VLAN, p.Channel, p.Addresses = 0, 0, nil
	}
	if said {
		f.Say("addresses, VLANs and BGP: of %s only quality of service is rendered", platform)
	}
	if channels {
		f.Say("port channels: of %s only quality of service is rendered", platform)
	}
	if d.Peer != nil && d.Peer.Local != "" { // which is gone
		f.Say("peer switch, %s: heard by an SVI, which is left out", d.Peer)
		d.Peer = nil
	}
}

// NoSVIDetails leaves the size of frames and the names for people of SVIs and loopbacks to the platform.
func (f *Fitting) NoSVIDetails(platform string) {
	for i := range f.Device.Interfaces {
		here := &f.Device.Interfaces[i]
		if here.Kind == Physical || here.MTU == 0 && here.Description == "" {
			continue
		}
		here.MTU, here.Description = 0, ""
		f.Say("MTU and description of SVIs: no command of %s is on record", platform)
	}
}

// MostPaths cuts the number of equal paths to what a platform takes.
func (f *Fitting) MostPaths(platform string, most int) {
	if b := f.Device.BGP; b != nil && b.MaximumPaths > most {
		f.Say("%d equal paths, one for each link: %s takes at most %d", b.MaximumPaths, platform, most)
		f.Device.BGP = clone(b)
		f.Device.BGP.MaximumPaths = most
	}
}

// NoQoS leaves quality of service to the platform.
func (f *Fitting) NoQoS(platform string) {
	if f.Device.QoS != nil {
		f.Say("quality of service: no command of %s is on record", platform)
	}
	f.Device.QoS = nil
	for i := range f.Device.Interfaces {
		f.Device.Interfaces[i].QoS = nil
	}
}

// NoSpeeds leaves the rate of ports to what is plugged in.
func (f *Fitting) NoSpeeds() {
	for i := range f.Device.Interfaces {
		f.Device.Interfaces[i].Speed = 0
	}
}

// Shares makes shares percents of what queues that are not strict have: platforms that take weights say no more.
func (f *Fitting) Shares(platform string) {
	if f.Device.QoS == nil {
		return
	}
	for i := range f.Device.QoS.Profiles {
		if f.Device.QoS.Profiles[i].Percents() {
			f.Say("shares of a port that are not 100%% together: %s takes weights", platform)
		}
	}
}

// NoDescriptions leaves out what ports are called for people.
func (f *Fitting) NoDescriptions(platform string) {
	for i := range f.Device.Interfaces {
		if d := &f.Device.Interfaces[i].Description; *d != "" {
			*d = ""
			f.Say("descriptions of ports: no command of %s is on record", platform)
		}
	}
}

// NoCables leaves out what thresholds were made for.
func (f *Fitting) NoCables() {
	f.ports(func(p *PortQoS) { p.Cable = 0 })
}

// ports visits what ports say.
func (f *Fitting) ports(visit func(*PortQoS)) {
	for i := range f.Device.Interfaces {
		if p := f.Device.Interfaces[i].QoS; p != nil {
			visit(p)
		}
	}
}

// PFCOn takes on for auto.
func (f *Fitting) PFCOn(platform string) {
	f.ports(func(p *PortQoS) {
		if p.PFC == PFCAuto {
			p.PFC = PFCOn
			f.Say("PFC auto: %s has no such word on record, so PFC is on whatever the neighbour says", platform)
		}
	})
}

// NoDropThresholds leaves the length at which queues drop to the platform.
func (f *Fitting) NoDropThresholds(platform string) {
	q := f.Device.QoS
	if q == nil {
		return
	}
	for i := range q.Profiles {
		for k := range q.Profiles[i].Classes {
			if d := &q.Profiles[i].Classes[k].Drop; *d != 0 {
				f.Say("drop threshold of %v: no command of %s is on record", *d, platform)
				*d = 0
			}
		}
	}
	f.Intern()
}

// NoPools leaves the split of the buffer to the platform.
func (f *Fitting) NoPools(platform string) {
	if q := f.Device.QoS; q != nil && q.Pools != (Pools{}) {
		q.Pools = Pools{}
		f.Say("split of the packet buffer: %s's own", platform)
	}
}

// Buffers keeps of buffers those that a platform can say.
func (f *Fitting) Buffers(platform, why string, keep func(*Buffer) bool) {
	q := f.Device.QoS
	if q == nil {
		return
	}
	for i := range q.Profiles {
		for k := range q.Profiles[i].Classes {
			pause := q.Profiles[i].Classes[k].Pause
			if pause == nil || pause.Buffer == nil || keep(pause.Buffer) {
				continue
			}
			b := pause.Buffer
			f.Say("xOFF %s, xON %v below it, headroom %v: %s, so they are %s's own", b.XOFFText(), b.Resume,
				b.Headroom, why,
				platform)
			pause.Buffer = nil
		}
	}
	f.Intern()
}

// XOFFText says when a class is paused.
func (b *Buffer) XOFFText() string {
	if b.XOFF > 0 {
		return b.XOFF.String()
	}
	return b.Alpha.String() + " of what is free"
}

// Intern makes one of profiles that have become equal, in order of the first port that has each.
func (f *Fitting) Intern() { f.Device.Intern() }

// Intern brings profiles to one form: tidy, each once, in order of the first port that has it.
func (d *Device) Intern() {
	if d.QoS == nil {
		return
	}
	old := d.QoS.Profiles
	known := make([]int, len(old)) // by number before: the number now, from 1
	d.QoS.Profiles = nil
	for i := range d.Interfaces {
		p := d.Interfaces[i].QoS
		if p == nil {
			continue
		}
		if known[p.Profile] == 0 {
			of := old[p.Profile]
			of.Tidy()
			known[p.Profile] = d.QoS.Use(of) + 1
		}
		p.Profile = known[p.Profile] - 1
	}
	if len(d.QoS.Profiles) == 0 && d.QoS.Watchdog == (Watchdog{}) && d.QoS.Pools == (Pools{}) {
		d.QoS = nil
	}
}

// NoBalance leaves the choice among equal links to the platform.
func (f *Fitting) NoBalance(platform string, keep func(*Balance) bool) {
	if b := f.Device.Balance; b != nil && !keep(b) {
		f.Say("load balancing %s: no command of %s is on record", b, platform)
		f.Device.Balance = nil
		return
	}
	if b := f.Device.Balance; b != nil && b.QP {
		f.Say("load balancing: no command of %s is on record that hashes the queue pair, so it hashes the 5-tuple", platform)
		b.QP = false
	}
}

// String says how a device chooses among equal links.
func (b *Balance) String() string {
	text := b.Method
	if b.Unit != "" {
		text += " by " + b.Unit
	}
	if b.Gap > 0 {
		text += fmt.Sprintf(" after %v", b.Gap)
	}
	if b.Seed > 0 {
		text += fmt.Sprintf(" with seed %d", b.Seed)
	}
	if b.QP {
		text += ", queue pairs hashed too"
	}
	return text
}

// NoLLDP leaves LLDP to the platform.
func (f *Fitting) NoLLDP(platform string) {
	if f.Device.LLDP != nil {
		f.Say("LLDP and DCBX: no command of %s is on record", platform)
	}
	f.Device.LLDP = nil
	for i := range f.Device.Interfaces {
		f.Device.Interfaces[i].LLDP = PortLLDP{}
	}
}

// String says what a WRED profile does.
func (e *ECN) String() string {
	what := "marks"
	if e.Drops {
		what = "drops"
	}
	if e.MaxFill > 0 {
		return fmt.Sprintf("%s from %d%% to %d%% of the queue, %d%%", what, e.MinFill, e.MaxFill, e.Probability)
	}
	if e.Scale != "" {
		return fmt.Sprintf("%s from %d to %d %s, %d%%", what, e.Least, e.Most, e.Scale, e.Probability)
	}
	return fmt.Sprintf("%s from %v to %v, %d%%", what, e.Min, e.Max, e.Probability)
}

// FrameOf returns the frame, header and FCS included, of the largest IP packet of an interface.
func FrameOf(packet unit.Bytes) unit.Bytes { return packet - inventory.IPMTU(0) }
