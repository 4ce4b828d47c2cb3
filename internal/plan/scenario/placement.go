package scenario

import (
	"errors"
	"fmt"
	"strings"

	"railyard/internal/base/unit"
)

// Placement says which GPU each rank of a job runs on.
type Placement struct {
	Rule string     // a name of Placements, or empty
	GPUs []Endpoint // by rank, without a rule
}

// gpuPattern is what a list of GPUs accepts, for editors; maxPlaces is how long it may be.
const (
	gpuPattern = `^host[1-9][0-9]{0,6}/gpu(0|[1-9][0-9]{0,6})$`
	maxPlaces  = 32768
)

// String returns what a scenario has for it.
func (p Placement) String() string {
	if p.Rule != "" {
		return p.Rule
	}
	all := make([]string, len(p.GPUs))
	for i, e := range p.GPUs {
		all[i] = e.String()
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// parsePlacement reads the name of a rule.
func parsePlacement(f *Field, text string) (Placement, string, error) {
	rule, hint, err := parseChoice(f, text)
	if err != nil && strings.HasPrefix(text, "host") {
		hint = "a list stands in brackets: [" + text + "]"
	}
	return Placement{Rule: rule}, hint, err
}

// parsePlaces reads a list of GPUs.
func parsePlaces(f *Field, n *node) (p Placement, hint string, err error) {
	if len(n.items) < 1 || len(n.items) > maxPlaces {
		return p, "", fmt.Errorf("%d entries, want 1 to %d: a GPU for each rank", len(n.items), maxPlaces)
	}
	for i, item := range n.items {
		wrong := func(err error) error { return &entryError{item.at, fmt.Errorf("entry %d: %w", i+1, err)} }
		if item.shape != scalarShape {
			return Placement{}, "", wrong(fmt.Errorf("%s, want a GPU such as host1/gpu0", item.described()))
		}
		e, err := ParseEndpoint(item.text)
		if err == nil && e.GPU < 0 {
			err = errors.New(item.text + ": a rank runs on a GPU, want one such as host1/gpu0")
		}
		if err != nil {
			return Placement{}, "", wrong(err)
		}
		p.GPUs = append(p.GPUs, e)
	}
	return p, "", nil
}

// checkPlacement reports hosts and GPUs that a job's ranks cannot run on.
func (d *decoder) checkPlacement(s *Scenario, j *Job) {
	if !d.ok("cluster.hosts", "cluster.host.gpus") {
		return
	}
	if path, last := j.Path()+".hosts", j.Hosts.last(); last >= s.Cluster.Hosts && d.ok(path) {
		d.problem(path, fmt.Sprintf("host%d: no such host, want host1 to host%d", last+1, s.Cluster.Hosts), "")
	}
	if path, last := j.Path()+".gpus", j.GPUs.last(); last >= s.Cluster.Host.GPUs && d.ok(path) {
		d.problem(path, fmt.Sprintf("gpu%d: no such GPU, want gpu0 to gpu%d", last, s.Cluster.Host.GPUs-1), "")
	}
	if path, n := j.Path()+".spares", len(j.Hosts.Of(s.Cluster.Hosts)); j.Survival.Spares >= max(n, 1) && d.ok(path) {
		d.problem(path, fmt.Sprintf("%d: leaves none of the job's %s for its ranks, want at most %d", j.Survival.Spares,
			unit.CountOf(int64(n), "host"), n-1), "")
	}
	if v := &j.Survival; v.Steps.Set && v.Interval.Set {
		path := j.Path() + ".checkpoint.interval"
		d.problem(path, fmt.Sprintf("%s: both steps and interval, want one of them", v.Interval.Value), "")
	}
	key, list := j.Path()+".placement", j.Placement.GPUs
	if len(list) == 0 || !d.ok(key) || (j.Train != nil || j.Model != nil) && !d.okRanks(j) {
		return
	}
	if n := s.RankCount(j); len(list) != n {
		d.problem(key, fmt.Sprintf("%d GPUs for %d ranks, want one for each", len(list), n), "")
	}
	used := map[Endpoint]int{}
	for i, e := range list {
		entry := fmt.Sprintf("entry %d: %s", i+1, e)
		first, twice := used[e]
		switch {
		case e.Host >= s.Cluster.Hosts:
			d.problem(key, fmt.Sprintf("%s: no such host, want host1 to host%d", entry, s.Cluster.Hosts), "")
		case e.GPU >= s.Cluster.Host.GPUs:
			d.problem(key, fmt.Sprintf("%s: no such GPU, want gpu0 to gpu%d", entry, s.Cluster.Host.GPUs-1), "")
		case twice:
			d.problem(key, fmt.Sprintf("%s: rank %d runs there already, want one rank on a GPU", entry, first), "")
		default:
			used[e] = i
			continue
		}
		return // one of a list that may be long
	}
}
