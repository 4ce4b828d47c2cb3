package plan

import (
	"fmt"
	"slices"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/switches"
)

// connectRanks connects every two ranks of a group between which one of its schedules sends, in
// order of group, schedule, channel, source and first use. What two schedules of a group use is one
// connection.
func (p *Plan) connectRanks(j *Job, schedules func(group int32) []coll.Schedule) error {
	j.linkOf = map[exec.Way]int32{}
	for g := range j.Work.Groups {
		in := p.group(j, &j.Work.Groups[g])
		for _, s := range schedules(int32(g)) {
			if err := p.connectGroup(j, int32(g), in.rails, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// connectGroup connects the ranks of a group for a schedule.
func (p *Plan) connectGroup(j *Job, group int32, rails []int32, s coll.Schedule) error {
	members := j.Work.Groups[group].Ranks
	var traffic []coll.Traffic
	var ways []exec.Way // of a channel
	for c := range s.Channels() {
		ways = ways[:0]
		for m := range s.Ranks() {
			traffic = coll.AppendTraffic(traffic[:0], s, m, c, 0)
			for _, t := range traffic {
				ways = append(ways, exec.Way{Src: members[m], Dst: members[t.Peer], Group: group, Channel: int32(c)})
			}
		}
		p.reserve(j, ways, s.Channels()-c)
		for _, way := range ways {
			if err := p.connect(j, way, rails); err != nil {
				return err
			}
		}
	}
	return nil
}

// reserve makes room for the connections of so many channels that are like one: an all-to-all has hundreds of thousands.
func (p *Plan) reserve(j *Job, ways []exec.Way, channels int) {
	links, pairs := 0, 0
	for _, w := range ways {
		if _, there := j.linkOf[w]; there {
			continue
		}
		links++
		if j.Placement.Ranks[w.Src].Host != j.Placement.Ranks[w.Dst].Host {
			pairs += p.Scenario.Transport.QPs
		}
	}
	j.Links, p.Pairs = slices.Grow(j.Links, channels*links), slices.Grow(p.Pairs, channels*pairs)
}

func (p *Plan) connect(j *Job, way exec.Way, rails []int32) error {
	a, b := j.Placement.Ranks[way.Src], j.Placement.Ranks[way.Dst]
	link := RankLink{Way: way, Pair: -1}
	if _, there := j.linkOf[way]; there {
		return nil
	}
	j.linkOf[way] = int32(len(j.Links))
	if a.Host != b.Host {
		g := &j.Work.Groups[way.Group]
		from, to := p.rails(j, g, a, b, int(way.Channel), rails)
		name := fmt.Sprintf("rank%d>rank%d#%d", way.Src, way.Dst, way.Channel)
		if j.split() || g.Kind == workload.GroupKindRails {
			name += " " + g.Name // two ranks may be of several groups
		}
		link.Pair, link.Lanes = int32(len(p.Pairs)), int32(p.Scenario.Transport.QPs)
		for k := range link.Lanes {
			pair := Pair{
				Name:    laneName(name, k, link.Lanes),
				Kind:    result.KindCollective,
				Job:     j.index,
				From:    p.Graph.Hosts[a.Host].NICs[from],
				To:      p.Graph.Hosts[b.Host].NICs[to],
				FromGPU: a.GPU,
				ToGPU:   b.GPU,
				Class:   switches.ClassData,
				Lane:    k,
				Lanes:   link.Lanes,
			}
			if err := p.addPair(pair); err != nil {
				return err
			}
		}
	}
	j.Links = append(j.Links, link)
	return nil
}

// laneName names one of several queue pairs of a connection.
func laneName(connection string, lane, of int32) string {
	if of == 1 {
		return connection
	}
	return fmt.Sprintf("%s qp%d", connection, lane+1)
}
