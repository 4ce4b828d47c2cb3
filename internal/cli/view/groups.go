package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
)

var errNoGroups = errors.New("the job sends flows: it has no groups of ranks; want one with train or collectives")

// A groupsJSON is what the groups of a job send in a step.
type groupsJSON struct {
	Job    string      `json:"job"`
	Ranks  int         `json:"ranks"`
	Groups []groupJSON `json:"groups"`
	Kinds  []kindJSON  `json:"kinds"` // of group, in order of first use
	All    crossJSON   `json:"all"`
}

type groupJSON struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	Ranks       []int32  `json:"ranks"`
	Hosts       []string `json:"hosts"`
	Collectives int      `json:"collectives"` // in a step
	crossJSON
}

type kindJSON struct {
	Kind   string `json:"kind"`
	Groups int    `json:"groups"`
	crossJSON
}

// A crossJSON is the payload of a step by what it crosses.
type crossJSON struct {
	Messages int64      `json:"messages"`
	Bytes    unit.Bytes `json:"bytes"`
	NVLink   unit.Bytes `json:"nvlink_bytes"` // stays in its host: over NVLink, or PCIe where that does not join its GPUs
	Network  unit.Bytes `json:"network_bytes"`
	Rails    []railJSON `json:"rails"` // of that
	Spine    unit.Bytes `json:"spine_bytes"`
	Relayed  unit.Bytes `json:"relayed_bytes"` // over NVLink to or from the NIC of another GPU, too
}

// A railJSON is what enters the network by the NICs of a rail.
type railJSON struct {
	Rail  int        `json:"rail"` // from 1
	Bytes unit.Bytes `json:"bytes"`
}

func crossOf(c *foresight.Crossing) crossJSON {
	out := crossJSON{c.Messages, c.All(), c.NVLink, c.Network(), []railJSON{}, c.Spine, c.Relayed}
	for r, b := range c.Rails {
		if b > 0 {
			out.Rails = append(out.Rails, railJSON{r + 1, b})
		}
	}
	return out
}

// groupsOf counts what the groups of a job send.
func groupsOf(p *plan.Plan, j *plan.Job) (*groupsJSON, error) {
	if j.Work == nil {
		return nil, errNoGroups
	}
	d := &groupsJSON{Job: j.Spec.Name, Ranks: j.Ranks(), Groups: []groupJSON{}, Kinds: []kindJSON{}}
	var all foresight.Crossing
	var kinds []foresight.Crossing
	for _, g := range foresight.GroupTrafficOf(p, j) {
		one := groupJSON{Name: g.Name, Kind: g.Kind, Ranks: g.Ranks, Collectives: g.Collectives, crossJSON: crossOf(&g.Step)}
		for _, h := range g.Hosts {
			one.Hosts = append(one.Hosts, p.Graph.Hosts[h].Name)
		}
		d.Groups = append(d.Groups, one)
		k := slices.IndexFunc(d.Kinds, func(k kindJSON) bool { return k.Kind == g.Kind })
		if k < 0 {
			k = len(d.Kinds)
			d.Kinds, kinds = append(d.Kinds, kindJSON{Kind: g.Kind}), append(kinds, foresight.Crossing{})
		}
		d.Kinds[k].Groups++
		kinds[k].Add(&g.Step)
		all.Add(&g.Step)
	}
	for k := range d.Kinds {
		d.Kinds[k].crossJSON = crossOf(&kinds[k])
	}
	d.All = crossOf(&all)
	return d, nil
}

// GroupsData is what each group of ranks sends as data.
func GroupsData(p *plan.Plan, j *plan.Job) (any, error) { return groupsOf(p, j) }

// mostGroups bounds the text; --json has all.
const mostGroups = 60

// GroupsText prints what each group of ranks sends, and over which links.
func GroupsText(s *sheet.Sheet, p *plan.Plan, j *plan.Job) error {
	d, err := groupsOf(p, j)
	if err != nil {
		return err
	}
	groupsOfJob(s, p, d)
	return nil
}

