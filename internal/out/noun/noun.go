package noun

import (
	"slices"

	"railyard/internal/base/unit"
)

// Noun is what a finding is called.
type Noun string

// The nouns: of choices among links, of links and ports, of pauses, of loss, of hosts, of the job.
const (
	ECMPCollision    Noun = "ECMP collision"
	Polarisation     Noun = "polarisation"
	UnevenSpraying   Noun = "uneven spraying"
	Incast           Noun = "incast"
	Oversubscription Noun = "oversubscription"
	SharedLink       Noun = "shared link"
	CrossRail        Noun = "cross-rail traffic"

	SlowLink       Noun = "slow link"
	LossyLink      Noun = "lossy link"
	LinkDown       Noun = "link down"
	BlackHole      Noun = "black hole"
	WrongClass     Noun = "wrong class"
	WrongThreshold Noun = "wrong threshold"
	SmallBuffer    Noun = "small buffer"

	HOLVictim    Noun = "HOL victim of pauses"
	PFCStorm     Noun = "PFC storm"
	PFCDeadlock  Noun = "PFC deadlock"
	PFCWatchdog  Noun = "PFC watchdog"
	SlowReceiver Noun = "slow receiver"

	Timeout    Noun = "timeout"
	Reordering Noun = "reordering"

	ControllerUnderRun Noun = "controller under-run"
	SmallWindow        Noun = "small window"

	PCIeShared Noun = "PCIe shared"
	NICShared  Noun = "NIC shared"
	AnotherJob Noun = "another job"

	Straggler     Noun = "straggler"
	Bubble        Noun = "bubble"
	UnevenStages  Noun = "uneven stages"
	UnevenRouting Noun = "uneven routing"
	DroppedTokens Noun = "dropped tokens"
	LaunchBound   Noun = "launch-bound"
	ComputeBound  Noun = "compute-bound"
	LinkBound     Noun = "link-bound"
	LatencyBound  Noun = "latency-bound"
	NVLinkBound   Noun = "NVLink-bound"
	PCIeBound     Noun = "PCIe-bound"
	HostBound     Noun = "host-bound"

	WrongAlgorithm Noun = "wrong algorithm"
	WrongProtocol  Noun = "wrong protocol"
	WrongOrder     Noun = "wrong order"

	Abort      Noun = "abort"
	Hang       Noun = "hang"
	Checkpoint Noun = "checkpoint"
)

// Class is what sort of thing a noun is.
type Class uint8

// The classes.
const (
	Fault      Class = iota + 1 // something is broken, or set otherwise than its like
	Contention                  // traffic meets where it need not, or more of it than a link takes
	Choice                      // the job or the network is laid out so, and could be otherwise
	Share                       // every run has some of it
)

func (c Class) String() string {
	return [...]string{"", "fault", "contention", "choice", "share"}[c]
}

// about is all that is said of nouns.
var about = []struct {
	noun    Noun
	class   Class
	meaning string
}{
	{ECMPCollision, Contention, "several flows were hashed on one of equal links while another of them had room"},
	{Polarisation, Fault,
		"switches of two tiers hash alike, so that the second has flows on only some of its equal links"},
	{UnevenSpraying, Contention, "packets were spread over links that are not equally fast, or unevenly"},
	{Incast, Contention, "n senders send to one receiver at once, and fill the port to it"},
	{Oversubscription, Choice, "a tier has less bandwidth up than down, and the traffic fills it"},
	{SharedLink, Contention, "flows share a link to which there is no equal, or all equal ones are full"},
	{CrossRail, Choice, "messages cross spines from rail to rail, where NVLink and the receiver's rail would do"},

	{SlowLink, Fault, "a link is slower than those of its senders"},
	{LossyLink, Fault, "a link lost frames, which were sent again"},
	{LinkDown, Fault, "a link was down, once or again and again (flap)"},
	{BlackHole, Fault, "a switch dropped what it had no route for"},
	{WrongClass, Fault, "frames were in another traffic class than RoCE data have"},
	{WrongThreshold, Fault, "a switch marks, drops or pauses at another queue length than its like"},
	{SmallBuffer, Fault, "a switch had no room for packets, and dropped them"},

	{HOLVictim, Contention, "PFC pauses held messages that do not cross the port from whose queue they spread"},
	{PFCStorm, Fault, "an end of a link paused the other without end"},
	{PFCDeadlock, Fault, "ports waited for each other's queues in a circle"},
	{PFCWatchdog, Fault, "the PFC watchdog emptied a queue that had been paused for too long"},
	{SlowReceiver, Fault, "a NIC's PCIe takes less than its link brings, and it paused its switch or dropped"},

	{Timeout, Fault, "senders stood still until a retransmission timer ran out"},
	{Reordering, Fault, "packets overtook one another, and receivers took the late ones for lost"},

	{ControllerUnderRun, Choice, "congestion control held senders back while the port had nothing to send"},
	{SmallWindow, Choice, "a sender's window is smaller than link speed times round trip"},

	{PCIeShared, Contention, "several GPUs or NICs share a PCIe link inside a host"},
	{NICShared, Contention, "several GPUs share a NIC, and their messages wait at its port"},
	{AnotherJob, Contention, "the bytes of another job fill a port"},

	{Straggler, Fault, "a rank computes longer than its like"},
	{Bubble, Share, "stages of a pipeline wait for the first and the last micro-batches"},
	{UnevenStages, Choice, "a stage of a pipeline has more work than the others, which wait for it"},
	{UnevenRouting, Choice, "a router sends more tokens to some experts than to others"},
	{DroppedTokens, Choice, "experts have no room for some of the tokens that a router chose them for, which go on without"},
	{LaunchBound, Share, "kernels and collectives take longer to be started than to run"},
	{ComputeBound, Share, "GPUs compute"},
	{LinkBound, Share, "transmission at the line rate of the senders' links"},
	{LatencyBound, Share, "bits are in flight in cables and switches"},
	{NVLinkBound, Share, "bytes cross NVLink"},
	{PCIeBound, Share, "bytes cross PCIe between GPUs and NICs"},
	{HostBound, Share, "NICs take their own time, and ranks wait for one another"},

	{WrongAlgorithm, Choice, "a collective runs with another algorithm than the one that is fastest here"},
	{WrongProtocol, Choice, "a collective runs with another protocol of NCCL than the one that is fastest here"},
	{WrongOrder, Choice, "a ring's ranks are in an order that crosses hosts more often than it has to"},

	{Abort, Fault, "a queue pair gave up, which ends a job"},
	{Hang, Fault, "a rank stood still until a watchdog ended the job"},
	{Checkpoint, Share, "ranks stood still while checkpoints were written"},
}

