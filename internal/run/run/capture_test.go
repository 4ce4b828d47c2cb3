package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
	"railyard/internal/out/result"
)

// stormy is an incast with all that a capture has comments for: marks, pauses, losses, packets sent again.
const stormy = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  links: {spine: 100Gb/s}
  switch: {buffer: 300kB}
  qos: {ecn: {min: 10kB, max: 60kB}}
transport: {timeout: 100us%s}
faults:
  - {link: host3/leaf2, drop: 0.05}
job:
  flows:
    - {name: one, from: host2/gpu0, to: host1/gpu0, bytes: 200kB}
    - {name: two, from: host3/gpu0, to: host1/gpu0, bytes: 200kB, count: 2, every: 1us}
    - {name: three, from: host4/gpu0, to: host1/gpu0, bytes: 200kB}
output: {events: true}
`

// stormyCapture is stormy with frames of all links.
var stormyCapture = fmt.Sprintf(stormy, ", first_qpn: 0x123456, first_psn: 0xfffff0, p_key: 0x8012")

// captured is a frame of a capture.
type captured struct {
	pcapng.Packet
	port  string
	frame *wire.Frame
}

// captureOf reads the capture of a run and takes each frame apart, which verifies its checksums.
func captureOf(t *testing.T, r ran) (frames []captured, sums []pcapng.Statistics) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.path, result.CaptureFile))
	if err != nil {
		t.Fatal(err)
	}
	rd, err := pcapng.NewReader(bytes.NewReader(b))
	for err == nil {
		var p *pcapng.Packet
		if p, err = rd.Next(); err != nil {
			break
		}
		c := captured{Packet: *p, port: rd.Interfaces[p.Interface].Name}
		c.Data = slices.Clone(p.Data)
		if c.frame, err = wire.Dissect(c.Data, int(p.Length), true); err != nil {
			t.Fatalf("frame %d at %s: %v", len(frames)+1, c.port, err)
		}
		frames = append(frames, c)
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return frames, rd.Statistics
}

// A capture changes nothing else, and is the same however the network is cut into islands.
func TestCapturesAreTheSameInIslands(t *testing.T) {
	yaml := stormyCapture + "capture: {links: [all], payload: true}"
	one := run(t, yaml, Options{})
	for _, opt := range []Options{{Islands: 3}, {Islands: 64, Workers: 2}} {
		if other := run(t, yaml, opt); digestOf(t, one.path) != digestOf(t, other.path) {
			t.Errorf("%d islands: %s", opt.Islands, firstDifference(t, one.path, other.path))
		}
	}
	without := run(t, fmt.Sprintf(stormy, ""), Options{})
	for _, table := range without.Run.Tables() {
		if table == "events" {
			continue // its sequence numbers begin with another
		}
		a, err1 := os.ReadFile(filepath.Join(one.path, table+".parquet"))
		b, err2 := os.ReadFile(filepath.Join(without.path, table+".parquet"))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("table %s is another where frames are captured: %v %v", table, err1, err2)
		}
	}
	if _, err := os.Stat(filepath.Join(without.path, result.CaptureFile)); err == nil {
		t.Error("a run without capture leaves one")
	}
}

// What the tables say of ports and queue pairs is what the frames come to.
func TestCaptureAgreesWithTables(t *testing.T) {
	for _, overlay := range []string{"", "  encapsulation: vxlan\n  spines"} {
		yaml := stormyCapture
		if overlay != "" {
			yaml = strings.Replace(yaml, "  spines", overlay, 1)
		}
		captureAgrees(t, run(t, yaml+"capture: {links: [all], payload: true}", Options{}))
	}
}

func captureAgrees(t *testing.T, r ran) {
	t.Helper()
	frames, _ := captureOf(t, r)
	sent, packets, pauses := map[string]unit.Bytes{}, map[string]int64{}, map[string]int64{}
	said := map[string]int{} // first word of comments
	last := uint64(0)
	for _, f := range frames {
		if f.Time < last {
			t.Fatalf("a frame at %d after one at %d", f.Time, last)
		}
		last = f.Time
		for _, c := range f.Comments {
			said[strings.Fields(c)[0]]++
		}
		if f.frame.LLDP != nil { // it takes no time on the link, so no table has it
			said["lldp"]++
			continue
		}
		packets[f.port]++
		sent[f.port] += wire.RoCEv2.OnLink(unit.Bytes(f.Length))
		if p := f.frame.PFC; p != nil {
			if p.Quanta[3] > 0 {
				pauses[f.port]++
			}
			continue
		}
		marked := f.frame.IPv4.ECN == 3
		if in := f.frame.Inner; in != nil && *in.IPv4 == *f.frame.IPv4 || in != nil && in.IPv4.ECN != f.frame.IPv4.ECN {
			t.Errorf("in the tunnel %+v, outside %+v", in.IPv4, f.frame.IPv4)
		}
		if why := slices.ContainsFunc(f.Comments, func(c string) bool { return strings.HasPrefix(c, "marked by ") }); marked != why {
			t.Errorf("ECN %d, comments %q", f.frame.IPv4.ECN, f.Comments)
		}
	}
	for l, err := range r.Links() {
		if err != nil {
			t.Fatal(err)
		}
		if sent[l.Port] != l.TxBytes || packets[l.Port] != l.TxPackets || pauses[l.Port] != l.PausesSent {
			t.Errorf("%s: %v in %d frames and %d pauses, the table has %v in %d and %d", l.Port, sent[l.Port], packets[l.Port],
				pauses[l.Port], l.TxBytes, l.TxPackets, l.PausesSent)
		}
	}
	for _, word := range []string{"sent", "marked", "xOFF:", "xON:", "queue"} {
		if said[word] == 0 {
			t.Errorf("no frame says %q: %v", word, said)
		}
	}
	if said["lldp"] != 12 {
		t.Errorf("%d LLDP frames, want one at each of 12 ports", said["lldp"])
	}
	if said["queue"] != 3 {
		t.Errorf("%d frames name their queue pair, want one of each", said["queue"])
	}
}

// Each event that names a packet has a frame at its port, with the queue pair and the sequence number that it says.
func TestCaptureAgreesWithEvents(t *testing.T) {
	r := run(t, stormyCapture+"capture: {links: [all]}", Options{})
	frames, _ := captureOf(t, r)
	type key struct {
		port string
		qp   uint32
		psn  int32
		op   wire.Opcode
	}
	seen := map[key]bool{}
	for _, f := range frames {
		if p := f.frame.RoCE; p != nil {
			op := p.BTH.Opcode
			if p.AETH.Kind == wire.ACK && op != wire.CNPOpcode && op != wire.Acknowledge {
				op = wire.WriteMiddle // any data
			}
			seen[key{f.port, p.BTH.DestQP, int32(p.BTH.PSN), op}] = true
		}
	}
	numbers := map[string]uint32{"one": 0x123456, "two": 0x123457, "three": 0x123458}
	const senders = 3 // the ends that send are numbered after those that receive
	checked := map[string]int{}
	for _, e := range eventsOf(t, r) {
		k := key{port: e.Port, qp: numbers[e.Name], psn: e.PSN}
		if e.Kind != result.EventMark {
			k.qp += senders
		}
		switch {
		case e.Kind == result.EventMark && e.Frame == "data":
			k.op = wire.WriteMiddle
		case e.Kind == result.EventNAKSent:
			k.op = wire.Acknowledge
		case e.Kind == result.EventCNPSent:
			k.op, k.psn = wire.CNPOpcode, 0
		default:
			continue
		}
		checked[e.Kind]++
		if !seen[k] {
			t.Errorf("%s of %s at %s, PSN %d: no such frame", e.Kind, e.Name, e.Port, e.PSN)
		}
	}
	if len(checked) != 3 {
		t.Errorf("events that name packets: %v, want marks, NAKs and CNPs", checked)
	}
}

// A capture of headers is cut behind them, one with a limit says how many frames it leaves out.
func TestCaptureIsBounded(t *testing.T) {
	all, _ := captureOf(t, run(t, stormyCapture+"capture: {links: [host1/leaf1, host?/leaf2]}", Options{}))
	r := run(t, stormyCapture+"capture: {links: [host1/leaf1, host?/leaf2], limit: 100}", Options{Islands: 3})
	some, sums := captureOf(t, r)
	left := uint64(0)
	for _, s := range sums {
		left += s.Dropped
	}
	if len(some) != 100 || left != uint64(len(all)-100) || len(sums) != 6 {
		t.Errorf("%d frames and %d left out at %d ports, want 100 of %d at 6", len(some), left, len(sums), len(all))
	}
	for i, f := range some {
		if !bytes.Equal(f.Data, all[i].Data) || f.Time != all[i].Time {
			t.Fatalf("frame %d is another than without a limit", i+1)
		}
		if p := f.frame.RoCE; p != nil && (len(p.Payload) > 0 || f.frame.Whole && f.Length > 80) {
			t.Errorf("frame %d has %d bytes of payload", i+1, len(p.Payload))
		}
	}
	want := fmt.Sprintf("capture.pcapng leaves out %d frames: it keeps the first 100 (capture.limit)", left)
	if !slices.Contains(r.Summary.Notes, strings.Replace(want, fmt.Sprint(left), unit.Count(int64(left)), 1)) {
		t.Errorf("notes %q, want %q", r.Summary.Notes, want)
	}
}

// tshark, which nobody here wrote, sees what this package's own reader sees.
func TestTsharkSeesTheSameFrames(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	r := run(t, stormyCapture+"capture: {links: [host1/leaf1, host3/leaf2]}", Options{})
	frames, _ := captureOf(t, r)
	args := []string{"-n", "-r", filepath.Join(r.path, result.CaptureFile), "-T", "fields", "-E", "separator= "}
	for _, f := range []string{"frame.interface_name", "frame.time_epoch", "infiniband.bth.destqp", "infiniband.bth.opcode",
		"infiniband.bth.psn", "infiniband.bth.p_key", "ip.dsfield.dscp", "ip.dsfield.ecn", "ip.ttl", "macc.cbfc.pause_time.c3",
		"lldp.port.id"} {
		args = append(args, "-e", f)
	}
	out, err := exec.Command(tshark, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(frames) {
		t.Fatalf("tshark sees %d frames, want %d", len(lines), len(frames))
	}
	for i, f := range frames {
		want := fmt.Sprintf("%s %d.%09d", f.port, f.Time/1e12, f.Time%1e12/1e3)
		if p := f.frame.RoCE; p != nil {
			ip := f.frame.IPv4
			want += fmt.Sprintf(" 0x%06x %d %d %d %d %d %d ", p.BTH.DestQP, p.BTH.Opcode, p.BTH.PSN, p.BTH.PKey, ip.DSCP, ip.ECN, ip.TTL)
		} else if f.frame.PFC != nil {
			want += fmt.Sprintf("        %d ", f.frame.PFC.Quanta[3])
		} else {
			want += "         " + f.frame.LLDP.Port.Value
		}
		if f.frame.RoCE != nil {
			want += " "
		}
		if lines[i] != want {
			t.Errorf("frame %d: tshark sees\n%q, want\n%q", i+1, lines[i], want)
		}
	}
}

// The bytes of a training are those that it sends: with a learning rate of next to nothing, the parameters that the first rank
// sends before step 0 are the weights at the end.
func TestCapturedPayloadIsTheTraining(t *testing.T) {
	r := run(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 1}}
job:
  train: {model: mlp, layers: [784, 4, 10], data: %q, batch: 8, steps: 1, lr: 1e-9}
  parallel: {dp: 2}
capture: {links: [host1/*], payload: true}
`, digits(t)), Options{})
	frames, _ := captureOf(t, r)
	var sent []float32
	for _, f := range frames {
		if p := f.frame.RoCE; p != nil && strings.HasPrefix(f.port, "host1/") && p.BTH.Opcode < wire.ReadRequest {
			for at := 0; at+4 <= len(p.Payload); at += 4 {
				sent = append(sent, math.Float32frombits(binary.LittleEndian.Uint32(p.Payload[at:])))
			}
		}
	}
	want := slices.Clone(r.weights[0])
	if len(sent) <= len(want) {
		t.Fatalf("%d parameters in frames, want the %d and then gradients", len(sent), len(want))
	}
	gradients := sent[len(want):]
	sent = sent[:len(want)]
	slices.Sort(sent) // layer by layer they are in another order
	slices.Sort(want)
	for i := range want {
		if math.Abs(float64(sent[i]-want[i])) > 1e-6 { // one step moves it by less
			t.Fatalf("parameter %d of %d in order of size is %v in frames, %v at the end", i, len(want), sent[i], want[i])
		}
	}
	if !slices.ContainsFunc(gradients, func(g float32) bool { return g != 0 }) {
		t.Error("all gradients in frames are zero")
	}
}

