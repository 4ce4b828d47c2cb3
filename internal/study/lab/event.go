package lab

import (
	"fmt"
	"path/filepath"
	"slices"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// readEvent reads which event of the log is meant: event NAME = "KIND" at "PORT" after OTHER in AGAIN.
func readEvent(c *formula.Cursor, s *statement) {
	s.named(c, "a name")
	c.Take("=")
	kind := c.Peek()
	s.text(c, "a kind of event")
	if c.Err == nil && !slices.Contains(eventKinds(), s.words[0]) {
		c.Fail(kind, "unknown kind %s, want one of %s", kind.Shown(), located.OneOf(eventKinds()))
	}
	c.Take("at")
	s.text(c, "a port or a queue pair")
	if c.Accept("after") {
		s.after = c.Of(formula.Word, "the name of an event")
	}
	if c.Accept("in") {
		s.in = c.Of(formula.Word, "the name of a run again")
	}
	s.text(c, "what it is")
}

func eventKinds() (names []string) {
	for _, k := range result.EventKindList() {
		names = append(names, k.Name)
	}
	return names
}

// A happening is where an event was found.
type happening struct {
	run string // of a run again; "": the run
	row int    // in its log
}

// event finds the first event of a kind at a port, or of a queue pair, after another one. Its value is when it was.
func (g *ledger) event(s *statement) (formula.Token, error) {
	where := happening{run: s.in.Text, row: -1}
	if g.scenario == nil {
		return s.name, fmt.Errorf("there is no %s, so nothing is run", scenarioFile)
	}
	if where.run != "" && !slices.ContainsFunc(g.agains, func(a *Again) bool { return a.Name == where.run }) {
		return s.in, fmt.Errorf("%s: there is no run again of this name above", located.Shown(where.run))
	}
	if !g.logs(where.run) {
		return s.name, fmt.Errorf("this run logs no events: its scenario needs output: {events: true}")
	}
	kind, at := s.words[0], s.words[1]
	how := fmt.Sprintf("the first %s at %s", kind, at)
	if s.after.Text != "" {
		before, known := g.happened[s.after.Text]
		if !known || before.run != where.run {
			return s.after, fmt.Errorf("%s: there is no event of this name above, in the same run", located.Shown(s.after.Text))
		}
		where.row, how = before.row, how+" after "+s.after.Text
	}
	q := &Quantity{Name: s.name.Text, Origin: Measured, Unit: "us", Digits: 2, Meaning: s.words[2], How: how}
	if log, read := g.logged[where.run]; !read {
		q.unknown = true
	} else {
		i := slices.IndexFunc(log[where.row+1:], func(r result.EventRow) bool {
			return r.Kind == kind && (r.Port == at || r.Name == at)
		})
		if i < 0 && len(g.changed) > 0 { // a change may leave a chain of events without its end
			q.unknown, q.absent = true, true
			g.happened[q.Name], g.all[q.Name] = happening{where.run, len(log) - 1}, q
			return s.at, nil
		}
		if i < 0 {
			return s.name, fmt.Errorf("in this run there is no such event: %s", how)
		}
		where.row += 1 + i
		q.Value = float64(log[where.row].Time) / float64(unit.Microsecond)
	}
	g.happened[q.Name] = where
	g.all[q.Name] = q
	g.order = append(g.order, q)
	return s.at, nil
}

// logs reports whether a run writes its events down.
func (g *ledger) logs(again string) bool {
	sc := g.scenario
	for _, a := range g.agains {
		if a.Name == again {
			sc = a.scenario
		}
	}
	return sc.Output.Events
}

// readLogs reads the events of the runs in a folder that log any.
func (g *ledger) readLogs(dir string) error {
	g.logged = map[string][]result.EventRow{}
	names := []string{""}
	for _, a := range g.agains {
		names = append(names, a.Name)
	}
	for _, name := range names {
		if !g.logs(name) {
			continue
		}
		folder := runFolder
		if name != "" {
			folder += "-" + name
		}
		run, err := result.Open(filepath.Join(dir, folder))
		if err != nil {
			return err
		}
		log := []result.EventRow{}
		for row, err := range run.Events() {
			if err != nil {
				return err
			}
			log = append(log, row)
		}
		g.logged[name] = log
	}
	return nil
}
