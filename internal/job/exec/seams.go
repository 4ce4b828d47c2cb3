package exec

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Token names one running thing of one rank: a compute operation, a copy, the launch of
// a collective, a reduction or copy inside a channel. It means nothing to a driver.
type Token int64

// Ref names bytes of one rank's memory. The first buffers are those of the job;
// after them comes staging (see Staging).
type Ref struct {
	Buffer   int32
	Off, Len int64 // bytes
}

// Staging returns the buffer in which messages of collective coll land during a
// step. There are numbers for two of each, used by even and odd steps, because a peer may
// begin its next step while this rank still reads the last slots of this one. With
// credit one serves all steps.
func Staging(job *workload.Job, coll int32, step int64) int32 {
	return stagingArea(job, coll, max(step, 0)%job.Collectives[coll].Areas())
}

func stagingArea(job *workload.Job, coll int32, area int64) int32 {
	return int32(len(job.Buffers)) + workload.MaxAreas*coll + int32(area)
}

// StagingOf returns the collective whose messages land in a buffer, and which of its areas that is; -1
// for a buffer of the job itself.
func StagingOf(job *workload.Job, buffer int32) (coll, area int32) {
	if b := buffer - int32(len(job.Buffers)); b >= 0 {
		return b / workload.MaxAreas, b % workload.MaxAreas
	}
	return -1, 0
}

// Conn is the messages of one group on one channel, from or to one peer. They are in
// order; nothing else is.
type Conn struct {
	Group   int32 // index in Job.Groups
	Peer    int32 // a rank of the job
	Channel int32
}

// Way is one direction between two ranks of a group on a channel.
type Way struct{ Src, Dst, Group, Channel int32 }

// AtSource is the way as its sender sees it, AtTarget as its receiver does.
func (w Way) AtSource() Conn { return Conn{w.Group, w.Dst, w.Channel} }
func (w Way) AtTarget() Conn { return Conn{w.Group, w.Src, w.Channel} }

// Message is one contiguous transfer between two ranks.
type Message struct {
	Way
	Via      int32      // what Transport.Open has said of the way
	Bytes    unit.Bytes // > 0
	From, To Ref        // From in Src's memory, To in Dst's; both Bytes long
	Wire     Wire
	Step     int64
	Coll     int32 // index in Job.Collectives
	Op       int32 // index of the Send in the channel's program of Src
}

// Arrival is what comes with a message that is placed: what its completion says of it.
type Arrival struct {
	Bytes unit.Bytes
	Step  int64
	Coll  int32
}

// Arrival returns what its receiver is told of the message.
func (m *Message) Arrival() Arrival { return Arrival{m.Bytes, m.Step, m.Coll} }

// Wire is how a message travels: what its protocol, and a switch that adds, make of its bytes.
type Wire struct {
	// Bytes that a queue pair carries, at least those of the message. Byte k of them holds the
	// message's byte k*(message's bytes)/(these), rounded down.
	Bytes unit.Bytes
	// Out and In are the bytes that NVLink carries: the sender's link, and the receiver's.
	Out, In unit.Bytes
	// Busy is how long NVLink takes for it at the least: the connection sends nothing else then.
	Busy unit.Duration
	// Inside and Between is how much later the message is there than the bytes of one without a
	// protocol, over NVLink (it may be sooner, but not before they are past the link) and over a
	// queue pair.
	Inside, Between unit.Duration
}

// Transport moves messages. Messages of one Way are placed and
// acknowledged in the order in which they were posted.
type Transport interface {
	// Open returns the driver's own number of a way, by which a rank names it from then on: one that it sends on or
	// receives by.
	Open(w Way) int32
	// Post starts a transfer. It never completes inside the call: the driver
	// calls Received at the destination and Acked at the source later, with the numbers that Inlet and Outlet
	// of these ranks return. m is the rank's again after it.
	Post(m *Message)
	// Credit tells the sender of a way that its receiver has read the oldest message of a
	// collective for which it has not said so: the staging slot is free. The driver calls Credited
	// at the source later, never inside the call, in the order of the credits of the way.
	Credit(via, coll int32)
	// Abort says that a rank cannot go on, and so its job cannot: it has failed.
	Abort(rank int32, err error)
	// CopyIn carries bytes from host memory to the GPU of a rank over its PCIe, which the NICs use
	// too. The driver calls Rank.Done(tok) later, never inside the call, when the work is done, as
	// with Clock.Run.
	CopyIn(rank int32, tok Token, bytes unit.Bytes, w Work)
}

// Meeting is a Transport whose ranks come together in collectives that send no messages: see
// workload.Collective.Formula. A Transport needs it only for such a job.
type Meeting interface {
	// Meet says that a rank has launched such a collective. The driver calls Rank.Done(tok) later, never inside the call:
	// so long after the last rank of the group has come; of a send, on its sender so long after itself, and on its
	// receiver when both have come and that has passed.
	Meet(rank int32, tok Token, coll int32)
}

