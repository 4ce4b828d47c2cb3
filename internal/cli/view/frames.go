package view

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
	"railyard/internal/out/result"
)

// CaptureFilter says which frames are shown.
type CaptureFilter struct {
	Port   string // a pattern of path.Match; "": any
	QP     int64  // to this queue pair; -1: to any
	Window result.TraceWindow
}

// wants reports whether a frame passes.
func (w *CaptureFilter) wants(r *frameRow) bool {
	if ok, _ := path.Match(w.Port, r.Port); w.Port != "" && !ok {
		return false
	}
	if w.QP >= 0 && (r.BTH == nil || int64(r.BTH.QP) != w.QP) {
		return false
	}
	return (w.Window.From == 0 || r.Time >= w.Window.From) && (w.Window.To == 0 || r.Time <= w.Window.To)
}

// A Capture is the frames of a capture that are shown.
type Capture struct {
	Interfaces []captureEnd `json:"interfaces"`
	Frames     []frameRow   `json:"frames"`
	More       int64        `json:"more"` // frames that pass and are not listed
	// Began is when the first frame of a file was there whose times are since 1970, in seconds: times count from it.
	Began string `json:"began_s,omitempty"`
}

type captureEnd struct {
	Name string       `json:"name"`
	Rate unit.Bitrate `json:"rate,omitempty"`
	Seen uint64       `json:"seen,omitempty"`
	Left uint64       `json:"left_out,omitempty"`
}

// frameRow is a frame as data: the headers that it has.
type frameRow struct {
	Number   int64      `json:"number"`
	Time     unit.Time  `json:"time_ps"`
	Port     string     `json:"port"`
	Bytes    unit.Bytes `json:"bytes"`
	Captured unit.Bytes `json:"captured"`
	What     string     `json:"what"`
	Error    string     `json:"error,omitempty"` // why the headers cannot be read
	IP       *ipRow     `json:"ip,omitempty"`
	BTH      *bthRow    `json:"bth,omitempty"`
	RETH     *rethRow   `json:"reth,omitempty"`
	AETH     *aethRow   `json:"aeth,omitempty"`
	ImmDt    *uint32    `json:"immediate,omitempty"`
	Payload  unit.Bytes `json:"payload,omitempty"` // captured bytes of it
	CM       *cmRow     `json:"cm,omitempty"`
	PFC      *pfcRow    `json:"pfc,omitempty"`
	LLDP     *lldpRow   `json:"lldp,omitempty"`
	Comments []string   `json:"comments,omitempty"`
}

type ipRow struct {
	Source  string `json:"source"`
	Dest    string `json:"dest"`
	DSCP    uint8  `json:"dscp"`
	ECN     uint8  `json:"ecn"`
	TTL     uint8  `json:"ttl"`
	Entropy uint16 `json:"udp_source"`
}

type bthRow struct {
	Opcode wire.Opcode `json:"opcode"`
	QP     uint32      `json:"dest_qp"`
	PSN    wire.PSN    `json:"psn"`
	PKey   uint16      `json:"p_key"`
	AckReq bool        `json:"ack_request"`
	BECN   bool        `json:"becn"`
	Pad    uint8       `json:"pad"`
}

type rethRow struct {
	Address uint64 `json:"address"`
	RKey    uint32 `json:"r_key"`
	Length  uint32 `json:"length"`
}

type aethRow struct {
	Kind  wire.AckKind `json:"kind"` // 0 ACK, 1 RNR NAK, 3 NAK
	Value uint8        `json:"value"`
	MSN   uint32       `json:"msn"`
}

type cmRow struct {
	Kind     string   `json:"kind"`
	LocalID  uint32   `json:"local_id"`
	RemoteID uint32   `json:"remote_id,omitempty"`
	QP       uint32   `json:"qp,omitempty"`
	PSN      wire.PSN `json:"psn,omitempty"`
	PKey     uint16   `json:"p_key,omitempty"`
	MTU      int64    `json:"mtu,omitempty"`
}

type pfcRow struct {
	Priorities []int     `json:"priorities"`
	Quanta     [8]uint16 `json:"quanta"`
}

type lldpRow struct {
	System string `json:"system"`
	Port   string `json:"port"`
	TTL    uint16 `json:"ttl_s"`
	PFC    []int  `json:"pfc,omitempty"` // priorities
}

// prioritiesOf lists the bits that are set.
func prioritiesOf(enable uint8) []int {
	all := []int{}
	for p := range 8 {
		if enable>>p&1 != 0 {
			all = append(all, p)
		}
	}
	return all
}

