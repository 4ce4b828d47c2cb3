package prove

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/net/qos"
)

// A recipe shows what a rule is about.
type recipe struct {
	claim  string
	figure string // that moves: broken is more than mended
	less   bool   // broken is less
	scene  func(s *subject) (sc *scene, why string)
}

var dropped = "frames are dropped, and go-back-N repeats all after them"

// recipes are those of the rules whose behaviour can be simulated.
var recipes = map[string]recipe{
	"Q01": {claim: dropped, figure: "drops", scene: lossyData},
	"Q02": {claim: dropped, figure: "drops", scene: lossyData},
	"Q03": {claim: "CNPs come late: more is marked until senders slow down", figure: "ECN marks", scene: lateCNPs},
	"Q04": {claim: "nothing is marked, so senders slow down only when they are paused", figure: "pauses", scene: unmarked},
	"Q05": {claim: "marking begins late, so the queue grows longer", figure: "longest queue", scene: steps},
	"Q06": {claim: "ports are paused before congestion control has acted", figure: "pauses", scene: pausedFirst},
	"Q07": {claim: "frames that arrive after xOFF are dropped, though PFC is on", figure: "drops", scene: shortHeadroom},
	"Q08": {claim: "the queue of the slower port is as long in bytes, and so longer in time", figure: "longest queue", scene: unscaled},
	"Q09": {claim: "headroom of all these classes is missing in the part of the buffer that ports share", figure: "shared buffer",
		less: true, scene: manyPause},
	"Q10": {claim: "one stuck neighbour holds up flows to others", figure: "slowest flow", scene: stuck},
	"Q11": {claim: "other traffic stands in RoCE's queue", figure: "slowest flow", scene: sharedQueue},
	"Q12": {claim: "frames are too long for the port, and flows fail", figure: "slowest flow", scene: tooLong},
	"Q13": {claim: "what comes in by the forgotten port is dropped", figure: "drops", scene: forgotten},
	"Q14": {claim: dropped, figure: "drops", scene: slip},
	"Q15": {claim: dropped, figure: "drops", scene: slip},
	"Q16": {claim: dropped, figure: "drops", scene: slip},
	"Q18": {claim: "the second tier does not spread what the first one chose", figure: "slowest flow", scene: polarised},
	"Q19": {claim: "ports wait for each other, and flows fail", figure: "slowest flow", scene: circle},
	"Q21": {claim: "one stuck neighbour holds up flows to others", figure: "slowest flow", scene: watchdogWords},
	"Q22": {claim: dropped, figure: "drops", scene: unheard},
	"Q23": {claim: "one end does not heed the pauses of the other, and frames are dropped", figure: "drops", scene: disagree},
	"Q34": {claim: dropped, figure: "drops", scene: lossyData},
	"Q24": {claim: "neither hears the other, PFC auto is off, and frames are dropped", figure: "drops", scene: disagree},
}

const noAddresses = "a run takes no addresses and no sessions from configurations"

// reasons are why the others have none.
var reasons = map[string]string{
	"Q17": "whether a switch takes part in DLB, and since when, is in no model: it is the platform's",
	"Q20": "what is not understood is not simulated",
	"Q25": "a run has no peers that share a bond's state",
	"Q26": noAddresses, "Q27": noAddresses, "Q28": noAddresses, "Q29": noAddresses,
	"Q30": noAddresses, "Q31": noAddresses, "Q32": noAddresses,
	"Q33": "what nothing uses changes nothing by itself",
	"Q35": "a device that is none of the design's is not simulated",
	"Q36": "where a cable goes is the scenario's: none of the files says it",
}

// star is a scenario of one switch.
func (s *subject) star(hosts int, more string, flows ...string) string {
	return fmt.Sprintf(`name: proof
cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %dMb/s}}
fabric:
  design: single-switch
  switch: {buffer: 8MB}
  qos: {dscp: %d, cnp_dscp: %d, other_priority: 0%s
job: {flows: [%s]}
`, hosts, s.rate/unit.MegabitPerSec, s.dscp, s.cnp, more, strings.Join(flows, ", "))
}

// to are flows of some size from hosts to one.
func to(far int, size string, hosts ...int) (all []string) {
	for _, h := range hosts {
		all = append(all, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: %s}", h, far, size))
	}
	return all
}