// Work is the real work of an operation, and how much it is. In a replay there is none.
type Work struct {
	Do     func() // nil: nothing
	Effort workload.Effort
}

// Clock lets virtual (or real) time pass for something that runs on the rank.
type Clock interface {
	// Run calls Rank.Done(tok) of that rank after d > 0, never inside the call.
	// The work may run on another core and must be finished before Done is called.
	Run(rank int32, tok Token, d unit.Duration, w Work)
}

// Memory gives a driver the bytes that messages carry; nil in replay.
type Memory interface {
	// Bytes returns the live bytes that ref names, len(result) == r.Len.
	Bytes(rank int32, r Ref) []byte
}

// Body is the real work bound to operations; nil in replay.
type Body interface {
	// Compute does the work of a compute operation or of a copy.
	Compute(rank int32, step int64, op *workload.Op)
	// Reduce does dst = dst + src, element by element, in that operand order.
	Reduce(rank int32, coll int32, dst, src Ref)
	// Copy does dst = src.
	Copy(rank int32, coll int32, dst, src Ref)
}

// Counter is a Body that decides sizes: see workload.Counts. A Body needs it only for such a job.
type Counter interface {
	// Counts fills in what a rank, a member of the collective's group, exchanges in a step, as it
	// knows it itself: what it sends from the operation that decided it, what it receives from the
	// exchange. It is asked when the collective's first message may go: both have ended.
	Counts(rank int32, step int64, coll int32, n workload.MemberCounts)
}

// Stager is a Body whose ranks have memory for a staging slot only while something lies in it.
type Stager interface {
	// Read says that nobody will read again what lies in a slot of a rank. It is told so once the
	// body that read it has ended; of a schedule that reads slots several times without saying
	// when it is the last (coll.Op.Frees), never.
	Read(rank int32, slot Ref)
}

// Segment is part of a Trace. Its At means something to the driver, such as a port.
type Segment = cause.Segment

// Trace says why one message took as long as it did, or its acknowledgement.
//
// Invariant: the segments are contiguous from Posted and the last ends at Placed.
type Trace struct {
	Posted, Placed unit.Time
	Segments       []Segment
	Lane           int32 // which queue pair of the way carried it, from 0
}

// Status is how a rank stands.
type Status uint8

// A rank is OK until it cannot go on, or its driver says that its job is aborted.
const (
	OK Status = iota
	Failed
)

// Observer receives what a rank did, in the order in which it ended.
type Observer interface {
	// Step tells of a step, and when in it no compute operation ran: in no order, valid until it returns. With
	// Computing these are as long as the step.
	Step(s StepRecord, waits []Wait)
	Operation(OperationRecord)
}

// StepRecord is one step of one rank, or its start phase: workload.StartStep.
//
// Invariant: Split.Sum() == End - Start.
type StepRecord struct {
	Rank       int32
	Step       int64
	Start, End unit.Time
	Split      cause.Split
	Comm       unit.Duration // streams of groups busy
	Overlap    unit.Duration // the part of Comm during which a compute operation ran
	Computing  unit.Duration // a compute operation ran: of Split's compute what is no waiting for own reductions
}

// Wait is a part of a step in which a rank computed nothing.
type Wait struct {
	Op       int32 // for which operation: index in the program's; -1: for none
	From, To unit.Time
}

// OperationRecord is one operation of one step of one rank.
type OperationRecord struct {
	Rank       int32
	Step       int64
	Op         int32 // workload.Op.ID
	Name       string
	Stream     int32
	Start, End unit.Time
	ReleasedBy int32 // the operation whose end let this one start; -1: the start of the step
	// The message that ended the collective ReleasedBy: its source and channel,
	// or -1 where no message did.
	ReleasedSrc, ReleasedChannel int32
	Positions                    int64 // that came for it, where each step decides how many: workload.Counted
}

// Checkpoint is the time that a rank takes between two steps to write what it knows: all ranks of a job the same, however
// little of it is theirs, because they go on together. The zero value: none.
type Checkpoint struct {
	Every int64 // steps; 0: only after Next
	Next  int64 // steps; 0: none
	Takes unit.Duration
}

// After reports whether there is a checkpoint once so many steps have ended.
func (c *Checkpoint) After(steps int64) bool {
	return steps > 0 && (c.Every > 0 && steps%c.Every == 0 || steps == c.Next)
}

func (c *Checkpoint) after(steps int64) unit.Duration {
	if !c.After(steps) {
		return 0
	}
	return c.Takes
}

// Config is all a rank needs. Body, Observer and Paths may be nil; the rest may not.
type Config struct {
	Rank      int32
	Job       *workload.Job
	Steps     int64 // >= 1, run back to back after the start phase
	Transport Transport
	Clock     Clock
	Body      Body
	Observer  Observer
	// Checkpoint is when the rank stands still between two steps, for what it knows to be written.
	Checkpoint Checkpoint
	Paths      *PathFinder // shared by the ranks of a job; the driver tells it what Observer is told: see PathFinder.Ended
}
