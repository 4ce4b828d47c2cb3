package view

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
	"railyard/internal/out/result"
)

// pausesOf is a capture with a PFC frame at each of some times, in turn at two ports, and one frame that is not Ethernet.
func pausesOf(times ...uint64) []byte {
	b := pcapng.AppendSection(nil, pcapng.Section{})
	for _, name := range []string{"leaf1/host1", "leaf1/host2", "ppp"} {
		i := pcapng.Interface{Name: name, Link: pcapng.LinkEthernet, Speed: 400e9, Digits: 12}
		if name == "ppp" {
			i.Link, i.Digits = 9, 6
		}
		b = pcapng.AppendInterface(b, i)
	}
	f := wire.Frame{Ethernet: wire.Ethernet{Dest: wire.MACControlAddress}, PFC: &wire.PFC{Enable: 1 << 3}}
	data := f.Append(nil)
	for k, at := range times {
		b = pcapng.AppendPacket(b, &pcapng.Packet{Interface: uint32(k % 2), Time: at, Length: uint32(len(data)), Data: data})
	}
	return pcapng.AppendPacket(b, &pcapng.Packet{Interface: 2, Time: 4, Length: 1, Data: []byte{0}})
}

// Frames are shown by port, by queue pair and by time, so many at most; the rest is counted.
func TestFramesOfACapture(t *testing.T) {
	file := pausesOf(1_000_000, 2_000_000, 3_000_000)
	for _, c := range []struct {
		what   string
		filter CaptureFilter
		most   int
		frames []int64 // by number
		more   int64
	}{
		{"all", CaptureFilter{QP: -1}, 9, []int64{1, 2, 3, 4}, 0},
		{"two of them", CaptureFilter{QP: -1}, 2, []int64{1, 2}, 2},
		{"a port", CaptureFilter{QP: -1, Port: "leaf1/host2"}, 9, []int64{2}, 0},
		{"a pattern", CaptureFilter{QP: -1, Port: "leaf1/*"}, 9, []int64{1, 2, 3}, 0},
		{"a queue pair, to which no pause is", CaptureFilter{QP: 7}, 9, nil, 0},
		{"from 2 us, a microsecond being of six digits", CaptureFilter{QP: -1, Window: result.TraceWindow{
			From: unit.Time(2 * unit.Microsecond)}}, 9, []int64{2, 3, 4}, 0},
		{"to 2 us", CaptureFilter{QP: -1, Window: result.TraceWindow{To: unit.Time(2 * unit.Microsecond)}}, 9, []int64{1, 2}, 0},
	} {
		got, err := ReadCapture(bytes.NewReader(file), &c.filter, c.most)
		if err != nil {
			t.Fatal(err)
		}
		same := len(got.Frames) == len(c.frames) && got.More == c.more
		for i := range got.Frames {
			same = same && got.Frames[i].Number == c.frames[i]
		}
		if !same {
			t.Errorf("%s: %+v and %d more, want frames %v and %d", c.what, got.Frames, got.More, c.frames, c.more)
		}
	}
}

// A line of a frame has its time in microseconds; what cannot be read says why.
func TestFramesAsText(t *testing.T) {
	c, err := ReadCapture(bytes.NewReader(pausesOf(1_500_007)), &CaptureFilter{QP: -1}, 9)
	if err != nil {
		t.Fatal(err)
	}
	s := sheet.New(100)
	CaptureText(s, c)
	var b strings.Builder
	if err := s.Flush(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1     1.500007  leaf1/host1  PFC", "2     4.000000  ppp          other",
		"not read: link type 9, want 1: Ethernet"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if _, err := ReadCapture(strings.NewReader("no capture"), &CaptureFilter{QP: -1}, 9); err == nil {
		t.Error("what is no capture is read")
	}
}

// Times since 1970 count from the first frame, which is named: also those of frames before it, and of other resolutions; what
// is too far away says so. Virtual times count from the run's start.
func TestFramesOfARealNetwork(t *testing.T) {
	const at = 1_795_996_800 // 2026-11-30 00:00:00 UTC
	b := pcapng.AppendSection(nil, pcapng.Section{})
	for _, digits := range []uint8{9, 6, 15} {
		b = pcapng.AppendInterface(b, pcapng.Interface{Name: "eth0", Link: pcapng.LinkEthernet, Digits: digits})
	}
	for _, p := range []pcapng.Packet{{Time: at*1e9 + 123_456_789}, {Time: at*1e9 + 123_456_790}, {Interface: 1, Time: (at+1)*1e6 + 5},
		{Time: at * 1e9}, {Interface: 2, Time: 12_999}} {
		p.Length, p.Data = 1, []byte{0}
		b = pcapng.AppendPacket(b, &p)
	}
	c, err := ReadCapture(bytes.NewReader(b), &CaptureFilter{QP: -1}, 9)
	if err != nil {
		t.Fatal(err)
	}
	var times []unit.Time
	for _, f := range c.Frames {
		times = append(times, f.Time)
	}
	if want := []unit.Time{0, 1000, 876_548_211_000, -123_456_789_000}; !slices.Equal(times[:4], want) ||
		c.Began != "1795996800.123456789" {
		t.Errorf("times %v since %s, want %v", times, c.Began, want)
	}
	if e := c.Frames[4].Error; e != "its time is 0 s, over 4194304 s from where times begin" {
		t.Errorf("a frame of 1970: %q", e)
	}
	s := sheet.New(100)
	CaptureText(s, c)
	var text strings.Builder
	if err := s.Flush(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Times count from the first frame, 1795996800.123456789 s since 1970.", "     2     0.001000",
		"     4  -123456.789000"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("want %q in\n%s", want, text.String())
		}
	}
}