// Connections are made before anything is sent over them, the keys in their REPs are those of the packets, and the time
// that they take delays the start phase.
func TestConnectionsAreSetUp(t *testing.T) {
	yaml := func(transport string) string {
		return fmt.Sprintf(`
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job:
  train: {model: mlp, layers: [784, 4, 10], data: %q, batch: 8, steps: 1, lr: 0.1}
  parallel: {dp: 3}
%s`, digits(t), transport)
	}
	const wanted = "transport: {setup: true, setup_time: 50us}\ncapture: {links: [all], payload: true}"
	r := run(t, yaml(wanted), Options{})
	if other := run(t, yaml(wanted), Options{Islands: 3, Workers: 2}); digestOf(t, r.path) != digestOf(t, other.path) {
		t.Errorf("in islands: %s", firstDifference(t, r.path, other.path))
	}
	frames, _ := captureOf(t, r)
	order := map[uint64][]wire.CMKind{} // by connection, which a transaction names
	keys, of := map[uint64]uint32{}, map[uint32]uint64{}
	checked := 0
	for _, f := range frames {
		p := f.frame.RoCE
		if p == nil || !strings.HasPrefix(f.port, "host") {
			continue
		}
		if c := p.CM(); c != nil {
			id := c.Transaction
			order[id] = append(order[id], c.Kind)
			switch c.Kind {
			case wire.CMRequest:
				at, err := c.Request.Private.IPService()
				if err != nil || at.Source != f.frame.IPv4.Source || at.Dest != f.frame.IPv4.Dest {
					t.Errorf("a REQ from %v to %v says %v, %v", f.frame.IPv4.Source, f.frame.IPv4.Dest, at, err)
				}
			case wire.CMReply:
				keys[id], of[c.Reply.QP] = binary.BigEndian.Uint32(c.Reply.Private[8:]), id
				if c.RemoteID == c.LocalID {
					t.Errorf("both ends of a connection are 0x%06x", c.LocalID)
				}
			}
			continue
		}
		if qp := p.BTH.DestQP; p.BTH.Opcode.HasRETH() {
			checked++
			if id, known := of[qp]; !known || fmt.Sprint(order[id]) != "[REQ REP RTU]" || p.RETH.RKey != keys[id] {
				t.Errorf("queue pair 0x%06x sends with R_Key %d after %v, its REP said %d", qp, p.RETH.RKey, order[id], keys[id])
			}
		}
	}
	for qp, kinds := range order { // and closed when the job is over
		if fmt.Sprint(kinds) != "[REQ REP RTU DREQ DREP]" {
			t.Errorf("queue pair 0x%06x: %v", qp, kinds)
		}
	}
	if checked == 0 || len(order) < 3 {
		t.Errorf("%d messages of %d queue pairs", checked, len(order))
	}
	without := run(t, yaml(""), Options{})
	late := firstStep(t, r).Sub(firstStep(t, without))
	if late < 95*unit.Microsecond || late > 105*unit.Microsecond {
		t.Errorf("step 0 begins %v later, want twice 50us and a round trip, without what passes before the first post", late)
	}
	if !slices.Equal(r.weights[0], without.weights[0]) {
		t.Error("the weights are others")
	}
}

// firstStep is when the first rank begins step 0.
func firstStep(t *testing.T, r ran) unit.Time {
	t.Helper()
	first := unit.Never
	for s, err := range r.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		if s.Step == 0 {
			first = min(first, s.Start)
		}
	}
	return first
}

// A REQ that is lost is sent again, after the time that connection managers wait.
func TestLostRequestsAreRepeated(t *testing.T) {
	r := run(t, `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
transport: {setup: true}
faults: [{link: host1/rail1, at: 0s, down: 1s, convergence: never}]
capture: {links: [host1/rail1]}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 4kB}]}
`, Options{})
	frames, _ := captureOf(t, r)
	var kinds []string
	for _, f := range frames {
		if p := f.frame.RoCE; p != nil && f.port == "host1/rail1" {
			kinds = append(kinds, fmt.Sprint(p.BTH.Opcode, " ", f.Time/1e12))
		}
	}
	const want = "UD SEND Only 0, UD SEND Only 4, UD SEND Only 4, RDMA WRITE Only with Immediate 4, UD SEND Only 4"
	if got := strings.Join(kinds, ", "); got != want {
		t.Error(got)
	}
}
