package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/noun"
)

// Case is what is known.
type Case struct {
	Now     *telemetry.Telemetry
	Healthy *telemetry.Telemetry // of the same fabric in order; nil: there is none
	Graph   *topo.Graph          // who is beside whom; nil: not known
}

// Mechanism is what is wrong, more finely than a noun says.
type Mechanism string

// The mechanisms.
const (
	LossyOptic    Mechanism = "lossy optic"
	Flapping      Mechanism = "flapping link"
	DownRerouted  Mechanism = "link down, rerouted"
	DownNotMoved  Mechanism = "link down, not rerouted"
	Degraded      Mechanism = "degraded speed"
	StuckNIC      Mechanism = "PFC storm by a NIC"
	StuckSwitch   Mechanism = "PFC storm by a switch port"
	WatchdogActs  Mechanism = "watchdog acting"
	NoMarking     Mechanism = "ECN off"
	OtherClass    Mechanism = "wrong DSCP map"
	Drifted       Mechanism = "thresholds drifted"
	SmallMTU      Mechanism = "wrong MTU"
	Polarised     Mechanism = "hash polarisation"
	Collision     Mechanism = "ECMP collision"
	ForeignIncast Mechanism = "incast by others"
	SlowGPU       Mechanism = "slow GPU"
	SlowPCIe      Mechanism = "slow PCIe"
	NoPeerMemory  Mechanism = "missing peer memory"
	DeadRank      Mechanism = "dead rank"
	HostHang      Mechanism = "host hang"
	Fragmented    Mechanism = "fragmented placement"
)

// needs is what a mechanism is seen by beside counters.
type needs uint8

const (
	collectives needs = 1 << iota // logged by rank
	healthy                       // telemetry of the fabric in order
	topology
	channels // lines by which NCCL says how it sends
)

// about says of a mechanism which noun it has, which measurement would decide on it, by which counters it is seen, and what is
// to be said where it is not.
var about = map[Mechanism]struct {
	noun   noun.Noun
	decide string
	by     []telemetry.Counter
	needs  needs
	absent string
}{
	LossyOptic: {noun.LossyLink, "read the FEC and symbol counters of both ends twice, a minute apart; clean or change the optic",
		[]telemetry.Counter{telemetry.InErrors}, 0, "in_errors rose nowhere, or not beyond what it does in order"},
	Flapping: {noun.LinkDown, "read the carrier transitions of both ends and the optic's receive power over an hour",
		[]telemetry.Counter{telemetry.LinkDowns}, 0, "no link went down more than once"},
	DownRerouted: {noun.LinkDown, "look at the port's state and its module at both ends; the routes have followed",
		[]telemetry.Counter{telemetry.LinkDowns}, 0, "no link went down once, with a BGP session that followed"},
	DownNotMoved: {noun.LinkDown, "look at the route to the neighbour: it still leads over the link that is down",
		[]telemetry.Counter{telemetry.LinkDowns}, 0, "no link went down once, without a BGP session that followed"},
	Degraded: {noun.SlowLink, "read the speed that both ends have agreed upon, and lanes that are down",
		[]telemetry.Counter{telemetry.Speed}, 0, "every link has come up as fast as in order, as its other end, or as it was built"},
	StuckNIC: {noun.PFCStorm, "read tx_prioN_pause of the NIC while its host is idle: it still rises if the NIC is stuck",
		[]telemetry.Counter{telemetry.RxPause}, topology, "no NIC holds its switch without a break"},
	StuckSwitch: {noun.PFCStorm, "read the PFC frames that the switch port sends while its queues are empty",
		[]telemetry.Counter{telemetry.RxPause}, 0, "no switch holds its neighbour without a break that nobody holds itself"},
	WatchdogActs: {noun.PFCWatchdog, "read the watchdog's drops of the queue, and who sends it the pauses",
		[]telemetry.Counter{telemetry.Watchdog}, 0, "no PFC watchdog found a storm"},
	NoMarking: {noun.WrongThreshold, "show the ECN configuration of the switch's queues beside a switch of its tier",
		[]telemetry.Counter{telemetry.ECNMarked, telemetry.Watermark}, healthy,
		"no switch has ceased to mark at queues as deep as in order"},
	OtherClass: {noun.WrongClass, "show the DSCP map of the switch's ports beside a switch of its tier",
		[]telemetry.Counter{telemetry.Watermark}, healthy, "no queue of another priority holds more than in order"},
	Drifted: {noun.WrongThreshold, "show the WRED and PFC thresholds of the switch beside a switch of its tier",
		[]telemetry.Counter{telemetry.ECNMarked, telemetry.Watermark}, healthy,
		"each switch marks and pauses at queues about as deep as in order"},
	SmallMTU: {noun.LossyLink, "send a frame of the full MTU over the link without fragmenting it",
		[]telemetry.Counter{telemetry.Oversize}, 0, "no port found a frame too long, or no more than in order"},
	Polarised: {noun.Polarisation, "show the hash function and seed of switches of two tiers",
		[]telemetry.Counter{telemetry.TxBytes}, healthy | topology, "no tier below others leaves equal links idle that it uses in order"},
	Collision: {noun.ECMPCollision, "ask the switch which link the largest flows take, with their UDP source ports",
		[]telemetry.Counter{telemetry.TxBytes, telemetry.Watermark}, topology,
		"no equal link sends more than the others and has a long queue for it"},
	ForeignIncast: {noun.Incast, "list the flows that arrive at the port by sender (sFlow, or the NICs' counters by job)",
		[]telemetry.Counter{telemetry.TxBytes, telemetry.Watermark}, healthy | topology,
		"no host gets more than in order by a port with a long queue"},
	SlowGPU: {noun.Straggler, "run a matrix product on the GPU alone, and read its clocks and throttle reasons",
		nil, collectives, "no rank begins its collectives later than the others, again and again"},
	SlowPCIe: {noun.SlowReceiver, "read the PCIe link's width and speed, and outbound_pci_stalled of the NIC",
		[]telemetry.Counter{telemetry.PCIe}, 0, "no NIC's PCIe carries less than in order or than its like, and none pauses its switch"},
	NoPeerMemory: {noun.PCIeBound, "look whether nvidia_peermem is loaded, and for GDRDMA in NCCL's channel lines",
		nil, channels, "NCCL sends from GPU memory (GDRDMA) on all hosts alike"},
	DeadRank: {noun.Hang, "look at the process and its GPU: Xid lines, a stack, nvidia-smi",
		nil, collectives, "no rank is missing in a collective in which others wait"},
	HostHang: {noun.Hang, "look at the host by its management port: is the kernel alive",
		nil, collectives, "no host's ranks are late or missing together"},
	Fragmented: {noun.WrongOrder, "hold the order of ranks in NCCL's rings against the leaves of their hosts",
		[]telemetry.Counter{telemetry.TxBytes}, healthy | topology, "no more bytes cross the tiers than in order"},
}

