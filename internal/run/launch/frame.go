package launch

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// kind says what a control frame is.
type kind uint8

// Of a rank's process, or of its launcher for it.
const (
	kindReady    kind = 1 + iota // ready: it has prepared
	kindLinked                   // its links are made
	kindStep                     // it has ended a step: see appendTold
	kindSoFar                    // what it has ended of a step that it is in, likewise
	kindEnded                    // ended: its loop has
	kindDied                     // died: its process has ended
	kindStalled                  // died: its process does not go on
	kindOverdue                  // nothing: it has been in a collective for as long as job.watchdog says
	kindStanding                 // standings of a node's ranks

	// To a rank's process.
	kindJob   // jobOrder
	kindPeers // peers
	kindGo    // start
	kindStop  // stop
	kindTell  // wants kindSoFar
	kindAsk   // wants kindStanding, of a node
	kindQuit  // text: why it is over; "": all is done

	// Between launchers.
	kindHello   // hello
	kindWelcome // welcome
	kindRefused // text
	kindPing    // ping
	kindBeat    // nothing: it lives
	kindAgain   // text: why the try is over; who gets it comes again
	kindWeights // bytes of the weights that the welcome has named
	kinds
)

// frame is what processes and launchers tell each other. Rank is that of whom it comes from, or goes to; -1: all of a node, or
// its launcher.
type frame struct {
	kind kind
	rank int32
	body []byte
}

// frameHead is the length of a frame without its body:
//
//	+-----------------------+-------+-------+-------+-------+
//	|  "RYL", version       | kind  |  0        0       0   |
//	+-----------------------+-------+-------+-------+-------+
//	|  rank                 |  length of the body           |
//	+-----------------------+-------------------------------+
const frameHead = 16

const frameMagic = 'R'<<24 | 'Y'<<16 | 'L'<<8 | 1

// smallBody is the most that any frame but that of a step and of a job has.
const smallBody = 1 << 20

func appendFrame(b []byte, f *frame) []byte {
	b = binary.BigEndian.AppendUint32(b, frameMagic)
	b = append(b, byte(f.kind), 0, 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(f.rank))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.body)))
	return append(b, f.body...)
}

// readFrame reads a frame whose body has at most so many bytes. io.EOF: there is none.
func readFrame(r io.Reader, most int64) (f frame, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	f.kind, f.rank = kind(head[4]), int32(binary.BigEndian.Uint32(head[8:]))
	n := int64(binary.BigEndian.Uint32(head[12:]))
	switch magic := binary.BigEndian.Uint32(head[:]); {
	case magic != frameMagic:
		return f, fmt.Errorf("control frame: begins with %#08x, want %#08x", magic, uint32(frameMagic))
	case f.kind == 0 || f.kind >= kinds || head[5]|head[6]|head[7] != 0 || f.rank < -1:
		return f, fmt.Errorf("control frame: kind %d of rank %d: want 1 to %d, of rank -1 or more", f.kind, f.rank, kinds-1)
	case n > most:
		return f, fmt.Errorf("control frame: %d bytes, want at most %d", n, most)
	}
	// What is said to come is not believed before it has.
	var body bytes.Buffer
	if got, err := io.CopyN(&body, r, n); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return f, fmt.Errorf("control frame: %d bytes of %d: %w", got, n, err)
	}
	f.body = body.Bytes()
	return f, nil
}

// ready is what a rank's process says when it has prepared.
type ready struct {
	PID     int    `json:"pid"`
	Address string `json:"address,omitempty"` // where others connect; "": nobody does
}

// ended is why a rank's loop has ended; an empty Error: it has done all its steps.
type ended struct {
	Error string `json:"error,omitempty"`
	Peer  *int32 `json:"peer,omitempty"` // the connection to it has closed: that rank may be the cause
}

// died is how a process ended, or that it does not go on.
type died struct {
	PID  int    `json:"pid"`
	Text string `json:"text"` // behind "rank 5 (host, pid 812)"
}

// jobOrder is what a rank's process is to run.
type jobOrder struct {
	Name      string `json:"name"` // of the scenario's file
	Scenario  string `json:"scenario"`
	World     int    `json:"world"`
	First     int32  `json:"first"` // rank of this node
	Ranks     int    `json:"ranks"` // of this node
	Transport string `json:"transport"`
	Faults    string `json:"faults,omitempty"`
	Capture   string `json:"capture,omitempty"` // absolute
	RingBytes int    `json:"ring_bytes"`
	Rooms     bool   `json:"rooms,omitempty"` // each rank has a file for buffers that the others of its node see
	Listen    string `json:"listen"`          // IP address

	Images        string `json:"images,omitempty"`  // digest, which the launcher has found to be right
	Weights       string `json:"weights,omitempty"` // file from which it goes on; "": from the beginning
	WeightsSHA256 string `json:"weights_sha256,omitempty"`
}

// peers is where the ranks of a job are to be reached.
type peers struct {
	ID        []byte           `json:"id"` // of the job, jobIDBytes
	Addresses map[int32]string `json:"addresses"`
}

// jobIDBytes is how long the number is by which connections know their job.
const jobIDBytes = 16

// start is when the times begin that ranks tell, on the clock of their node.
type start struct {
	UnixNano int64 `json:"unix_nano"`
}

// stop ends ranks after so many steps.
type stop struct {
	Steps int64 `json:"steps"`
}

// standing is how a rank stands, as its board says.
type standing struct {
	Rank  int32   `json:"rank"`
	PID   int     `json:"pid"`
	Begun bool    `json:"begun"`
	Step  int64   `json:"step"`
	Coll  int32   `json:"coll"`  // -1: none
	Quiet bool    `json:"quiet"` // it has given no sign for some time
	Waits []int32 `json:"waits,omitempty"`
}

// hello is what a launcher says to that of node 0.
type hello struct {
	Version  string   `json:"version"`
	ID       string   `json:"id"`
	Nodes    int      `json:"nodes"`
	PerNode  int      `json:"per_node"`
	Node     int      `json:"node"`
	Host     string   `json:"host"`
	Scenario string   `json:"scenario"` // resolved
	Inputs   []string `json:"inputs"`   // name and SHA-256 of each
}

// spareNode is the number of a node that waits for the place of another.
const spareNode = -1

// welcome says that a node is one of the job, and what follows: weights, from which its ranks go on.
type welcome struct {
	First         int32  `json:"first"` // its first rank
	Node          int    `json:"node"`
	WeightsBytes  int64  `json:"weights_bytes,omitempty"` // 0: they begin
	WeightsSHA256 string `json:"weights_sha256,omitempty"`
}

// ping is a time of a clock.
type ping struct {
	UnixNano int64 `json:"unix_nano"`
}

// newFrame is a frame with data.
func newFrame(k kind, rank int32, data any) frame {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err) // plain structs
	}
	return frame{k, rank, b}
}

// decode reads the data of a frame.
func (f *frame) decode(to any) error {
	d := json.NewDecoder(bytes.NewReader(f.body))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("control frame of kind %d: %w", f.kind, err)
	}
	if d.More() {
		return fmt.Errorf("control frame of kind %d: more behind its data", f.kind)
	}
	return nil
}
