package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// Two hosts on two leaves below a spine, each link captured. What a script says is heard as a run would tell it.
const twoHosts = `
name: s
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 1%s}
transport: {mtu: 1024B}
job: {flows: [{name: a, from: host1/gpu0, to: host2/gpu0, bytes: 10kB}]}
capture: {links: [all]%s}
`

type stage struct {
	scripttest.Log
	t    *testing.T
	c    *Capture
	file bytes.Buffer
	now  unit.Time
	read int // packets of the file that have been told
}

func TestScript(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

// Do: network [keys of fabric] [capture KEYS] | at NANOSECONDS | post FIRST LAST BYTES ACKED |
// send PORT PACKET PSN BYTES [again] | stop PORT QUANTA [ROOT] | go PORT | join | finish.
func (s *stage) Do(words []string) {
	switch words[0] {
	case "network":
		keys, capture, _ := strings.Cut(strings.Join(words[1:], " "), "capture ")
		s.begin(comma(keys), comma(capture))
	case "at":
		s.now = unit.Time(s.number(words[1])) * unit.Time(unit.Nanosecond)
	case "post":
		s.c.Posted(0, nic.Posted{At: s.now, First: s.number(words[1]), Last: s.number(words[2]),
			Bytes: unit.Bytes(s.number(words[3])), Acked: s.number(words[4])})
	case "send":
		s.send(words[1:])
	case "stop", "go":
		p := &fabric.Pause{Class: switches.ClassData, Stop: words[0] == "stop", Root: -1}
		if p.Stop {
			p.Quanta = uint16(s.number(words[2]))
		}
		if len(words) > 3 {
			p.Root = s.port(words[3])
		}
		s.c.Sent(0, fabric.Sent{At: s.now, Port: s.port(words[1]), Pause: p})
	case "join":
		s.c.Join()
		s.tell()
	case "finish":
		left, err := s.c.Finish(s.now)
		s.tell()
		fmt.Fprintf(s, "left out %d, error %v\n", left, err)
	default:
		s.t.Fatalf("unknown command %q", words[0])
	}
}

func comma(keys string) string {
	if keys = strings.TrimSpace(keys); keys != "" {
		keys = ", " + keys
	}
	return keys
}

func (s *stage) number(word string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, word)
}

func (s *stage) port(name string) topo.PortID {
	for id := range s.c.plan.Graph.Ports {
		if s.c.plan.Graph.Ports[id].Name == name {
			return topo.PortID(id)
		}
	}
	s.t.Fatalf("no port %s", name)
	return 0
}

func (s *stage) begin(keys, capture string) {
	sc, err := scenario.Parse("s.yaml", fmt.Appendf(nil, twoHosts, keys, capture))
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.file.Reset()
	s.now, s.read = 0, 0
	if s.c, err = New(p, &s.file, 1); err != nil {
		s.t.Fatal(err)
	}
}

var opcodes = map[string]fabric.Opcode{"first": fabric.WriteFirst, "middle": fabric.WriteMiddle,
	"last": fabric.WriteLastImm, "only": fabric.WriteOnlyImm, "ack": fabric.OpAck, "nak": fabric.OpNak, "cnp": fabric.OpCNP}

func (s *stage) send(words []string) {
	op, known := opcodes[words[1]]
	if !known {
		s.t.Fatalf("unknown packet %q", words[1])
	}
	var pk fabric.Packet
	pk.Make(op, 0, uint32(s.number(words[2])), 0, switches.ClassData, unit.Bytes(s.number(words[3])))
	pk.SetDSCP(s.c.plan.Switches.DSCP(switches.ClassData))
	for _, w := range words[4:] {
		switch w {
		case "again":
			pk.SetAgain()
		default:
			s.t.Fatalf("unknown word %q", w)
		}
	}
	s.c.Sent(0, fabric.Sent{At: s.now, Port: s.port(words[0]), Frame: pk, Passed: -1,
		Landing: fabric.Landing{Length: 10_000}})
}

// tell prints the frames that are new in the file, as they are read back.
func (s *stage) tell() {
	r, err := pcapng.NewReader(bytes.NewReader(s.file.Bytes()))
	if err != nil {
		s.t.Fatal(err)
	}
	for n := 0; ; n++ {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			s.read = max(s.read, n)
			return
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if n < s.read {
			continue
		}
		f, err := wire.Dissect(p.Data, int(p.Length), true)
		if err != nil {
			s.t.Fatal(err)
		}
		if f.LLDP == nil {
			id := s.c.ports[p.Interface].id
			fmt.Fprintf(s, "%v %s %s, %d of %d B%s\n", unit.Duration(p.Time), s.c.plan.Graph.Ports[id].Name, shown(f),
				len(p.Data), p.Length, said(p.Comments))
		}
	}
}

func said(comments []string) string {
	if len(comments) == 0 {
		return ""
	}
	return ": " + strings.Join(comments, "; ")
}

// shown is a frame's headers.
func shown(f *wire.Frame) string {
	text := ""
	if f.VLAN != nil {
		text += fmt.Sprintf("VLAN %d priority %d ", f.VLAN.ID, f.VLAN.Priority)
	}
	if f.PFC != nil {
		return text + fmt.Sprintf("PFC enable %#02x quanta %d", f.PFC.Enable, f.PFC.Quanta[3])
	}
	text += fmt.Sprintf("%s > %s ttl %d DSCP %d ", f.IPv4.Source, f.IPv4.Dest, f.IPv4.TTL, f.IPv4.DSCP)
	if f.VXLAN != nil {
		return text + fmt.Sprintf("VNI %d (%s)", f.VXLAN.VNI, shown(f.Inner))
	}
	r := f.RoCE
	text += fmt.Sprintf("%v psn %d", r.BTH.Opcode, r.BTH.PSN)
	if r.RETH.Length > 0 {
		text += fmt.Sprintf(" length %d", r.RETH.Length)
	}
	if r.AETH.Kind != 0 || r.AETH.MSN > 0 {
		text += fmt.Sprintf(" aeth %d msn %d", r.AETH.Kind, r.AETH.MSN)
	}
	return text
}
