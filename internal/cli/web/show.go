package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// mostPorts bounds the ports that are shown.
const mostPorts = 100_000

// portInfo is one egress port, as links.parquet has it; of a run that goes on, as its series names it.
type portInfo struct {
	Port        string        `json:"port"`
	From        string        `json:"from"`
	To          string        `json:"to"`
	Tier        string        `json:"tier"` // of From; "": not known yet
	Rate        unit.Bitrate  `json:"rate_bps"`
	Utilisation float64       `json:"utilisation"` // over the whole run
	Paused      unit.Duration `json:"paused_ps"`
	PausedBy    string        `json:"paused_by"`
	Marks       int64         `json:"marks"`
	Drops       int64         `json:"drops"`
	MaxQueue    unit.Bytes    `json:"max_queue_bytes"`
}

// lease is who uses the files of one reading, which are closed when nobody does any more.
type lease struct {
	users int
	dead  bool    // another reading took its place
	last  *tables // with all files that were opened
}

func (l *lease) check() {
	if l.dead && l.users == 0 {
		l.last.close()
	}
}

// tables is what was learnt of a run's tables by one reading, so far.
//
// Invariant: nothing in it changes once it is published.
type tables struct {
	run        *result.Run
	ports      []portInfo
	listed     int            // counts up where ports differ from those that were published before
	at         map[string]int // of ports
	series     *seriesTable   // nil: there is none, or not yet
	events     *eventTable
	operations *operationTable
	paths      []result.PathRow
	end        unit.Time
	lease      *lease // under the lock of show
}

func (t *tables) close() {
	if t.series != nil {
		t.series.close()
	}
	if t.events != nil {
		t.events.groups.Close()
	}
	if t.operations != nil {
		t.operations.groups.Close()
	}
}

// progress is how far the reading of a run's tables is.
type progress struct {
	State   result.State `json:"state"`   // of the run
	Version int          `json:"version"` // counts up when there is more to see
	Reading string       `json:"reading"` // the table that is read; "": none
	Done    int          `json:"done"`    // row groups of it
	All     int          `json:"all"`
	Rows    int64        `json:"rows"` // that are in the pyramids
	End     unit.Time    `json:"end_ps"`
	Notes   []string     `json:"notes"` // what could not be read, or shown whole: a sentence each
}

// show is a run that is looked at.
type show struct {
	id, dir string
	cancel  context.CancelFunc
	gone    chan struct{} // closed when its goroutine is through

	mu        sync.Mutex
	now       *tables
	ports     []portInfo // that were published last
	listed    int
	told      progress
	changed   chan struct{} // closed and made anew with each change
	followers int
	used      time.Time
}

// newShow starts to read a run.
func newShow(ctx context.Context, id, dir string) *show {
	ctx, cancel := context.WithCancel(ctx)
	s := &show{id: id, dir: dir, cancel: cancel, gone: make(chan struct{}), changed: make(chan struct{}), used: time.Now()}
	go func() {
		defer close(s.gone)
		s.follow(ctx)
	}()
	return s
}

// end stops it, waits until it has stopped, and lets go of what it has.
func (s *show) end() {
	s.cancel()
	<-s.gone
	s.publish(nil)
}

// use returns the tables as they are now, nil where nothing is there yet, and what lets go of them.
func (s *show) use() (*tables, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	t := s.now
	if t == nil {
		return nil, func() {}
	}
	t.lease.users++
	return t, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.lease.users--
		t.lease.check()
	}
}

// publish shows tables: those of a reading that goes on, or of another one; nil: none any more.
func (s *show) publish(t *tables) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.now; old != nil && (t == nil || old.lease != t.lease) {
		old.lease.dead = true
		old.lease.check()
	}
	if s.now = t; t != nil {
		if t.listed = s.listed; !slices.Equal(s.ports, t.ports) {
			t.listed++
		}
		s.listed, s.ports = t.listed, t.ports
		t.lease.last = t
		s.told.End, s.told.Rows = max(s.told.End, t.end), t.count()
	}
	s.told.Version++
	s.tell()
}

// say changes what is told of the progress.
func (s *show) say(change func(*progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.told)
	s.tell()
}

func (s *show) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// watch returns the progress, and what is closed when there is another.
func (s *show) watch() (progress, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.told
	p.Notes = slices.Clone(p.Notes)
	return p, s.changed
}

// A run that goes on is looked at so often, and read anew at most for a part of the time.
const (
	lookEvery = time.Second
	readPart  = 4
)

