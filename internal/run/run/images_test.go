package run

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/nic"
	"railyard/internal/net/topo"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// layered is a small model, in parts on the GPUs of each host.
func layered(hosts, layers int, model, layout, more string) string {
	return fmt.Sprintf("name: images\ncluster: {hosts: %d, host: {preset: hgx-h100}}\njob:\n  model: {preset: llama3-8b, layers: %d, "+
		"gradients: bf16, %s}\n  parallel: {%s}\noutput: {operations: true, sample: 2us}\n%s", hosts, layers, model, layout, more)
}

// Rails that do the same are simulated once, whatever the partition, and everything is told of all of them.
func TestImagesTellTheSame(t *testing.T) {
	for _, layout := range []string{"tp: 8, zero: 1", "tp: 8, pp: 2, micro_batches: 2", "tp: 2, pp: 2, micro_batches: 2"} {
		r := reused(t, layered(2, 2, "batch: 8, steps: 2", layout, ""), Options{Islands: 3},
			Options{Islands: 2, Workers: 2})
		if r.Images != 7 || r.Simulated > r.Represented/8 {
			t.Errorf("%s: %+v, want 7 images", layout, r)
		}
	}
}

// What tells one rail from the others as the run goes shows in it: that rail is simulated, and the others still once.
func TestASlowRankIsNoImage(t *testing.T) {
	for gpu := range 2 { // of the first rail, which leads the others, and of another
		slow := fmt.Sprintf("faults: [{gpu: host1/gpu%d, slow: 2}]\n", 3*gpu)
		r := reused(t, layered(2, 2, "batch: 8", "tp: 8, zero: 1, micro_batches: 2", slow), Options{Islands: 3, Workers: 2})
		if r.Images != 6 || r.Simulated*4 != r.Represented || !strings.Contains(fmt.Sprint(r.Notes), "some parts of the network") {
			t.Errorf("gpu%d: %+v, want 6 images", 3*gpu, r)
		}
	}
}

// Chance is each port's own: once it has a say, nothing is told from anything.
func TestChanceParts(t *testing.T) {
	marking := "fabric: {qos: {ecn: {min: 5kB, max: 200kB}}}\n"
	r := reused(t, layered(4, 4, "batch: 8", "tp: 8, pp: 4, micro_batches: 8", marking), Options{Islands: 3, Workers: 2})
	if marked := strings.Contains(fmt.Sprint(r.Notes), "were simulated each: "); !marked || r.Images != 0 {
		t.Errorf("%+v, want marks", r)
	}
}

// Of rails that look as one does only the one is simulated: it alone decides into how many islands a network is cut. Of 40 hosts with
// eight rails that is 160 ports of 1,280.
func TestImagesAreNotCutIntoIslands(t *testing.T) {
	p := plantest.Made(t, layered(40, 1, "batch: 40", "tp: 8", ""), func(sc *scenario.Scenario) (*plan.Plan, error) {
		return plan.New(sc, plan.Files{}, nil)
	})
	fc := p.FabricConfig()
	told := foresight.Images(p, &fc, nil)
	one, each := partitionOf(p, &fc, told, 0, 2), partitionOf(p, &fc, nil, 0, 2)
	if len(told) != 7 || len(one.sizes) != 1 || len(each.sizes) < 8 {
		t.Errorf("%d images, %d islands, %d without", len(told), len(one.sizes), len(each.sizes))
	}
	if n, _ := Islands(p); n != 1 {
		t.Errorf("check says %d islands", n)
	}
}

// Of more than 32 frames in a queue a port chooses by its number which it looks at, to estimate whose frames a message waits for.
func TestLongQueuesPart(t *testing.T) {
	r := reused(t, `
cluster: {hosts: 8, host: {preset: hgx-h100, gpus: 4}, slow: [{rank: 14, factor: 13/10}]}
job:
  model: {layers: 8, hidden: 512, ffn: 1024, heads: 8, vocabulary: 512, sequence: 1024, batch: 32, steps: 1}
  parallel: {tp: 4, pp: 4, micro_batches: 2, zero: 1}
`, Options{Islands: 3, Workers: 2})
	if long := strings.Contains(fmt.Sprint(r.Notes), "queues were so long"); !long || r.Images != 0 {
		t.Errorf("%+v, want long queues", r)
	}
}

var imageCases = flag.Int("image-cases", 5, "how many drawn models are run with images and without")

// The same of drawn models, on one core and two.
func TestImagesOfDrawnModels(t *testing.T) {
	cases, imaged, parted := *imageCases, 0, 0
	if testing.Short() {
		cases = 3
	}
	for seed := range uint64(cases) {
		r := reused(t, drawnImages(seed), Options{Islands: 1 + int(seed%4), Workers: 1 + int(seed%2)})
		if r.Images > 0 {
			imaged++
		}
		if strings.Contains(fmt.Sprint(r.Notes), "simulated each") {
			parted++
		}
	}
	t.Logf("of %d drawn models %d had images, %d were begun anew", cases, imaged, parted)
	if imaged == 0 {
		t.Error("none had images")
	}
}