// Noun is what the room of nouns calls it.
func (m Mechanism) Noun() noun.Noun { return about[m].noun }

// The weights of an observation, in nats: how much likelier it is with the mechanism than without.
const (
	decisive = 8.0 // nothing else leaves it
	strong   = 4.0
	fair     = 2.0
	faint    = 0.7
)

// threshold is what a hypothesis must reach to be named.
const threshold = 3.5

// Observation is something that was read, and what it says.
type Observation struct {
	Text   string  `json:"text"`
	At     string  `json:"at"`
	Weight float64 `json:"weight"` // in nats; below 0: against
}

// Hypothesis is one explanation.
type Hypothesis struct {
	Mechanism   Mechanism     `json:"mechanism"`
	Noun        noun.Noun     `json:"noun"`
	Place       noun.Place    `json:"place"`
	Likelihood  float64       `json:"likelihood"` // log, against a fabric in order; nats
	Probability float64       `json:"probability"`
	For         []Observation `json:"for"`
	Against     []Observation `json:"against,omitempty"`
	Culprits    []string      `json:"culprits,omitempty"`
	Decide      string        `json:"decide"` // what to measure next
}

// Verdict is what the judge says.
type Verdict struct {
	Wrong      bool         `json:"wrong"`
	Hypotheses []Hypothesis `json:"hypotheses"` // the best three, the likeliest first
	RuledOut   []RuledOut   `json:"ruled_out,omitempty"`
	Unknown    []string     `json:"unknown,omitempty"`
}

// RuledOut is a mechanism that was looked for, and that what was read speaks against.
type RuledOut struct {
	Mechanism Mechanism `json:"mechanism"`
	Noun      noun.Noun `json:"noun"`
	Why       string    `json:"why"`
}

