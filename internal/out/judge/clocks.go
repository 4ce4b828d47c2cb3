package judge

import (
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// clocks is by how much each device's clock goes late. Ranks end a collective at about one time, so a host whose ends are all off by
// more than any collective lasts has another time; less than that is not told from ranks that are late. Of a device without ranks its
// reads tell: see byReads.
func clocks(t *telemetry.Telemetry) map[string]unit.Duration {
	longest := unit.Duration(0)
	off := map[string][]unit.Duration{}
	var times []unit.Time
	all := t.Collectives // in order of communicator and number
	for from, until := 0, 0; from < len(all); from = until {
		times = times[:0]
		for until = from; until < len(all) && all[until].Comm == all[from].Comm && all[until].Seq == all[from].Seq; until++ {
			if p := &all[until]; p.End != telemetry.Unknown {
				times = append(times, p.End)
				longest = max(longest, p.End.Sub(p.Start))
			}
		}
		if len(times) < 3 {
			continue
		}
		slices.Sort(times)
		for i := from; i < until; i++ {
			if p := &all[i]; p.End != telemetry.Unknown {
				off[p.Device] = append(off[p.Device], p.End.Sub(times[len(times)/2]))
			}
		}
	}
	late := byReads(t)
	for device, all := range off {
		delete(late, device)
		slices.Sort(all)
		if d := all[len(all)/2]; max(d, -d) > longest {
			late[device] = d
		}
	}
	return late
}

// byReads tells clocks by when devices were read first and last: one collector begins and ends with all of them. Who has both off by
// the same, to one interval, and by more than two of them, has another time; who was not there from the beginning has not.
func byReads(t *telemetry.Telemetry) map[string]unit.Duration {
	first, last := map[string]unit.Time{}, map[string]unit.Time{}
	var gaps []unit.Duration
	for _, s := range t.Find(telemetry.Port, telemetry.NIC) {
		if len(s.At) < 2 {
			continue
		}
		from, until := s.At[0], s.At[len(s.At)-1]
		if _, there := first[s.Device]; there {
			from, until = min(from, first[s.Device]), max(until, last[s.Device])
		}
		first[s.Device], last[s.Device] = from, until
		gaps = append(gaps, s.Span()/unit.Duration(len(s.At)-1))
	}
	late := map[string]unit.Duration{}
	if len(first) < 3 {
		return late
	}
	slices.Sort(gaps)
	begin, end, gap := median(first), median(last), gaps[len(gaps)/2]
	for device, from := range first {
		a, b := from.Sub(begin), last[device].Sub(end)
		if max(a-b, b-a) <= gap && max(a, -a) > 2*gap {
			late[device] = a
		}
	}
	return late
}

func median(of map[string]unit.Time) unit.Time {
	all := slices.Sorted(maps.Values(of))
	return all[len(all)/2]
}

// aligned is telemetry by one clock, a copy if clocks differ.
func aligned(t *telemetry.Telemetry, late map[string]unit.Duration) *telemetry.Telemetry {
	if t == nil || len(late) == 0 {
		return t
	}
	out := &telemetry.Telemetry{Series: slices.Clone(t.Series), Collectives: slices.Clone(t.Collectives), Steps: slices.Clone(t.Steps),
		Lines: slices.Clone(t.Lines)}
	for i := range out.Series {
		if s := &out.Series[i]; late[s.Device] != 0 {
			s.At = slices.Clone(s.At)
			for k := range s.At {
				s.At[k] = s.At[k].Add(-late[s.Device])
			}
		}
	}
	for _, parts := range [][]telemetry.Part{out.Collectives, out.Steps} {
		for i := range parts {
			p := &parts[i]
			if p.Start = p.Start.Add(-late[p.Device]); p.End != telemetry.Unknown {
				p.End = p.End.Add(-late[p.Device])
			}
		}
	}
	for i := range out.Lines {
		out.Lines[i].At = out.Lines[i].At.Add(-late[out.Lines[i].Device])
	}
	return out
}
