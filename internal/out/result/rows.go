package result

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// TableNames lists the tables of a run directory, in the order in which they are
// documented and exported.
func TableNames() []string {
	return []string{"steps", "operations", "flows", "links", "queues", "paths", "hops", "losses", "shares", "events",
		"series", "gradients", "experts", "telemetry"}
}

// Causes is a cause.Split as columns of a table and as an object of run.json, in
// picoseconds. A test holds that it names every cause, in order.
type Causes struct {
	Compute         unit.Duration `parquet:"compute_ps" json:"compute"`
	NVLink          unit.Duration `parquet:"nvlink_ps" json:"nvlink"`
	PCIe            unit.Duration `parquet:"pcie_ps" json:"pcie"`
	NIC             unit.Duration `parquet:"nic_ps" json:"nic"`
	Dependency      unit.Duration `parquet:"dependency_ps" json:"dependency"`
	Acknowledgement unit.Duration `parquet:"acknowledgement_ps" json:"acknowledgement"`
	RateLimit       unit.Duration `parquet:"rate_limit_ps" json:"rate_limit"`
	Window          unit.Duration `parquet:"window_ps" json:"window"`
	Serialisation   unit.Duration `parquet:"serialisation_ps" json:"serialisation"`
	Propagation     unit.Duration `parquet:"propagation_ps" json:"propagation"`
	SwitchLatency   unit.Duration `parquet:"switch_latency_ps" json:"switch_latency"`
	OwnQueueing     unit.Duration `parquet:"own_queueing_ps" json:"own_queueing"`
	Queueing        unit.Duration `parquet:"queueing_ps" json:"queueing"`
	Pause           unit.Duration `parquet:"pause_ps" json:"pause"`
	Retransmission  unit.Duration `parquet:"retransmission_ps" json:"retransmission"`
}

// CausesOf returns the split as columns.
func CausesOf(s cause.Split) Causes {
	return Causes{
		Compute:         s[cause.Compute],
		NVLink:          s[cause.NVLink],
		PCIe:            s[cause.PCIe],
		NIC:             s[cause.NIC],
		Dependency:      s[cause.Dependency],
		Acknowledgement: s[cause.Acknowledgement],
		RateLimit:       s[cause.RateLimit],
		Window:          s[cause.Window],
		Serialisation:   s[cause.Serialisation],
		Propagation:     s[cause.Propagation],
		SwitchLatency:   s[cause.SwitchLatency],
		OwnQueueing:     s[cause.OwnQueueing],
		Queueing:        s[cause.Queueing],
		Pause:           s[cause.Pause],
		Retransmission:  s[cause.Retransmission],
	}
}

// Split returns the columns as a split.
func (c Causes) Split() cause.Split {
	return cause.Split{
		cause.Compute:         c.Compute,
		cause.NVLink:          c.NVLink,
		cause.PCIe:            c.PCIe,
		cause.NIC:             c.NIC,
		cause.Dependency:      c.Dependency,
		cause.Acknowledgement: c.Acknowledgement,
		cause.RateLimit:       c.RateLimit,
		cause.Window:          c.Window,
		cause.Serialisation:   c.Serialisation,
		cause.Propagation:     c.Propagation,
		cause.SwitchLatency:   c.SwitchLatency,
		cause.OwnQueueing:     c.OwnQueueing,
		cause.Queueing:        c.Queueing,
		cause.Pause:           c.Pause,
		cause.Retransmission:  c.Retransmission,
	}
}

// StepRow is one training step of one rank: a row of steps.parquet.
//
// Invariant: the causes sum to End - Start.
type StepRow struct {
	Job     string        `parquet:"job,delta"`  // its name in the scenario
	Step    int32         `parquet:"step,delta"` // -1: the start phase
	Rank    int32         `parquet:"rank,delta"`
	Start   unit.Time     `parquet:"start_ps,delta"`
	End     unit.Time     `parquet:"end_ps,delta"`
	Loss    *float64      `parquet:"loss,optional"` // mean over the rank's micro-batch; nil (null): none
	Comm    unit.Duration `parquet:"comm_ps"`       // time in which at least one collective was under way
	Overlap unit.Duration `parquet:"overlap_ps"`    // the part of it in which a compute operation ran too
	Causes
}

// GradientRow says how long a gradient is at one position, back through time: a row of
// gradients.parquet.
type GradientRow struct {
	Job      string  `parquet:"job,delta"`
	Step     int32   `parquet:"step,delta"`
	Rank     int32   `parquet:"rank,delta"`
	Layer    string  `parquet:"layer,delta"`    // a recurrent layer
	Position int32   `parquet:"position,delta"` // of the examples, from 0: the gradient comes from the last one
	Norm     float64 `parquet:"norm"`           // of the gradient at the layer's state, over the rank's examples
}

