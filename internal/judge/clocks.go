package judge

import (
	"slices"

	"railyard/internal/telemetry"
	"railyard/internal/unit"
)

// clocks is by how much each host's clock goes late. Ranks end a collective at about one time, so a host whose ends are all off by more
// than any collective lasts has another time; less than that is not told from ranks that are late.
func clocks(t *telemetry.Telemetry) map[string]unit.Duration {
	type one struct {
		comm string
		seq  int64
	}
	ends := map[one][]*telemetry.Part{}
	longest := unit.Duration(0)
	for i := range t.Collectives {
		if p := &t.Collectives[i]; p.End != telemetry.Unknown {
			ends[one{p.Comm, p.Seq}] = append(ends[one{p.Comm, p.Seq}], p)
			longest = max(longest, p.End.Sub(p.Start))
		}
	}
	off := map[string][]unit.Duration{}
	for _, all := range ends {
		if len(all) < 3 {
			continue
		}
		times := make([]unit.Time, len(all))
		for i, p := range all {
			times[i] = p.End
		}
		slices.Sort(times)
		for _, p := range all {
			off[p.Device] = append(off[p.Device], p.End.Sub(times[len(times)/2]))
		}
	}
	late := map[string]unit.Duration{}
	for device, all := range off {
		slices.Sort(all)
		if d := all[len(all)/2]; max(d, -d) > longest {
			late[device] = d
		}
	}
	return late
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
