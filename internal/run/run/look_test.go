package run

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/run/record"
)

// onlooker looks at instants that it draws, close together and far apart, and adds up what it was told.
type onlooker struct {
	views  int
	sum    record.Counts
	marks  int64 // by port
	acked  unit.Bytes
	late   bool // a view does not begin where the one before ended
	shares bool // a share is none
	last   unit.Time
}

func (o *onlooker) observe(seed uint64) Observer {
	draws := rand.New(rand.NewPCG(seed, 44))
	return func(_ context.Context, v View) unit.Duration {
		w := v.Viewer().Look(v.Now, "")
		o.late = o.late || w.Since != o.last || w.Now < w.Since
		o.last = w.Now
		o.views++
		o.sum.Marks += w.Events.Marks
		o.sum.Hops += w.Events.Hops
		for i := range w.Ports.Port {
			o.marks += w.Ports.Marks[i]
			for _, x := range []int32{w.Ports.Use[i], w.Ports.Paused[i]} {
				o.shares = o.shares || x < 0 || x > 10_000
			}
		}
		for _, p := range w.Pairs {
			o.acked += p.Acked
		}
		return unit.Duration(math.Exp(draws.Float64() * 20)) // to half a millisecond
	}
}

// Who looks on changes no byte, however often, with any partition, and where steps are told again.
func TestAnObserverChangesNothing(t *testing.T) {
	check := func(t *testing.T, yaml string, o Options) *onlooker {
		t.Helper()
		first := run(t, yaml, Options{})
		var on onlooker
		o.Observe = on.observe(7)
		if r := run(t, yaml, o); digestOf(t, r.path) != digestOf(t, first.path) {
			t.Error(firstDifference(t, first.path, r.path))
		}
		if on.views < 10 || on.late || on.shares || on.marks != on.sum.Marks || on.marks > first.ECNMarks ||
			on.sum.Hops == 0 || on.sum.Hops > first.PacketHops {
			t.Errorf("%+v; the run has %d marks, %d packet-hops", on, first.ECNMarks, first.PacketHops)
		}
		return &on
	}
	for _, w := range weather {
		t.Run(w.name, func(t *testing.T) {
			check(t, cluster8(5)+w.fabric+w.background+training(t, 5, 3), Options{Islands: 3, Workers: 2})
		})
	}
	t.Run("steps told again", func(t *testing.T) {
		yaml := cluster8(2) + replayed + "run: {reuse: auto}\n"
		if r := run(t, yaml, Options{}); r.Reuse == nil || r.Reuse.Steps == 0 {
			t.Errorf("nothing was told again: %+v", r.Reuse)
		}
		check(t, yaml, Options{})
	})
	names := []string{"incast"}
	if os.Getenv("RAILYARD_OBSERVED") == "all" {
		files, err := filepath.Glob("../../../examples/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, f := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".yaml"))
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { check(t, example(t, name), Options{}) })
	}
}

// A view tells of a queue pair what was acknowledged, and of a port that is held that it is.
func TestViewsTellWhatHappens(t *testing.T) {
	yaml := `
cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {switch: {buffer: 1MB}}
job:
  flows:
    - {name: one, from: host1/gpu0, to: host5/gpu0, bytes: 3MB}
    - {name: two, from: host2/gpu0, to: host5/gpu0, bytes: 3MB}
    - {name: three, from: host3/gpu0, to: host5/gpu0, bytes: 3MB}
`
	var one, held, queue unit.Bytes
	var pairs int
	r := run(t, yaml, Options{Observe: Every(0, unit.Microsecond, func(v View) {
		w := v.Viewer().Look(v.Now, "one")
		pairs = len(w.Pairs)
		one += w.Pairs[0].Acked
		names, err := v.Viewer().Ports()
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range w.Ports.Port {
			if names[p].Port != v.Plan().Graph.Ports[p].Name {
				t.Errorf("port %d is %+v", p, names[p])
			}
			if w.Ports.Held[i] {
				held++
			}
			if names[p].To == "host5" {
				queue = max(queue, w.Ports.Queue[i])
			}
		}
	})})
	if one < 2_900_000 || one > 3_000_000 || // the end lies behind the last view
		pairs != 1 || held == 0 || queue == 0 || r.Pauses == 0 {
		t.Errorf("%d bytes of %d pairs, held %d times, queue %d, %d pauses", one, pairs, held, queue, r.Pauses)
	}
}

// An instant that is looked at again is told again, also of queue pairs that were not meant before: they begin there.
func TestAnInstantIsToldAgain(t *testing.T) {
	var views int
	yaml := cluster8(2) + "job: {flows: [{name: one, from: host1/gpu0, to: host2/gpu0, bytes: 1MB}, " +
		"{name: two, from: host1/gpu1, to: host2/gpu1, bytes: 1MB}]}\n"
	run(t, yaml, Options{Observe: Every(0, 5*unit.Microsecond, func(v View) {
		first, both := *v.Viewer().Look(v.Now, "one"), v.Viewer().Look(v.Now, "")
		if views++; first.Since != both.Since || len(first.Ports.Port) != len(both.Ports.Port) || first.Events != both.Events ||
			len(both.Pairs) != 2 || first.Pairs[0] != both.Pairs[0] || both.Pairs[1].Acked != 0 && views > 1 {
			t.Errorf("%+v\n%+v", first, both)
		}
	})})
	if views < 5 {
		t.Errorf("%d views", views)
	}
}