// ExpertRow says how many positions of a rank went to an expert of a mixture in a step: a row of experts.parquet.
type ExpertRow struct {
	Job     string  `parquet:"job,delta"`
	Step    int32   `parquet:"step,delta"`
	Rank    int32   `parquet:"rank,delta"` // whose positions they are
	Layer   string  `parquet:"layer,delta"`
	Expert  int32   `parquet:"expert,delta"`
	Tokens  int64   `parquet:"tokens"`  // positions whose choice it was; one may have two
	Dropped int64   `parquet:"dropped"` // of them, those for which the expert had no room
	Share   float64 `parquet:"share"`   // mean of the router's probability over all positions of the rank
	Balance float64 `parquet:"balance"` // part of the balancing loss, with its weight
}

// OperationRow is one operation of a rank's DAG: a row of operations.parquet.
type OperationRow struct {
	Job        string    `parquet:"job,delta"`
	Step       int32     `parquet:"step,delta"`
	Rank       int32     `parquet:"rank,delta"`
	Op         int32     `parquet:"op,delta"`     // index in the rank's DAG, from 0
	Name       string    `parquet:"name,delta"`   // "forward 1", "all-reduce 0"
	Stream     string    `parquet:"stream,delta"` // "compute", the group's name, "copy"
	Group      string    `parquet:"group,delta"`  // of ranks that communicate; "": it is no communication
	Start      unit.Time `parquet:"start_ps,delta"`
	End        unit.Time `parquet:"end_ps,delta"`
	ReleasedBy int32     `parquet:"released_by,delta"` // the operation whose end let this one start; -1: none
}

// The kinds of flow.
const (
	KindCollective = "collective"
	KindJob        = "job"
	KindBackground = "background"
)

// What became of a flow.
const (
	StatusDone       = "done"       // every byte placed and acknowledged
	StatusPlaced     = "placed"     // every byte placed, the last ACK still out at the end of the run
	StatusUnfinished = "unfinished" // the run ended first
	StatusFailed     = "failed"     // the queue pair used up its retries
)

// FlowRow is one RDMA message, from post to completion: a row of flows.parquet.
//
// Invariant: of a completed flow the causes sum to FCT.
type FlowRow struct {
	ID      int64      `parquet:"id,delta"`
	Job     string     `parquet:"job,delta"`   // "": background
	Group   string     `parquet:"group,delta"` // of ranks, whose collective it belongs to; "": none
	Name    string     `parquet:"name,delta"`
	Kind    string     `parquet:"kind,delta"` // collective, job, background
	Src     string     `parquet:"src,delta"`  // host1/gpu0 or host1/nic0
	Dst     string     `parquet:"dst,delta"`
	Channel int32      `parquet:"channel"`    // of the collective; -1: none
	Step    int32      `parquet:"step,delta"` // training step; -1: none
	Bytes   unit.Bytes `parquet:"bytes"`
	Posted  unit.Time  `parquet:"posted_ps,delta"`
	Placed  unit.Time  `parquet:"placed_ps,optional,delta"` // last byte placed; 0 (null): not before the end
	// last ACK at the sender; 0 (null): not before the end
	Acked       unit.Time     `parquet:"acked_ps,optional,delta"`
	FCT         unit.Duration `parquet:"fct_ps,optional"` // completion time; 0 (null): not completed
	Marks       int64         `parquet:"marks"`           // data packets that arrived ECN-marked
	CNPs        int64         `parquet:"cnps"`            // received by the sender
	Retransmits int64         `parquet:"retransmits"`     // data packets sent again
	// its packets that were lost, and answers to them; see losses.parquet
	Lost     int64  `parquet:"lost"`
	Timeouts int64  `parquet:"timeouts"` // retransmission timeouts while it was the oldest
	Status   string `parquet:"status,delta"`
	Path     string `parquet:"path,delta"` // node names joined by ">": host1>rail1>host2
	Causes
}

// The tiers of nodes.
const (
	TierHost       = "host"
	TierLeaf       = "leaf" // a rail switch is one
	TierSpine      = "spine"
	TierSuperSpine = "superspine"
)

// LinkRow is one egress port over the whole run: a row of links.parquet.
type LinkRow struct {
	Port string       `parquet:"port,delta"` // rail1/host1
	From string       `parquet:"from,delta"`
	To   string       `parquet:"to,delta"`
	Tier string       `parquet:"tier,delta"` // of From
	Rate unit.Bitrate `parquet:"rate_bps"`
	// frames of every kind, PFC frames too, with FCS, preamble and gap
	TxBytes   unit.Bytes `parquet:"tx_bytes"`
	TxPackets int64      `parquet:"tx_packets"`
	// of TxBytes, data packets: headers, preamble and gap included, repeats too
	DataBytes      unit.Bytes    `parquet:"data_bytes"`
	Busy           unit.Duration `parquet:"busy_ps"`
	Utilisation    float64       `parquet:"utilisation"` // Busy / virtual time of the run
	PausesSent     int64         `parquet:"pauses_sent"` // PFC frames with a non-zero quanta, refreshes included
	PausesReceived int64         `parquet:"pauses_received"`
	Paused         unit.Duration `parquet:"paused_ps"` // time in which a class of this port was held by the peer
	// the port from whose queue most of that spread; "": never paused
	PausedBy string     `parquet:"paused_by,delta"`
	ECNMarks int64      `parquet:"ecn_marks"`
	Drops    int64      `parquet:"drops"`
	MaxQueue unit.Bytes `parquet:"max_queue_bytes"`
}