const withDCQCN, withNone = "}\ncongestion: {algorithm: dcqcn}", "}\ncongestion: {algorithm: none}"

// victim is the name of the flow that goes where nothing is congested, from a host that others share their port with.
const victim = "bystander"

// aside is a bystander from the first host to another one that nobody else sends to.
func aside(far int, size string) string {
	return fmt.Sprintf("{name: %s, from: host1/gpu0, to: host%d/gpu0, bytes: %s}", victim, far, size)
}

// incast is four hosts that send to a fifth, of which the first also sends to a sixth.
func (s *subject) incast(how string, mended side) *scene {
	return &scene{
		network: fmt.Sprintf("four hosts send 5 MB each to a fifth, and a bystander 1 MB to a sixth, over one switch with 8 MB of "+
			"buffer, %s, DCQCN", s.rate.Human()),
		yaml:   s.star(6, withDCQCN, append(to(5, "5MB", 1, 2, 3, 4), aside(6, "1MB"))...),
		broken: all(s.itself()), mended: all(mended), how: how,
	}
}

// burst is sixteen hosts that begin to send at once: much is on its way before any mark is answered.
func (s *subject) burst(how string, mended side) *scene {
	var hosts []int
	for h := range 16 {
		hosts = append(hosts, h+1)
	}
	sc := s.incast(how, mended)
	sc.network = fmt.Sprintf("sixteen hosts send 1 MB each at once to one more, and a bystander 1 MB elsewhere, over one switch with "+
		"10 MB of buffer, %s, DCQCN", s.rate.Human())
	sc.yaml = strings.Replace(s.star(18, withDCQCN, append(to(17, "1MB", hosts...), aside(18, "1MB"))...), "buffer: 8MB", "buffer: 10MB", 1)
	return sc
}

func lossyData(s *subject) (*scene, string) {
	return s.burst(fmt.Sprintf("DSCP %d is in a class that pauses and marks", s.dscp), s.edit(s.lossless)), ""
}

func unheard(s *subject) (*scene, string) {
	if _, there := s.neighbour(); there && strings.Contains(s.finding.Text, "by DCBX") {
		return disagree(s)
	}
	return s.burst("LLDP and DCBX are on", s.edit(func(d *netconf.Device, _ *netconf.Profile, i *netconf.Interface) {
		d.LLDP, i.LLDP = &netconf.LLDP{On: true}, netconf.PortLLDP{}
	})), ""
}

func unmarked(s *subject) (*scene, string) {
	if p := s.device.ProfileOf(s.port); p == nil || pausing(p) == nil {
		return nil, "no class pauses"
	}
	return s.incast("its queue marks", s.edit(s.marking)), ""
}

// lateCNPs has hosts send in both directions, so that CNPs pass full queues.
func lateCNPs(s *subject) (*scene, string) {
	return &scene{
		network: fmt.Sprintf("three hosts send 4 MB each to a fourth, and that and two more to the first, over one switch, %s, DCQCN",
			s.rate.Human()),
		yaml: s.star(6, withDCQCN, append(to(4, "4MB", 1, 2, 3), to(1, "4MB", 4, 5, 6)...)...),
		how:  "CNPs have a strict queue of their own", broken: all(s.itself()), mended: all(s.edit(s.strictCNP)), own: true,
	}, ""
}

func steps(s *subject) (*scene, string) {
	sc := s.incast("WRED min is a tenth of max", s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
		for k := range p.Classes {
			if p.Classes[k].ECN != nil {
				scaledECN(&p.Classes[k], 1<<62)
			}
		}
	}))
	sc.own = true
	sc.network = strings.Replace(sc.network, " with 8 MB of buffer", "", 1)
	sc.yaml = strings.Replace(sc.yaml, "buffer: 8MB", "buffer: 64MB", 1)
	return sc, ""
}

