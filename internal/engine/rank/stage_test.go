//go:build unix

package rank

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
)

// stage is the parts of a loop that need no time: both ends of a ring, a board and its bell, a frame, what is registered.
type stage struct {
	scripttest.Log
	t           *testing.T
	write, read ring
	board       *Board
	bell        *Bell
	head        []byte // of a frame
	loop        *Loop
}

// Each part does what its scripts say.
//
// They fail if a ring forgets to wrap or believes a counter that cannot be, if a bell rings for who is awake or not for who
// sleeps, if a frame that cannot be is one, or if a message or credit passes that the schedule has not.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage {
		return &stage{t: t, board: NewBoard(), bell: NewBell()}
	})
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *stage) number(text string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, text)
}

// Do implements scripttest.Stage.
func (s *stage) Do(command []string) {
	verb, args := command[0], command[1:]
	switch verb {
	case "ring", "put", "get", "room", "foul":
		s.ofRing(verb, args)
	case "step", "in", "waits", "beats", "board", "sleeps", "wakes", "told", "heard":
		s.ofBoard(verb, args)
	case "frame", "byte", "cut", "decode":
		s.ofFrame(verb, args)
	case "ranks", "message", "credit", "numbered":
		s.ofSchedule(verb, args)
	default:
		s.t.Fatalf("no command %s", verb)
	}
}

func (s *stage) ofRing(verb string, args []string) {
	switch verb {
	case "ring":
		b := make([]byte, RingBytes(int(s.number(args[0]))))
		s.write, s.read = ringAt(b), ringAt(b)
	case "put": // as much as there is room for
		text := args[0]
		for text != "" {
			to, err := s.write.room()
			if err != nil {
				s.say("writer: %v", err)
				return
			} else if len(to) == 0 {
				s.say("full, left over: %s", text)
				return
			}
			n := copy(to, text)
			s.write.wrote(n)
			s.say("wrote %s", text[:n])
			text = text[n:]
		}
	case "get":
		for left := int(s.number(args[0])); left > 0; {
			b, err := s.read.there()
			if err != nil {
				s.say("reader: %v", err)
				return
			} else if len(b) == 0 {
				s.say("empty")
				return
			}
			b = b[:min(len(b), left)]
			s.say("read %q", b)
			s.read.read(len(b))
			left -= len(b)
		}
	case "room":
		to, err := s.write.room()
		s.say("%d bytes in a piece, %v", len(to), err)
	case "foul": // a peer writes a counter
		counter := map[string]*ringEnd{"read": s.write.head, "written": s.read.tail}[args[0]]
		counter.n.Add(uint64(s.number(args[1])))
	}
}

func (s *stage) ofBoard(verb string, args []string) {
	switch verb {
	case "step":
		s.board.setStep(s.number(args[0]))
	case "in":
		s.board.coll.Store(s.number(args[0]) + 1)
	case "beats":
		s.board.Beat(s.number(args[0]))
	case "waits": // SLOT COLL PEER NEED
		s.board.waits[s.number(args[0])].Store(uint64(s.number(args[3]))<<56 | uint64(s.number(args[2]))<<32 |
			uint64(s.number(args[1])))
	case "board":
		at := s.board.Standing()
		s.say("begun %v, step %d, collective %d, lived at %d ms", at.Begun, at.Step, at.Coll, at.Beat)
		for _, w := range at.Waits {
			s.say("in collective %d it waits for rank %d, need %d", w.Coll, w.Peer, w.Need)
		}
	case "sleeps":
		s.board.sleep(args[0] == "for-credits")
	case "wakes":
		s.board.awake()
	case "told":
		if args[0] == "credit" {
			s.board.wakeForCredit(s.bell)
		} else {
			s.board.wake(s.bell)
		}
	case "heard": // how often the bell was rung
		rung := 0
		for b := make([]byte, 1); s.bell.rung(); rung++ {
			_, _ = unix.Read(s.bell.from, b)
		}
		s.say("%d", rung)
	}
}

// rung reports whether there is something in the pipe, which it leaves there.
func (b *Bell) rung() bool {
	files := []unix.PollFd{{Fd: int32(b.from), Events: unix.POLLIN}}
	n, _ := unix.Poll(files, 0)
	return n > 0
}

// frameOf reads KEY=VALUE of a frame.
func (s *stage) frameOf(args []string) (f Frame) {
	var buffer int32
	var off int64
	for _, a := range args {
		key, text, _ := strings.Cut(a, "=")
		v := s.number(text)
		switch key {
		case "kind":
			f.Kind = FrameKind(v)
		case "from":
			f.Way.Src = int32(v)
		case "to":
			f.Way.Dst = int32(v)
		case "group":
			f.Way.Group = int32(v)
		case "channel":
			f.Way.Channel = int32(v)
		case "number":
			f.Number = uint32(v)
		case "buffer":
			buffer = int32(v)
		case "at":
			off = v
		case "bytes":
			f.Header.Bytes = unit.Bytes(v)
		case "step":
			f.Header.Step = v
		case "coll":
			f.Header.Coll = int32(v)
		default:
			s.t.Fatalf("no %s of a frame", key)
		}
	}
	f.Address = verbs.Address(buffer, off)
	return f
}

func (s *stage) ofFrame(verb string, args []string) {
	switch verb {
	case "frame":
		f := s.frameOf(args)
		s.head = f.Append(nil)
	case "byte": // AT VALUE, and the checksum is made right again; without: it is not
		s.head[s.number(args[0])] = byte(s.number(args[1]))
		if len(args) == 2 {
			const sum = FrameBytes - SumBytes
			binary.BigEndian.PutUint32(s.head[sum:], crc32.Checksum(s.head[:sum], castagnoli))
		}
	case "cut":
		s.head = s.head[:s.number(args[0])]
	case "decode":
		f, err := DecodeFrame(s.head)
		if err != nil {
			s.say("%v", err)
			return
		}
		to := f.to()
		s.say("kind %d of rank %d to %d, group %d, channel %d, number %d", f.Kind, f.Way.Src, f.Way.Dst, f.Way.Group,
			f.Way.Channel, f.Number)
		s.say("%d bytes to buffer %d at %d; collective %d of step %d", to.Len, to.Buffer, to.Off, f.Header.Coll, f.Header.Step)
	}
}

func (s *stage) ofSchedule(verb string, args []string) {
	if verb == "ranks" { // two, with so many elements
		job, memory, err := exectest.TwoRanks(s.number(args[0]))
		if err != nil {
			s.t.Fatal(err)
		}
		s.loop = NewLoop(Config{Rank: 1, Job: job, Steps: 3, Memory: memory, Body: memory})
		s.loop.Join(0, &sink{})
		s.loop.rank.Start(0)
		return
	}
	f := s.frameOf(args)
	var err error
	switch verb {
	case "message": // of which buffer=0 is the staging of its step
		buffer, off := verbs.Place(f.Address)
		f.Address = verbs.Address(buffer+exec.Staging(s.loop.cfg.Job, 0, f.Header.Step), off)
		err = s.loop.reg.message(&f)
	case "credit":
		err = s.loop.reg.credit(&f)
	case "numbered": // taken as from rank 0
		err = s.loop.Take(0, &f)
	}
	if err == nil {
		s.say("taken")
		return
	}
	s.say("%v", err)
}
