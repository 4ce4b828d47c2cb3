package dump

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/objects"
	"railyard/internal/base/unit"
	"railyard/internal/job/nccltests"
	"railyard/internal/net/telemetry"
)

// status is what NCCL's RAS says as JSON of all communicators: what is used of it.
type status struct {
	Communicators objects.List[struct {
		Hash      string `json:"hash"`
		Secondary string `json:"secondary_hash"`
		Ranks     objects.List[struct {
			Rank   int32            `json:"rank"`
			Host   string           `json:"host"`
			GPU    *int32           `json:"cuda_dev"`
			Counts map[string]int64 `json:"collective_counts"`
		}] `json:"ranks"`
		Missing objects.List[struct {
			Rank int32  `json:"rank"`
			Host string `json:"host"`
			Dead bool   `json:"considered_dead"`
			Lost bool   `json:"unresponsive"`
		}] `json:"missing_ranks"`
	}] `json:"communicators"`
}

// counted is how many collectives a rank had begun at a time.
type counted struct {
	comm, host string
	rank       int32
	at         instant
	n          int64
}

// ras reads RAS's status. It has no times: that of the prompt is taken.
func (r *Reader) ras(s section) error {
	var t status
	if err := json.Unmarshal([]byte(s.text), &t); err != nil {
		return s.jsonProblem(err)
	}
	for i := range t.Communicators {
		c := &t.Communicators[i]
		comm := cmp.Or(c.Secondary, c.Hash)
		for k := range c.Ranks {
			rank := &c.Ranks[k]
			n := int64(0)
			for _, x := range rank.Counts {
				if x < 0 || x > math.MaxInt64-n {
					return s.problem(1, 0, "", "rank %d of communicator %d: want counts of collectives from 0", rank.Rank, i+1)
				}
				n += x
			}
			if rank.Host == "" || strings.ContainsAny(rank.Host, " \t\r\n") || rank.Rank < 0 {
				return s.problem(1, 0, "", "rank %d of communicator %d: want a host, and a rank from 0", rank.Rank, i+1)
			}
			if err := r.is(rank.Host, aHost, "RAS's status"); err != nil {
				return s.problem(1, 0, "", "%v", err)
			}
			if len(r.counted) >= mostParts {
				return s.problem(1, 0, "", "more than %s ranks in statuses of RAS", unit.Count(mostParts))
			}
			if rank.GPU != nil && *rank.GPU >= 0 {
				r.gpus[rankOn{rank.Host, rank.Rank}] = fmt.Sprintf("gpu%d", *rank.GPU)
			}
			r.counted = append(r.counted, counted{comm, rank.Host, rank.Rank, s.at, n})
		}
		for k := range c.Missing {
			m := &c.Missing[k]
			host := cmp.Or(m.Host, s.host)
			if strings.ContainsAny(host, " \t\r\n") || len(r.lines) >= mostLines {
				return s.problem(1, 0, "", "missing rank %d of communicator %d: want a host, and at most %s lines", m.Rank, i+1,
					unit.Count(mostLines))
			}
			r.lines = append(r.lines, line{s.at, host, "", fmt.Sprintf("NCCL RAS: rank %d of %s is missing%s", m.Rank, comm,
				map[bool]string{true: ", considered dead"}[m.Dead])})
		}
	}
	return nil
}

// waits turns counts into parts of collectives: a rank has begun the last that it has counted. One that still has it at two times, while
// another of its communicator has counted fewer at both, waits for that other; else it has ended by the last time.
func (r *Reader) waits() error {
	slices.SortStableFunc(r.counted, func(a, b counted) int {
		return cmp.Or(strings.Compare(a.comm, b.comm), cmp.Compare(a.rank, b.rank), a.at.compare(b.at))
	})
	for from, until := 0, 0; from < len(r.counted); from = until {
		most, least := int64(0), int64(math.MaxInt64)
		for until = from; until < len(r.counted) && r.counted[until].comm == r.counted[from].comm; until++ {
			if c := &r.counted[until]; until+1 == len(r.counted) || r.counted[until+1].rank != c.rank || r.counted[until+1].comm != c.comm {
				most, least = max(most, c.n), min(least, c.n) // as of the last status
			}
		}
		for i := from; i < until; {
			k := i // of the same count
			for k+1 < until && r.counted[k+1].rank == r.counted[i].rank && r.counted[k+1].n == r.counted[i].n {
				k++
			}
			c := &r.counted[i]
			p := part{Part: telemetry.Part{Device: c.host, Rank: c.rank, Comm: c.comm, Seq: c.n - 1, Op: "collective",
				Bytes: telemetry.Unknown}, group: "RAS", from: c.at, until: r.counted[k].at}
			last := k+1 == until || r.counted[k+1].rank != c.rank
			switch {
			case !last:
				p.until = r.counted[k+1].at
			case k > i && c.n == most && least < most:
				p.until = never
			}
			if c.n > 0 {
				if err := r.addPart(p); err != nil {
					return err
				}
			}
			i = k + 1
		}
	}
	r.counted = nil
	return nil
}

