package run

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/out/result"
)

// Where a last switch gives up tails, packets pass out of order and receivers answer with NAKs: the log has each, the notes
// how many. With the default nothing is given up, and nothing is said.
func TestTailsThatAreGivenUpAreTold(t *testing.T) {
	of := func(resume string) (r ran, told int) {
		yaml := permutation(1, 16, 4, "  balance: conweave\n"+resume, "bytes: 1MB, count: 10, every: 150us")
		yaml = strings.Replace(yaml, "output: {queues: false}", "output: {events: true, events_kept: 1000}", 1)
		r = run(t, yaml, Options{})
		for _, e := range rows(t, r.Run.Events()) {
			if e.Kind == result.EventGaveUp {
				if told++; e.Name == "" || e.Bytes <= 0 || !strings.Contains(e.Port, "/host") {
					t.Errorf("%+v: want a flow, what was held and the port to its host", e)
				}
			}
		}
		return r, told
	}
	said := func(r ran) bool {
		return slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "ConWeave: ") })
	}
	r, told := of("  conweave: {resume: 1us}\n")
	if told == 0 || !said(r) || r.Retransmits == 0 {
		t.Errorf("resume 1 us: %d tails given up, %d packets sent again, notes %q", told, r.Retransmits, r.Notes)
	}
	if r, told := of(""); told != 0 || said(r) || r.Retransmits != 0 {
		t.Errorf("by default: %d tails given up, %d packets sent again, notes %q", told, r.Retransmits, r.Notes)
	}
}
