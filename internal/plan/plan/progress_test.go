package plan

import (
	"errors"
	"testing"

	"railyard/internal/plan/plan/plantest"
)

// Planning tells each queue pair that it has made, also those of the background and of start phases, and ends where it is told to end.
func TestProgress(t *testing.T) {
	for name, text := range map[string]string{
		"rings and a start phase": "cluster: {hosts: 3, host: {gpus: 2}}\nfabric: {design: single-switch}\n" +
			"job: {train: {layers: [784, 8, 10], data: {digits: {dir: d}}, batch: 1, lr: 0.1, start: tree}, parallel: {dp: 6}, " +
			"collective: {channels: 2}}\n",
		"rows": plantest.Collectives("op: all-reduce, bytes: 1MB", "op: all-to-all, bytes: 1MB"),
		"flows": plantest.Jobs(plantest.AllToAll24, sends) +
			"\nbackground: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n",
	} {
		sc, all := plantest.Read(t, text), []int{}
		p, err := New(sc, Files{}, func(done, total int) error {
			if all = append(all, done); total != 0 {
				t.Errorf("%s: %d of %d: want 0 of them, since nobody knows how many there will be", name, done, total)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != len(p.Pairs) || p.progress != nil {
			t.Errorf("%s: %d queue pairs were told, there are %d", name, len(all), len(p.Pairs))
		}
		enough := errors.New("enough")
		for last, done := range all {
			if done != last+1 {
				t.Errorf("%s: %d is told as the one after %d", name, done, last)
			}
			told := 0
			p, err := New(sc, Files{}, func(int, int) error {
				if told++; told > last {
					return enough
				}
				return nil
			})
			// A flow has its place in the scenario said before what is wrong.
			if err == nil || p != nil || told != last+1 && name != "flows" {
				t.Errorf("%s: %v after %d queue pairs, want an end at the %dth", name, err, told, last+1)
			}
		}
	}
}
