package rdma

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// The exchange of linux-rdma's perftest, as its version 6.06 has it over TCP. Each line goes both ways, the client's first:
//
//	version, 16 bytes | bytes of its cycle buffer, 4 | of a cache line, 4 | path MTU, a digit and NUL
//	destination, 108 bytes, four times: only the first says something new
//	   (the measurement)
//	of bandwidths: bytes, iterations, peak, average, messages/s, 8 bytes each
//	destination
//	"done", NUL
//
// Behind write_lat there is none of that: the connection is closed. It does not say what is measured: a server does not need it
// where the client alone acts, and where SENDs only come. Of bandwidths the ends of send_bw report nothing.

// Lengths and values of the exchange.
const (
	perftestVersion = "6.06"
	versionBytes    = 16
	cycleBuffer     = 4096
	cacheLine       = 64
	destBytes       = 108
	destTimes       = 4
	perftestBytes   = 8 << 20 // of a server's memory: what perftest's -a goes up to
)

// destination is what an end is, in perftest's words.
type destination struct {
	reads, qpn, psn, key uint32
	address              uint64
	gid                  netip.Addr
}

func (d *destination) append(b []byte) []byte {
	b = fmt.Appendf(b, "%04x:%04x:%06x:%06x:%08x:%016x:", 0, d.reads, d.qpn, d.psn, d.key, d.address)
	for _, v := range d.gid.As16() {
		b = fmt.Appendf(b, "%02x:", v)
	}
	return append(fmt.Appendf(b, "%08x:", 0), 0)
}

// destDigits are those of the fields before the GID.
var destDigits = [...]int{4, 4, 6, 6, 8, 16}

// parseDestination is the inverse of append.
func parseDestination(b []byte) (d destination, err error) {
	words := strings.Split(string(b), ":")
	const fields = 6 + 16 + 2
	if len(b) != destBytes || len(words) != fields || words[fields-1] != "\x00" {
		return d, fmt.Errorf("%d bytes with %d fields, want %d with %d: what perftest says of a queue pair", len(b), len(words),
			destBytes, fields)
	}
	var v [fields - 1]uint64
	for i := range v {
		digits := 2
		if i < len(destDigits) {
			digits = destDigits[i]
		} else if i == fields-2 {
			digits = 8
		}
		if v[i], err = strconv.ParseUint(words[i], 16, 64); err != nil || len(words[i]) != digits {
			return d, fmt.Errorf("field %d of what perftest says of a queue pair: %q, want %d hexadecimal digits", i, words[i], digits)
		}
	}
	var gid [16]byte
	for i := range gid {
		gid[i] = byte(v[6+i])
	}
	d = destination{uint32(v[1]), uint32(v[2]), uint32(v[3]), uint32(v[4]), v[5], netip.AddrFrom16(gid).Unmap()}
	if d.qpn < 2 || d.qpn >= 1<<24 || d.psn >= 1<<24 {
		return d, fmt.Errorf("queue pair 0x%x, PSN 0x%x, want 2 to 0xffffff and 0 to 0xffffff", d.qpn, d.psn)
	}
	return d, nil
}

// perftest is an end of the exchange.
type perftest struct {
	*line
	client bool
}

// swap sends what is given and returns as many bytes of the other end.
func (p *perftest) swap(b []byte, most time.Duration) (got []byte, err error) {
	got = make([]byte, len(b))
	if err := p.conn.SetDeadline(time.Now().Add(most)); err != nil {
		return nil, err
	}
	write := func() error { _, err := p.conn.Write(b); return err }
	read := func() error { _, err := io.ReadFull(p.r, got); return err }
	if p.client {
		if err = write(); err == nil {
			err = read()
		}
	} else if err = read(); err == nil {
		err = write()
	}
	if err != nil {
		return nil, fmt.Errorf("perftest's exchange: %w", err)
	}
	return got, nil
}

// begin agrees on all that comes before queue pairs, and returns the path MTU.
func (p *perftest) begin(own wire.MTU) (wire.MTU, error) {
	version := make([]byte, versionBytes)
	copy(version, perftestVersion)
	if !p.client { // what it has we say too: it compares
		first, err := p.r.Peek(versionBytes)
		if err != nil {
			return 0, err
		}
		copy(version, first)
	}
	got, err := p.swap(version, patience)
	if err != nil {
		return 0, err
	}
	if v := strings.TrimRight(string(got), "\x00"); !plainVersion(v) {
		return 0, fmt.Errorf("the other end says that it is version %q, want perftest's, such as %s", v, perftestVersion)
	}
	for _, v := range []uint32{cycleBuffer, cacheLine} {
		if _, err := p.swap(binary.BigEndian.AppendUint32(nil, v), patience); err != nil {
			return 0, err
		}
	}
	got, err = p.swap([]byte{'0' + byte(own), 0}, patience)
	if err != nil {
		return 0, err
	}
	theirs := wire.MTU(got[0] - '0')
	if got[1] != 0 || theirs < 1 || theirs > 5 {
		return 0, fmt.Errorf("the other end has path MTU code %q, want 1 (256 B) to 5 (4096 B)", got)
	}
	return min(own, theirs), nil
}

func plainVersion(v string) bool {
	_, err := strconv.ParseFloat(v, 64)
	return err == nil && v[0] >= '0' && v[0] <= '9'
}