// ReadCapture reads the frames of a pcapng file that pass, most of them at most.
func ReadCapture(from io.Reader, filter *CaptureFilter, most int) (*Capture, error) {
	r, err := pcapng.NewReader(bufio.NewReaderSize(from, 1<<16))
	if err != nil {
		return nil, err
	}
	data := &Capture{Frames: []frameRow{}}
	var base stamp
	for number := int64(1); ; number++ {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		at := stampOf(p.Time, r.Interfaces[p.Interface].Digits)
		if number == 1 && at.seconds >= sinceEpoch {
			base, data.Began = at, at.text()
		}
		row := rowOf(number, p, &r.Interfaces[p.Interface])
		var ok bool
		if row.Time, ok = at.since(base); !ok {
			row.Error = fmt.Sprintf("its time is %d s, over %d s from where times begin", at.seconds, mostSeconds)
		}
		if !filter.wants(&row) {
			continue
		}
		if len(data.Frames) == most {
			data.More++
			continue
		}
		data.Frames = append(data.Frames, row)
	}
	for _, i := range r.Interfaces {
		data.Interfaces = append(data.Interfaces, captureEnd{Name: printable(i.Name), Rate: unit.Bitrate(min(i.Speed, 1<<62))})
	}
	for _, s := range r.Statistics {
		if int(s.Interface) < len(data.Interfaces) {
			data.Interfaces[s.Interface].Seen, data.Interfaces[s.Interface].Left = s.Received, s.Dropped
		}
	}
	return data, nil
}

// stamp is when a file says that a frame was there.
type stamp struct{ seconds, picoseconds uint64 }

// sinceEpoch is from how many seconds on a file's times are since 1970 and not since a run began: a run takes less.
const sinceEpoch = 1_000_000

// mostSeconds is how far from where times begin a frame's may be.
const mostSeconds = 1 << 22

func stampOf(t uint64, digits uint8) stamp {
	one, pico := uint64(1), uint64(1) // of the second, and of the timestamp
	for range digits {
		one *= 10
	}
	for d := digits; d < 12; d++ {
		pico *= 10
	}
	x := stamp{t / one, t % one * pico}
	for d := digits; d > 12; d-- {
		x.picoseconds /= 10
	}
	return x
}

// text is its seconds since 1970, to the nanosecond.
func (x stamp) text() string { return fmt.Sprintf("%d.%09d", x.seconds, x.picoseconds/1000) }

// since is the time from another instant on; false: virtual time does not go so far, and it is the most.
func (x stamp) since(base stamp) (t unit.Time, ok bool) {
	d := int64(x.seconds - base.seconds)
	near := max(-mostSeconds, min(mostSeconds, d))
	return unit.Time(near*1_000_000_000_000 + int64(x.picoseconds) - int64(base.picoseconds)), near == d
}

// rowOf reads a frame.
func rowOf(number int64, p *pcapng.Packet, at *pcapng.Interface) frameRow {
	row := frameRow{Number: number, Port: printable(at.Name), Bytes: unit.Bytes(p.Length),
		Captured: unit.Bytes(len(p.Data)), What: "other"}
	for _, c := range p.Comments {
		row.Comments = append(row.Comments, printable(c))
	}
	if at.Link != pcapng.LinkEthernet {
		row.Error = fmt.Sprintf("link type %d, want 1: Ethernet", at.Link)
		return row
	}
	f, err := wire.Dissect(p.Data, int(p.Length), at.FCS == uint8(wire.FCSBytes))
	if err != nil {
		row.Error = err.Error()
		return row
	}
	for f.Inner != nil {
		f = f.Inner
	}
	row.headers(f)
	return row
}

// headers takes those of a frame.
func (r *frameRow) headers(f *wire.Frame) {
	switch {
	case f.PFC != nil:
		r.What, r.PFC = "PFC", &pfcRow{prioritiesOf(f.PFC.Enable), f.PFC.Quanta}
	case f.LLDP != nil:
		r.What, r.LLDP = "LLDP", &lldpRow{System: printable(f.LLDP.System), Port: printable(f.LLDP.Port.Value), TTL: f.LLDP.TTL}
		if p := f.LLDP.DCBX.PFC; p != nil {
			r.LLDP.PFC = prioritiesOf(p.Enable)
		}
	}
	if h := f.IPv4; h != nil {
		r.What, r.IP = "IPv4", &ipRow{Source: h.Source.String(), Dest: h.Dest.String(), DSCP: h.DSCP, ECN: h.ECN, TTL: h.TTL}
	} else if h := f.IPv6; h != nil {
		r.What, r.IP = "IPv6", &ipRow{Source: h.Source.String(), Dest: h.Dest.String(), DSCP: h.DSCP, ECN: h.ECN, TTL: h.TTL}
	}
	if f.UDP != nil {
		r.What, r.IP.Entropy = "UDP", f.UDP.Source
	}
	if f.RoCE != nil {
		r.transport(f.RoCE)
	}
}

