package wire_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/net/wire"
)

// captureElevenOne is the book's capture 11-1 of chapter 11, with shares beside it.
func captureElevenOne() *wire.LLDP {
	shares := wire.Shares{Class: [8]uint8{0, 0, 0, 3, 0, 0, 0, 7}, Bandwidth: [8]uint8{0: 50, 3: 50},
		Selection: [8]uint8{0: wire.ETSShare, 3: wire.ETSShare, 7: wire.StrictPriority}}
	return &wire.LLDP{Chassis: wire.ID{Subtype: wire.ChassisMAC, Value: "\x02\x00\x00\x00\x00\x07"},
		Port: wire.ID{Subtype: wire.PortInterface, Value: "Ethernet1/24"}, TTL: 120,
		DCBX: wire.DCBX{Config: &wire.ETS{Willing: true, Shares: shares}, Recommended: &wire.Recommendation{Shares: shares},
			PFC:  &wire.PFCConfig{Willing: true, Capability: 8, Enable: 1 << 3},
			Apps: []wire.Application{{Priority: 3, Selector: wire.SelectUDP, Protocol: wire.RoCEv2Port}}}}
}

// Book, chapter 11, capture 11-1: chassis by MAC, port by interface name, 120 s, the four DCBX TLVs with eight classes
// that can have PFC and priority 3 enabled (0x08), end.
func TestBookChapter11Capture1(t *testing.T) {
	got := hex.EncodeToString(captureElevenOne().Append(nil))
	share := "00030007" + "3200003200000000" + "0200000200000000"
	want := "0207" + "04" + "020000000007" + "040d" + "05" + hex.EncodeToString([]byte("Ethernet1/24")) + "0602" + "0078" +
		"fe19" + "0080c2" + "09" + "80" + share + "fe19" + "0080c2" + "0a" + "00" + share +
		"fe06" + "0080c2" + "0b" + "88" + "08" + "fe08" + "0080c2" + "0c" + "00" + "63" + "12b7" + "0000"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// everything is a data unit with all that there is.
func everything() *wire.LLDP {
	l := captureElevenOne()
	l.PortText, l.System = "to spine 1", "leaf1"
	l.DCBX.Config.Shaper, l.DCBX.PFC.Bypass, l.DCBX.Config.Classes = true, true, 5
	l.CEE = &wire.CEE{Sequence: 1, Acknowledged: 2,
		Groups: &wire.CEEGroups{Feature: wire.Feature{Enable: true}, Group: [8]uint8{3: 1, 7: 15}, Bandwidth: [8]uint8{50, 50},
			Classes: 8},
		PFC: &wire.CEEPFC{Feature: wire.Feature{Enable: true, Willing: true}, Enabled: 8, Classes: 8},
		Apps: &wire.CEEApps{Feature: wire.Feature{Error: true},
			List: []wire.CEEApp{{Protocol: 0x8906, Priorities: 8}, {Protocol: 4791, Selector: 1, Priorities: 8}}}}
	l.Other = []wire.TLV{{Type: 7, Value: "\x00\x14\x00\x14"}, {Type: 127, Value: "\x00\x12\x0f\x04\x23\x28"}}
	return l
}

func TestLLDPRoundTripsAndEveryStrictPrefixFails(t *testing.T) {
	for _, l := range []*wire.LLDP{captureElevenOne(), everything()} {
		b := l.Append(nil)
		got, err := wire.DecodeLLDP(append(b[:len(b):len(b)], 0, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(l, got); d != "" {
			t.Error(d)
		}
		for n := range b {
			if _, err := wire.DecodeLLDP(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are a data unit", n, len(b))
			}
		}
	}
}

func TestLLDPErrorsNameTheElement(t *testing.T) {
	good := "0207040200000000070403056131" + "06020078"
	for in, want := range map[string]string{
		"0403056131":                        "LLDP: TLV 1 of type 2, want 1: chassis, port and time to live come first",
		good + "0001" + "00":                "LLDP: TLV 4: end with 1 bytes, want none",
		good + "0602" + "0078":              "LLDP: TLV 4: a second one of type 3, want one",
		good + "fe03" + "0080c2":            "LLDP: TLV 4: an organisation's, of 3 bytes, want at least 4: OUI and subtype",
		good + "fe05" + "0080c20b" + "88":   "LLDP: TLV 4: PFC configuration of 1 bytes, want 2",
		good + "fe05" + "0080c20c" + "00":   "LLDP: TLV 4: application priorities of 1 bytes, want one and three for each",
		good + "fe06" + "001b2102" + "0600": "LLDP: TLV 4: CEE: TLV 1 of type 3, want one control TLV (1), and that first",
		good + "0a09" + "6c":                "LLDP: TLV 4 of type 5: 1 bytes, want 9",
	} {
		b, err := hex.DecodeString(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.DecodeLLDP(b); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", in, err, want)
		}
	}
}

// lldpAgain holds that a data unit which reads writes to one that reads as the same.
func lldpAgain(t *testing.T, b []byte) {
	l, err := wire.DecodeLLDP(b)
	if err != nil {
		return
	}
	again, err := wire.DecodeLLDP(l.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l, again); d != "" {
		t.Fatal(d)
	}
}