// follow reads the tables of a run, and reads them again while the run goes on and has written more.
func (s *show) follow(ctx context.Context) {
	for {
		began := time.Now()
		run, err := result.OpenIncomplete(s.dir)
		if err != nil {
			s.say(func(p *progress) { p.Notes = []string{err.Error()} })
			return
		}
		parts := partsOf(run)
		s.read(ctx, run)
		if run.Summary.State != result.Running || ctx.Err() != nil {
			return
		}
		rest := max(lookEvery, readPart*time.Since(began))
		for wait(ctx, rest) {
			rest = lookEvery
			if again, err := result.OpenIncomplete(s.dir); err != nil || again.Summary.State != result.Running ||
				!slices.Equal(partsOf(run), parts) {
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// wait reports whether the time passed before the context ended.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// scanned are the tables that are read once.
var scanned = []string{"series", "events", "queues", "operations"}

func partsOf(run *result.Run) (n []int) {
	for _, table := range scanned {
		n = append(n, run.Parts(table))
	}
	return n
}

// read reads all tables, and publishes what there is after each. Of a run that is read again what was there stays until
// all is.
func (s *show) read(ctx context.Context, run *result.Run) {
	s.say(func(p *progress) { p.State, p.Notes = run.Summary.State, nil })
	t := &tables{run: run, at: map[string]int{}, end: run.Summary.VirtualTime, lease: &lease{}}
	p, _ := s.watch()
	soFar := func() {
		if p.Version == 0 {
			copied := *t
			s.publish(&copied)
		}
	}
	s.readPorts(run, t)
	soFar()
	s.readSeries(ctx, run, t)
	soFar()
	has := run.Tables()
	if slices.Contains(has, "events") {
		s.table(ctx, "events", func(p func(int, int)) (err error) { t.events, err = readEvents(ctx, run, p); return err })
		soFar()
	}
	if slices.Contains(has, "operations") {
		s.table(ctx, "operations", func(p func(int, int)) (err error) { t.operations, err = readOperations(ctx, run, p); return err })
	}
	if slices.Contains(has, "paths") && ctx.Err() == nil {
		var err error
		if t.paths, _, err = readPaths(run); err != nil {
			s.note(err.Error())
		}
	}
	if t.operations != nil && run.Summary.State == result.Running {
		t.end = max(t.end, t.operations.end)
	}
	s.say(func(p *progress) { p.Reading, p.Done, p.All = "", 0, 0 })
	s.publish(t)
}

// readSeries reads series.parquet, or where there is none queues.parquet.
func (s *show) readSeries(ctx context.Context, run *result.Run, t *tables) {
	has, sample := run.Tables(), report.SettingsOf(run.Summary.Scenario).Sample
	switch {
	case slices.Contains(has, "series"):
		s.table(ctx, "series", func(p func(int, int)) (err error) { t.series, err = readSeries(ctx, run, p); return err })
	case slices.Contains(has, "queues") && sample > 0:
		s.table(ctx, "queues", func(p func(int, int)) (err error) { t.series, err = readQueues(ctx, run, sample, p); return err })
	}
	if t.series == nil {
		return
	}
	t.end = max(t.end, t.series.until)
	t.name()
	if n := t.series.refused; n > 0 {
		s.note(fmt.Sprintf("%s not in the pyramids, which have no room for them: the table has all",
			unit.CountOf(int64(n), "queue or queue pair")))
	}
}

// count returns how many rows are in the pyramids.
func (t *tables) count() (n int64) {
	if t.series != nil {
		n += t.series.rows
	}
	if t.events != nil {
		n += t.events.rows
	}
	if t.operations != nil {
		n += t.operations.rows
	}
	return n
}

// table reads one table, and notes why it could not be.
func (s *show) table(ctx context.Context, name string, read func(func(done, all int)) error) {
	if ctx.Err() != nil {
		return
	}
	err := read(func(done, all int) {
		s.say(func(p *progress) { p.Reading, p.Done, p.All = name, done, all })
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		s.note(err.Error())
	}
}

func (s *show) note(text string) {
	s.say(func(p *progress) { p.Notes = append(p.Notes, text) })
}

// readPorts lists the ports of links.parquet, where there is one.
func (s *show) readPorts(run *result.Run, t *tables) {
	if run.Parts("links") == 0 {
		return
	}
	for l, err := range run.Links() {
		if err != nil {
			s.note(err.Error())
			return
		}
		if len(t.ports) == mostPorts {
			s.note(fmt.Sprintf("only the first %s are shown: links.parquet has all", unit.CountOf(int64(mostPorts), "port")))
			return
		}
		if _, twice := t.at[l.Port]; twice {
			continue
		}
		t.at[l.Port] = len(t.ports)
		t.ports = append(t.ports, portInfo{l.Port, l.From, l.To, l.Tier, l.Rate, l.Utilisation, l.Paused, l.PausedBy,
			l.ECNMarks, l.Drops, l.MaxQueue})
	}
}

// name lists ports that the series names and links.parquet does not, as of a run that goes on.
func (t *tables) name() {
	names := map[string]bool{}
	for p := range t.series.links {
		names[p] = true
	}
	for q := range t.series.queues {
		names[q.Port] = true
	}
	for f := range t.series.pairs {
		names[f.Port] = true
	}
	var all []string
	for p := range names {
		if _, known := t.at[p]; !known {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, compareNames)
	ports := slices.Clone(t.ports) // those that are published stay as they are
	at := map[string]int{}
	for i := range ports {
		at[ports[i].Port] = i
	}
	for _, p := range all[:min(len(all), max(mostPorts-len(ports), 0))] {
		from, to, _ := strings.Cut(p, "/")
		at[p] = len(ports)
		ports = append(ports, portInfo{Port: p, From: from, To: to})
	}
	t.ports, t.at = ports, at
}

// compareNames puts host2 before host10: runs of digits count as numbers.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		i, j := digits(a), digits(b)
		if i > 0 && j > 0 {
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(i, j)); c != 0 {
				return c
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
