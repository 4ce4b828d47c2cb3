package lab

import (
	"fmt"
	"strings"

	"railyard/internal/job/coll"
)

var broadcastBench = Bench{
	Meaning: "a broadcast along a chain, as NCCL's, or a binary tree, round by round: who has rank 0's data, and over " +
		"which links they came",
	Params: []Param{
		{Name: "nodes", Meaning: "hosts, 1 to 4", Default: 2.0},
		{Name: "per_node", Meaning: "ranks of each host, 1 to 6", Default: 4.0},
		{Name: "along", Meaning: "chain or tree", Default: "chain"},
	},
	Run: runBroadcast,
}

func runBroadcast(a Args) (*Shown, error) {
	nodes, err := a.Whole("nodes", 1, 4)
	if err != nil {
		return nil, err
	}
	per, err := a.Whole("per_node", 1, 6)
	if err != nil {
		return nil, err
	}
	n := nodes * per
	shapes := map[string]func([][]int32, int) (*coll.Tree, error){"chain": coll.ChainBroadcast, "tree": coll.TreeBroadcast}
	along, known := shapes[a.Text("along")]
	if !known {
		return nil, fmt.Errorf("along is %q, want chain or tree", a.Text("along"))
	}
	schedule, err := along([][]int32{inOrder(n)}, 1)
	if err != nil {
		return nil, err
	}
	t := Table{Name: "rounds", Title: "Who sends the parameters to whom: a message a rank and round",
		Columns: []string{"round", "inside a host, over NVLink", "between hosts, over a queue pair", "have them"}}
	between, messages := 0, 0
	rounds := coll.Walk(schedule, 0)
	for i, round := range rounds {
		var inside, across []string
		for _, m := range round.Sends {
			text := fmt.Sprintf("%d to %d", m.From, m.To)
			messages++
			if int(m.From)/per == int(m.To)/per {
				inside = append(inside, text)
				continue
			}
			across = append(across, text)
			between++
		}
		have := 0
		for _, chunks := range round.Holds {
			if chunks[0] == rounds[0].Holds[0][0] {
				have++
			}
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i), strings.Join(inside, ", "), strings.Join(across, ", "),
			fmt.Sprint(have)})
	}
	s := &Shown{Tables: []Table{t}}
	s.add("messages", float64(messages), fmt.Sprintf("%d - 1", n), "messages: every rank but the root receives one")
	s.add("between_hosts", float64(between), "counted in the table", "of them between hosts")
	s.add("rounds", float64(len(rounds)-1), "counted in the table", "rounds until all have the parameters")
	return s, nil
}