// meet tells what the ends are; connect, given what the other is, makes the queue pair ready.
func (p *perftest) meet(own destination, connect func(destination) error) error {
	b := own.append(nil)
	for i := range destTimes {
		got, err := p.swap(b, patience)
		if err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		other, err := parseDestination(got)
		if err != nil {
			return err
		}
		if err := connect(other); err != nil {
			return err
		}
	}
	return nil
}

// destination is what a side is.
func (s *side) destination() destination {
	return destination{mostReads, s.qp.Number(), s.psn, s.key, regionAt, s.e.Addr()}
}

// join connects a side with the other end.
func (s *side) join(d destination, mtu wire.MTU) error {
	s.peer = hello{Test: Test{MTU: int(mtu.Bytes())}, QPN: d.qpn, PSN: d.psn, GID: d.gid, Key: d.key, Address: d.address}
	a := s.peer.attributes(s.psn)
	a.MaxReads = int(min(d.reads, mostReads))
	return s.e.Connect(s.qp, d.gid, a)
}

// part ends the exchange; reports are those of a bandwidth, whose other end's are thrown away.
func (p *perftest) part(own destination, reports []uint64) error {
	for _, v := range reports {
		if _, err := p.swap(binary.BigEndian.AppendUint64(nil, v), patience); err != nil {
			return err
		}
	}
	if _, err := p.swap(own.append(nil), patience); err != nil {
		return err
	}
	_, _ = p.swap([]byte("done\x00"), patience) // perftest closes the connection, and does not read what we say
	return nil
}

// perftestReports is how many numbers tell of a bandwidth.
const perftestReports = 5

// perftest is the server's end: what is measured is the client's matter.
func (s *Server) perftest(ctx context.Context, l *line) error {
	p := &perftest{line: l}
	e, err := s.Open()
	if err != nil {
		return err
	}
	defer e.Close()
	defer context.AfterFunc(ctx, e.Close)()
	mtu, err := p.begin(e.PathMTU())
	if err != nil {
		return err
	}
	test := Test{Op: "perftest", Size: perftestBytes}
	if s.Perftest != nil {
		test = *s.Perftest
	}
	d, err := newSide(test, e)
	if err != nil {
		return err
	}
	own := d.destination()
	if err := p.meet(own, func(to destination) error { return s.takes(d, to, mtu) }); err != nil {
		return err
	}
	s.begins(d)
	defer s.ends(d)
	if s.Perftest != nil {
		if err := d.pong(ctx); err != nil {
			return err
		}
	}
	if err := p.over(own, test.polled()); err != nil {
		return err
	}
	s.Say(fmt.Sprintf("perftest from %v: %s", d.peer.GID, countersOf(d.status())))
	return nil
}

// over is the end of the exchange for a server; behind a polled test there is nothing but the client's close.
func (p *perftest) over(own destination, polled bool) error {
	if err := p.conn.SetDeadline(time.Now().Add(10 * patience)); err != nil {
		return err
	}
	next, err := p.r.Peek(8)
	if polled {
		return nil
	}
	if err != nil {
		return fmt.Errorf("perftest's exchange: %w", err)
	}
	var reports []uint64
	if next[0] != '0' { // not the text of a destination: bytes, iterations, ...
		reports = make([]uint64, perftestReports)
	}
	return p.part(own, reports)
}

// takes connects a server's side, and posts receives before the client sends.
func (s *Server) takes(d *side, to destination, mtu wire.MTU) error {
	if err := d.join(to, mtu); err != nil {
		return err
	}
	if s.Perftest == nil {
		return d.lands()
	}
	return d.receive(min(s.Perftest.Iterations, 2))
}

// countersOf is the counters that are not 0.
func countersOf(s Status) string {
	var words []string
	for _, c := range s.Counters {
		if c.Count != 0 {
			words = append(words, fmt.Sprintf("%s %d", c.Name, c.Count))
		}
	}
	return strings.Join(words, ", ")
}

// perftest is the client's end.
func (t Test) perftest(ctx context.Context, l *line, e *endpoint.Endpoint) (*Result, error) {
	p := &perftest{l, true}
	mtu, err := p.begin(wire.MTUOf(unit.Bytes(t.MTU)))
	if err != nil {
		return nil, err
	}
	s, err := newSide(t, e)
	if err != nil {
		return nil, err
	}
	if operations[t.Op].op == roce.OpWrite {
		s.fill()
	}
	own := s.destination()
	if err := p.meet(own, func(to destination) error { return s.join(to, mtu) }); err != nil {
		return nil, err
	}
	r := &Result{Test: t, Raw: e.Raw(), Perftest: true}
	r.MTU = int(mtu.Bytes())
	if t.polled() {
		err := s.pings(ctx, r)
		r.Client = s.status()
		return r, err
	}
	if err := s.time(ctx, r); err != nil {
		return nil, err
	}
	r.Client = s.status()
	var reports []uint64
	if !t.Latency() && !operations[t.Op].op.Receives() {
		reports = []uint64{uint64(r.Size), uint64(r.Iterations), math.Float64bits(r.Peak), math.Float64bits(r.Average),
			math.Float64bits(r.Rate)}
	}
	return r, p.part(own, reports)
}