// Judge says what is wrong.
func Judge(c Case) Verdict {
	v := newView(c)
	var all []Hypothesis
	for _, rung := range []func(*view) []Hypothesis{(*view).losses, (*view).downs, (*view).oversize, (*view).watchdogs,
		(*view).speeds, (*view).pauses, (*view).hosts, (*view).classes, (*view).marking, (*view).pausing, (*view).congestion,
		(*view).choices, (*view).ranks, (*view).stalls, (*view).placement} {
		all = append(all, rung(v)...)
	}
	slices.SortStableFunc(all, func(a, b Hypothesis) int {
		return cmp.Or(cmp.Compare(b.Likelihood, a.Likelihood), cmp.Compare(a.Mechanism, b.Mechanism),
			strings.Compare(a.Place.Name, b.Place.Name))
	})
	named := slices.IndexFunc(all, func(h Hypothesis) bool { return h.Likelihood < threshold })
	if named < 0 {
		named = len(all)
	}
	out := Verdict{Wrong: named > 0}
	kinds, best := map[Mechanism]bool{}, []Hypothesis{}
	top := 0.0 // of a fabric in order
	for _, h := range all[:named] {
		if !kinds[h.Mechanism] { // of one mechanism the likeliest place
			kinds[h.Mechanism] = true
			best, top = append(best, h), max(top, h.Likelihood)
		}
	}
	sum := math.Exp(-top)
	for i := range best {
		best[i].Probability = math.Exp(best[i].Likelihood - top)
		sum += best[i].Probability
	}
	for i := range best {
		best[i].Probability /= sum
	}
	out.Hypotheses = best[:min(3, len(best))]
	out.RuledOut, out.Unknown = v.ruledOut(kinds, all[named:]), v.unknown(kinds)
	return out
}

// ruledOut lists the mechanisms that left nothing, of those that would have been seen, and those that something speaks against.
func (v *view) ruledOut(named map[Mechanism]bool, weak []Hypothesis) (all []RuledOut) {
	for _, m := range Mechanisms() {
		a := about[m]
		if named[m] || len(v.missing(m)) > 0 {
			continue
		}
		why := a.absent
		if i := slices.IndexFunc(weak, func(h Hypothesis) bool { return h.Mechanism == m && len(h.Against) > 0 }); i >= 0 {
			why = weak[i].Against[0].At + ": " + weak[i].Against[0].Text
		}
		all = append(all, RuledOut{m, a.noun, why})
	}
	return all
}

// missing is what was not read and a mechanism would be seen by.
func (v *view) missing(m Mechanism) (all []string) {
	a := about[m]
	for _, c := range a.by {
		switch ports, nics := v.read(c, telemetry.Port), v.read(c, telemetry.NIC); {
		case ports < 1 && nics < 1:
			all = append(all, telemetry.Counters[c].Name)
		case ports == 0 && bothHave(c):
			all = append(all, telemetry.Counters[c].Name+" of switches")
		case nics == 0 && bothHave(c):
			all = append(all, telemetry.Counters[c].Name+" of hosts")
		}
	}
	for _, x := range []struct {
		need needs
		here bool
		name string
	}{
		{collectives, len(v.Now.Collectives) > 0, "collectives by rank"},
		{healthy, v.Healthy != nil, "the fabric in order"},
		{topology, v.Graph != nil, "who is beside whom"},
		{channels, v.channelLines(), "NCCL's channel lines"},
	} {
		if a.needs&x.need != 0 && !x.here {
			all = append(all, x.name)
		}
	}
	return all
}

// read is how many ports of a kind a counter was read of; -1: there are none of the kind.
func (v *view) read(c telemetry.Counter, k telemetry.Kind) int {
	n, there := 0, false
	for i := range v.Now.Series {
		if s := &v.Now.Series[i]; s.Kind == k || k == telemetry.Port && s.Kind == telemetry.Queue {
			there = true
			if s.Has(c) {
				n++
			}
		}
	}
	if !there {
		return -1
	}
	return n
}

// bothHave reports whether switches and NICs have a counter, so that one read of hosts alone says nothing of switches.
func bothHave(c telemetry.Counter) bool {
	return c < telemetry.ECNMarked || c > telemetry.Watchdog && c < telemetry.PCIe
}

// Mechanisms lists them, in order.
func Mechanisms() []Mechanism { return slices.Sorted(maps.Keys(about)) }

// Where says in words where it is.
func (h *Hypothesis) Where() string {
	p := &h.Place
	switch p.Kind {
	case noun.Rank:
		return fmt.Sprintf("rank %d on %s", *p.Rank, p.Name)
	case noun.Tier:
		return "switches of tier " + p.Name
	case noun.Links:
		return fmt.Sprintf("%s, among %d equal links of %s", strings.Join(h.Culprits, ", "), len(p.Ports), p.Name)
	case noun.Job:
		return "the job"
	}
	return p.Name
}

// making is a hypothesis in the making.
type making struct{ Hypothesis }

func propose(m Mechanism, p noun.Place) *making {
	return &making{Hypothesis{Mechanism: m, Noun: m.Noun(), Place: p, Decide: about[m].decide}}
}

// says adds an observation.
func (h *making) says(weight float64, at, format string, args ...any) *making {
	o := Observation{fmt.Sprintf(format, args...), at, weight}
	h.Likelihood += weight
	if weight < 0 {
		h.Against = append(h.Against, o)
	} else {
		h.For = append(h.For, o)
	}
	return h
}
