package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// shownSharers is how many of the flows that share a path are listed.
const shownSharers = 12

// FlowDetail is one message with what was around it.
type FlowDetail struct {
	Row          result.FlowRow
	Name         string // of several jobs with that of its job
	Namesakes    int64  // messages with its name
	Hops         []Hop  // ports that held it up; none also where the run has no such table
	Sharers      []Sharer
	SharersTotal int64 // names
	Messages     int64 // other messages on its ports in its time
	Parallel     bool  // cables are not told apart
	Losses       []result.LossRow
}

// Sharer is the messages of one name that used a port of the message while it was under way.
type Sharer struct {
	Name, Kind string
	Time       unit.Duration // of the message's queueing, by its share of what waited at the ports
	Messages   int64
	Bytes      unit.Bytes // of those messages, whole
	Ports      []string
}

// Flow finds the message called which, or with that id. Of several with one name it
// takes the slowest.
func (d *Data) Flow(which string) (*FlowDetail, error) {
	run := &result.Run{Path: d.Path, Summary: d.Summary, Damaged: d.damaged}
	f := &FlowDetail{Parallel: d.Settings.Parallel > 1}
	if err := f.find(run, which); err != nil {
		return nil, err
	}
	f.Name = whose(run, f.Row.Job, f.Row.Name)
	if err := f.findHops(run); err != nil {
		return nil, err
	}
	if err := f.findLosses(run); err != nil {
		return nil, err
	}
	if err := f.share(run); err != nil {
		return nil, err
	}
	return f, f.weigh(run)
}

// shownLosses is how many losses of a message are listed.
const shownLosses = 12

// findLosses reads what was lost of the message, if the run has a table of it.
func (f *FlowDetail) findLosses(run *result.Run) error {
	if !slices.Contains(run.Tables(), "losses") {
		return nil
	}
	for row, err := range run.Losses() {
		if err != nil {
			return err
		}
		if row.Flow == f.Row.ID && len(f.Losses) < shownLosses {
			f.Losses = append(f.Losses, row)
		}
	}
	return nil
}

// weigh divides the message's queueing among the others by their shares of what waited at each
// port, and ranks them by that.
func (f *FlowDetail) weigh(run *result.Run) error {
	if slices.Contains(run.Tables(), "shares") {
		part, others := map[[2]string]float64{}, map[string]float64{}
		for row, err := range run.Shares() {
			if err != nil {
				return err
			}
			if name := whose(run, row.Job, row.Name); name != f.Name {
				part[[2]string{row.Port, name}] += row.Share
				others[row.Port] += row.Share
			}
		}
		for i := range f.Sharers {
			s := &f.Sharers[i]
			for _, h := range f.Hops {
				if whole := others[h.Port]; whole > 0 {
					s.Time += unit.Duration(float64(h.queueing()) * part[[2]string{h.Port, s.Name}] / whole)
				}
			}
		}
	}
	slices.SortFunc(f.Sharers, func(a, b Sharer) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	f.Sharers = f.Sharers[:min(len(f.Sharers), shownSharers)]
	return nil
}

// whose is the name of a flow, of several jobs with that of its job: digits/rank0>rank1#0.
func whose(run *result.Run, job, name string) string {
	if job == "" || len(run.Summary.Jobs) == 0 {
		return name
	}
	return job + "/" + name
}

// findHops reads the message's hops, if the run has a table of them.
func (f *FlowDetail) findHops(run *result.Run) error {
	if !slices.Contains(run.Tables(), "hops") {
		return nil
	}
	for row, err := range run.Hops() {
		if err != nil {
			return err
		}
		if row.Flow == f.Row.ID && len(f.Hops) < maxHeld {
			f.Hops = append(f.Hops, hopOf(&row))
		}
	}
	return nil
}

func (f *FlowDetail) find(run *result.Run, which string) error {
	id, err := strconv.ParseInt(which, 10, 64)
	byID := err == nil
	found := false
	var rows int64
	names := map[string]bool{} // a few, to suggest
	for row, err := range run.Flows() {
		if err != nil {
			return err
		}
		rows++
		name := whose(run, row.Job, row.Name)
		if len(names) < 8 {
			names[name] = true
		}
		if name == which {
			f.Namesakes++
			if !found || row.FCT > f.Row.FCT || whose(run, f.Row.Job, f.Row.Name) != which {
				f.Row, found = row, true
			}
		} else if byID && row.ID == id && f.Namesakes == 0 {
			f.Row, found = row, true
		}
	}
	if found {
		return nil
	}
	if strings.Contains(which, "/") {
		return fmt.Errorf("run directory %s: no flow %q: a port? railyard report lists those, and railyard explain without "+
			"a name says where what waited",
			run.Path, which)
	}
	some := slices.SortedFunc(maps.Keys(names), byName)
	return fmt.Errorf("run directory %s: no flow %q among %s: want a name (such as %s) or an id (0 to %d)",
		run.Path, which, count(rows, "message"), strings.Join(some[:min(len(some), 3)], ", "), max(rows-1, 0))
}

// share gathers the messages that used the same ports at the same time.
func (f *FlowDetail) share(run *result.Run) error {
	mine := portsOf(f.Row.Path)
	until := endOf(&f.Row)
	byName := map[string]*Sharer{}
	for row, err := range run.Flows() {
		if err != nil {
			return err
		}
		if row.ID == f.Row.ID || row.Posted >= until || endOf(&row) <= f.Row.Posted {
			continue
		}
		var ports []string
		for _, p := range portsOf(row.Path) {
			if slices.Contains(mine, p) {
				ports = append(ports, p)
			}
		}
		if len(ports) == 0 {
			continue
		}
		name := whose(run, row.Job, row.Name)
		s := byName[name]
		if err := tooMany(len(byName), "names"); err != nil {
			return fmt.Errorf("table flows: %w", err)
		}
		if s == nil {
			s = &Sharer{Name: name, Kind: row.Kind, Ports: ports}
			byName[name] = s
		}
		s.Messages++
		s.Bytes += row.Bytes
		f.Messages++
	}
	f.SharersTotal = int64(len(byName))
	f.Sharers = slices.Collect(values(byName))
	return nil
}

func values(m map[string]*Sharer) func(func(Sharer) bool) {
	return func(yield func(Sharer) bool) {
		for _, s := range m {
			if !yield(*s) {
				return
			}
		}
	}
}

// endOf is when a message was over: never, if it was not.
func endOf(r *result.FlowRow) unit.Time {
	if t := max(r.Placed, r.Acked); t > 0 {
		return t
	}
	return unit.Never
}

func causeName(c int) string { return cause.Cause(c).String() }