// pausedFirst has one sender that is alone fill the queue of a slower port: there ingress and egress count the same
// bytes.
func pausedFirst(s *subject) (*scene, string) {
	p := s.device.ProfileOf(s.port)
	if p == nil || pausing(p) == nil || pausing(p).Buffer() == nil || pausing(p).ECN == nil {
		return nil, "no xOFF or no WRED profile"
	}
	pools, b := s.device.QoS.Pools, pausing(p).Buffer()
	pause := b.XOFF
	if pause == 0 {
		pause = unit.Bytes(unit.Ratio{Num: b.Alpha.Num, Den: b.Alpha.Num + b.Alpha.Den}.Of(int64(pools.Size - pools.Headroom)))
	}
	return &scene{
		network: fmt.Sprintf("a host sends 8 MB at %s over one switch to one at %s, DCQCN", s.rate.Human(), (s.rate / 2).Human()),
		yaml:    s.slow(2, 2, to(2, "8MB", 1)...),
		how:     "WRED max is half of where PFC acts", broken: all(s.itself()), own: true,
		mended: all(s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) { scaledECN(pausing(p), pause/2) })),
	}, ""
}

// shortHeadroom has a port pause a neighbour that takes as long to stop as its speed allows.
func shortHeadroom(s *subject) (*scene, string) {
	meant := s.meant()
	if meant == nil {
		return nil, "rate and cable are known with --scenario alone"
	}
	link := qos.Link{Rate: meant.Speed, Delay: s.design.Delay(s.name, s.port.Name)}
	need := qos.FormulaHeadroom(max(s.port.MTU, s.design.Frame), 0).At(link)
	sc := s.incast("headroom is "+need.Human(), s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
		for k := range p.Classes {
			if c := &p.Classes[k]; c.Buffer() != nil {
				pause, buffer := *c.Pause, *c.Pause.Buffer
				buffer.Headroom, pause.Buffer = max(buffer.Headroom, need), &buffer
				c.Pause = &pause
			}
		}
	}))
	sc.network = fmt.Sprintf("four hosts send 8 MB each to a fifth over one switch, %s, cables of %v, the longest response to a pause",
		s.rate.Human(), link.Delay)
	sc.yaml = s.star(5, ", pfc: {response: auto}}\n  links: {delay: "+link.Delay.String()+"}\ncongestion: {algorithm: none}",
		to(5, "8MB", 1, 2, 3, 4)...)
	return sc, ""
}

// unscaled has two hosts send to one at a quarter of the rate.
func unscaled(s *subject) (*scene, string) {
	return &scene{
		network: fmt.Sprintf("two hosts send 8 MB each to a third whose port has a quarter of their rate, %s, DCQCN", s.rate.Human()),
		yaml:    s.slow(3, 4, to(3, "8MB", 1, 2)...), how: "thresholds of the slower port are a quarter", own: true,
		broken: all(s.itself()),
		mended: func(_ string, k int) side {
			if k != 2 {
				return s.itself()
			}
			return s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
				c := pausing(p)
				e := *c.ECN
				e.Min, e.Max, e.MinFill, e.MaxFill = e.Min/4, e.Max/4, e.MinFill/4, max(e.MaxFill/4, min(e.MaxFill, 1))
				c.ECN = &e
			})
		},
	}, ""
}

// slow is a star whose last host has a slower link.
func (s *subject) slow(hosts, times int, flows ...string) string {
	return s.star(hosts, fmt.Sprintf("}\n  links: {named: [{link: \"*/host%d\", rate: %dMb/s}]}\ncongestion: {algorithm: dcqcn}", hosts,
		s.rate/unit.MegabitPerSec/unit.Bitrate(times)), flows...)
}

func manyPause(s *subject) (*scene, string) {
	sc := s.incast("only the class of RoCE data pauses", s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
		for k := range p.Classes {
			if c := &p.Classes[k]; c.TC != p.Classify[s.dscp] {
				c.Pause = nil
			}
		}
	}))
	return sc, ""
}

func sharedQueue(s *subject) (*scene, string) {
	return &scene{
		network: fmt.Sprintf("a host sends 4 MB of RoCE data, two send 4 MB of other traffic, all to a fourth over one switch, %s",
			s.rate.Human()),
		yaml: s.star(4, withNone, to(4, "4MB", 1)...) + "background: {flows: [" + strings.Join(to(4, "4MB", 2, 3), ", ") + "]}\n",
		how:  "other traffic has a class of its own", broken: all(s.itself()), own: true,
		mended: all(s.edit(func(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
			tc := s.freeClass(p)
			p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc, Share: max(pausing(p).Share, 1)})
			for d, of := range p.Classify {
				if of == pausing(p).TC && d != s.dscp {
					p.Classify[d] = tc
				}
			}
		})),
	}, ""
}

