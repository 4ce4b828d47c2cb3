package rdma

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// Port is perftest's.
const Port = 18515

// Test is what is to be measured.
type Test struct {
	Op         string `json:"op"`
	Size       uint32 `json:"size"`
	Iterations int    `json:"iterations"`
	MTU        int    `json:"mtu"` // bytes
	Depth      int    `json:"depth"`
}

// Bounds of a test.
const (
	MaxSize       = 64 << 20
	MaxIterations = 1_000_000
	MaxDepth      = 1024
)

// operation is what a test does.
type operation struct {
	op      roce.Op
	latency bool
}

var operations = map[string]operation{
	"write_bw": {roce.OpWrite, false}, "write_lat": {roce.OpWriteImm, true},
	"send_bw": {roce.OpSend, false}, "send_lat": {roce.OpSend, true},
	"read_bw": {roce.OpRead, false}, "read_lat": {roce.OpRead, true}, "atomic_lat": {roce.OpFetchAdd, true},
}

// Operations returns the names of all tests.
func Operations() []string {
	return []string{"write_bw", "write_lat", "send_bw", "send_lat", "read_bw", "read_lat", "atomic_lat"}
}

// RoundTrip reports whether a test's times are those of whole round trips, and not of halves: nothing is sent back, the other
// end's memory is asked.
func (t *Test) RoundTrip() bool { return t.Latency() && operations[t.Op].op.Asks() }

// Atomic reports whether a test's messages are atomic operations, which have one size.
func (t *Test) Atomic() bool { return operations[t.Op].op.Atomic() }

// Latency reports whether a test measures how long a message takes, and not how many go.
func (t *Test) Latency() bool { return operations[t.Op].latency }

// Validate reports what is out of bounds, all of it.
func (t *Test) Validate() error {
	var bad []string
	if _, ok := operations[t.Op]; !ok {
		bad = append(bad, fmt.Sprintf("operation %q, want one of %s", t.Op, strings.Join(Operations(), ", ")))
	}
	if t.Atomic() && t.Size != roce.AtomicBytes {
		bad = append(bad, fmt.Sprintf("size %d, want %d bytes: what an atomic operation works on", t.Size, roce.AtomicBytes))
	} else if t.Size < 1 || t.Size > MaxSize {
		bad = append(bad, fmt.Sprintf("size %d, want 1 to %d bytes", t.Size, MaxSize))
	}
	if t.Iterations < 1 || t.Iterations > MaxIterations {
		bad = append(bad, fmt.Sprintf("iters %d, want 1 to %d", t.Iterations, MaxIterations))
	}
	if !slices.Contains(pathMTUs, t.MTU) {
		bad = append(bad, fmt.Sprintf("mtu %d, want 256, 512, 1024, 2048 or 4096", t.MTU))
	}
	if t.Depth < 1 || t.Depth > MaxDepth {
		bad = append(bad, fmt.Sprintf("tx-depth %d, want 1 to %d", t.Depth, MaxDepth))
	}
	if bad != nil {
		return fmt.Errorf("%s", strings.Join(bad, "; "))
	}
	return nil
}

var pathMTUs = []int{256, 512, 1024, 2048, 4096}

// hello is what an end says of itself first.
type hello struct {
	Railyard int  `json:"railyard"` // version of the exchange
	Show     bool `json:"show,omitempty"`
	Test
	QPN     uint32     `json:"qpn"`
	PSN     uint32     `json:"psn"`
	GID     netip.Addr `json:"gid"`
	Key     uint32     `json:"rkey"`
	Address uint64     `json:"vaddr"`
	Error   string     `json:"error,omitempty"`
}

// goodbye is what an end says last.
type goodbye struct {
	SHA256 string `json:"sha256"`
	Status
	Error string `json:"error,omitempty"`
}

// Status is what a queue pair is and has counted.
type Status struct {
	QPN      uint32    `json:"qpn"`
	Peer     string    `json:"peer"`
	State    string    `json:"state"`
	Op       string    `json:"op"`
	Counters []Counter `json:"counters"`
}

// Timeouts is the name of the counter of timers that ran out.
const Timeouts = verbs.Timeouts

// Count returns a counter by its name, 0 if there is none.
func (s *Status) Count(name string) int64 {
	i := slices.IndexFunc(s.Counters, func(c Counter) bool { return c.Name == name })
	if i < 0 {
		return 0
	}
	return s.Counters[i].Count
}

// Counter is a count under the name that operators know.
type Counter struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

const version = 1

// maxLine is the longest line of the exchange.
const maxLine = 1 << 16

// line is a connection that carries a JSON object a line.
type line struct {
	conn net.Conn
	r    *bufio.Reader
}

func newLine(c net.Conn) *line { return &line{c, bufio.NewReaderSize(c, maxLine)} }

// read reads an object; it waits at most so long.
func (l *line) read(to any, most time.Duration) error {
	if err := l.conn.SetReadDeadline(time.Now().Add(most)); err != nil {
		return err
	}
	b, err := l.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return fmt.Errorf("what came over TCP is longer than %d bytes", maxLine)
	case err == io.EOF:
		return fmt.Errorf("the other end closed the connection")
	case err != nil:
		return err
	}
	if err := json.Unmarshal(b, to); err != nil {
		return fmt.Errorf("what came over TCP is not railyard's exchange: %w", err)
	}
	return nil
}

func (l *line) write(from any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if err := l.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = l.conn.Write(append(b, '\n'))
	return err
}

// patience is how long an answer over TCP may take, and a completion.
const patience = 30 * time.Second

// judge reports what is wrong with what the other end says of itself.
func (h *hello) judge() error {
	switch {
	case h.Error != "":
		return fmt.Errorf("the other end: %s", h.Error)
	case h.Railyard != version:
		return fmt.Errorf("the other end speaks version %d of the exchange, want %d", h.Railyard, version)
	case h.QPN < 2 || h.QPN >= 1<<24 || h.PSN >= 1<<24:
		return fmt.Errorf("the other end: queue pair 0x%x, PSN 0x%x, want 2 to 0xffffff and 0 to 0xffffff", h.QPN, h.PSN)
	case !h.GID.Is4() && !h.GID.Is6() || h.GID.Zone() != "":
		return fmt.Errorf("the other end: GID %v, want an IP address without a zone", h.GID)
	}
	return h.Validate()
}

// attributes are those of a queue pair whose other end said this.
func (h *hello) attributes(send uint32) verbs.Attributes {
	return verbs.Attributes{Access: remoteRights, MaxReads: mostReads, MaxDestReads: mostReads, PKey: partition,
		MTU: wire.MTUOf(unit.Bytes(h.MTU)), DestQP: h.QPN,
		RecvPSN: wire.PSN(h.PSN), SendPSN: wire.PSN(send), RNRTimer: rnrTimer, Timeout: ackTimeout, Retries: 7,
		RNRRetries: roce.ForeverRNR, AckEvery: ackEvery}
}

// remoteRights are those of the other end.
const remoteRights = verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic

const (
	mostReads  = 16     // outstanding, as most devices have it
	partition  = 0xFFFF // the default partition, full member
	rnrTimer   = 12     // 0.64 ms, perftest's
	ackTimeout = 4096 * unit.Nanosecond << 14
	ackEvery   = 16
)