// QueueRow says that from Time on, until the next row of the same port and class,
// each sample of that egress queue found Bytes in it: a row of queues.parquet.
// A queue without a row was empty at every sample.
type QueueRow struct {
	Port  string     `parquet:"port,delta"`
	Class int32      `parquet:"class"` // priority 0..7
	Time  unit.Time  `parquet:"time_ps,delta"`
	Bytes unit.Bytes `parquet:"bytes"`
}

// HopRow is how long a message was held up at one port: a row of hops.parquet. At the NIC's port
// (hop 0) that is the time in which its packets waited to be sent; at a switch's port, the time in
// which the packet that completed it waited there. Ports that did not hold it up have no row.
//
// Invariant: over the hops of a flow, Queueing and Pause sum to those of its row in flows.parquet,
// and OwnQueueing to at most its own.
type HopRow struct {
	Flow int64 `parquet:"flow,delta"` // id in flows.parquet
	// 0: the NIC's own port; after those of the path come those of the acknowledgement's
	Hop         int32         `parquet:"hop"`
	Port        string        `parquet:"port,delta"`
	OwnQueueing unit.Duration `parquet:"own_queueing_ps"`
	Queueing    unit.Duration `parquet:"queueing_ps"`
	Pause       unit.Duration `parquet:"pause_ps"`
	Root        string        `parquet:"root,delta"` // the port from whose queue the pause spread; "": no pause
}

// LossRow is a frame that was lost, or a retransmission timeout: a row of losses.parquet. Lost PFC
// frames are not listed.
type LossRow struct {
	Flow int64     `parquet:"flow,delta"` // id in flows.parquet of the message that had to wait for it; -1: none
	Name string    `parquet:"name,delta"` // of the queue pair
	Time unit.Time `parquet:"time_ps,delta"`
	Port string    `parquet:"port,delta"` // where; "" for a timeout
	Kind string    `parquet:"kind,delta"` // data, ACK, NAK, CNP, CTS, credit, credit ACK, REQ, REP, RTU; timeout
	Why  string    `parquet:"why,delta"`  // LostInBuffer, LostOnLink, LostWithoutRoute, ...; "" for a timeout
}

// Why a frame was lost.
const (
	LostInBuffer     = "buffer"   // it was full
	LostOnLink       = "link"     // to a fault
	LostWithoutRoute = "route"    // no way led on
	LostInNIC        = "NIC"      // it had no room for more packets past a gap
	LostOversize     = "MTU"      // it was longer than a misconfigured port takes
	LostInReboot     = "reboot"   // its switch went down with it
	LostByWatchdog   = "watchdog" // it emptied the queue
	LostAtThreshold  = "queue"    // its queue was as long as its drop threshold
	LostBeforePCIe   = "PCIe"     // the NIC had no room: PCIe is slower than its link
)

// ShareRow is whose bytes waited at a port when packets of others came to wait there or the port
// made its switch send a pause: a row of shares.parquet.
type ShareRow struct {
	Port  string  `parquet:"port,delta"`
	Job   string  `parquet:"job,delta"`  // "": background
	Name  string  `parquet:"name,delta"` // of the queue pair
	Kind  string  `parquet:"kind,delta"`
	Share float64 `parquet:"share"` // of all that waited at the port, 0 to 1
}

// PathRow is one part of the critical path of a step: a row of paths.parquet, which
// has a sample of the steps. OnRank did what the step waited for between From and
// Until; of a message or an acknowledgement that is the sender of the message. OnStep
// is Step or, for what that rank had to end first, the one before.
//
// Invariant: the parts of a step are contiguous, from the start of Rank's step to its end.
type PathRow struct {
	Job     string    `parquet:"job,delta"`
	Step    int32     `parquet:"step,delta"`
	Rank    int32     `parquet:"rank,delta"` // which ended the step last
	From    unit.Time `parquet:"from_ps,delta"`
	Until   unit.Time `parquet:"until_ps,delta"`
	Cause   string    `parquet:"cause,delta"`
	Kind    string    `parquet:"kind,delta"` // compute, launch, reduce or copy, message, acknowledgement, unknown
	OnRank  int32     `parquet:"on_rank"`
	OnStep  int32     `parquet:"on_step,delta"`
	Op      int32     `parquet:"op"`  // index in OnRank's DAG; -1: unknown
	Src     int32     `parquet:"src"` // ranks of the message; -1: none
	Dst     int32     `parquet:"dst"`
	Channel int32     `parquet:"channel"` // of the collective; -1: none
	// port at which a message waited, or from whose queue the pause spread; "": none
	At string `parquet:"at,delta"`
}
