//go:build unix

package launch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"railyard/internal/engine/rank"
	"railyard/internal/plan/scenario"
)

// When has a rank kept a collective open for too long, where the watchdog is 3 s? Each line is looks at it: when, in
// seconds, and the step and collective that it waits in, or - where it waits in none.
//
// It fails if time counts in which nobody looked, if a rank that goes on is taken for one that does not, or if one is named twice.
func TestWhenACollectiveIsOverdue(t *testing.T) {
	for _, c := range []struct{ name, looks, want string }{
		{"it stays", "0:1.2 1:1.2 2:1.2 2.9:1.2 3:1.2 4:1.2 5:1.2", "3"},
		{"it goes on to the next step", "0:1.2 1:1.2 2:1.2 3:2.2 4:2.2 5:2.2", ""},
		{"to the next collective", "0:1.2 1:1.2 2:1.2 3:1.3 4:1.3 5:1.3 6:1.3", "6"},
		{"it waits for nobody", "0:- 1:- 2:- 3:- 4:- 5:- 6:-", ""},
		{"it has been out of it", "0:1.2 1:1.2 2:- 3:1.2 4:1.2 5:1.2 5.5:1.2", ""},
		{"the machine was asleep", "0:1.2 1:1.2 600:1.2 600.5:1.2", ""},
		{"and then it stays", "0:1.2 1:1.2 600:1.2 601:1.2 602:1.2", "601"},
		{"two in a row", "0:1.2 1:1.2 2:1.2 3:1.2 4:1.3 5:1.3 6:1.3 7:1.3 8:1.3", "3 7"},
	} {
		sc, err := scenario.Parse("x", []byte("name: x\ncluster: {hosts: 1}\n"+
			"job: {collectives: [{op: all-reduce, bytes: 4B}], watchdog: 3s}\n"))
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		look := ""
		n := &node{cfg: &Config{Scenario: sc}, up: func(f frame) {
			if f.kind != kindOverdue || f.rank != 5 {
				t.Errorf("%s: a frame of kind %d of rank %d", c.name, f.kind, f.rank)
			}
			named = append(named, look)
		}}
		w, p, from := &watched{}, &process{rank: 5}, time.Now()
		for _, word := range strings.Fields(c.looks) {
			var where string
			look, where, _ = strings.Cut(word, ":")
			s := rank.Standing{Begun: true, Coll: -1}
			if where != "-" {
				if _, err := fmt.Sscanf(where, "%d.%d", &s.Step, &s.Coll); err != nil {
					t.Fatal(err)
				}
				s.Waits = []rank.Waiting{{Coll: s.Coll, Peer: 1}}
			}
			n.late(w, p, &s, from.Add(seconds(t, look)))
		}
		if got := strings.Join(named, " "); got != c.want {
			t.Errorf("%s: overdue at %q, want %q", c.name, got, c.want)
		}
	}
}
