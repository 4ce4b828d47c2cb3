package endpoint

import (
	"bytes"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"railyard/internal/net/wire"
)

// Frames in datagrams of unix sockets carry what UDP does, over IPv4 and IPv6: both ends ask for each other's Ethernet address
// first.
func TestMessagesInFrames(t *testing.T) {
	for _, at := range [][2]string{{"10.0.0.1", "10.0.0.2"}, {"fd00::1", "fd00::2"}} {
		for i, script := range []string{"", drawn(3)} {
			t.Run(at[0]+map[int]string{1: ", harmed"}[i], func(t *testing.T) {
				dir := t.TempDir()
				x, y := filepath.Join(dir, "x"), filepath.Join(dir, "y")
				messagesOver(t, newFramesEnd(t, at[0], x, y, script), newFramesEnd(t, at[1], y, x, script), 3, script)
			})
		}
	}
}

// link is a frames whose frames go to a socket that the test reads.
func link(t testing.TB, addr string) (s *frames, sent func() []byte) {
	t.Helper()
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	e, err := OpenFrames(netip.MustParseAddr(addr), filepath.Join(dir, "here"), there, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	conn, err := listen(there)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return e.sock.(*frames), func() []byte {
		b := make([]byte, frameBytes)
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := conn.Read(b)
		if err != nil {
			return nil
		}
		return b[:n]
	}
}

// Who asks for the endpoint's address is answered, once; who asks for another is not, nor what is padded, forwarded or spoilt.
func TestWhoAsksIsAnswered(t *testing.T) {
	peer := wire.MAC{0x52, 0x54, 0, 0x99, 0, 1}
	four, sent := link(t, "10.0.0.1")
	ask := func(want string) []byte {
		return wire.ARP{Sender: peer, SenderIP: netip.MustParseAddr("10.0.0.2"), WantIP: netip.MustParseAddr(want)}.Append(
			wire.Ethernet{Dest: wire.Broadcast, Source: peer, Type: wire.TypeARP}.Append(nil))
	}
	if b := four.take(ask("10.0.0.1")); b != nil {
		t.Errorf("a request is taken for a packet: % x", b)
	}
	a, err := wire.DecodeARP(sent()[wire.EthernetBytes:])
	if err != nil || !a.Reply || a.Sender != four.mac || a.Target != peer || a.WantIP != netip.MustParseAddr("10.0.0.2") {
		t.Errorf("answered with %+v, %v", a, err)
	}
	four.take(ask("10.0.0.3"))
	if b := sent(); b != nil {
		t.Errorf("who asks for another is answered with % x", b)
	}

	six, sent := link(t, "fd00::1")
	from := netip.MustParseAddr("fd00::2")
	solicit := func(target string, hops uint8) []byte {
		group := netip.MustParseAddr("ff02::1:ff00:1")
		h := wire.IPv6{Length: wire.NeighbourBytes, Protocol: wire.ProtocolICMPv6, TTL: hops, Source: from, Dest: group}
		b := h.Append(wire.Ethernet{Dest: wire.MAC{0x33, 0x33, 0xFF, 0, 0, 1}, Source: peer, Type: wire.TypeIPv6}.Append(nil))
		return wire.Neighbour{Target: netip.MustParseAddr(target), Link: peer}.Append(b, from, group)
	}
	six.take(solicit("fd00::1", 255))
	b := sent()
	n, err := wire.DecodeNeighbour(b[wire.EthernetBytes+wire.IPv6Bytes:], netip.MustParseAddr("fd00::1"), from)
	if err != nil || !n.Advertises || n.Link != six.mac || !bytes.Equal(b[:6], peer[:]) {
		t.Errorf("answered with %+v, %v", n, err)
	}
	spoilt := solicit("fd00::1", 255)
	spoilt[len(spoilt)-1] ^= 1
	for what, f := range map[string][]byte{"another": solicit("fd00::3", 255), "forwarded": solicit("fd00::1", 254), "spoilt": spoilt} {
		six.take(f)
		if b := sent(); b != nil {
			t.Errorf("%s: answered with % x", what, b)
		}
	}
}

// A packet goes when its receiver's address is known; until then it waits, and the address is asked for.
func TestPacketsWaitForAnAddress(t *testing.T) {
	s, sent := link(t, "10.0.0.1")
	to := netip.MustParseAddr("10.0.0.2")
	for range frameWaiting + 5 {
		_ = s.send([]byte("what follows the UDP header"), to, false)
	}
	a, err := wire.DecodeARP(sent()[wire.EthernetBytes:])
	if err != nil || a.Reply || a.WantIP != to {
		t.Fatalf("asked %+v, %v", a, err)
	}
	if b := sent(); b != nil {
		t.Fatalf("sent % x before an answer", b)
	}
	peer := wire.MAC{0x52, 0x54, 0, 0x99, 0, 1}
	done := make(chan struct{})
	go func() { // the socket between holds a few
		defer close(done)
		s.take(wire.ARP{Reply: true, Sender: peer, SenderIP: to, Target: s.mac, WantIP: s.own}.Append(
			wire.Ethernet{Dest: s.mac, Source: peer, Type: wire.TypeARP}.Append(nil)))
	}()
	n := 0
	for b := sent(); b != nil; b = sent() {
		h, err := wire.DecodeIPv4(b[wire.EthernetBytes:])
		if err != nil || h.Dest != to || h.ID != 0 || !bytes.HasPrefix(b, peer[:]) || !strings.HasSuffix(string(b), "UDP header") {
			t.Fatalf("% x: %+v, %v", b, h, err)
		}
		n++
	}
	<-done
	if n != frameWaiting {
		t.Errorf("%d packets went, want %d", n, frameWaiting)
	}
}

func FuzzFrames(f *testing.F) {
	peer := wire.MAC{0x52, 0x54, 0, 0x99, 0, 1}
	f.Add(wire.ARP{Sender: peer, SenderIP: netip.MustParseAddr("10.0.0.2"), WantIP: netip.MustParseAddr("10.0.0.1")}.Append(
		wire.Ethernet{Dest: wire.Broadcast, Source: peer, Type: wire.TypeARP}.Append(nil)))
	s := newFrames(netip.MustParseAddr("10.0.0.1"))
	conn, err := listen(filepath.Join(f.TempDir(), "x"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { conn.Close() })
	s.conn, s.peer = conn, nowhere
	f.Fuzz(func(t *testing.T, b []byte) {
		if p := s.take(b); p != nil && (len(p) > len(b) || len(p) < int(wire.IPv4Bytes)) {
			t.Errorf("%d bytes of %d", len(p), len(b))
		}
		if len(s.known) > mostKnown || len(s.waiting) > 0 {
			t.Errorf("%d addresses known, %d waited for: nobody has asked", len(s.known), len(s.waiting))
		}
	})
}

func listen(name string) (*net.UnixConn, error) {
	return net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
}

var nowhere = &net.UnixAddr{Name: "/nowhere", Net: "unixgram"}
