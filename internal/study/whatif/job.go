package whatif

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/out/noun"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// collectives tries other algorithms, protocols and places of ranks.
func (t *trying) collectives() {
	of := []noun.Noun{noun.WrongAlgorithm, noun.WrongProtocol}
	path := t.job.Path()
	if len(t.job.Collectives) > 0 {
		t.rows(of, path)
	} else if t.at.Ranks() > 1 {
		t.gradients(of, path)
	}
	if t.job.Collective.Exit == "own" && t.at.Ranks() > 1 && t.sc.Cluster.Host.GPUs > 1 {
		t.try("with messages by the NIC on the receiver's rail: PXN", []noun.Noun{noun.CrossRail}, set(path+".collective.exit", "peer"))
	}
	order := []noun.Noun{noun.WrongOrder}
	if len(t.job.Placement.GPUs) > 0 || t.job.Placement.Rule != "" && t.job.Placement.Rule != "packed" {
		if t.at.Ranks() > 1 {
			t.try("with ranks host by host", order, set(path+".placement", "packed"))
		}
	}
	if o := t.job.Parallel.Order; o != "" && o != usualOrder {
		t.try("with ranks in the order "+usualOrder, order, set(path+".parallel.order", usualOrder))
	}
}

// router tries experts that all get as many positions.
func (t *trying) router() {
	if m := t.job.Model; m != nil && m.Skew > 1 {
		t.try("with a router that is not skewed", []noun.Noun{noun.UnevenRouting, noun.Incast}, set(t.job.Path()+".model.skew", "1"))
	}
	if t.job.Train == nil || !t.job.Train.GPT.Experts.Count.Set {
		return
	}
	if x := &t.job.Train.GPT.Experts; x.Capacity > 0 {
		t.try("with experts that take all that come", []noun.Noun{noun.DroppedTokens},
			t.without(t.job.Path()+".train.gpt.experts.capacity")...)
	}
	if t.job.Train.GPT.Experts.Force == "even" {
		return
	}
	t.try("with a router that is not skewed", []noun.Noun{noun.UnevenRouting, noun.Incast},
		set(t.job.Path()+".train.gpt.experts.force", "even"))
}

// usualOrder is the default of job.parallel.order.
const usualOrder = "tp-dp-pp"

// rows tries other choices for the collectives of a benchmark.
func (t *trying) rows(of []noun.Noun, path string) {
	var chosen, rings, even []scenario.Change
	from := ""
	for k := range t.job.Collectives {
		c, at := &t.job.Collectives[k], fmt.Sprintf("%s.collectives[%d].", path, k)
		row := &t.at.Rows[k]
		if c.Protocol != scenario.ProtocolAuto || c.Algorithm != scenario.AlgorithmAuto {
			chosen = append(chosen, set(at+"algorithm", "auto"), set(at+"protocol", "auto"))
			if c.Channels.Set {
				chosen = append(chosen, set(at+"channels", "auto"))
			}
		}
		if _, ring := coll.Algorithms[plan.ScheduleName(scenario.AlgorithmRing, row.Op)]; ring && row.Algorithm != scenario.AlgorithmRing {
			rings, from = append(rings, set(at+"algorithm", string(scenario.AlgorithmRing))), string(row.Algorithm)
		}
		if c.Skew > 1 {
			even = append(even, set(at+"skew", "1"))
		}
	}
	if len(chosen) > 0 {
		t.try("as NCCL would choose: algorithm, protocol and channels", of, chosen...)
	}
	if len(rings) > 0 {
		t.try("with a ring in place of the "+from, of, rings...)
	}
	if len(even) > 0 {
		t.try("with a router that is not skewed", []noun.Noun{noun.UnevenRouting, noun.Incast}, even...)
	}
}

