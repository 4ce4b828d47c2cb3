package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/objects"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// trace is what PyTorch's flight recorder writes of one rank, as JSON: what is used of it.
type trace struct {
	Groups map[string]struct {
		Ranks string `json:"ranks"`
	} `json:"pg_config"`
	Entries objects.List[entry] `json:"entries"`
}

type entry struct {
	Seq       *int64      `json:"collective_seq_id"`
	P2P       bool        `json:"is_p2p"`
	Group     []string    `json:"process_group"`
	Name      string      `json:"profiling_name"`
	Sizes     [][]int64   `json:"input_sizes"`
	Types     []string    `json:"input_dtypes"`
	State     string      `json:"state"`
	Started   json.Number `json:"time_discovered_started_ns"`
	Completed json.Number `json:"time_discovered_completed_ns"`
}

// widths are the bytes of an element by its type.
var widths = map[string]int64{"Byte": 1, "Char": 1, "Bool": 1, "Short": 2, "Half": 2, "BFloat16": 2, "Int": 4, "Float": 4, "Long": 8,
	"Double": 8, "Float8_e4m3fn": 1, "Float8_e5m2": 1}

// recorder reads a dump of the flight recorder. Its times are those at which a thread saw that a collective had begun or
// ended, a little late.
func (r *Reader) recorder(s section) error {
	var t trace
	if err := json.Unmarshal([]byte(s.text), &t); err != nil {
		return s.jsonProblem(err)
	}
	rank, _ := traceRank(s.command)
	if err := r.is(s.host, aHost, "a flight recorder's dump"); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		if e.P2P || e.State == "scheduled" || e.Seq == nil || len(e.Group) == 0 {
			if e.State != "scheduled" {
				r.pass("flight recorder: an entry that is no collective")
			}
			continue
		}
		if e.Started == "" {
			r.pass("flight recorder: a collective without the time of its start: want TORCH_NCCL_ENABLE_TIMING=1")
			continue
		}
		p := part{Part: telemetry.Part{Device: s.host, Rank: rank, Comm: e.Group[0], Seq: *e.Seq, Bytes: e.bytes(),
			Op: opOf(e.Name)}, group: t.Groups[e.Group[0]].Ranks, until: never}
		var err error
		if p.from, err = nanoseconds(e.Started); err == nil && e.Completed != "" {
			p.until, err = nanoseconds(e.Completed)
		}
		if err == nil && p.until != never && p.until.compare(p.from) < 0 {
			err = errors.New("it ends before it begins")
		}
		if err == nil && *e.Seq < 0 {
			err = errors.New("its number is less than 0")
		}
		if err == nil {
			err = r.addPart(p)
		}
		if err != nil {
			return s.problem(1, 0, "", "entry %d of the flight recorder: %v", i+1, err)
		}
	}
	return nil
}

// addPart takes a rank's part.
func (r *Reader) addPart(p part) error {
	if len(r.parts) >= mostParts {
		return fmt.Errorf("more than %s collectives and steps in all", unit.Count(mostParts))
	}
	if !p.step {
		if r.groups[p.Comm] == nil {
			r.groups[p.Comm] = map[string]bool{}
		}
		r.groups[p.Comm][p.group] = true
	}
	r.parts = append(r.parts, p)
	return nil
}

// bytes are those of the input, Unknown where a type is not known.
func (e *entry) bytes() unit.Bytes {
	if len(e.Sizes) == 0 || len(e.Types) == 0 {
		return telemetry.Unknown
	}
	n := new(big.Int)
	for i, shape := range e.Sizes {
		size := big.NewInt(widths[e.Types[min(i, len(e.Types)-1)]])
		for _, d := range shape {
			size.Mul(size, big.NewInt(max(0, d)))
		}
		n.Add(n, size)
	}
	if n.Sign() <= 0 || !n.IsInt64() {
		return telemetry.Unknown
	}
	return unit.Bytes(n.Int64())
}

// opOf turns nccl:all_reduce, ALLREDUCE or AllReduce into all-reduce.
func opOf(name string) string {
	plain := strings.Trim(strings.ToLower(strings.TrimPrefix(name, "nccl:")), "_")
	plain = strings.NewReplacer("_base", "", "_", "", "-", "").Replace(plain)
	for _, op := range []string{"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce", "barrier", "gather",
		"scatter"} {
		if plain == strings.ReplaceAll(op, "-", "") {
			return op
		}
	}
	return plain
}