// find returns where a noun stands in about, -1 if it is none.
func (n Noun) find() int {
	for i := range about {
		if about[i].noun == n {
			return i
		}
	}
	return -1
}

// Known reports whether it is one of the nouns.
func (n Noun) Known() bool { return n.find() >= 0 }

// Meaning says in a clause what the noun stands for, "" of none.
func (n Noun) Meaning() string {
	if i := n.find(); i >= 0 {
		return about[i].meaning
	}
	return ""
}

// Class returns what sort of thing the noun is, 0 of none.
func (n Noun) Class() Class {
	if i := n.find(); i >= 0 {
		return about[i].class
	}
	return 0
}

// Healthy reports whether a run in which nothing is wrong may have it.
func (n Noun) Healthy() bool { c := n.Class(); return c == Choice || c == Share }

// Kind is what a place is.
type Kind string

// The kinds of place.
const (
	Nowhere    Kind = ""
	Port       Kind = "port"        // an egress port: leaf1/spine2
	Links      Kind = "equal links" // those a switch chooses among; Ports lists them
	Circle     Kind = "circle"      // ports, each of which waits for the next
	Switch     Kind = "switch"
	Tier       Kind = "tier" // of equal switches
	Host       Kind = "host"
	HostLink   Kind = "link in a host"
	Rank       Kind = "rank"
	Collective Kind = "collective"
	Job        Kind = "job"
)

// Place is where a finding is.
type Place struct {
	Kind  Kind     `json:"kind,omitempty"`
	Name  string   `json:"name,omitempty"`  // of a port, a switch, a tier, a link in a host, a collective, a job
	Rank  *int32   `json:"rank,omitempty"`  // of a rank
	Ports []string `json:"ports,omitempty"` // of equal links and circles, in order; of a switch those that it costs at
}

// Is reports whether two places are the same.
func (p *Place) Is(o *Place) bool {
	same := (p.Rank == nil) == (o.Rank == nil) && (p.Rank == nil || *p.Rank == *o.Rank)
	return same && p.Kind == o.Kind && p.Name == o.Name && slices.Equal(p.Ports, o.Ports)
}

// Fact is one thing that was counted, and that a finding stands on.
type Fact struct {
	What  string  `json:"what"`         // flows, load over the mean, spines, ...
	At    string  `json:"at,omitempty"` // port, switch, rank
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // of the value; "": a count or a ratio
}

// Finding is a noun with what is known of it.
type Finding struct {
	Noun     Noun          `json:"noun"`
	Place    Place         `json:"place"`
	Culprits []string      `json:"culprits,omitempty"` // flows, jobs, a seed, a setting: the largest first
	Others   int           `json:"others,omitempty"`   // culprits that are not listed
	By       string        `json:"by,omitempty"`       // what brought it about: a hash, a shared seed, a setting
	N        int           `json:"n,omitempty"`        // of n:1
	Time     unit.Duration `json:"time_ps"`            // attributed to it, of the diagnosis' whole
	Share    float64       `json:"share"`              // of the whole
	Faults   []string      `json:"faults,omitempty"`   // entries of the scenario's faults behind it: faults[0]
	Evidence []Fact        `json:"evidence,omitempty"`
}

// Free reports whether a finding costs something else than time.
func (f *Finding) Free() bool { return f.Noun == DroppedTokens }

// Fact returns the value of a fact and whether the finding has it.
func (f *Finding) Fact(what string) (float64, bool) {
	for i := range f.Evidence {
		if f.Evidence[i].What == what {
			return f.Evidence[i].Value, true
		}
	}
	return 0, false
}
