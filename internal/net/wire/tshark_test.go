package wire_test

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
)

// tshark, which nobody here wrote, reads the frames and says what is in them.
func TestTsharkReadsTheFrames(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	to4 := func(r *wire.RoCE) *wire.Frame {
		return &wire.Frame{IPv4: &wire.IPv4{DSCP: 24, ECN: 2, TTL: 64, Source: netip.MustParseAddr("10.0.0.1"),
			Dest: netip.MustParseAddr("10.0.0.2")}, UDP: &wire.UDP{Source: 49152}, RoCE: r}
	}
	setup := wire.CM{Kind: wire.CMRequest, LocalID: 5, Request: wire.Request{QP: 0x123456, PSN: 0xabc, PKey: 0x8012,
		MTU: wire.MTUOf(1024)}}
	reply := wire.CM{Kind: wire.CMReply, LocalID: 6, RemoteID: 5, Reply: wire.Reply{QP: 0x222222, PSN: 7}}
	datagram := func(c *wire.CM) *wire.RoCE {
		return &wire.RoCE{BTH: wire.BTH{Opcode: wire.DatagramSend, DestQP: wire.ServiceQP, PKey: 0xFFFF},
			DETH: wire.DETH{QKey: wire.ServiceQKey, SourceQP: wire.ServiceQP}, Payload: c.Append(nil)}
	}
	six := to4(&wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteOnly, DestQP: 9}, RETH: wire.RETH{Length: 3}, Payload: []byte("abc")})
	six.IPv4, six.IPv6 = nil, &wire.IPv6{DSCP: 24, Source: netip.MustParseAddr("fd00::1"), Dest: netip.MustParseAddr("fd00::2")}
	frames := []*wire.Frame{
		to4(&wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteFirst, DestQP: 0x123456, PSN: 0xabc, PKey: 0x8012},
			RETH: wire.RETH{Address: 0x7f00, RKey: 0xcafe, Length: 4096}, Payload: make([]byte, 1024)}),
		to4(&wire.RoCE{BTH: wire.BTH{Opcode: wire.Acknowledge, DestQP: 0x222222, PSN: 0xabc},
			AETH: wire.AETH{Kind: wire.NAK, Value: wire.NAKSequence, MSN: 3}}),
		to4(&wire.RoCE{BTH: wire.BTH{Opcode: wire.CNPOpcode, BECN: true, DestQP: 0x222222}}),
		to4(datagram(&setup)), to4(datagram(&reply)), six,
		{Ethernet: wire.Ethernet{Dest: wire.MACControlAddress}, PFC: &wire.PFC{Enable: 8, Quanta: [8]uint16{3: 0xFFFF}}},
		{Ethernet: wire.Ethernet{Dest: wire.LLDPAddress}, LLDP: captureElevenOne()},
	}
	b := pcapng.AppendSection(nil, pcapng.Section{Application: "railyard"})
	b = pcapng.AppendInterface(b, pcapng.Interface{Name: "leaf1/h0", Link: pcapng.LinkEthernet, Digits: 12, FCS: 4})
	for i, f := range frames {
		data := f.Append(nil)
		b = pcapng.AppendPacket(b, &pcapng.Packet{Time: uint64(i) * 1_000_123, Length: uint32(len(data)), Data: data,
			Comments: []string{"comment"}})
	}
	file := filepath.Join(t.TempDir(), "x.pcapng")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	fields := "frame.time_epoch infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn infiniband.bth.p_key " +
		"infiniband.reth.r_key infiniband.aeth.syndrome.error_code infiniband.cm.req.localqpn infiniband.cm.req.startpsn " +
		"infiniband.cm.rep.localqpn macc.cbfc.pause_time.c3 lldp.dcbx.ieee.pfc.numtcs " +
		"lldp.dcbx.feature.pfc.prio3 lldp.dcbx.ieee.app.prio frame.interface_name"
	args := []string{"-n", "-r", file, "-T", "fields", "-E", "separator=|"}
	for _, f := range strings.Fields(fields) {
		args = append(args, "-e", f)
	}
	out, err := exec.Command(tshark, args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := strings.Join([]string{
		"0.000000000|6|0x123456|2748|32786|0x0000cafe|||||||||leaf1/h0",
		"0.000001000|17|0x222222|2748|0||0||||||||leaf1/h0",
		"0.000002000|129|0x222222|0|0||||||||||leaf1/h0",
		"0.000003000|100|0x000001|0|65535|||0x123456|0x000abc||||||leaf1/h0",
		"0.000004000|100|0x000001|0|65535|||||0x222222|||||leaf1/h0",
		"0.000005000|10|0x000009|0|0|0x00000000|||||||||leaf1/h0",
		"0.000006000||||||||||65535||||leaf1/h0",
		"0.000007000|||||||||||8|1|3|leaf1/h0", ""}, "\n")
	if string(out) != want {
		t.Errorf("%s\n got\n%s\nwant\n%s", fields, out, want)
	}
}