// nanoseconds reads a time in nanoseconds since 1970, with up to three decimals.
func nanoseconds(n json.Number) (instant, error) {
	whole, part, _ := strings.Cut(n.String(), ".")
	ns, err := strconv.ParseInt(whole, 10, 64)
	ps, known := fraction(part + "000000000000"[:12-min(12, len(part))])
	if err != nil || ns < 0 || ns >= mostSeconds*1e9 || !known || ps%1e9 != 0 {
		return instant{}, fmt.Errorf("%s: want nanoseconds since 1970, with three decimals at most", located.Shown(n.String()))
	}
	return instant{ns / 1e9, ns%1e9*1000 + ps/1e9}, nil
}

// jsonProblem says where JSON is wrong.
func (s *section) jsonProblem(err error) error {
	at := int64(0)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = max(0, syntax.Offset-1)
	case errors.As(err, &kind):
		at = max(0, kind.Offset-1)
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(s.text))
	}
	before := s.text[:min(at, int64(len(s.text)))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return s.problem(1+strings.Count(before, "\n"), len(line), line, "not JSON of that form: %s", located.Cut(err.Error()))
}

// record is a line of NCCL Inspector's.
type record struct {
	Header struct {
		ID   string `json:"id"`
		Rank int32  `json:"rank"`
	} `json:"header"`
	Meta struct {
		Host string `json:"hostname"`
	} `json:"metadata"`
	Coll *struct {
		Coll   string     `json:"coll"`
		Seq    int64      `json:"coll_sn"`
		Bytes  unit.Bytes `json:"coll_msg_size_bytes"`
		Events struct {
			Kernels []struct {
				Start int64 `json:"kernel_start_ts"`
				Stop  int64 `json:"kernel_stop_ts"`
			} `json:"kernel_events"`
		} `json:"event_trace_ts"`
	} `json:"coll_perf"`
}

// inspector reads NCCL Inspector's records: the kernel's first start, and its last end. Only verbose ones have them.
func (r *Reader) inspector(s section) error {
	n := 0
	for text := range strings.Lines(s.text) {
		n++
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		var c record
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return s.problem(n, 0, "", "not JSON of NCCL Inspector: %s", located.Cut(err.Error()))
		}
		switch {
		case c.Coll == nil:
			r.pass("NCCL Inspector: a record that is no collective")
			continue
		case len(c.Coll.Events.Kernels) == 0:
			r.pass("NCCL Inspector: a collective without times: want NCCL_INSPECTOR_DUMP_VERBOSE=1")
			continue
		case c.Meta.Host == "" || c.Header.Rank < 0 || c.Coll.Seq < 0 || c.Coll.Bytes < 0:
			return s.problem(n, 0, "", "want a hostname, and a rank, coll_sn and coll_msg_size_bytes from 0")
		}
		from, until := c.Coll.Events.Kernels[0].Start, c.Coll.Events.Kernels[0].Stop
		for _, k := range c.Coll.Events.Kernels {
			from, until = min(from, k.Start), max(until, k.Stop)
		}
		if from < 0 || until < from || until >= mostSeconds*1e6 {
			return s.problem(n, 0, "", "kernel_start_ts %d to kernel_stop_ts %d: want microseconds since 1970, in this order", from, until)
		}
		err := r.is(c.Meta.Host, aHost, "records of NCCL Inspector")
		if err == nil {
			err = r.addPart(part{Part: telemetry.Part{Device: c.Meta.Host, Rank: c.Header.Rank, Comm: c.Header.ID, Seq: c.Coll.Seq,
				Op: opOf(c.Coll.Coll), Bytes: c.Coll.Bytes}, from: instant{from / 1e6, from % 1e6 * 1e6},
				until: instant{until / 1e6, until % 1e6 * 1e6}})
		}
		if err != nil {
			return s.problem(n, 0, "", "%v", err)
		}
	}
	return nil
}

