//go:build linux

package wire_test

import (
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/net/wire"
)

// inside says that the test runs in a network namespace of its own.
const inside = "RAILYARD_NAMESPACE"

// lldpad, which nobody here wrote, is at one end of a cable (a veth pair) and hears what a switch says at the other: it
// knows the neighbour, that its PFC is on for priority 3, and the shares of its queues.
func TestLldpadKnowsTheNeighbour(t *testing.T) {
	if os.Getenv(inside) == "" {
		for _, tool := range []string{"lldpad", "lldptool", "ip", "unshare"} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("%s is not installed", tool)
			}
		}
		if out, err := exec.Command("unshare", "-n", "ip", "link", "add", "dev", "near", "type", "veth", "peer", "name",
			"far").CombinedOutput(); err != nil {
			t.Skipf("no network namespace with a cable: %v: %s", err, out)
		}
		c := exec.Command("unshare", "-n", os.Args[0], "-test.run=^TestLldpadKnowsTheNeighbour$")
		c.Env = append(os.Environ(), inside+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, line := range []string{"link set lo up", "link add dev near type veth peer name far", "link set near up",
		"link set far up"} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
	daemon := exec.Command("lldpad", "-f", filepath.Join(t.TempDir(), "lldpad.conf"))
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		_ = daemon.Wait()
	}()
	until(t, "adminStatus = rxtx", nil, "set-lldp", "-i", "near", "adminStatus=rxtx")
	frame := (&wire.Frame{Ethernet: wire.Ethernet{Source: wire.MAC{2, 0, 0, 0, 0, 7}, Dest: wire.LLDPAddress},
		LLDP: captureElevenOne()}).Append(nil)
	send := func() { put(t, "far", frame[:len(frame)-int(wire.FCSBytes)]) } // the FCS is the interface's
	said := until(t, "Ethernet1/24", send, "get-tlv", "-n", "-i", "near")
	for _, want := range []string{"MAC: 02:00:00:00:00:07", "PFC enabled: 3", "PFC capable traffic classes: 8",
		"TC Bandwidth: 50% 0% 0% 50% 0% 0% 0% 0%", "PRIO_MAP: 0:0 1:0 2:0 3:3 4:0 5:0 6:0 7:7", "UDP or DCCP Port: 4791"} {
		if !strings.Contains(said, want) {
			t.Errorf("lldptool does not say %q:\n%s", want, said)
		}
	}
}

// until asks lldptool again and again, and does something before each question, until it says what is wanted.
func until(t *testing.T, want string, do func(), args ...string) string {
	t.Helper()
	var out []byte
	for range 100 {
		if do != nil {
			do()
		}
		if out, _ = exec.Command("lldptool", args...).CombinedOutput(); strings.Contains(string(out), want) {
			return string(out)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("lldptool %s: no %q in\n%s", strings.Join(args, " "), want, out)
	return ""
}

// put sends a frame by an interface.
func put(t *testing.T, name string, frame []byte) {
	t.Helper()
	i, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(s) }()
	if err := syscall.Sendto(s, frame, 0, &syscall.SockaddrLinklayer{Ifindex: i.Index,
		Protocol: binary.BigEndian.Uint16([]byte{0x88, 0xcc})}); err != nil {
		t.Fatal(err)
	}
}
