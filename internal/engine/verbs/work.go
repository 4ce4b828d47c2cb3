package verbs

import (
	"railyard/internal/base/lists"
	"railyard/internal/engine/roce"
)

// Span is local memory of a work request: bytes of a region.
type Span struct {
	Key     uint32
	Address uint64
	Length  uint32
}

// Work is a work request of a send queue.
type Work struct {
	ID      uint64
	Op      roce.Op
	Local   Span
	Address uint64 // at the other end, of all but a SEND
	Key     uint32 // of the region there
	Imm     uint32 // with immediate
	// Of an atomic operation: what is swapped in or added, and what is compared with. What the memory held comes to Local, in
	// the byte order of this host.
	Swap, Compare uint64
}

// Receive is a work request of a receive queue.
type Receive struct {
	ID    uint64
	Local Span
}

// Status is how a work request ended.
type Status uint8

// The statuses, which have the numbers and words of ibverbs' enum ibv_wc_status.
const (
	Success         Status = 0
	LocalLength     Status = 1
	LocalProtection Status = 4
	Flushed         Status = 5
	BadResponse     Status = 7
	RemoteInvalid   Status = 9
	RemoteAccess    Status = 10
	RemoteOperation Status = 11
	RetryExceeded   Status = 12
	RNRExceeded     Status = 13
)

var statuses = map[Status]string{
	Success: "success", LocalLength: "local length error", LocalProtection: "local protection error",
	Flushed: "Work Request Flushed Error", BadResponse: "bad response error", RemoteInvalid: "remote invalid request error",
	RemoteAccess: "remote access error", RemoteOperation: "remote operation error",
	RetryExceeded: "transport retry counter exceeded", RNRExceeded: "RNR retry counter exceeded",
}

// String returns ibverbs' words.
func (s Status) String() string { return statuses[s] }

// Kind is what ended.
type Kind uint8

// The kinds of completions.
const (
	SendDone  Kind = iota // a work request of a send queue
	Received              // a SEND came
	WrittenTo             // a WRITE with immediate came
)

// Completion is a work request that ended. With another status than Success, only ID, QP, Kind and Status are valid.
type Completion struct {
	ID     uint64
	QP     uint32
	Kind   Kind
	Status Status
	Op     roce.Op // of SendDone
	Bytes  uint32
	HasImm bool
	Imm    uint32
}

// CQ is a completion queue.
type CQ struct {
	Event func() // called with each completion that comes; nil: nobody is told
	done  lists.Queue[Completion]
}

func (c *CQ) push(w Completion) {
	c.done.Push(w)
	if c.Event != nil {
		c.Event()
	}
}

// Poll takes out the oldest completion; ok is false if there is none.
func (c *CQ) Poll() (w Completion, ok bool) {
	if c.done.Len() == 0 {
		return w, false
	}
	return c.done.Pop(), true
}
