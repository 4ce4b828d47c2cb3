package frr

import (
	"maps"
	"slices"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// loose notes groups of neighbours that have no member, and profiles of BFD that nothing names.
func (r *reader) loose() {
	groups, profiles := maps.Clone(r.listens), map[string]bool{}
	for _, s := range r.sessions {
		profiles[s.profile] = true
		if !s.isGroup {
			groups[s.group] = true
		}
	}
	for _, s := range r.sessions {
		if s.isGroup && !groups[s.name] {
			r.note(s.line, "peer-group "+s.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.profileLines)) {
		if !profiles[name] {
			r.note(r.profileLines[name], "BFD profile "+name)
		}
	}
}

func (r *reader) note(at *lines.Line, text string) {
	r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: at.File, Line: int(at.Number)}, Text: text})
}
