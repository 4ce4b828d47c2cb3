package reuse

// said is why a network is never reused in which there is something that is never taken for the same: by type and field, as
// fields lists them.
var said = map[string]string{
	"exec.Rank.saves":          "ranks write checkpoints",
	"exec.channelRun.credits":  "messages need credits",
	"exec.channelRun.work":     "ranks compute something real",
	"fabric.Fabric.faults":     "faults tell steps apart",
	"fabric.evidence.marked":   perFrame,
	"fabric.hold.heard":        "switches have a PFC watchdog",
	"fabric.hold.relieved":     "switches have a PFC watchdog",
	"fabric.links.rates":       "faults tell steps apart",
	"fabric.pfc.dogs":          "switches have a PFC watchdog",
	"fabric.port.relieved":     "switches have a PFC watchdog",
	"fabric.port.watched":      "switches have a PFC watchdog",
	"fabric.router.forwarders": perFrame,
	"fabric.router.messages":   perFrame,
	"fabric.setup.each":        inOrder,
	"fabric.setup.weaves":      perFrame,
	"host.Hosts.failed":        "a queue pair has given up",
	"host.Hosts.flows":         "the job sends flows",
	"host.host.faulty":         "faults tell steps apart",
	"host.host.last":           inOrder,
	"host.incoming.came":       manyPairs,
	"host.nicLinks.turns":      "faults tell steps apart",
	"host.outgoing.answers":    manyPairs,
	"host.share.turns":         "faults tell steps apart",
	"nic.Net.closed":           "a job was aborted",
	"nic.Net.met":              perFrame,
	"nic.Net.told":             "what congestion control does is told of",
	"nic.card.shared":          "queue pairs of a NIC share a timer (as a simulator that is compared with)",
	"roce.Given.colls":         bySlots,
	"roce.Given.waits":         bySlots,
	"roce.Known.colls":         bySlots,
	"roce.Requester.ports":     "UDP source ports change from packet to packet (transport.entropy)",
	"roce.Responder.asked":     "messages are read (RDMA READ)",
	"roce.Sender.reads":        "messages are read (RDMA READ)",
	"roce.Slots.cleared":       bySlots,
	"roce.Slots.free":          bySlots,
	"roce.Slots.waits":         bySlots,
}

const (
	perFrame  = "switches choose next hops frame by frame (fabric.balance)"
	inOrder   = "events of one instant go in the order of their scheduling (fabric.order)"
	manyPairs = "connections have several queue pairs (transport.qps_per_connection)"
	bySlots   = "messages wait until their receiver has room (job.collective.admission)"
)
