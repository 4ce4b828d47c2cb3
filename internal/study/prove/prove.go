package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/run/run"
)

// A Proof is what a finding comes to in a small network.
type Proof struct {
	Rule    string   `json:"rule"`
	Device  string   `json:"device"`
	Claim   string   `json:"claim,omitempty"`   // what the finding makes happen
	Shown   bool     `json:"shown"`             // the first figure moved as claimed
	Network string   `json:"network,omitempty"` // what was simulated
	Mended  string   `json:"mended,omitempty"`  // what was changed for the second run
	Figures []Figure `json:"figures,omitempty"`
	Better  []string `json:"better,omitempty"`  // figures that are better once it is mended
	Pays    []string `json:"pays,omitempty"`    // figures that are worse then: the price of it
	Unmoved bool     `json:"unmoved,omitempty"` // the job of a scenario has no figure that moved
	Why     string   `json:"why,omitempty"`     // nothing was simulated: why
}

// A Figure is one of both runs.
type Figure struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"` // "", B, B/s or ps
	Broken int64  `json:"broken"`
	Mended int64  `json:"mended"`
}

// Text prints a value of a figure.
func (f *Figure) Text(v int64) string {
	switch {
	case v == never:
		return "never"
	case f.Unit == "ps":
		return unit.Duration(v).Human()
	case f.Unit == "B":
		return unit.Bytes(v).Human()
	case f.Unit == "B/s":
		return unit.Bytes(v).Human() + "/s"
	}
	return unit.Count(v)
}

// never is the time of what did not end.
const never = int64(unit.Never)

// A subject is what a proof is about.
type subject struct {
	finding *lint.Finding
	devices []*lint.Device
	design  *lint.Design
	device  *netconf.Device
	name    string // of the design
	port    *netconf.Interface
	dialect string
	dscp    int // of RoCE data
	cnp     int
	rate    unit.Bitrate
}

// A side is how a port of the small network is configured: as a port of a device.
type side struct {
	device *netconf.Device
	port   *netconf.Interface
}

// A scene is what is simulated.
type scene struct {
	network string // in words
	yaml    string
	// broken and mended give port k of a switch its side.
	broken, mended func(sw string, k int) side
	how            string // what is mended
	own            bool   // the size of the buffer is the device's; else the scenario's
	chosen         bool   // so is the choice among equal links
	// mendedYAML is the scenario of the second run where it is the network that is mended; "": the same.
	mendedYAML string
}

// Of proves a finding about one of some devices.
func Of(ctx context.Context, f *lint.Finding, devices []*lint.Device, design *lint.Design) (*Proof, error) {
	p := &Proof{Rule: f.Rule, Device: f.Device}
	r, known := recipes[f.Rule]
	if !known {
		p.Why = reasons[f.Rule]
		if p.Why == "" {
			p.Why = "no simulation shows it"
		}
		return p, nil
	}
	s, why := newSubject(f, devices, design)
	var sc *scene
	if why == "" {
		sc, why = r.scene(s)
	}
	if why != "" {
		p.Why = why
		return p, nil
	}
	broken, err := play(ctx, sc, sc.yaml, sc.broken)
	if err != nil {
		return nil, fmt.Errorf("%s of %s, as it is: %w", f.Rule, f.Device, err)
	}
	mended, err := play(ctx, sc, cmp.Or(sc.mendedYAML, sc.yaml), sc.mended)
	if err != nil {
		return nil, fmt.Errorf("%s of %s, mended: %w", f.Rule, f.Device, err)
	}
	p.Claim, p.Network, p.Mended = r.claim, sc.network, sc.how
	for _, name := range append([]string{r.figure}, slices.DeleteFunc(slices.Clone(always), func(n string) bool {
		return n == r.figure
	})...) {
		of := figures[name]
		f := Figure{Name: name, Unit: of.unit, Broken: of.value(broken), Mended: of.value(mended)}
		if f.Broken != absent && f.Mended != absent {
			p.Figures = append(p.Figures, f)
		}
	}
	p.weigh()
	first := &p.Figures[0]
	if p.Shown = first.Broken > first.Mended; r.less {
		p.Shown = first.Broken < first.Mended
	}
	return p, nil
}