func tooLong(s *subject) (*scene, string) {
	const frame = 4096 + 82
	if s.port.MTU >= frame {
		return nil, fmt.Sprintf("RoCE's frames of at most %d bytes pass both", frame)
	}
	return &scene{
		network: fmt.Sprintf("a host sends 1 MB to another over one switch, %s, payload of 4,096 bytes", s.rate.Human()),
		yaml:    s.star(2, withDCQCN, to(2, "1MB", 1)...), how: "ports take frames of 9,216 bytes", broken: all(s.itself()),
		mended: all(s.edit(func(_ *netconf.Device, _ *netconf.Profile, i *netconf.Interface) { i.MTU = 9216 })),
	}, ""
}

// forgotten has the first host send by the port that differs, and the others by one as most are.
func forgotten(s *subject) (*scene, string) {
	usual := s.usual()
	if usual == nil {
		return nil, "no port is as most are"
	}
	sc := s.incast("the port is as the others are", side{s.device, usual})
	sc.broken = func(_ string, k int) side {
		if k == 0 {
			return s.itself()
		}
		return side{s.device, usual}
	}
	sc.yaml = strings.NewReplacer("algorithm: dcqcn", "algorithm: none", "buffer: 8MB", "buffer: 4MB").Replace(sc.yaml)
	sc.network = strings.Replace(sc.network, "8 MB of buffer", "4 MB of buffer", 1)
	sc.network = strings.Replace(sc.network, ", DCQCN", ", the first by the forgotten port, no congestion control", 1)
	return sc, ""
}

// usual is the port that is treated as most are, and pauses.
func (s *subject) usual() *netconf.Interface {
	for i := range s.device.Interfaces {
		p := &s.device.Interfaces[i]
		if of := s.device.ProfileOf(p); p.Name != s.port.Name && of != nil && pausing(of) != nil && p.QoS.PFC != netconf.PFCOff {
			return p
		}
	}
	return nil
}

// slip shows what a form that does nothing leaves undone.
func slip(s *subject) (*scene, string) {
	p := s.device.ProfileOf(s.port)
	if p == nil {
		return nil, "the port has no profile"
	}
	if strings.Contains(s.finding.Text, "of CNPs") {
		return nil, "what class CNPs have when the platform has theirs for itself is the platform's"
	}
	c := p.Class(p.Classify[s.dscp])
	if c != nil && c.Pause != nil && s.port.QoS.PFC != netconf.PFCOff {
		return nil, "what the line was meant to do, the device does without it, or it is not known"
	}
	return lossyData(s)
}

// neighbour is the other end of the port.
func (s *subject) neighbour() (side, bool) {
	d, port := lint.Far(s.devices, s.port)
	if port == nil || port.QoS == nil || d.Device.QoS == nil {
		return side{}, false
	}
	return side{d.Device, port}, true
}

// disagree has two leaves send over a spine that is configured as the neighbour.
func disagree(s *subject) (*scene, string) {
	far, there := s.neighbour()
	if !there {
		return nil, "the other end of the cable is not among the files"
	}
	if strings.Contains(s.finding.Text, "% of the link") {
		return nil, "each end serves its own queues: in a run a share holds for the direction in which its end sends"
	}
	sides := func(spine side) func(string, int) side {
		return func(sw string, _ int) side {
			if strings.HasPrefix(sw, "spine") {
				return spine
			}
			return s.itself()
		}
	}
	return &scene{
		network: fmt.Sprintf("four hosts of two leaves send 2 MB each to one of a third leaf over a spine with 2 MB of buffer, %s",
			s.rate.Human()),
		yaml: fmt.Sprintf(`name: proof
cluster: {hosts: 6, host: {gpus: 1}, nic: {speed: %[1]dMb/s}}
fabric:
  design: leaf-spine
  leaves: 3
  spines: 1
  links: {spine: %[1]dMb/s}
  switch: {buffer: 2MB}
  qos: {dscp: %[2]d, cnp_dscp: %[3]d}
congestion: {algorithm: none}
job: {flows: [%[4]s]}
`, s.rate/unit.MegabitPerSec, s.dscp, s.cnp, strings.Join(to(6, "2MB", 1, 2, 3, 4), ", ")),
		how: "the spine is configured as the leaf", broken: sides(far), mended: sides(s.itself()),
	}, ""
}
