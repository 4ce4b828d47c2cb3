package reuse

import "strings"

// kind is what a field is to the state of a network at rest.
type kind uint8

const (
	asState   kind = iota // it counts as it is; of a struct, a list or what is pointed at, its contents
	asWhen                // an instant: it counts from now; 0 stands for none
	asSince               // likewise, since when a rank stands as it does: see Digest.Standing
	asDue                 // an instant, or a time up to which something is taken, that counts only while it is ahead
	asAgo                 // an instant of which is asked how long ago it was, and no further back than longAgo
	asNumber              // a sequence number: it counts from the first of its struct
	asAgenda              // what a host is to do
	asLength              // how many there are
	asRest                // nothing is there, or it is not at rest
	asGrown               // a list that grows as it is used: what has something in it counts, by its place
	asOpen                // a map by a pointer and a number: what has something in its lists counts, by the number
	asMemory              // what is remembered: it counts where it was asked for
	asNone                // nothing is ever there, or it is not reused
	asCount               // it only grows, and only tables tell of it, or differences that begin later
	asFixed               // it is as it was built, or found out once for all
	asScratch             // memory: it is written before it is read, or what it says another field says
)

var kindNames = map[string]kind{"state": asState, "when": asWhen, "since": asSince, "due": asDue, "ago": asAgo, "number": asNumber,
	"memory": asMemory, "agenda": asAgenda, "length": asLength, "rest": asRest, "grown": asGrown, "open": asOpen, "none": asNone,
	"count": asCount, "fixed": asFixed, "scratch": asScratch}

// fields is what each field of each struct is that a digest may come to. A kind stands before its fields.
var fields = func() map[string]map[string]kind {
	all := map[string]map[string]kind{}
	for name, text := range table {
		of := map[string]kind{}
		k := asState
		for _, word := range strings.Fields(text) {
			if is, ok := strings.CutSuffix(word, ":"); ok {
				known := false
				if k, known = kindNames[is]; !known {
					panic("reuse: " + name + ": no kind " + is)
				}
				continue
			}
			of[word] = k
		}
		all[name] = of
	}
	return all
}()

