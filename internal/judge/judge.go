package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"railyard/internal/noun"
	"railyard/internal/telemetry"
	"railyard/internal/topo"
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

// about says of a mechanism which noun it has, and which measurement would decide on it.
var about = map[Mechanism]struct {
	noun   noun.Noun
	decide string
}{
	LossyOptic:    {noun.LossyLink, "read the FEC and symbol counters of both ends twice, a minute apart; clean or change the optic"},
	Flapping:      {noun.LinkDown, "read the carrier transitions of both ends and the optic's receive power over an hour"},
	DownRerouted:  {noun.LinkDown, "look at the port's state and its module at both ends; the routes have followed"},
	DownNotMoved:  {noun.LinkDown, "look at the route to the neighbour: it still leads over the link that is down"},
	Degraded:      {noun.SlowLink, "read the speed that both ends have agreed upon, and lanes that are down"},
	StuckNIC:      {noun.PFCStorm, "read tx_prioN_pause of the NIC while its host is idle: it still rises if the NIC is stuck"},
	StuckSwitch:   {noun.PFCStorm, "read the PFC frames that the switch port sends while its queues are empty"},
	WatchdogActs:  {noun.PFCWatchdog, "read the watchdog's drops of the queue, and who sends it the pauses"},
	NoMarking:     {noun.WrongThreshold, "show the ECN configuration of the switch's queues beside a switch of its tier"},
	OtherClass:    {noun.WrongClass, "show the DSCP map of the switch's ports beside a switch of its tier"},
	Drifted:       {noun.WrongThreshold, "show the WRED and PFC thresholds of the switch beside a switch of its tier"},
	SmallMTU:      {noun.LossyLink, "send a frame of the full MTU over the link without fragmenting it"},
	Polarised:     {noun.Polarisation, "show the hash function and seed of switches of two tiers"},
	Collision:     {noun.ECMPCollision, "ask the switch which link the largest flows take, with their UDP source ports"},
	ForeignIncast: {noun.Incast, "list the flows that arrive at the port by sender (sFlow, or the NICs' counters by job)"},
	SlowGPU:       {noun.Straggler, "run a matrix product on the GPU alone, and read its clocks and throttle reasons"},
	SlowPCIe:      {noun.SlowReceiver, "read the PCIe link's width and speed, and outbound_pci_stalled of the NIC"},
	NoPeerMemory:  {noun.PCIeBound, "look whether nvidia_peermem is loaded, and for GDRDMA in NCCL's channel lines"},
	DeadRank:      {noun.Hang, "look at the process and its GPU: Xid lines, a stack, nvidia-smi"},
	HostHang:      {noun.Hang, "look at the host by its management port: is the kernel alive"},
	Fragmented:    {noun.WrongOrder, "hold the order of ranks in NCCL's rings against the leaves of their hosts"},
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
	Unknown    []string     `json:"unknown,omitempty"`
}

// Judge says what is wrong.
func Judge(c Case) Verdict {
	v := newView(c)
	var all []Hypothesis
	for _, rung := range []func(*view) []Hypothesis{(*view).losses, (*view).downs, (*view).oversize, (*view).watchdogs,
		(*view).pauses, (*view).hosts, (*view).classes, (*view).marking, (*view).congestion, (*view).choices, (*view).ranks,
		(*view).placement} {
		all = append(all, rung(v)...)
	}
	all = slices.DeleteFunc(all, func(h Hypothesis) bool { return h.Likelihood < threshold })
	slices.SortStableFunc(all, func(a, b Hypothesis) int {
		return cmp.Or(cmp.Compare(b.Likelihood, a.Likelihood), cmp.Compare(a.Mechanism, b.Mechanism),
			strings.Compare(a.Place.Name, b.Place.Name))
	})
	out := Verdict{Wrong: len(all) > 0, Unknown: v.unknown()}
	sum := 1.0 // of a fabric in order
	for i := range all {
		sum += math.Exp(all[i].Likelihood)
	}
	kinds := map[Mechanism]bool{}
	for _, h := range all {
		if kinds[h.Mechanism] || len(out.Hypotheses) == 3 { // of one mechanism the likeliest place
			continue
		}
		kinds[h.Mechanism] = true
		h.Probability = math.Exp(h.Likelihood) / sum
		out.Hypotheses = append(out.Hypotheses, h)
	}
	return out
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
