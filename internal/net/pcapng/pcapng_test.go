package pcapng_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/net/pcapng"
)

// sample is a capture with two interfaces.
func sample() (pcapng.Section, []pcapng.Interface, []pcapng.Packet) {
	return pcapng.Section{Application: "railyard", Comments: []string{"virtual time"}},
		[]pcapng.Interface{{Name: "h0/leaf1", Link: pcapng.LinkEthernet, Speed: 400e9, Digits: 12, FCS: 4},
			{Name: "leaf1/h0", Text: "leaf1 to h0", Link: pcapng.LinkEthernet, Snap: 128, Digits: 9}},
		[]pcapng.Packet{{Time: 1 << 40, Length: 5, Data: []byte("whole"), Direction: pcapng.Outbound,
			Comments: []string{"first", "second"}}, {Interface: 1, Time: 7, Length: 4000, Data: []byte("cut"),
			Direction: pcapng.Inbound}, {Data: []byte{}}}
}

func written(s pcapng.Section, ifs []pcapng.Interface, packets []pcapng.Packet) []byte {
	b := pcapng.AppendSection(nil, s)
	for _, i := range ifs {
		b = pcapng.AppendInterface(b, i)
	}
	for i := range packets {
		b = pcapng.AppendPacket(b, &packets[i])
	}
	return b
}

// readAll reads a capture of one section.
func readAll(b []byte) (s pcapng.Section, ifs []pcapng.Interface, packets []pcapng.Packet, err error) {
	r, err := pcapng.NewReader(bytes.NewReader(b))
	if err != nil {
		return
	}
	for {
		p, err := r.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return r.Section, r.Interfaces, packets, err
		}
		c := *p
		c.Data = append([]byte{}, p.Data...)
		packets = append(packets, c)
	}
}

