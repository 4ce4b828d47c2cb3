package rdma

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"railyard/internal/engine/endpoint"
)

// conversations captures every operation and a ping, with packets that are lost, late, repeated and marked: the file, a section
// for each, and how many frames it has.
func conversations(t *testing.T, server, client string) (file string, n int) {
	t.Helper()
	var all []byte
	keep := func(one *bytes.Buffer) {
		all = append(all, one.Bytes()...)
		n += frames(t, one.Bytes())
	}
	open := func(own netip.Addr, file *bytes.Buffer, script string) (*endpoint.Endpoint, error) {
		f, err := endpoint.ParseFaults(script)
		if err != nil {
			return nil, err
		}
		return endpoint.Open(own, f, endpoint.NewCapture(file, own))
	}
	const script = "lose:3 late:7 repeat:9 mark:12 lose:30"
	at, _ := serve(t, server)
	for _, op := range Operations() {
		size := uint32(5003) // pads 1, and 3 with the last packet
		if op == "atomic_lat" {
			size = 8
		}
		var file bytes.Buffer
		c := Client{Server: at, Addr: netip.MustParseAddr(client), Test: Test{Op: op, Size: size, Iterations: 20, MTU: 1024, Depth: 8},
			Open: func(own netip.Addr) (*endpoint.Endpoint, error) { return open(own, &file, script) }}
		if _, err := c.Run(context.Background()); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		keep(&file)
	}
	var one bytes.Buffer
	a := pingEnd(t, server, "")
	over := make(chan error, 1)
	up := make(chan string, 10)
	go func() { over <- PingServer(context.Background(), a, PingPort, true, func(text string) { up <- text }) }()
	<-up
	b, err := open(netip.MustParseAddr(client), &one, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ping(context.Background(), b, a.Addr(), PingPort, 3, 5003, func(int, time.Duration) {}); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	b.Close()
	a.Close()
	keep(&one)
	file = filepath.Join(t.TempDir(), "all.pcapng")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, n
}

// tshark decodes every frame that an endpoint sends or gets without a warning, but for notifications, which it does not know;
// and scapy computes the same ICRC for each over IPv4. A frame with a wrong pad count, a READ response without its AETH, or a
// CM message with a short private part is a warning, and no ICRC stands a changed bit.
func TestOthersReadEveryFrame(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	python := "/usr/bin/python3" // Debian's, which has python3-scapy
	scapy := exec.Command(python, "-c", "import scapy.contrib.roce").Run() == nil
	file, n := conversations(t, "127.0.43.1", "127.0.43.2")
	const warning = 6291456 // of an expert item's severity
	out, err := exec.Command(tshark, "-n", "-r", file, "--disable-protocol", "rpcordma", "-Y", fmt.Sprintf(
		"infiniband.bth.opcode != 129 && (_ws.malformed || _ws.expert.severity >= %d)", warning)).Output()
	if err != nil || len(out) > 0 {
		t.Errorf("%s: tshark warns: %v\n%s", file, err, out)
	}
	out, err = exec.Command(tshark, "-n", "-r", file, "-Y", "infiniband.bth").Output()
	if got := bytes.Count(out, []byte("\n")); err != nil || got != n {
		t.Errorf("%s: tshark finds %d frames of RoCEv2, want %d: %v", file, got, n, err)
	}
	if !scapy {
		t.Skip("tshark is content; python3-scapy is not installed")
	}
	text, err := exec.Command(python, "testdata/icrc.py", file).Output()
	if want := fmt.Sprintf("%d frames, 0 wrong", n); err != nil || strings.TrimSpace(string(text)) != want {
		t.Errorf("%s: scapy finds %s, want %s: %v", file, text, want, err)
	}
}
