package endpoint

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/cc"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

var scripts = flag.Int("scripts", 20, "message scripts that are played over simulated NICs and over endpoints")

// script is messages that one end writes to the other, and which frames are lost.
type script struct {
	seed    uint64
	mtu     wire.MTU
	first   wire.PSN
	every   int
	batches [][]int // sizes of messages that are posted together, when those before are complete
	data    []int   // frames of data that are lost, from 0
	answers []int   // and of answers
}

func drawScript(seed uint64) (s script) {
	rng := rand.New(rand.NewPCG(seed, 11))
	s = script{seed: seed, mtu: wire.MTU(1 + rng.IntN(3)), first: wire.PSN(0xFFFFE0 + rng.IntN(0x40)).Add(0), every: 1 + rng.IntN(16)}
	most := 12 * int(s.mtu.Bytes())
	for range 1 + rng.IntN(4) {
		var batch []int
		for range 1 + rng.IntN(4) {
			batch = append(batch, 1+rng.IntN(most))
		}
		s.batches = append(s.batches, batch)
	}
	for n := range 400 {
		if rng.IntN(25) == 0 {
			s.data = append(s.data, n)
		}
		if rng.IntN(12) == 0 {
			s.answers = append(s.answers, n)
		}
	}
	return s
}

func (s *script) faults(t *testing.T, lost []int) *Faults {
	var b strings.Builder
	for _, n := range lost {
		fmt.Fprintf(&b, "lose:%d ", n)
	}
	f, err := ParseFaults(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Over simulated NICs and over endpoints a script of messages and losses gives the same frames: opcodes, PSNs, requests for
// acknowledgements, lengths, ACKs and NAKs. Each ends in a capture of the sender's side, and the two files are compared.
//
// On the simulated network, as at the endpoints, a sender has sent what it may before an answer comes: a round trip is longer
// than a batch. The endpoints' clock stands still while a packet is under way, so no timeout is this machine's.
//
// It fails if acknowledgements are one PSN late in either driver, if Params.AskEvery is another, if AddQP or Connect leave out
// AckDuplicates, or if a NAK has another syndrome on one of the two ways.
func TestFramesAreThoseOfTheSimulator(t *testing.T) {
	lost, timeouts, naks := 0, int64(0), 0
	for seed := range uint64(*scripts) {
		s := drawScript(seed)
		dir := t.TempDir()
		simulated, real := filepath.Join(dir, "simulated.pcapng"), filepath.Join(dir, "real.pcapng")
		simulate(t, &s, simulated)
		timeouts += transfer(t, &s, real)
		want, got := framesOf(t, simulated), framesOf(t, real)
		for _, way := range []pcapng.Direction{pcapng.Outbound, pcapng.Inbound} {
			if i := differ(got[way], want[way]); i >= 0 {
				t.Fatalf("script %+v, direction %v, frame %d of %d and %d:\nendpoint  %s\nsimulator %s", s, way, i, len(got[way]),
					len(want[way]), at(got[way], i), at(want[way], i))
			}
		}
		lost += len(s.data) + len(s.answers)
		naks += strings.Count(strings.Join(got[pcapng.Inbound], "\n"), fmt.Sprintf("syndrome %d/", wire.NAK))
	}
	if timeouts == 0 || naks == 0 {
		t.Errorf("%d timeouts and %d NAKs in all: want some of both", timeouts, naks)
	}
	t.Logf("%d scripts: %d NAKs, %d timeouts", *scripts, naks, timeouts)
}

func differ(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if at(a, i) != at(b, i) {
			return i
		}
	}
	return -1
}

func at(a []string, i int) string {
	if i >= len(a) {
		return "none"
	}
	return a[i]
}

// framesOf reads a capture: what frames of each direction say.
func framesOf(t *testing.T, file string) map[pcapng.Direction][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapng.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[pcapng.Direction][]string{}
	for {
		p, err := r.Next()
		if err == io.EOF {
			return all
		}
		var q wire.Packet
		if err == nil {
			err = q.Decode(p.Data[wire.EthernetBytes:])
		}
		if err != nil {
			t.Fatal(file, err)
		}
		h := &q.RoCE
		text := fmt.Sprintf("%v PSN %d", h.BTH.Opcode, h.BTH.PSN)
		if h.BTH.Opcode == wire.Acknowledge {
			text += fmt.Sprintf(" syndrome %d/%d", h.AETH.Kind, h.AETH.Value)
		} else {
			text += fmt.Sprintf(" asks %t, %d bytes of %d", h.BTH.AckReq, len(h.Payload), h.RETH.Length)
		}
		all[p.Direction] = append(all[p.Direction], text)
	}
}

// capturing puts what passes the sender's side into a file.
type capturing struct {
	*Capture
	sent, received int
}

func (c *capturing) Packet(at time.Time, b []byte, sent bool) {
	if sent {
		c.sent++
	} else {
		c.received++
	}
	c.Capture.Packet(at, b, sent)
}

const retransmission = 20 * unit.Millisecond

// transfer plays a script over two endpoints, and returns how often the sender's timer ran out.
func transfer(t *testing.T, s *script, file string) (timeouts int64) {
	var now atomic.Int64 // it moves with each look, so that the rate, which is beyond all bounds, holds nothing back
	var kept bytes.Buffer
	var ends [2]*end
	var watch [2]*capturing
	for i, lost := range [][]int{s.data, s.answers} {
		own := netip.MustParseAddr(fmt.Sprintf("127.0.47.%d", 1+i))
		var to io.Writer = io.Discard
		if i == 0 {
			to = &kept
		}
		watch[i] = &capturing{Capture: NewCapture(to, own)}
		e := &end{b: make([]byte, regionBytes)}
		sock, err := open(own)
		if err != nil {
			t.Skipf("no socket of RoCEv2: %v", err)
		}
		e.Endpoint = begin(own, sock, s.faults(t, lost), watch[i])
		e.mu.Lock()
		e.clock = func() unit.Time { return unit.Time(now.Add(10)) }
		e.mu.Unlock()
		defer e.Close()
		if e.key, err = e.domain.Register(e.b, regionAt, verbs.LocalWrite|allRights); err != nil {
			t.Fatal(err)
		}
		set := cc.NewSet(cc.None{}, 1)
		set.Init(0, 1_000_000*lineRate, 0)
		e.qp = verbs.NewQP(firstQP, &e.domain, &e.send, &e.recv, set.At(0))
		e.mu.Lock()
		e.pairs = append(e.pairs, &pair{QP: e.qp, port: wire.RoCEv2Port})
		e.mu.Unlock()
		ends[i] = e
	}
	a, b := ends[0], ends[1]
	each := func(at *verbs.Attributes) {
		at.AckEvery, at.Timeout = s.every, retransmission
		if at.SendPSN == 0xFFFFF0 { // a to b
			at.SendPSN = s.first
		} else {
			at.RecvPSN = s.first
		}
	}
	couple(t, a, b, s.mtu, each)
	for _, batch := range s.batches {
		for range batch {
			b.receive(t, verbs.Receive{})
		}
		a.Do(func() {
			for _, size := range batch {
				err := a.qp.PostSend(verbs.Work{Op: roce.OpWriteImm, Local: verbs.Span{Key: a.key, Address: regionAt, Length: uint32(size)},
					Key: b.key, Address: regionAt})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		settle(t, a, b, watch, &now, len(batch))
	}
	if err := os.WriteFile(file, kept.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return a.qp.Counters().AckTimeout
}

// settle lets packets pass until all messages are complete; where none is under way, time passes up to the next deadline.
func settle(t *testing.T, a, b *end, watch [2]*capturing, now *atomic.Int64, messages int) {
	t.Helper()
	step := func() (done, moved bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		for w, ok := a.send.Poll(); ok; w, ok = a.send.Poll() {
			if w.Status != verbs.Success {
				t.Fatalf("completion: %v", w.Status)
			}
			messages--
		}
		if watch[0].sent != watch[1].received || watch[1].sent != watch[0].received {
			return false, false
		}
		if messages == 0 {
			return true, true
		}
		p := a.pairs[0]
		now.Store(max(now.Load(), int64(p.Wake(a.now()))))
		p.Expire(a.now())
		a.load(p)
		a.flush()
		return false, true
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		done, moved := step()
		if done {
			return
		}
		if !moved {
			time.Sleep(20 * time.Microsecond)
		}
	}
	lost := ""
	for _, file := range []string{"/proc/net/raw", "/proc/net/udp", "/proc/net/softnet_stat"} { // of whatever system this is
		b, _ := os.ReadFile(file)
		lost += file + ":\n" + string(b)
	}
	t.Fatalf("the messages are not complete after a minute: %d left, sent %d and %d packets, received %d and %d; drops:\n%s",
		messages, watch[0].sent, watch[1].sent, watch[0].received, watch[1].received, lost)
}

// wireTap is a shim before a simulated NIC: frames are lost by their number, and the others go into a capture.
type wireTap struct {
	fabric.Sink
	fab  *fabric.Fabric
	lost []int
	n    int
	see  func(pk *roce.Packet, bytes int)
}

func (w *wireTap) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, f *fabric.Packet) {
	w.n++
	if slices.Contains(w.lost, w.n-1) {
		w.fab.TakeTrace(isl, f)
		return
	}
	var pk roce.Packet
	nic.Packet(f, &pk)
	bytes := 0
	if pk.Data() {
		bytes = int(unit.Bytes(f.Bytes) - wire.RoCEv2.DataFrame(0, pk.Lands(), pk.Immediate()))
		if pk.Lands() {
			l := &w.fab.Trace(isl, f).Edge.Landing
			pk.Landing = roce.Landing{Address: l.Address, Key: l.Key, PSN: l.PSN, Length: l.Length}
		}
	}
	w.see(&pk, bytes)
	w.Sink.Deliver(isl, now, port, f)
}

// simulate plays a script over two simulated NICs and a switch.
func simulate(t *testing.T, s *script, file string) {
	t.Helper()
	const rate = 100 * unit.GigabitPerSec
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: 1, NICs: 1, HostLink: topo.Cable{Rate: rate, Delay: 50 * unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	islandOf := make([]int32, len(g.Nodes))
	eng := sim.New([]int{len(g.Ports)}, 0)
	one := unit.Ratio{Num: 1, Den: 1}
	fab, err := fabric.New(eng, g, fabric.Config{Classes: []fabric.Class{{Name: "data", Priority: 3, Weight: 1, Lossless: true}},
		PFC:    fabric.PFC{Alpha: one, ResumeOffset: 3072},
		Buffer: fabric.Buffer{Size: 32 << 20, Reserve: 4096, LossyAlpha: one}, PauseFrame: 64, MTU: 5000, Seed: 1}, islandOf)
	if err != nil {
		t.Fatal(err)
	}
	hosts := host.New(eng, g, host.Config{}, islandOf)
	net := nic.New(eng, fab, g, hosts, nic.Config{Frames: wire.RoCEv2, Controller: cc.None{}, Transport: roce.Params{MTU: s.mtu.Bytes(),
		AckEvery: s.every, AskEvery: int64(s.every), Timeout: retransmission, Retries: 7, AckDuplicates: true, RNRRetries: 7}})
	left := 0
	net.OnFlow(func(int32, *nic.Flow) { left-- })

	var kept bytes.Buffer
	own, peer := netip.MustParseAddr("127.0.47.1"), netip.MustParseAddr("127.0.47.2")
	capture := NewCapture(&kept, own)
	see := func(sent bool) func(pk *roce.Packet, bytes int) {
		return func(pk *roce.Packet, bytes int) {
			p := wire.Packet{IP: wire.IPv4{DontFragment: true, TTL: 64, Source: own, Dest: peer}, UDP: wire.UDP{Source: wire.RoCEv2Port}}
			if !sent {
				p.IP.Source, p.IP.Dest = peer, own
			}
			headers.To(&p.RoCE, pk, headers.End{QP: firstQP, PKey: headers.DefaultPartition, First: s.first}, make([]byte, bytes))
			capture.Packet(time.Time{}, p.Append(nil), sent)
		}
	}
	for i, lost := range [][]int{s.answers, s.data} {
		port, source, sink := net.Sink(g.Hosts[i].NICs[0])
		fab.Attach(port, source, &wireTap{Sink: sink, fab: fab, lost: lost, see: see(i == 1)})
	}
	routes := topo.NewRoutes(g)
	path, err := routes.Path(0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := routes.Path(1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	qp := net.AddQP(nic.QueuePair{Name: "pair", From: 0, To: 1, FromGPU: -1, ToGPU: -1, Path: path, Back: back})
	for i, batch := range s.batches {
		for _, size := range batch {
			hosts.AddFlow(0, host.FlowSpec{QP: qp, Bytes: unit.Bytes(size), Count: 1, Start: unit.Time(i) * unit.Time(10*unit.Second)})
			left++
		}
	}
	net.Build(func(int32) unit.Duration { return 250 * unit.Microsecond })
	eng.Run()
	if err := net.Err(); err != nil || left != 0 {
		t.Fatalf("script %+v: %d messages are not complete: %v", *s, left, err)
	}
	if err := os.WriteFile(file, kept.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
