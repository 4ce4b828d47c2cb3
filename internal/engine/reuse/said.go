package reuse

// said is why a network is never reused in which there is something that is never taken for the same: by type and field, as
// fields lists them.
var said = map[string]string{
	"exec.Rank.saves":          "ranks write checkpoints",
	"exec.channelRun.work":     Real,
	"fabric.evidence.marked":   perFrame,
	"fabric.router.forwarders": perFrame,
	"fabric.router.messages":   perFrame,
	"fabric.setup.each":        InOrder,
	"fabric.setup.weaves":      perFrame,
	"host.Hosts.failed":        "a queue pair has given up",
	"host.Hosts.flows":         Flows,
	"host.host.last":           InOrder,
	"nic.Net.closed":           "a job was aborted",
	"nic.Net.met":              perFrame,
	"nic.Net.told":             "what congestion control does is told of",
	"nic.card.shared":          "queue pairs of a NIC share a timer (as a simulator that is compared with)",
	"roce.Requester.ports":     "UDP source ports change from packet to packet (transport.entropy)",
	"roce.Responder.asked":     "messages are read (RDMA READ)",
	"roce.reads.posted":        "messages are read (RDMA READ)",
	"roce.Slots.cleared":       Slots,
	"roce.Slots.free":          Slots,
	"roce.Slots.waits":         Slots,
}

// Why nothing is reused, in words that whoever knows it beforehand uses too.
const (
	Real      = "ranks compute something real"
	Chance    = "faults of links draw to the end"
	Flows     = "the job sends flows"
	Slots     = "messages wait until their receiver has room (job.collective.admission)"
	InOrder   = "events of one instant go in the order of their scheduling (fabric.order)"
	Telemetry = "congestion control remembers what ports had sent (congestion.algorithm: hpcc)"
)

const perFrame = "switches choose next hops frame by frame (fabric.balance)"