// newSubject finds what a finding is about. why says that nothing can be simulated.
func newSubject(f *lint.Finding, devices []*lint.Device, design *lint.Design) (s *subject, why string) {
	i := slices.IndexFunc(devices, func(d *lint.Device) bool {
		return d.Device.Name == f.Device && (d.File == f.File || d.Places == nil || holds(d, f.File))
	})
	if i < 0 || devices[i].Device.QoS == nil {
		return nil, "the configuration says nothing of quality of service"
	}
	d := devices[i]
	s = &subject{finding: f, devices: devices, design: design, device: d.Device, name: d.Meant(), dialect: d.Dialect, dscp: 26, cnp: 48,
		rate: 100 * unit.GigabitPerSec}
	if s.port = d.Device.Port(f.Interface); s.port == nil || s.port.QoS == nil {
		k := slices.IndexFunc(d.Device.Interfaces, func(i netconf.Interface) bool { return i.QoS != nil })
		if k < 0 {
			return nil, "no port has a profile of quality of service"
		}
		if s.port == nil {
			s.port = &d.Device.Interfaces[k]
		}
	}
	s.dscps()
	if s.port.Speed > 0 {
		s.rate = s.port.Speed
	}
	if m := s.meant(); m != nil && m.Speed > 0 {
		s.rate = m.Speed
	}
	return s, ""
}

func holds(d *lint.Device, file string) bool {
	for _, p := range d.Places {
		if p.File == file {
			return true
		}
	}
	return false
}

// meant is the port in the design; nil: there is none.
func (s *subject) meant() *netconf.Interface {
	if s.design == nil || s.design.Devices[s.name] == nil {
		return nil
	}
	return s.design.Devices[s.name].Port(s.port.Name)
}

// dscps are what NICs write: what the finding is about, what the design says, or what most devices have in the class that
// pauses.
func (s *subject) dscps() {
	if s.finding.DSCP != 0 {
		s.dscp = s.finding.DSCP
		return
	}
	if s.design != nil {
		s.dscp, s.cnp = s.design.DSCP, s.design.CNPDSCP
		return
	}
	n, best := map[int]int{}, 0
	for _, d := range s.devices {
		if d.Device.QoS == nil {
			continue
		}
		for k := range d.Device.QoS.Profiles {
			p := &d.Device.QoS.Profiles[k]
			for _, dscp := range []int{26, 24} {
				if c := p.Class(p.Classify[dscp]); c != nil && c.Pause != nil {
					if n[dscp]++; n[dscp] > best {
						s.dscp, best = dscp, n[dscp]
					}
				}
			}
		}
	}
}

// play runs a scene with sides and returns what it left.
func play(ctx context.Context, sc *scene, yaml string, sides func(sw string, k int) side) (*result.Summary, error) {
	bare, err := scenario.Parse("proof.yaml", []byte(yaml))
	if err != nil {
		return nil, err
	}
	p, err := run.NewPlan(bare)
	if err != nil {
		return nil, err
	}
	configs, err := lay(p, sc, sides)
	if err != nil {
		return nil, err
	}
	full, err := bare.With(scenario.Change{Path: "fabric.config", Text: "configurations"})
	if err != nil {
		return nil, err
	}
	sum, err := run.Run(ctx, full, run.Options{Force: true, Configs: configs})
	if sum == nil || ctx.Err() != nil {
		return nil, err
	}
	return sum, nil // a run whose flows fail has figures as well
}

// lay configures the switches of a small network.
func lay(p *plan.Plan, sc *scene, sides func(sw string, k int) side) (all []switches.Configuration, err error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	for id, n := range p.Graph.Nodes {
		if n.Kind == topo.HostKind {
			continue
		}
		name := in.Devices[id].Name
		first := sides(name, 0).device
		d := first.Clone()
		d.Name, d.Interfaces, d.BGP = name, nil, nil
		d.QoS.Profiles = nil
		if !sc.own {
			d.QoS.Pools = netconf.Pools{}
		}
		if !sc.chosen {
			d.Balance = nil
		}
		for k, port := range n.Ports {
			from := sides(name, k)
			i := *from.port
			i.Name, i.Kind, i.Description, i.Addresses, i.VLAN, i.Speed = in.Ports[port].Name.String(), netconf.Physical, "", nil, 0, 0
			if from.port.QoS != nil {
				q := *from.port.QoS
				q.Profile = d.QoS.Use(from.device.QoS.Profiles[q.Profile])
				i.QoS = &q
			}
			d.Interfaces = append(d.Interfaces, i)
		}
		all = append(all, switches.Configuration{Name: name, Parsed: &netconf.Parsed{Device: d, Places: map[string]netconf.Place{}}})
	}
	return all, nil
}
