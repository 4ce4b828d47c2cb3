package cc

import "railyard/internal/base/unit"

// MaxPaths is how many paths of a queue pair HPCC keeps apart. Of more, the one not seen for longest is forgotten.
const MaxPaths = 64

// hpccPath is what HPCC knows of a path. The paper has one, and a path identifier in the header of the telemetry by which
// the sender sees that it has changed (SIGCOMM 2019, section 4.1); where packets take several by turns, each has an L and
// a U of its own.
type hpccPath struct {
	id          uint64
	seen        unit.Time
	utilisation float64 // U: bytes in flight over bandwidth-delay product, of the busiest link
	hops        int32   // 0: no telemetry yet
	measured    bool
	last        [MaxHops]Hop // L: telemetry of the previous acknowledgement
}

// path returns what is known of the path by which a packet came.
func (f *hpccFlow) path(id uint64) *hpccPath {
	if f.own.hops == 0 || f.own.id == id {
		f.own.id = id
		return &f.own
	}
	oldest := &f.own
	for i := range f.more {
		p := &f.more[i]
		if p.id == id {
			return p
		}
		if p.seen < oldest.seen {
			oldest = p
		}
	}
	if len(f.more) < MaxPaths-1 {
		f.more = append(f.more, hpccPath{})
		oldest = &f.more[len(f.more)-1]
	}
	*oldest = hpccPath{id: id, utilisation: 1}
	return oldest
}

// busiest returns U of the busiest link of all paths that were measured within two round trips: the sender gives each
// path the same part of its window, so the fullest one says how large that may be, as the fullest link of a path does.
func (f *hpccFlow) busiest(now unit.Time) (u float64) {
	from := now.Add(-2 * f.t)
	if p := &f.own; p.measured && p.seen >= from {
		u = p.utilisation
	}
	for i := range f.more {
		if p := &f.more[i]; p.measured && p.seen >= from {
			u = max(u, p.utilisation)
		}
	}
	return u
}