// transport takes the headers from the BTH on.
func (r *frameRow) transport(p *wire.RoCE) {
	h, op := &p.BTH, p.BTH.Opcode
	r.What, r.Payload = op.String(), unit.Bytes(len(p.Payload))
	r.BTH = &bthRow{Opcode: op, QP: h.DestQP, PSN: h.PSN, PKey: h.PKey, AckReq: h.AckReq, BECN: h.BECN, Pad: h.Pad}
	if op.HasRETH() {
		r.RETH = (*rethRow)(&p.RETH)
	}
	if op.HasAETH() {
		if r.AETH = (*aethRow)(&p.AETH); p.AETH.Kind == wire.NAK {
			r.What = "NAK"
		}
	}
	if op.HasImmDt() {
		n := uint32(p.ImmDt)
		r.ImmDt = &n
	}
	c := p.CM()
	if c == nil {
		return
	}
	r.What, r.CM = "CM "+c.Kind.String(), &cmRow{Kind: c.Kind.String(), LocalID: c.LocalID, RemoteID: c.RemoteID}
	switch c.Kind {
	case wire.CMRequest:
		q := &c.Request
		r.CM.QP, r.CM.PSN, r.CM.PKey, r.CM.MTU = q.QP, q.PSN, q.PKey, int64(q.MTU.Bytes())
	case wire.CMReply:
		r.CM.QP, r.CM.PSN = c.Reply.QP, c.Reply.PSN
	case wire.CMDisconnect:
		r.CM.QP = c.RemoteQP
	}
}

// printable makes a text of a file safe to print.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// CaptureText prints frames, one a line, and below it what there is to say of one.
func CaptureText(s *sheet.Sheet, d *Capture) {
	port, what := len("port"), len("what")
	for i := range d.Frames {
		port, what = max(port, len(d.Frames[i].Port)), max(what, len(d.Frames[i].name()))
	}
	line := fmt.Sprintf("%%6s  %%11s  %%-%ds  %%-%ds  %%8s  %%8s  %%5s", port, what)
	if len(d.Frames) == 0 {
		s.Line("No frames.")
	} else {
		if d.Began != "" {
			s.Wrap("", fmt.Sprintf("Times count from the first frame, %s s since 1970.", d.Began))
		}
		s.Line(fmt.Sprintf(line, "frame", "time us", "port", "what", "to QP", "PSN", "bytes"))
	}
	for i := range d.Frames {
		r := &d.Frames[i]
		qp, psn := "", ""
		if r.BTH != nil {
			qp, psn = fmt.Sprintf("0x%06x", r.BTH.QP), fmt.Sprintf("0x%06x", r.BTH.PSN)
		}
		s.Line(fmt.Sprintf(line, strconv.FormatInt(r.Number, 10), microseconds(r.Time),
			r.Port, r.name(), qp, psn, strconv.FormatInt(int64(r.Bytes), 10)))
		if text := strings.Join(r.says(), "; "); text != "" {
			s.Hang("        ", "        ", text)
		}
	}
	if d.More > 0 {
		s.Wrap("", fmt.Sprintf("%s more: --most, --from, --to, --port, --qp.", unit.Count(d.More)))
	}
	for _, i := range d.Interfaces {
		if i.Left > 0 {
			s.Wrap("", fmt.Sprintf("%s sent %s, of which %s are not in the file (capture.limit).", i.Name,
				unit.CountOf(int64(i.Seen), "frame"), unit.Count(int64(i.Left))))
		}
	}
}

// microseconds is a time to the picosecond. A frame of another port may be before the first of the file.
func microseconds(t unit.Time) string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return fmt.Sprintf("%s%d.%06d", sign, int64(t)/1e6, int64(t)%1e6)
}

// name is what the frame is, in few words.
func (r *frameRow) name() string {
	return strings.Replace(strings.TrimPrefix(r.What, "RDMA "), "with Immediate", "+ imm.", 1)
}

// says is what there is to say of a frame beside its line.
func (r *frameRow) says() (says []string) {
	add := func(when bool, format string, args ...any) {
		if when {
			says = append(says, fmt.Sprintf(format, args...))
		}
	}
	if h := r.RETH; h != nil {
		add(true, "%d B to 0x%x, R_Key 0x%x", h.Length, h.Address, h.RKey)
	}
	if h := r.AETH; h != nil {
		add(true, "MSN %d", h.MSN)
	}
	if r.ImmDt != nil {
		add(true, "immediate %d", *r.ImmDt)
	}
	if c := r.CM; c != nil {
		add(c.MTU > 0, "from QP 0x%06x, PSN 0x%06x, P_Key 0x%04x, MTU %d", c.QP, c.PSN, c.PKey, c.MTU)
		add(c.Kind == wire.CMDisconnect.String(), "of QP 0x%06x", c.QP)
		add(c.Kind == wire.CMReply.String(), "from QP 0x%06x, PSN 0x%06x", c.QP, c.PSN)
	}
	if l := r.LLDP; l != nil {
		add(true, "%s, %s; PFC %v", l.System, l.Port, l.PFC)
	}
	add(r.IP != nil && r.IP.ECN == 3, "congestion experienced")
	add(r.Error != "", "not read: %s", r.Error)
	return append(says, r.Comments...)
}