// gradients tries other ways to sum what ranks of a training or a replay have.
func (t *trying) gradients(of []noun.Noun, path string) {
	c := &t.job.Collective
	if c.Schedule.Set {
		t.try("with a ring in place of the schedule in a file", append([]noun.Noun{noun.WrongOrder}, of...),
			set(path+".collective.schedule", "none"))
		return
	}
	if c.Algorithm != scenario.AlgorithmRing {
		t.try("with a ring in place of the "+string(c.Algorithm), of,
			set(path+".collective.algorithm", string(scenario.AlgorithmRing)))
	}
	bytes := t.largest()
	if bytes == 0 || t.job.Parallel.TP > 1 || t.job.Parallel.PP > 1 { // NCCL's model is asked for all ranks
		return
	}
	choice, err := plan.NCCLChoice(t.sc, t.job, t.p.NCCLHost(), coll.AllReduce, bytes, scenario.AlgorithmAuto,
		scenario.ProtocolAuto, 0)
	if err != nil {
		return
	}
	algorithm := plan.AlgorithmOf(choice.Algorithm, coll.AllReduce)
	changes := []scenario.Change{}
	if algorithm != c.Algorithm {
		changes = append(changes, set(path+".collective.algorithm", string(algorithm)))
	}
	if protocol := plan.ProtocolOf(choice.Protocol); c.Protocol != scenario.ProtocolNone && protocol != c.Protocol {
		changes = append(changes, set(path+".collective.protocol", string(protocol)))
	}
	if len(changes) > 0 {
		t.try(fmt.Sprintf("as NCCL would choose for %s", bytes.Human()), of, changes...)
	}
}

// largest is how many bytes the largest collective of the job's ranks has.
func (t *trying) largest() (most unit.Bytes) {
	for k := range t.at.Work.Collectives {
		c := &t.at.Work.Collectives[k]
		if !c.Once {
			most = max(most, unit.Bytes(c.Range.Elems*c.ElemBytes))
		}
	}
	return most
}

// pipeline tries to make the bubble of a pipeline smaller.
func (t *trying) pipeline() {
	x := &t.job.Parallel
	if t.job.Train == nil || x.PP < 2 {
		return
	}
	t.even()
	path := t.job.Path() + ".parallel."
	if n := moreMicroBatches(t.job.Train.Batch, x.MicroBatches); n > 0 {
		c := t.try(fmt.Sprintf("with %d micro-batches", n), []noun.Noun{noun.Bubble}, set(path+"micro_batches", fmt.Sprint(n)))
		c.Part = lessBubble(x.MicroBatches, n)
	}
	if x.Schedule != "1f1b" {
		t.try("with the schedule 1f1b", []noun.Noun{noun.Bubble},
			append(t.without(path+"virtual_stages"), set(path+"schedule", "1f1b"))...)
	}
}

// lessBubble is the part of a bubble that more micro-batches take away: with p stages and m of them a step is m + p - 1 times as
// long as one takes on a stage, which is the longer the fewer they are, and p - 1 of it are the bubble.
func lessBubble(m, more int) float64 { return 1 - float64(m)/float64(more) }

// even lets all ranks of a pipeline compute as long as they do in the mean: what layers that are dealt evenly would come to. Ranks
// take times as long as they did, by what the run says of each.
func (t *trying) even() {
	n := len(t.computed)
	if t.job.Parallel.PP < 2 || n == 0 || n > mostNamed || len(t.sc.Cluster.Slow) > 0 {
		return
	}
	sum, most := unit.Duration(0), unit.Duration(0)
	for _, c := range t.computed {
		sum, most = sum+c, max(most, c)
	}
	mean := float64(sum) / float64(n)
	if float64(most) < unevenStages*mean {
		return
	}
	var changes []scenario.Change
	for rank, c := range t.computed {
		if c == 0 {
			return
		}
		factor := min(max(mean/float64(c), 0.01), 100)
		changes = append(changes, set(fmt.Sprintf("cluster.slow[%d]", rank),
			fmt.Sprintf("{job: %q, rank: %d, factor: %.4f}", t.job.Name,
				rank, factor)))
	}
	t.try("with even stages: all ranks compute as long as in the mean", []noun.Noun{noun.UnevenStages}, changes...)
}

// unevenStages is how many times the mean a rank must compute for stages to be called uneven.
const unevenStages = 1.1

// moreMicroBatches is twice as many micro-batches or, where a batch cannot be cut so, the next number of which it can; 0: there
// is none.
func moreMicroBatches(batch, now int) int {
	for n := 2 * now; n <= batch; n++ {
		if batch%n == 0 {
			return n
		}
	}
	return 0
}