func groupsOfJob(s *sheet.Sheet, p *plan.Plan, d *groupsJSON) {
	if len(d.Groups) == 0 {
		s.Wrap("", fmt.Sprintf("%s: %s, no groups: it sends nothing", d.Job, unit.CountOf(int64(d.Ranks), "rank")))
		return
	}
	s.Wrap("", fmt.Sprintf("%s: %s in %s; what each group sends in a step, payload summed over its ranks", d.Job,
		unit.CountOf(int64(d.Ranks), "rank"), unit.CountOf(int64(len(d.Groups)), "group")))
	s.Blank()
	rows := [][]string{append([]string{"group"}, crossHeads(p)...)}
	for _, g := range d.Groups[:min(len(d.Groups), mostGroups)] {
		rows = append(rows, append([]string{g.Name}, crossCells(&g.crossJSON)...))
		text := fmt.Sprintf("%s on %s", ranksText(g.Ranks), hostsText(g.Hosts))
		if g.Kind != workload.GroupKindPipeline && !strings.HasPrefix(g.Name, g.Kind) {
			text = g.Kind + ": " + text
		}
		rows = append(rows, []string{text + railsText(&g.crossJSON)})
	}
	s.Grid("lrrrr", rows)
	if n := len(d.Groups) - mostGroups; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", n))
	}
	if len(d.Groups) > 1 {
		s.Blank()
		rows = [][]string{append([]string{"kind"}, crossHeads(p)...)}
		for _, k := range d.Kinds {
			rows = append(rows, append([]string{k.Kind}, crossCells(&k.crossJSON)...))
		}
		s.Grid("lrrrr", append(rows, append([]string{"all"}, crossCells(&d.All)...)))
	}
	for _, text := range groupNotes(p, d) {
		s.Wrap("  ", text)
	}
}

func crossHeads(p *plan.Plan) []string {
	return []string{"a step", p.PCIe.Inside(), "network", "spine"}
}

func crossCells(c *crossJSON) []string {
	size := func(b unit.Bytes) string {
		if b == 0 {
			return "-"
		}
		return b.Human()
	}
	return []string{size(c.Bytes), size(c.NVLink), size(c.Network), size(c.Spine)}
}

// railsText says what enters the network by which rail.
func railsText(c *crossJSON) string {
	var b strings.Builder
	for i, r := range c.Rails {
		if i == 0 {
			b.WriteString("; by ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "rail%d %s", r.Rail, r.Bytes.Human())
	}
	return b.String()
}

// groupNotes says what the table means, and what it comes to.
func groupNotes(p *plan.Plan, d *groupsJSON) []string {
	notes := []string{p.PCIe.Inside() + ": stays in its host. network: leaves it, by the NIC of a rail. spine: what of " +
		"that crosses a switch above the leaves. Headers and acknowledgements are not counted."}
	switch {
	case d.All.Network == 0:
		notes = append(notes, "Nothing enters the network.")
	case d.All.Spine == 0 && p.Scenario.Fabric.Spines > 0:
		notes = append(notes, "No payload crosses a spine.")
	}
	if d.All.Relayed > 0 {
		notes = append(notes, fmt.Sprintf("%s of what enters the network goes over NVLink too, to or from the NIC of "+
			"another GPU.", d.All.Relayed.Human()))
	}
	return notes
}

// ranksText lists ranks: "ranks 0-3, 8".
func ranksText(ranks []int32) string {
	var parts []string
	for i := 0; i < len(ranks); {
		n := i + 1
		for n < len(ranks) && ranks[n] == ranks[n-1]+1 {
			n++
		}
		switch n - i {
		case 1:
			parts = append(parts, fmt.Sprint(ranks[i]))
		case 2:
			parts = append(parts, fmt.Sprint(ranks[i]), fmt.Sprint(ranks[i+1]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[i], ranks[n-1]))
		}
		i = n
	}
	if len(parts) > 16 {
		parts = append(parts[:15], fmt.Sprintf("... (%d)", len(ranks)))
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ", ")
}

// hostsText names hosts, or says how many they are.
func hostsText(hosts []string) string {
	if len(hosts) > 4 {
		return fmt.Sprintf("%d hosts, %s to %s", len(hosts), hosts[0], hosts[len(hosts)-1])
	}
	return strings.Join(hosts, ", ")
}
