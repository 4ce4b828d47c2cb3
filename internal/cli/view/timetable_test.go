package view

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// pipelineBars are the bars of a step of a network of so many equal layers in a layout, each pass of
// as many layers as a stage has; what goes from stage to stage takes so long.
func pipelineBars(t *testing.T, l workload.Layout, layers int, transfer unit.Duration) []Bar {
	t.Helper()
	m, err := nn.NewMLP([]int{8, 8}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	device := workload.Device{Launch: unit.Microsecond, FLOPS: 1e12, MemoryBandwidth: 1e12,
		MatmulEff: unit.Ratio{Num: 1, Den: 1}, MemoryEff: unit.Ratio{Num: 1, Den: 1}}
	work, err := workload.Lower(workload.Config{Layers: slices.Repeat(train.Layers(m), layers),
		Batch: 2 * l.MicroBatches, Layout: l, Device: device,
		Schedules: func(g *workload.Group, c coll.Collective) (coll.Schedule, error) {
			order := [][]int32{{0, 1}}
			switch c {
			case coll.SendReceive:
				s, err := coll.DirectSend(order, 1)
				if err != nil {
					return nil, err
				}
				return s.Credited(1)
			case coll.AllGather:
				return coll.RingAllGather(order)
			}
			return coll.RingAllReduce(order)
		}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range work.Programs {
		for k := range work.Programs[i].Ops {
			op := &work.Programs[i].Ops[k]
			op.Duration = 0
			if _, layer, ok := workload.PassOf(op.Name); ok && layer >= 0 {
				op.Duration = 10 * unit.Microsecond
			}
		}
	}
	return ForecastBars(work, work.Forecast(workload.Assumed{Took: func(int32) unit.Duration { return transfer }}))
}

func drawn(t *testing.T, bars []Bar) string {
	t.Helper()
	table := NewTimetable(0, bars)
	if table == nil {
		t.Fatal("no pipeline")
	}
	s := sheet.New(80)
	table.text(s, 16)
	var b strings.Builder
	if err := s.Flush(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Boxes lie where their passes ran, and the bubble is that of the formula.
func TestTimetables(t *testing.T) {
	for _, c := range []struct {
		l        workload.Layout
		layers   int
		transfer unit.Duration
		want     string
	}{
		{workload.Layout{PP: 4, MicroBatches: 4}, 4, 0, `
step 0 as a pipeline: 4 stages, 4 micro-batches, order 1f1b

stage 1, rank 0  |F1--F2---F3--F4--..............B1==....B2===....B3==.....B4==|
stage 2, rank 1  |....F1---F2--F3--.........B1===F4--B2==.....B3==....B4===....|
stage 3, rank 2  |.........F1--F2--.....B1==F3---B2==F4--B3===....B4==.........|
stage 4, rank 3  |.............F1--B1===F2--B2===F3--B3==F4---B4==.............|
F forward, B backward, with the number of the micro-batch; . the stage waits;
one column is 2.295 us

  bubble   42.9 %  of 140 us from the first forward to the last backward no pass
                   runs, mean over ranks
  formula  42.9 %  (p-1)/(m+p-1) = 3/7, if all passes take equally long and the
                   network no time

`},
		{workload.Layout{PP: 4, MicroBatches: 4, Schedule: workload.BookOrder}, 4, 0, `
step 0 as a pipeline: 4 stages, 4 micro-batches, order book

stage 1, rank 0  |F1--F2---F3--F4--..............B1==....B2===....B3==.....B4==|
stage 2, rank 1  |....F1---F2--F3--F4---....B1===....B2==.....B3==....B4===....|
stage 3, rank 2  |.........F1--F2--F3---B1==F4---B2==....B3===....B4==.........|
stage 4, rank 3  |.............F1--B1===F2--B2===F3--B3==F4---B4==.............|
F forward, B backward, with the number of the micro-batch; . the stage waits;
one column is 2.295 us

  bubble   42.9 %  of 140 us from the first forward to the last backward no pass
                   runs, mean over ranks
  formula  42.9 %  (p-1)/(m+p-1) = 3/7, if all passes take equally long and the
                   network no time
  in the book's slots, where a forward and a backward may share one, stages
  busy: 25 50 75 100 75 75 100 75 50 25 %, mean 65.0 %

`},
		{workload.Layout{PP: 2, MicroBatches: 2, Virtual: 2, Schedule: workload.Interleaved}, 4, 0, `
step 0 as a pipeline: 2 stages, 2 micro-batches, order interleaved

stage 1, rank 0  |F1a---F2a---F1b---F2b---.............B1b===B2b===B1a===B2a===|
stage 2, rank 1  |......F1a---F2a---F1b---F2b----B1b===B2b===B1a===B2a===......|
F forward, B backward, with the number of the micro-batch; . the stage waits;
one column is 1.639 us

  bubble   20.0 %  of 100 us from the first forward to the last backward no pass
                   runs, mean over ranks
  formula  20.0 %  (p-1)/(vm+p-1) = 1/5, if all passes take equally long and the
                   network no time

`},
		{workload.Layout{PP: 2, DP: 2, MicroBatches: 3, Schedule: workload.GPipe}, 2, 5 * unit.Microsecond, `
step 0 as a pipeline: 2 stages, 3 micro-batches, order gpipe

stage 1, rank 0  |F1-----F2-----F3----.....................B1====B2=====B3=====|
stage 2, rank 2  |..........F1-----F2-----F3-----B1====B2=====B3=====..........|
F forward, B backward, with the number of the micro-batch; . the stage waits;
one column is 1.475 us

  bubble   33.3 %  of 90 us from the first forward to the last backward no pass
                   runs, mean over ranks
  formula  25.0 %  (p-1)/(m+p-1) = 1/4, if all passes take equally long and the
                   network no time

`},
		{workload.Layout{PP: 2, TP: 2, MicroBatches: 2}, 4, 5 * unit.Microsecond, `
step 0 as a pipeline: 2 stages, 2 micro-batches, order 1f1b or book

stage 1, rank 0  |F1----------F2----------............B1====............B2=====|
stage 2, rank 2  |..............F1---------B1=====F2----------B2=====..........|
F forward, B backward, with the number of the micro-batch; . the stage waits;
one column is 2.951 us

  bubble   38.9 %  of 180 us from the first forward to the last backward no pass
                   runs, mean over ranks
  idle     44.4 %  with what passes wait for within: other ranks of their stage
  formula  33.3 %  (p-1)/(m+p-1) = 1/3, if all passes take equally long and the
                   network no time

`},
	} {
		if got := drawn(t, pipelineBars(t, c.l, c.layers, c.transfer)); got != c.want[1:] {
			t.Errorf("%+v:\n%s", c.l, got)
		}
	}
	if NewTimetable(0, pipelineBars(t, workload.Layout{DP: 2, MicroBatches: 2}, 2, 0)) != nil {
		t.Error("replicas are no pipeline")
	}
}
