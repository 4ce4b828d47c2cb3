package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"railyard/internal/input"
	"railyard/internal/pcapng"
	"railyard/internal/result"
	"railyard/internal/unit"
	"railyard/internal/wire"
)

// captureFlags is the flags of `railyard show capture`.
type captureFlags struct {
	port, qp, from, to string
	most               int
	json               bool
}

// captureCall is a call of railyard show capture.
type captureCall struct {
	*app
	f captureFlags
}

func captureCommand(a *app) *cobra.Command {
	c := &captureCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "capture FILE",
		Short: "Print the frames of a capture, one a line",
		Long: `Prints the frames of a pcapng file, header by header: RoCEv2, PFC, LLDP and connection managers'
messages. FILE may be the directory of a run whose scenario has capture: {links: [...]}.`,
		Example: "  railyard show capture runs/incast-1 --port leaf1/host1\n" +
			"  railyard show capture capture.pcapng --qp 0x123456 --from 10us --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("%s: %d arguments, want one FILE: %s", called(cmd), len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return c.showCapture(args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.port, "port", "", "at this interface, such as leaf1/host1, or at those that a pattern names: 'leaf1/*'")
	fl.StringVar(&f.qp, "qp", "", "to the queue pair with this number, such as 0x123456")
	fl.StringVar(&f.from, "from", "", "from this time on, such as 1.5us")
	fl.StringVar(&f.to, "to", "", "up to this time")
	fl.IntVar(&f.most, "most", 100, "print so many frames at most")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	return cmd
}

// captureFilter is the flags, checked.
type captureFilter struct {
	port   string
	qp     int64 // -1: any
	window result.TraceWindow
}

// mostFrames bounds what is held in memory.
const mostFrames = 1_000_000

func (f *captureFlags) filter() (w captureFilter, err error) {
	w = captureFilter{port: f.port, qp: -1}
	if f.most < 1 || f.most > mostFrames {
		return w, misuse("show capture: --most %d: want 1 to %d", f.most, mostFrames)
	}
	if _, err := path.Match(f.port, ""); err != nil {
		return w, misuse("show capture: --port %s: is no pattern, want an interface such as leaf1/host1, or 'leaf1/*'", f.port)
	}
	if f.qp != "" {
		n, err := strconv.ParseUint(f.qp, 0, 24)
		if err != nil {
			return w, misuse("show capture: --qp %s: want a number up to 0xffffff, such as 0x123456", f.qp)
		}
		w.qp = int64(n)
	}
	w.window, err = windowOf("show capture", f.from, f.to)
	return w, err
}

// wants reports whether a frame passes.
func (w *captureFilter) wants(r *frameRow) bool {
	if ok, _ := path.Match(w.port, r.Port); w.port != "" && !ok {
		return false
	}
	if w.qp >= 0 && (r.BTH == nil || int64(r.BTH.QP) != w.qp) {
		return false
	}
	return r.Time >= w.window.From && (w.window.To == 0 || r.Time <= w.window.To)
}

// captureData is a capture as data.
type captureData struct {
	Interfaces []captureEnd `json:"interfaces"`
	Frames     []frameRow   `json:"frames"`
	More       int64        `json:"more"` // frames that pass and are not listed
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

func (c *captureCall) showCapture(name string) error {
	filter, err := c.f.filter()
	if err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if _, err := result.OpenIncomplete(name); err != nil {
			return misuse("%w", err)
		}
		if name = filepath.Join(name, result.CaptureFile); !exists(name) {
			return fmt.Errorf("%s: is not there: the run's scenario wants capture: {links: [...]}", name)
		}
	}
	data, err := readCapture(name, &filter, c.f.most)
	if err != nil {
		return err
	}
	if c.f.json {
		return c.printJSON(data)
	}
	return c.captureText(data)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// readCapture reads the frames that pass, most of them at most.
func readCapture(name string, filter *captureFilter, most int) (*captureData, error) {
	file, _, err := input.Open(name)
	if err != nil {
		return nil, misuse("show capture: %s: %w", name, input.Cause(err))
	}
	defer file.Close()
	r, err := pcapng.NewReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data := &captureData{Frames: []frameRow{}}
	for number := int64(1); ; number++ {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		row := rowOf(number, p, &r.Interfaces[p.Interface])
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

// picoseconds turns a timestamp into virtual time; one too large for it is the largest.
func picoseconds(t uint64, digits uint8) unit.Time {
	for ; digits > 12; digits-- {
		t /= 10
	}
	for ; digits < 12; digits++ {
		hi, lo := bits.Mul64(t, 10)
		if t = lo; hi > 0 || lo > 1<<62 {
			return 1 << 62
		}
	}
	return unit.Time(min(t, 1<<62))
}

// rowOf reads a frame.
func rowOf(number int64, p *pcapng.Packet, at *pcapng.Interface) frameRow {
	row := frameRow{Number: number, Time: picoseconds(p.Time, at.Digits), Port: printable(at.Name), Bytes: unit.Bytes(p.Length),
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

// captureText prints frames, one a line, and below it what there is to say of one.
func (c *captureCall) captureText(d *captureData) error {
	s := c.newSheet()
	port, what := len("port"), len("what")
	for i := range d.Frames {
		port, what = max(port, len(d.Frames[i].Port)), max(what, len(d.Frames[i].name()))
	}
	line := fmt.Sprintf("%%6s  %%11s  %%-%ds  %%-%ds  %%8s  %%8s  %%5s", port, what)
	if len(d.Frames) == 0 {
		s.Line("No frames.")
	} else {
		s.Line(fmt.Sprintf(line, "frame", "time us", "port", "what", "to QP", "PSN", "bytes"))
	}
	for i := range d.Frames {
		r := &d.Frames[i]
		qp, psn := "", ""
		if r.BTH != nil {
			qp, psn = fmt.Sprintf("0x%06x", r.BTH.QP), fmt.Sprintf("0x%06x", r.BTH.PSN)
		}
		s.Line(fmt.Sprintf(line, strconv.FormatInt(r.Number, 10), fmt.Sprintf("%d.%06d", int64(r.Time)/1e6, int64(r.Time)%1e6),
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
	return s.Flush(c.stdout)
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