// The layout of the draft, sections 4.1 to 4.3, byte for byte.
func TestBlocksByteForByte(t *testing.T) {
	got := hex.EncodeToString(written(pcapng.Section{}, []pcapng.Interface{{Name: "e1", Link: 1, Digits: 9}},
		[]pcapng.Packet{{Time: 0x0102030405060708, Length: 9, Data: []byte{0xAA}, Comments: []string{"x"}}}))
	want := "0a0d0d0a" + "20000000" + "4d3c2b1a" + "0100" + "0000" + "ffffffffffffffff" + "00000000" + "20000000" +
		"01000000" + "28000000" + "0100" + "0000" + "00000000" + "0200" + "0200" + "65310000" + "0900" + "0100" + "09000000" +
		"00000000" + "28000000" +
		"06000000" + "30000000" + "00000000" + "04030201" + "08070605" + "01000000" + "09000000" + "aa000000" +
		"0100" + "0100" + "78000000" + "00000000" + "30000000"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestRoundTripAndEveryStrictPrefixFails(t *testing.T) {
	s, ifs, packets := sample()
	b := written(s, ifs, packets)
	gotS, gotIfs, gotPackets, err := readAll(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{cmp.Diff(s, gotS), cmp.Diff(ifs, gotIfs), cmp.Diff(packets, gotPackets)} {
		if d != "" {
			t.Error(d)
		}
	}
	blocks := map[int]bool{} // where one ends: there a file may end too
	for at := 0; at < len(b); {
		at += int(b[at+4]) | int(b[at+5])<<8
		blocks[at] = true
	}
	for n := range b {
		if _, _, _, err := readAll(b[:n]); (err == nil) != blocks[n] {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
	}
}

// A file of a machine with the other byte order, blocks that nobody knows, a second section.
func TestForeignFilesAreRead(t *testing.T) {
	big := "0a0d0d0a" + "0000001c" + "1a2b3c4d" + "0001" + "0000" + "ffffffffffffffff" + "0000001c" +
		"0000000b" + "00000010" + "01020304" + "00000010" + // nobody knows it
		"00000001" + "00000014" + "0001" + "0000" + "00000000" + "00000014" + // no options: microseconds
		"00000006" + "00000024" + "00000000" + "00000001" + "00000002" + "00000002" + "00000002" + "abcd0000" + "00000024"
	b, err := hex.DecodeString(big)
	if err != nil {
		t.Fatal(err)
	}
	_, ifs, packets, err := readAll(b)
	if err != nil || len(ifs) != 1 || ifs[0].Digits != 6 || len(packets) != 1 || packets[0].Time != 1<<32+2 ||
		string(packets[0].Data) != "\xab\xcd" {
		t.Errorf("%+v %+v %v", ifs, packets, err)
	}
	s, own, mine := sample()
	if _, ifs, packets, err = readAll(append(b, written(s, own, mine)...)); err != nil || len(packets) != 4 ||
		len(ifs) != 2 {
		t.Errorf("two sections: %d interfaces in the second, %d packets, %v", len(ifs), len(packets), err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	s, ifs, packets := sample()
	good := written(s, ifs, packets)
	header := len(pcapng.AppendSection(nil, s))
	edit := func(at int, v ...byte) []byte {
		return append(append(append([]byte(nil), good[:at]...), v...), good[at+len(v):]...)
	}
	swap := func(before, after string) []byte { return bytes.Replace(good, []byte(before), []byte(after), 1) }
	zeros := strings.Repeat("\x00", 7)
	for want, b := range map[string][]byte{
		"byte 0: nothing there, want a section header (0x0a0d0d0a)":                 {},
		"byte 0: block of type 0x78787878, want a section header":                   []byte(strings.Repeat("x", 400)),
		"byte 0: section header: byte-order magic 00 3c 2b 1a":                      edit(8, 0),
		"section header: version 2, want 1":                                         edit(12, 2),
		"byte 60: block of 13 bytes, want 12 to 16777216 in whole words":            edit(header+4, 13, 0),
		"byte 60: interface: unit of timestamps 0x89, want 10^-0 to 10^-15 seconds": swap("\x09\x00\x01\x00\x0c", "\x09\x00\x01\x00\x89"),
		"interface 9, want one of the 2":                                            swap("\x01"+zeros+"\x07", "\x09"+zeros+"\x07"),
		"3 bytes of data of a packet of 2, want no more":                            swap("\xa0\x0f", "\x02\x00"),
	} {
		if _, _, _, err := readAll(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

// Blocks that are shorter than what they hold, and options of another length than they have, each by its block.
func TestBlocksThatAreTooShort(t *testing.T) {
	s, ifs, _ := sample()
	head := written(s, ifs, nil)
	block := func(kind uint32, body string) []byte {
		b := binary.LittleEndian.AppendUint32(append([]byte{}, head...), kind)
		n := uint32(12 + len(body))
		b = append(binary.LittleEndian.AppendUint32(b, n), body...)
		return binary.LittleEndian.AppendUint32(b, n)
	}
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for want, b := range map[string][]byte{
		"interface: 4 bytes, want 8 and options":                    block(1, zeros(4)),
		"interface: option 8 of 4 bytes, want 8":                    block(1, zeros(8)+"\x08\x00\x04\x00"+zeros(4)),
		"interface: option 9 of 2 bytes, want 1":                    block(1, zeros(8)+"\x09\x00\x02\x00"+zeros(4)),
		"interface: option 13 of 4 bytes, want 1":                   block(1, zeros(8)+"\x0d\x00\x04\x00"+zeros(4)),
		"interface: option 2: 4 bytes, want 5":                      block(1, zeros(8)+"\x02\x00\x05\x00"+zeros(4)),
		"statistics: 8 bytes, want 12 and options":                  block(5, zeros(8)),
		"statistics: option 4 of 4 bytes, want 8":                   block(5, zeros(12)+"\x04\x00\x04\x00"+zeros(4)),
		"packet: 16 bytes, want 20, data and options":               block(6, zeros(16)),
		"packet: 0 bytes of data, want 4":                           block(6, zeros(12)+"\x04\x00\x00\x00\x04\x00\x00\x00"),
		"packet: flags of 2 bytes, want 4":                          block(6, zeros(20)+"\x02\x00\x02\x00"+zeros(4)),
		"section header: version 0, want 1":                         block(0x0a0d0d0a, "\x4d\x3c\x2b\x1a"+zeros(12)),
		"section header: 4 bytes, want 16 and options":              block(0x0a0d0d0a, "\x4d\x3c\x2b\x1a")[:len(head)+16],
		"block that begins with length 16 and ends with 0, want th": append(block(7, zeros(4))[:len(head)+12], 0, 0, 0, 0),
	} {
		_, _, _, err := readAll(b)
		at := fmt.Sprintf("byte %d: ", len(head))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at) {
			t.Errorf("%v, want %s%s", err, at, want)
		}
	}
}

func TestStatisticsRoundTrip(t *testing.T) {
	s, ifs, _ := sample()
	want := pcapng.Statistics{Interface: 1, Time: 1<<40 + 7, Received: 1 << 33, Dropped: 5}
	r, err := pcapng.NewReader(bytes.NewReader(pcapng.AppendStatistics(written(s, ifs, nil), want)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF || len(r.Statistics) != 1 || r.Statistics[0] != want {
		t.Errorf("%+v, %v, want %+v", r.Statistics, err, want)
	}
}

func TestDrawnPacketsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		p := pcapng.Packet{Time: rapid.Uint64().Draw(t, "time"), Length: uint32(len(data)) + rapid.Uint32Range(0, 9).Draw(t, "cut"),
			Data: append([]byte{}, data...), Direction: pcapng.Direction(rapid.IntRange(0, 2).Draw(t, "direction")),
			Comments: rapid.SliceOfN(rapid.StringN(1, 9, -1), 1, 3).Draw(t, "comments")}
		_, _, got, err := readAll(written(pcapng.Section{}, []pcapng.Interface{{}}, []pcapng.Packet{p}))
		if err != nil || len(got) != 1 || cmp.Diff(p, got[0]) != "" {
			t.Fatalf("%+v reads as %+v, %v", p, got, err)
		}
	})
}

// What reads, writes to what reads as the same.
func FuzzRead(f *testing.F) {
	s, ifs, packets := sample()
	f.Add(written(s, ifs, packets))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ifs, packets, err := readAll(b)
		if err != nil || len(packets) > 0 && int(packets[len(packets)-1].Interface) >= len(ifs) {
			return // of several sections the last one's interfaces are here
		}
		for _, p := range packets {
			if int(p.Interface) >= len(ifs) {
				return
			}
		}
		gs, gifs, gp, err := readAll(written(s, ifs, packets))
		// Empty texts are not written.
		if err != nil || len(gifs) != len(ifs) || len(gp) != len(packets) || gs.Application != s.Application {
			t.Fatalf("%x: %v", b, err)
		}
		for i := range gp {
			if !bytes.Equal(gp[i].Data, packets[i].Data) || gp[i].Time != packets[i].Time || gp[i].Length != packets[i].Length {
				t.Fatalf("%+v, %+v", gp[i], packets[i])
			}
		}
	})
}
