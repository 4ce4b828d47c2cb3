package result

import "railyard/internal/base/unit"

// An EventKind is what events.parquet knows of a kind of event.
type EventKind struct {
	Name    string
	Meaning string
	Pair    bool // it happens to a queue pair; else at a port
}

// EventKindList lists the kinds of event in events.parquet.
func EventKindList() []EventKind {
	return []EventKind{
		{EventMark, "a packet was marked in a queue of the port", false},
		{EventXOFF, "what the switch or NIC at the port's far end holds from it crossed xOFF: it tells the port to stop", false},
		{EventXON, "it fell below xON: the port is told to go on", false},
		{EventPause, "the port stopped: xOFF has reached it", false},
		{EventResume, "the port goes on: xON has reached it, or its pause ran out", false},
		{EventOverMin, "the port's queue rose above where marking begins", false},
		{EventOverMax, "the port's queue rose above where every packet is marked", false},
		{EventUnderMax, "the port's queue fell below that again", false},
		{EventUnderMin, "the port's queue fell below where marking begins", false},
		{EventPath, "a switch sends a flow on by the port, which took another before", false},
		{EventWatchdog, "the watchdog takes the port's queue out of PFC, which has held it for too long", false},
		{EventRestored, "it puts the queue back under PFC", false},
		{EventGaveUp, "ConWeave's last switch gave up a tail: what it held of a flow passes out of order", false},
		{EventDrop, "a packet found no room in the buffer", false},
		{EventLoss, "a packet was lost: to a fault of the port's link, or where there is no route", false},
		{EventLinkDown, "the port's link went down", false},
		{EventLinkUp, "the port's link is up again", false},
		{EventCNPSent, "the receiver answered a mark with a CNP", true},
		{EventCNPReceived, "the sender got a CNP, or an acknowledgement that echoes a mark", true},
		{EventNAKSent, "the receiver answered a packet that it did not expect with a NAK", true},
		{EventNAKReceived, "the sender got a NAK", true},
		{EventTimeout, "the sender's retransmission timer ran out", true},
		{EventMoved, "the sender's NIC found a port down, or up again, and sends by the port from now on", true},
		{EventRate, "the sender's rate or target has changed, or its window has shrunk", true},
	}
}

// The kinds of event.
const (
	EventMark        = "mark"
	EventXOFF        = "xoff"
	EventXON         = "xon"
	EventPause       = "pause"
	EventResume      = "resume"
	EventOverMin     = "over-min"
	EventOverMax     = "over-max"
	EventUnderMax    = "under-max"
	EventUnderMin    = "under-min"
	EventPath        = "path"
	EventWatchdog    = "watchdog"
	EventRestored    = "restored"
	EventGaveUp      = "gave-up"
	EventDrop        = "drop"
	EventLoss        = "loss"
	EventLinkDown    = "link-down"
	EventLinkUp      = "link-up"
	EventCNPSent     = "cnp-sent"
	EventCNPReceived = "cnp-received"
	EventNAKSent     = "nak-sent"
	EventNAKReceived = "nak-received"
	EventTimeout     = "timeout"
	EventMoved       = "moved"
	EventRate        = "rate"
)

// EventRow is something that happened: a row of events.parquet, in order of time. What does not
// belong to a kind is 0, or "".
//
// A row with LeftOut stands for so many events that have no row of their own, because output.events_kept
// rows of the kind were there already at the port or of the queue pair. Such rows come last.
type EventRow struct {
	Time      unit.Time    `parquet:"time_ps,delta" json:"time_ps"` // with LeftOut: of the last of them
	Kind      string       `parquet:"kind,delta" json:"kind"`
	Port      string       `parquet:"port,delta" json:"port"`
	Class     int32        `parquet:"class" json:"class"`     // priority 0..7; -1: none
	Job       string       `parquet:"job,delta" json:"job"`   // "": background, or none
	Name      string       `parquet:"name,delta" json:"name"` // of the queue pair; "": none
	Frame     string       `parquet:"frame,delta" json:"frame"`
	PSN       int32        `parquet:"psn" json:"psn"` // of the packet; of a NAK, which one is expected; -1: none
	Bytes     unit.Bytes   `parquet:"bytes" json:"bytes"`
	Threshold unit.Bytes   `parquet:"threshold_bytes" json:"threshold_bytes"`
	Root      string       `parquet:"root,delta" json:"root"` // from whose queue a pause spread; of a path or a move, before
	Before    unit.Bitrate `parquet:"before_bps" json:"before_bps"`
	Rate      unit.Bitrate `parquet:"rate_bps" json:"rate_bps"`
	Target    unit.Bitrate `parquet:"target_bps" json:"target_bps"`
	Alpha     float64      `parquet:"alpha" json:"alpha"`
	Window    unit.Bytes   `parquet:"window_bytes" json:"window_bytes"`
	Why       string       `parquet:"why,delta" json:"why"` // of a rate: what came before it; of a loss: link or route
	LeftOut   int64        `parquet:"left_out" json:"left_out"`
}

// What a row of series.parquet is of.
const (
	SeriesLink  = "link"
	SeriesQueue = "queue"
	SeriesFlow  = "flow"
)

// SeriesRow is what a link carried in an interval, or a queue or queue pair was at its end: a row of
// series.parquet. What does not belong to a kind is 0, or "".
//
// A link has a row for each interval in which it carried or was held or marked or dropped something;
// a queue, where it differs from its row before; a queue pair, where something happened or it
// differs. The first row of a queue pair tells how it began.
type SeriesRow struct {
	From  unit.Time     `parquet:"from_ps,delta"`
	Until unit.Time     `parquet:"until_ps,delta"`
	Kind  string        `parquet:"kind,delta"`
	Port  string        `parquet:"port,delta"` // of a queue pair: the NIC's that sends
	Class int32         `parquet:"class"`      // of a queue: priority 0..7; else -1
	Job   string        `parquet:"job,delta"`
	Name  string        `parquet:"name,delta"` // of the queue pair
	Busy  unit.Duration `parquet:"busy_ps"`
	// Busy / (Until - From)
	Utilisation float64       `parquet:"utilisation"`
	Paused      unit.Duration `parquet:"paused_ps"`
	Marks       int64         `parquet:"marks"`
	Drops       int64         `parquet:"drops"`
	Bytes       unit.Bytes    `parquet:"bytes"` // in the queue; or acknowledged to the queue pair in the interval
	CNPs        int64         `parquet:"cnps"`
	Rate        unit.Bitrate  `parquet:"rate_bps"`
	Target      unit.Bitrate  `parquet:"target_bps"`
	Alpha       float64       `parquet:"alpha"`
	Window      unit.Bytes    `parquet:"window_bytes"`
}
