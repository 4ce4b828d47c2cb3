package fleet

import (
	"errors"
	"fmt"
	"testing"

	"railyard/internal/base/splitmix"
)

// How many lost workers make a job dead follows from how others fared since the first.
func TestOthersFareNoBetter(t *testing.T) {
	since := tally{Ended: 100, Lost: 7}
	for _, c := range []struct {
		now  tally
		want int
	}{
		{tally{100, 12}, mostLost},      // five of five, and of all of the sweep 11 of 100
		{tally{100, 22}, mostLost},      // 15 of 15: these are few
		{tally{100, 23}, mostEver},      // 16 of 16
		{tally{116, 11}, mostLost},      // a quarter
		{tally{115, 11}, mostEver},      // more
		{tally{113, 10}, mostLost},      // three jobs: these may end workers, too
		{tally{100000, 11}, mostLost},   // what is of the past says nothing
		{tally{100 + 39, 17}, mostEver}, // ten of 39
		{tally{100 + 40, 17}, mostLost},
		{tally{0, 0}, mostLost},  // a queue that was made anew
		{tally{0, 4}, mostLost},  // three others, of all
		{tally{0, 5}, mostEver},  // four
		{tally{15, 5}, mostEver}, // of 15
		{tally{16, 5}, mostLost}, // of 16
	} {
		l := losses{Lost: mostLost, Since: since}
		if got := l.most(mostLost, c.now); got != c.want {
			t.Errorf("%+v since %+v: dead after %d, want %d", c.now, since, got, c.want)
		}
	}
}

// pool is workers that take jobs one by one, as the queue does: what was lost comes first.
type pool struct {
	lostTo func(job int) bool // whether a worker is lost with it, this time
	now    tally
	known  map[int]losses
	dead   []int
	begun  map[int]int
}

func (p *pool) run(jobs int) {
	p.known, p.begun = map[int]losses{}, map[int]int{}
	next := 0
	var again []int // each of eight workers has one
	for next < jobs || len(again) > 0 {
		for len(again) < 8 && next < jobs {
			again, next = append(again, next), next+1
		}
		j := again[0]
		again = again[1:]
		if l, ever := p.known[j]; ever {
			after, dead, err := l.begin(mostLost, p.now)
			if l.Lost == 1 {
				p.now.Lost++
			}
			p.known[j] = after
			if dead {
				p.dead = append(p.dead, j)
				p.now.Ended++
				continue
			}
			if errors.Is(err, errSuspect) { // nobody is heard of
				again = append(again, j)
				continue
			}
		}
		p.begun[j]++
		if p.lostTo(j) {
			if _, ever := p.known[j]; !ever {
				p.known[j] = losses{Lost: 1}
			}
			again = append(again, j)
			continue
		}
		p.now.Ended++
	}
}

// Where workers are lost whatever they have, none of 10,000 jobs is dead, also where four of five are lost; jobs that end their
// workers are, after twelve where others fare better, and after a hundred in any case.
func TestWhoIsDeadWhereWorkersAreLost(t *testing.T) {
	for _, share := range []float64{0.05, 0.25, 0.5, 0.8} {
		draws := splitmix.Stream(splitmix.Mix(8))
		p := pool{lostTo: func(int) bool { return float64(draws.Next()>>11)/(1<<53) < share }}
		if p.run(10000); len(p.dead) > 0 {
			t.Errorf("%g of all are lost: %v are dead", share, p.dead)
		}
	}
	for _, c := range []struct {
		share  float64
		jobs   int
		ill    func(j int) bool
		n      int // jobs that end their workers
		within int // workers that these cost each, at most
	}{
		{0, 1, func(int) bool { return true }, 1, mostLost},                 // nothing but it
		{0, 4, func(int) bool { return true }, 4, mostLost},                 // nor but them
		{0.01, 1000, func(j int) bool { return j%300 == 7 }, 4, mostLost},   // among others
		{0.01, 1000, func(j int) bool { return j >= 980 }, 20, mostLost},    // all at the end
		{0.5, 1000, func(j int) bool { return j == 300 }, 1, mostEver},      // where others are lost, too
		{0, 500, func(j int) bool { return true }, 500, mostEver},           // none can be run
		{0.2, 10000, func(j int) bool { return j%1000 == 1 }, 10, mostEver}, // some lost
	} {
		draws := splitmix.Stream(splitmix.Mix(8))
		p := pool{}
		p.lostTo = func(j int) bool { return c.ill(j) || float64(draws.Next()>>11)/(1<<53) < c.share }
		p.run(c.jobs)
		if len(p.dead) != c.n {
			t.Errorf("%g lost, %d jobs: %d are dead, want %d", c.share, c.jobs, len(p.dead), c.n)
		}
		for _, j := range p.dead {
			if !c.ill(j) || p.begun[j] > c.within || p.begun[j] < mostLost {
				t.Errorf("%g lost, %d jobs: job %d is dead after %d workers, want %d to %d", c.share, c.jobs, j, p.begun[j], mostLost,
					c.within)
			}
		}
	}
}

// As many lost workers as make a job dead do not where the queue says that others are lost likewise: the next worker begins it, until
// more of those are ended, or more than mostEver are lost.
func TestAJobIsHeldAgainstOthers(t *testing.T) {
	b := start(t)
	defer func(n int) { mostEver = n }(mostEver)
	mostEver = mostTries + 2
	q := b.queue()
	s := &serving{Worker: &Worker{Name: "w"}}
	again := &noted{delivered: 2}
	begins := func(key string) { // a worker does, and is lost
		t.Helper()
		if done, err := s.settled(t.Context(), q, &job{Key: key}, again); done || err != nil {
			t.Fatalf("%s is settled: %v, %v", key, done, err)
		}
	}
	suspected := func() {
		t.Helper()
		if done, err := s.settled(t.Context(), q, &job{Key: "a"}, again); done || !errors.Is(err, errSuspect) {
			t.Fatalf("as many are lost as make it dead: %v, %v", done, err)
		}
	}
	for range mostTries - 1 { // the first is the one that it had when it came again
		begins("a")
	}
	suspected()
	for _, key := range []string{"b", "c", "d", "e"} {
		begins(key)
		begins(key) // counted once
	}
	if now, err := q.tally(t.Context()); err != nil || now != (tally{0, 5}) {
		t.Fatalf("%+v, %v: want five jobs with which a worker was lost", now, err)
	}
	begins("a")
	for n := range 16 { // others are ended
		give(t, q, []job{{Key: fmt.Sprint("f", n)}})
		if err := b.next(q).DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	suspected()
	begins("g") // and one more is lost
	begins("a")
	suspected()
	if done, err := s.settled(t.Context(), q, &job{Key: "a"}, again); !done || err != nil {
		t.Errorf("%d workers were lost with a job, and it goes on: %v", mostEver, err)
	}
	entry, err := q.rows.Get(t.Context(), deadPrefix+"a")
	if err != nil || string(entry.Value()) != "5 workers began it, and none brought it to an end" {
		t.Errorf("the dead letter: %v, %v", entry, err)
	}
}