var table = map[string]string{
	// What is common.
	"lists.Queue":   "rest: n scratch: buf head",
	"cause.Segment": "since: Until state: Cause At", // those of what ranks wait for alone are there at rest
	"sim.Stream":    "state: state",

	// The fabric. Frames on links and in queues are counted by their ends; where their memory lies has no say.
	"fabric.Fabric": `fixed: lines witness sources sinks routes classes calm
		state: setup links egress buf pfc router evidence tracing faults`,
	// Faults have begun, or are over: nothing is looked at before. Chance draws from streams of links.
	"fabric.faults":       "fixed: f downs storms settings state: links set switches",
	"fabric.linkFaults":   "fixed: chances state: rng rest: holding scratch: held",
	"fabric.portState":    "state: mtu deaf lossless fixed: ecn xoff classOf count: oversize",
	"fabric.switchFaults": "fixed: reboots state: leaks",
	"fabric.leak":         "fixed: Leak rest: taken",
	"fabric.router":       "none: forwarders messages fixed: setup f links egress begins",
	"fabric.evidence":     "count: routeMarks fill loads none: marked fixed: setup links egress buf pfc",
	"fabric.tracing":      "fixed: setup links egress pfc evidence",
	"fabric.pfc":          "rest: onWay count: pausedFor fixed: dogs setup f links egress buf priorities deafTo",
	"fabric.hold":         "rest: on relieved scratch: since root rootSince expires heard count: total",
	"fabric.setup": `fixed: eng graph cfg nc tunnel islandOf islandBits holds samples large looks short repeat
		none: each weaves`,
	"fabric.links":  "state: ports ingresses states boxes fixed: rates setup overhead scratch: depot",
	"fabric.egress": "state: queues slow fixed: setup links strict strictAt",
	"fabric.port": `due: busyUntil state: flags sent turn rest: backlog paused ctl relieved
		fixed: delay psPerByte box rate cable respond scratch: tail used posted pausedSince watched
		count: txBytes dataBytes frames wraps busy pfcFrames pausesSent pausesReceived pausedTotal drops marks detected restored
		discarded`,
	"fabric.sent": "state: line scratch: account flow op bytes", // of the others is asked while a frame is in transmission
	"fabric.ingress": `rest: n refresh fixed: far first state isl xoff lossless within index scratch: head pos
		count: faulted`,
	"fabric.queue":   "state: fifo deficit rest: bytes fixed: low count: high scratch: sampled",
	"fabric.fifo":    "rest: n scratch: head tail pos end",
	"fabric.marking": "state: rng level fixed: mark",
	"fabric.slow": `state: marking hold looks fixed: quantum longest
		count: lastSample lastValue chosen`,
	"fabric.buffers": "state: nodes accounts ledgers fixed: nc thresholds",
	"fabric.account": "rest: used headroom sentOff fixed: buf",
	"fabric.ledger":  "fixed: limit scratch: root sentAt count: drops refused",
	"fabric.buffer": `rest: shared state: lines count: maxUsed
		fixed: size crossing spare reserve resume far lossyAlpha fixed late`,
	"fabric.node": "state: buffer rest: pausing fixed: id lossless",
	"fabric.state": `rest: dirty inbox fixed: links nodes outward inward count: hops kept
		scratch: chunks traces coming from lined without due`,
	"fabric.box":      "state: out in fixed: to scratch: earliest",
	"fabric.mail":     "rest: frames pauses messages",
	"fabric.RootTime": "state: Root count: Time",

	// NICs and queue pairs. A timer for answers that comes although all is answered does nothing.
	"nic.Net": `fixed: eng fab graph hosts cfg first names flowDone paths positions linger twins
		state: cards senders receivers islands none: met told closed count: seen scratch: marksNoted`,
	"nic.card": `when: wakeAt state: out inbox rest: paused none: shared
		fixed: net sim isl id nic host port qps line scratch: rtoAt`,
	"nic.inbox":   "rest: leaves bytes off due: last scratch: sent",
	"roce.Egress": "rest: timed state: Notes Acks Ready turn fixed: notesHeld acksHeld classes",
	"roce.Turns":  "rest: n state: last scratch: words",
	"nic.sender": `state: Requester ledger notes rng drawn backlog rest: state n due: retried
		fixed: card id number class log route fetch back hopsBack answerer admission bonded
		count: popped scratch: way looked msgs head`,
	"nic.backlog": "rest: list scratch: head",
	"nic.notes":   "rest: n scratch: buf head",
	"nic.ledger":  "due: end state: pauses links fixed: log port spare count: split scratch: last spans one", // spans begin anew at rest
	"nic.receiver": `state: Responder store arrivals kept fixed: card id way route sender log admitted bonded
		count: marks marks0 scratch: at alarmed`,
	"nic.arrival": `rest: open
		scratch: bytes payload to header posted asked part first held note came by segments at`,
	"nic.kept": "scratch: frame came",
	"nic.island": `rest: posted count: marks cnps retransmits moves heard fixed: index cards senders receivers
		scratch: rows outbox in out network parts hops segments twinned mailed answer messages arrivals notes spans`,
	"roce.Requester": `state: Sender Dialer Slots known answer ctl rtt trips early unkept owed hasty probes due: paced here
		when: deadline none: ports fixed: told scratch: left frame`,
	"roce.Sender": `number: una next end high rest: n complete cur recovering early state: retries failed sacked presumed
		state: reads fixed: mtu tolerance count: total acked scratch: msgs head recoveryEnd resend highSack`,
	"roce.Dialer": "state: unready answered tries leaves when: parted",
	"roce.Slots":  "none: free cleared waits",
	"roce.Known":  "count: colls", // of credits; all are answered
	"roce.Given":  "rest: due unanswered count: colls",
	"roce.answer": "rest: opcode scratch: manage coll count",
	"roce.trips":  "state: mean deviation known",
	"roce.probes": "rest: n scratch: buf head",
	"roce.reads":  "none: posted scratch: sent from again", // they count where one is posted
	"roce.bitmap": "rest: n scratch: words",
	"roce.Responder": `state: Receiver Given owed closed cnpSent echo kept ago: cnpAt rest: open none: asked count: placed taken
		scratch: free slots`,
	"roce.owed":     "rest: cnp answer left scratch: reply",
	"roce.kept":     "rest: at left scratch: cells free next",
	"roce.Receiver": "number: expected rest: gap state: unacked ahead scratch: nakAt naked count: tally",

	// Congestion control.
	"cc.noneFlow": "fixed: line window",
	"cc.dcqcnFlow": `when: next alphaAt cutAt riseAt state: rate target alpha sent timeStage byteStage limited alphaCNP cutCNP
		fixed: c line ai hai min window memory: kept`,
	"cc.dcqcnKept":   "state: alpha timeStage is when: alphaAt cutAt",
	"cc.swiftFlow":   "state: cwnd rtt cutOnce when: cutAt fixed: c line base floor max",
	"cc.timelyFlow":  "state: rate difference prevRTT acked round calm fixed: p line ai hai min minRTT window",
	"cc.dctcpFlow":   "state: window thresh alpha acked marked dctcpBounds started fixed: p line max",
	"cc.dctcpRate":   "state: rate alpha marked batch dctcpBounds held started fixed: p line min window",
	"cc.dctcpBounds": "state: round cut",
	"cc.bound":       "number: acked at",

	// Hosts. Links inside them have no memory of flows that have all their bytes.
	"host.Hosts": `state: hosts pcie ranks out in inside rest: failures none: flows failed
		fixed: eng graph cfg net pcieOf room wayOf regions onFail`,
	"host.nicLinks": "state: down up fixed: turns host card rate",
	"host.pipe":     "due: free",
	"host.host": `agenda: agenda state: out in links copies copying open: meetings none: last fixed: faulty island
		scratch: wakeAt now post segment trace`,
	"host.share":     "rest: leave turns length: last nics state: spans due: next fixed: rate keep",
	"host.copies":    "state: feeds due: placed count: ends scratch: token",
	"host.feed":      "state: link flow",
	"host.span":      "rest: n state: rate count: served scratch: at",
	"host.meeting":   "state: waits when: sent",
	"host.comer":     "state: rank tok",
	"host.rankState": "state: rank rest: tasks fixed: host gpu",
	"host.outgoing":  "state: acked turn answers fixed: Way job src qps count: number scratch: outlet",
	"host.incoming":  "state: placed what came due: there fixed: dst count: number scratch: inlet",
	"host.lanes":     "state: waiting turn scratch: free header whole",
	"host.traces":    "rest: n scratch: buf head",
	"host.peer":      "state: ends slow feeds fixed: places",
	"host.inside": `state: peer messages credits carries rest: past due: busy there fixed: host src dst feeds job Way count: given
		scratch: inlet outlet`,
	"host.Store": "due: last fixed: hosts nic gpu relay way other",

	// Ranks. Where they are in their programs is asked of them; what they wrote for critical paths is told.
	"exec.Rank": `state: stands status begun over grown: inboxes outboxes rest: ended owing none: saves
		scratch: ops streams colls left ledger step
		fixed: cfg counter stager meeting prog start steps in numberOf save lines post path`,
	"exec.standing":   "since: at idle state: busy speaking streams",
	"exec.doing":      "state: links",
	"exec.link":       "state: start stream back positions coll since: began end",
	"exec.collRun":    "state: exchange last met since: joined fixed: Collective id place op stream",
	"exec.exchange":   "state: channels open answer rest: inFlight fixed: me members lines areas slots once layout sizes scratch: programs",
	"exec.channelRun": "state: pc length wait src trace gates since: end gated state: credits none: work scratch: slate",
	"exec.credits":    "grown: out in fixed: outOf inOf scratch: slots", // who is to have one is asked of a slot that is filled
	"exec.outLink":    "rest: waiting fixed: peer windowed count: sent",
	"exec.inLink":     "rest: read fixed: conn gives count: taken",
	"exec.gate":       "since: from to state: why answer",
	"exec.Trace":      "since: Posted Placed state: Segments Lane",
	"exec.inbox":      "rest: what fixed: Conn stream scratch: via traces head",
	"exec.outbox":     "state: sent fixed: Conn stream scratch: via searched coll step",
}