var (
	// told are words of lines that tell something.
	told = []string{"link down", "link up", "operation status", "oper state", "adjchange", "neighbor_state", "updown", "if_down", "if_up",
		"trap_link", "pfc watchdog", "pfc storm", "nccl", "watchdog caught", "xid", "module event"}
	// rankLine is how NCCL says on which GPU a rank runs.
	rankLine = regexp.MustCompile(`ncclCommInitRank\w* comm \S+ rank (\d{1,7}) nranks \d+ cudaDev (\d{1,3}) `)
	// stepLine is how a training program says that a step has ended.
	stepLine = regexp.MustCompile(`\[?[Rr]ank ?(\d{1,7})\]?:?.*\biteration\s+(\d{1,12})\b.*` +
		`elapsed time per iteration \(ms\): (\d{1,12})(?:\.(\d{1,9}))?`)
)

// log reads lines with a time, a host and what it said.
func (r *Reader) log(s section) error {
	n := 0
	for text := range strings.Lines(s.text) {
		n++
		text = strings.TrimRight(text, "\r\n")
		if text == "" || text[0] == ' ' || text[0] == '\t' { // it goes on with the line before
			continue
		}
		at, rest, known := stamp(text)
		host, said, more := strings.Cut(rest, " ")
		if !known || host == "" || !more {
			return s.problem(n, 0, text, "want a line of a log: TIME HOST TEXT, with a time such as 2000-01-31T23:59:59.25Z")
		}
		said = strings.TrimSpace(said)
		if err := r.said(at, host, said); err != nil {
			return s.problem(n, 0, "", "%v", err)
		}
	}
	return nil
}

// said takes a line of a log.
func (r *Reader) said(at instant, host, text string) error {
	if m := rankLine.FindStringSubmatch(text); m != nil {
		rank, _ := strconv.ParseInt(m[1], 10, 32)
		k, gpu := rankOn{host, int32(rank)}, "gpu"+m[2]
		if had, there := r.gpus[k]; there && had != gpu {
			gpu = ""
		}
		r.gpus[k] = gpu
		return nil
	}
	if m := stepLine.FindStringSubmatch(text); m != nil {
		rank, _ := strconv.ParseInt(m[1], 10, 32)
		seq, _ := strconv.ParseInt(m[2], 10, 64)
		took, ok := milliseconds(m[3], m[4])
		if from := at.less(took); ok && from.sec >= 0 {
			return r.addPart(part{Part: telemetry.Part{Device: host, Rank: int32(rank), Seq: seq, Bytes: telemetry.Unknown}, from: from,
				until: at, step: true})
		}
	}
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(told, func(w string) bool { return strings.Contains(lower, w) }) {
		r.pass("log: a line that tells of no link, session, watchdog, rank or GPU")
		return nil
	}
	if len(r.lines) >= mostLines {
		return fmt.Errorf("more than %s lines of logs that tell something", unit.Count(mostLines))
	}
	r.lines = append(r.lines, line{at, strings.Clone(host), "", strings.Clone(text)})
	return nil
}

// milliseconds reads how long something took.
func milliseconds(whole, part string) (instant, bool) {
	ms, err := strconv.ParseInt(whole, 10, 63)
	ps, known := fraction(part)
	if err != nil || !known || ms > 1e12 {
		return instant{}, false
	}
	return instant{ms / 1000, ms%1000*1e9 + ps/1000}, true
}

// less is the time so much earlier.
func (a instant) less(b instant) instant {
	a.sec, a.ps = a.sec-b.sec, a.ps-b.ps
	if a.ps < 0 {
		a.sec, a.ps = a.sec-1, a.ps+1e12
	}
	return a
}

// emitLines gives lines of logs. The port of a line is the one that it names.
func (r *Reader) emitLines(b *telemetry.Builder, base int64) {
	known := map[string]map[string]string{}
	for k := range r.series {
		if k.gpu {
			continue
		}
		if known[k.device] == nil {
			known[k.device] = map[string]string{}
		}
		full := k.device + "/" + k.port
		known[k.device][k.port], known[k.device][full] = full, full
	}
	for i := range r.lines {
		l := &r.lines[i]
		if l.port == "" {
			for _, w := range strings.Fields(l.text) {
				w, _, _ = strings.Cut(strings.Trim(w, ",:;.[]'\""), "(")
				if full := known[l.device][w]; full != "" {
					l.port = full
					break
				}
			}
		}
		row := telemetry.NewRow(telemetry.Line, l.device, l.port, l.at.since(base))
		row.Text = l.text
		b.Add(&row)
	}
}