// drawnImages draws a model whose rails are images, with what may part them.
func drawnImages(seed uint64) string {
	d := rand.New(rand.NewPCG(seed, 46))
	of := func(all ...string) string { return all[d.IntN(len(all))] }
	layout := of("tp: 8, zero: 1, micro_batches: 2", "tp: 8, zero: 3, micro_batches: 2", "tp: 8, pp: 2, micro_batches: 4",
		"tp: 4, pp: 2, micro_batches: 2", "tp: 8, micro_batches: 1, sequence: true")
	more := of("", "", "congestion: {algorithm: none}\n", "congestion: {algorithm: "+of(windows...)+"}\n",
		"transport: {qps_per_connection: 2}\n", "transport: {window: bdp}\n")
	more += of("", "", "fabric: {qos: {ecn: {min: 20kB, max: 100kB}}}\n", "fabric: {links: {length: 40m}}\n")
	more += of("", "", "faults: [{gpu: host2/gpu5, slow: 1.2}]\n", "faults: [{gpu: host1/gpu0, slow: 3, at: 2ms, for: 1ms}]\n",
		"faults: [{host: host1, hang: 100us, at: 1ms}]\n")
	return layered(2, 2, "batch: 16, steps: "+of("1", "2", "3"), layout, more)
}

// A run that ends before its messages do tells of those of images, too, and who looks inside sees their ports as those of their leads.
func TestImagesOfARunThatIsInterrupted(t *testing.T) {
	open, queues := map[int32]int{}, 0
	ctx, cancel := context.WithCancel(context.Background())
	var inside View
	o := Options{Observe: Every(2*unit.Millisecond, 50*unit.Microsecond, func(v View) {
		inside = v
		x := v.r.images
		for port, lead := range x.lead {
			if v.Queue(topo.PortID(port)) != v.Queue(lead) {
				t.Error("a queue of an image is another than its lead's")
			}
			queues += int(v.Queue(topo.PortID(port)))
		}
		if v.r.net.Busy() && queues > 0 {
			cancel()
		}
	}), ended: func(r *runner) {
		r.net.Unfinished(func(f *nic.Flow) {
			open[r.net.LeadOf(f.QP)]++
			path := r.plan.Pairs[f.QP].Path
			for _, h := range f.Hops {
				if !h.Back && !slices.Contains(path, h.Port) {
					t.Errorf("a message over %s waited at port %d", r.plan.PathText(path), h.Port)
				}
			}
		})
	}}
	sc := plantest.Read(t, layered(2, 2, "batch: 8", "tp: 8, zero: 1", ""))
	if _, err := Run(ctx, sc, o); err == nil || inside.r.images == nil {
		t.Fatal("it was not interrupted", err)
	}
	for lead, n := range open {
		if n%8 != 0 {
			t.Errorf("queue pair %d and its twins have %d messages under way, want as many each", lead, n)
		}
	}
	if len(open) == 0 {
		t.Error("no message was under way")
	}
}

// What queue pairs of images met is told at their own ports, and whose bytes waited there is told of their own.
func TestEvidenceOfImages(t *testing.T) {
	filled, met := 0, 0
	o := Options{ended: func(r *runner) {
		if r.images == nil {
			return
		}
		n := network{r.eng, r.fab, r.net, r.images}
		for id := range r.plan.Pairs {
			for _, back := range []bool{false, true} {
				path := r.plan.Pairs[id].Path
				if back {
					path = r.plan.Pairs[id].Back
				}
				lead := n.Evidence(r.net.LeadOf(int32(id)), back)
				for i, e := range n.Evidence(int32(id), back) {
					if e.Port != path[i] || e.Frames != lead[i].Frames {
						t.Errorf("queue pair %d met %+v at hop %d of %v", id, e, i, path)
					}
					met += int(e.Frames)
				}
			}
		}
		for id := range r.plan.Graph.Ports {
			for _, s := range n.Fill(topo.PortID(id)) {
				q := &r.plan.Pairs[s.Flow]
				if !slices.Contains(q.Path, topo.PortID(id)) && !slices.Contains(q.Back, topo.PortID(id)) {
					t.Errorf("bytes of %s waited at port %d, which is not on its way", q.Name, id)
				}
				if r.images.of[id] >= 0 {
					filled++
				}
			}
		}
	}}
	if sum := run(t, layered(4, 4, "batch: 8", "tp: 8, pp: 4, micro_batches: 8, sequence: true",
		"fabric: {qos: {ecn: {enabled: false}}}\n"), o); sum.Reuse.Images != 7 {
		t.Fatalf("%+v", sum.Reuse)
	}
	if filled == 0 || met == 0 {
		t.Errorf("%d shares at ports of images, %d frames met: want some", filled, met)
	}
}