// benchmark reads a log of nccl-tests: its rows are collectives, and steps of its first rank, one after the other from the time of the
// prompt on. All ranks have the mean that it prints.
func (r *Reader) benchmark(s section) error {
	t, err := nccltests.Read(s.file, []byte(s.text))
	if err != nil {
		var ps located.Problems
		if !errors.As(err, &ps) {
			return s.problem(1, 0, "", "%v", err)
		}
		for i := range ps {
			ps[i].Line = max(1, ps[i].Line) + s.first - 1
			ps[i].Column, ps[i].Private = max(1, ps[i].Column), true
		}
		return ps
	}
	if err := r.is(s.host, aHost, "a log of nccl-tests"); err != nil {
		return s.problem(1, 0, "", "%v", err)
	}
	devices := t.Devices
	if len(devices) == 0 {
		devices = []nccltests.Device{{Host: s.host}}
	}
	for _, d := range devices {
		if d.Host == "" || strings.ContainsAny(d.Host, " \t") || d.Rank < 0 {
			return s.problem(1, 0, "", "rank %d: want the host that it runs on", d.Rank)
		}
		if err := r.is(d.Host, aHost, "a log of nccl-tests"); err != nil {
			return s.problem(1, 0, "", "%v", err)
		}
		r.gpus[rankOn{d.Host, int32(d.Rank)}] = fmt.Sprintf("gpu%d", d.Device)
	}
	op := opOf(strings.TrimSuffix(strings.TrimSuffix(path.Base(t.Program), "_mpi"), "_perf"))
	comm := fmt.Sprintf("nccl-tests %s of %d at %d", op, len(devices), s.at.sec)
	at, seq := s.at, int64(0)
	for i := range t.Rows {
		for _, of := range []*nccltests.Result{t.Rows[i].Out, t.Rows[i].In} {
			if of == nil || of.Time <= 0 {
				continue
			}
			until := at.more(of.Time)
			for k, d := range devices {
				p := part{Part: telemetry.Part{Device: d.Host, Rank: int32(d.Rank), Comm: comm, Seq: seq, Op: op,
					Bytes: t.Rows[i].Bytes}, group: "nccl-tests", from: at, until: until}
				err := r.addPart(p)
				if p.step = true; err == nil && k == 0 {
					p.Comm, p.Op, p.Bytes, p.group = "", "", telemetry.Unknown, ""
					err = r.addPart(p)
				}
				if err != nil {
					return s.problem(1, 0, "", "%v", err)
				}
			}
			at, seq = until, seq+1
		}
	}
	return nil
}

// testStamp is a time as nccl-tests has it: of the host's zone, which is taken to be UTC.
var testStamp = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$`)

// benchmarkJSON reads what nccl-tests writes with -J: it says itself on which hosts it ran, and when it began.
func (r *Reader) benchmarkJSON(s section) error {
	var top struct {
		Start  string `json:"start_time"`
		Config struct {
			Devices []struct {
				Host string `json:"hostname"`
			} `json:"devices"`
		} `json:"config"`
	}
	if err := json.Unmarshal([]byte(s.text), &top); err != nil {
		return s.jsonProblem(err)
	}
	m := testStamp.FindStringSubmatch(top.Start)
	if m == nil {
		return s.problem(1, 0, "", "start_time %s: want a time such as 2026-01-31 23:59:59", located.Shown(top.Start))
	}
	sec, valid := moment{number(m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5]), number(m[6])}.unix()
	if !valid || sec >= mostSeconds {
		return s.problem(1, 0, "", "start_time %s: want a time such as 2026-01-31 23:59:59", located.Shown(top.Start))
	}
	if s.at = (instant{sec, 0}); len(top.Config.Devices) == 0 {
		return s.problem(1, 0, "", "no config.devices: want the hosts that it ran on")
	}
	s.host = top.Config.Devices[0].Host
	return r.benchmark(s)
}

// more is the time so much later.
func (a instant) more(d unit.Duration) instant {
	a.sec += int64(d / unit.Second)
	if a.ps += int64(d % unit.Second); a.ps >= 1e12 {
		a.sec, a.ps = a.sec+1, a.ps-1e12
	}
	return a
}
