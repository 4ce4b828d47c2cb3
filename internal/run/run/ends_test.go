package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
)

// The estimate is within a factor of two of what the run does, whatever the fabric does.
func TestTheEstimateIsNear(t *testing.T) {
	flows := cluster8(3) + `
transport: {mtu: 1024B}
job:
  flows:
    - {from: host1/gpu0, to: host3/gpu0, bytes: 3MB, count: 4, every: 1us}
    - {from: host1/gpu1, to: host2/gpu2, bytes: 100B, count: 500, every: 1us}
`
	scenarios := map[string]string{"flows": flows}
	for _, w := range weather {
		scenarios[w.name] = cluster8(5) + w.fabric + w.background + training(t, 20, 3)
	}
	for name, yaml := range scenarios {
		plan, err := NewPlan(read(t, yaml))
		if err != nil {
			t.Fatal(err)
		}
		e, r := foresight.EstimateOf(plan, []dataset.Size{{Train: trainImages, Test: 100, Rows: 28, Cols: 28}}), run(t, yaml, Options{})
		if e.PacketHops > 2*r.PacketHops || 2*e.PacketHops < r.PacketHops {
			t.Errorf("%s: %d packet-hops estimated, %d taken", name, e.PacketHops, r.PacketHops)
		}
		if e.Steps != r.Summary.Steps {
			t.Errorf("%s: %d steps estimated, %d taken", name, e.Steps, r.Summary.Steps)
		}
	}
}

// A credit is a frame, and so is its answer: where nothing is lost or marked the forecast counts them
// all.
func TestCreditsAreForecast(t *testing.T) {
	hops := map[string]int64{}
	for _, slots := range []string{"none", "2"} {
		yaml := strings.Replace(cluster8(5)+training(t, 3, 2), "{channels: 2", "{channels: 2, slices: 4, slots: "+slots, 1)
		plan, err := NewPlan(read(t, yaml))
		if err != nil {
			t.Fatal(err)
		}
		e, r := foresight.EstimateOf(plan, []dataset.Size{{Train: trainImages, Test: 100, Rows: 28, Cols: 28}}), run(t, yaml, Options{})
		if hops[slots] = r.PacketHops; e.PacketHops != r.PacketHops {
			t.Errorf("slots %s: %d packet-hops estimated, %d taken", slots, e.PacketHops, r.PacketHops)
		}
	}
	if hops["2"] <= hops["none"] {
		t.Errorf("packet-hops %v: want more with credit", hops)
	}
}

// A run over a limit does not start, and says what it would take; forced, it does.
func TestTooLargeARunIsRefused(t *testing.T) {
	large := "cluster: {hosts: 2}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1TB, count: 40, every: 1s}]}"
	wide := strings.Replace(cluster8(2)+training(t, 1, 1), "[784, 32, 10]", "[784, 300000, 10]", 1)
	for yaml, want := range map[string]string{
		large: "about 20,751,953,200 packet-hops",
		wide:  "of memory, the limit is 8 GB",
	} {
		r, err := tryRun(t, context.Background(), yaml, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--force") {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if r.Run != nil {
			t.Error("a refused run left a summary")
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	r, err := tryRun(t, ctx, large, Options{Force: true, Progress: func(p result.Progress) {
		if p.PacketHops > 0 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.State != result.Interrupted || r.PacketHops == 0 {
		t.Errorf("forced: %v", err)
	}
}

// An interrupted training ends the step it is in: tables can be read, and every rank has the same
// weights, those of so many steps.
func TestAnInterruptedTrainingKeepsWholeSteps(t *testing.T) {
	for _, steps := range []int64{1, 5, 20} {
		yaml := cluster8(2) + training(t, 100, 2)
		ctx, stop := context.WithCancel(context.Background())
		r, err := tryRun(t, ctx, yaml, Options{Workers: 2, often: true, Progress: func(p result.Progress) {
			if p.Phase == "training" && p.Done >= steps {
				stop()
			}
		}})
		stop()
		if !errors.Is(err, context.Canceled) || r.State != result.Interrupted {
			t.Fatalf("%v, state %s", err, r.State)
		}
		if r.Summary.Steps < steps || r.Summary.Steps >= 100 || r.StepsPlanned != 100 {
			t.Errorf("%d of %d steps, interrupted after %d", r.Summary.Steps, r.StepsPlanned, steps)
		}
		if n := len(rows(t, r.Run.Steps())); int64(n) != 8*(1+r.Summary.Steps) {
			t.Errorf("%d rows of steps, want 8 for the start and for each of %d", n, r.Summary.Steps)
		}
		cfg := reference(t, yaml)
		cfg.Steps = r.Summary.Steps
		want, err := train.Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
			t.Errorf("the weights after %d steps are not the oracle's", cfg.Steps)
		}
		for _, f := range rows(t, r.Run.Flows()) {
			if f.Status == result.StatusFailed {
				t.Fatalf("flow %s failed", f.Name)
			}
		}
	}
}

// A context that has ended already: nothing is run, and that is no failure of the run.
func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, err := tryRun(t, ctx, cluster8(2)+training(t, 100, 2), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if r.Run != nil && (r.State != result.Interrupted || r.Summary.Steps > 20) {
		t.Errorf("state %s after %d steps", r.State, r.Summary.Steps)
	}
}

// A run in which nothing is left to happen, and not all is done, is unfinished: it says what never
// finished, how far it got and the last that happened to it. Here the end of a message is lost, and
// there is no timeout.
func TestARunAtAStandstillIsUnfinished(t *testing.T) {
	yaml := cluster8(2) + `
transport: {timeout: none}
faults: [{link: host1/rail1, at: 60us, down: 200us}]
job:
  flows:
    - {name: cut, from: host1/gpu0, to: host2/gpu0, bytes: 1MB, count: 2, every: 500us}
    - {name: fine, from: host1/gpu1, to: host2/gpu1, bytes: 1MB}
`
	once := strings.Replace(yaml, ", count: 2, every: 500us", "", 1)
	r, err := tryRun(t, context.Background(), once, Options{})
	want := "the run is unfinished: 1 of 2 messages of the job were never acknowledged, " +
		"and nothing is left to happen: cut (host1/gpu0 to host2/gpu0); transport.timeout is none"
	if err == nil || !strings.HasPrefix(err.Error(), want) || r.State != result.Unfinished || r.Error != err.Error() {
		t.Fatalf("error %v, state %s with %q; want %s", err, r.State, r.Error, want)
	}
	cut, fine := flow(r, "cut"), flow(r, "fine")
	if cut.FCT != nil || cut.Status != result.StatusUnfinished || fine.FCT == nil || *fine.FCT == 0 ||
		fine.Status != result.StatusDone {
		t.Errorf("cut %+v, fine %+v", cut, fine)
	}
	if len(r.Unfinished) != 1 || r.UnfinishedAll != 1 {
		t.Fatalf("left open: %+v", r.Unfinished)
	}
	// 100 Gb/s carry the first 60 us and what is under way; the last packet leaves after the link
	// went down.
	m := r.Unfinished[0]
	if m.Name != "cut" || m.Acked < 600_000 || m.Acked > 750_000 || m.Acked%4096 != 0 || m.Placed != nil ||
		m.Left == nil || *m.Left < 80_000_000 || *m.Left > 90_000_000 ||
		m.Waits != result.WaitsAck || m.Path != "host1>rail1>host2" || m.Step != -1 {
		t.Errorf("left open: %+v", m)
	}
	// A later message on the queue pair has the receiver ask for what is missing.
	if r := run(t, yaml, Options{}); r.Retransmits == 0 || r.UnfinishedAll != 0 || len(r.Unfinished) != 0 {
		t.Errorf("%d sent again, left open %+v", r.Retransmits, r.Unfinished)
	}
}

// What the others waited for when a queue pair gave up and ended the run.
func TestWhatQueuePairsWaitedFor(t *testing.T) {
	for _, c := range []struct{ name, more, want string }{
		{"its turn", "", result.WaitsTurn},
		{"window", "transport: {window: 80kB, timeout: 40us, retries: 2}\nfabric: {links: {length: 500m}}",
			result.WaitsWindow},
		{"pause", "fabric: {switch: {buffer: 1MB}}", result.WaitsPause},
	} {
		faults := "{link: host1/rail2, down: 1s}"
		if c.want == result.WaitsPause {
			faults += ", {link: host2/rail1, at: 80us, storm: 1ms}"
		}
		if c.want != result.WaitsWindow {
			c.more += "\ntransport: {timeout: 20us, retries: 2}"
		}
		yaml := cluster8(2) + c.more + "\ncongestion: {algorithm: none}\nfaults: [" + faults + `]
job:
  flows:
    - {name: long, from: host1/gpu0, to: host2/gpu0, bytes: 10MB}
    - {name: dead, from: host1/gpu1, to: host2/gpu1, bytes: 1MB}
`
		r, err := tryRun(t, context.Background(), yaml, Options{})
		if err == nil || r.State != result.Failed || len(r.Unfinished) != 2 {
			t.Fatalf("%s: %v, state %s, %+v", c.name, err, r.State, r.Unfinished)
		}
		if first, other := r.Unfinished[0], r.Unfinished[1]; first.Name != "dead" || first.Waits != result.WaitsNone ||
			other.Name != "long" || other.Waits != c.want {
			t.Errorf("%s: %s waits for %s, %s for %s", c.name, first.Name, first.Waits, other.Name, other.Waits)
		}
	}
}

// A training of which critical paths were traced says nothing of their being none.
func TestARunWithPathsDoesNotSayOtherwise(t *testing.T) {
	if r := run(t, cluster8(2)+training(t, 2, 1), Options{}); noteWith(r.Summary, "no critical path: ") ||
		r.PathsTraced != 2 {
		t.Errorf("%d paths were traced, and the notes say %q", r.PathsTraced, r.Notes)
	}
}

// A training that stands still keeps the steps that all ranks ended; what it never had is absent.
func TestATrainingAtAStandstillIsUnfinished(t *testing.T) {
	yaml := cluster8(2) + "transport: {timeout: none}\n" +
		"faults: [{link: host1/rail1, at: 400us, down: 1s}]\n" + training(t, 50, 1) + noWatchdog
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || r.State != result.Unfinished ||
		!strings.Contains(err.Error(),
			fmt.Sprintf("not all ranks ended step %d (of 50, counted from 0)", r.Summary.Steps)) {
		t.Fatalf("error %v, state %s after %d steps", err, r.State, r.Summary.Steps)
	}
	if r.Summary.Steps == 0 || r.StepTime == 0 || len(r.Unfinished) == 0 {
		t.Errorf("%d steps of %v, open: %+v", r.Summary.Steps, r.StepTime, r.Unfinished)
	}
	for _, m := range r.Unfinished {
		if m.Kind != result.KindCollective || int64(m.Step) != r.Summary.Steps {
			t.Errorf("left open: %+v", m)
		}
	}
	r, _ = tryRun(t, context.Background(), strings.Replace(yaml, "at: 400us", "at: 0us", 1), Options{})
	b, err := result.Marshal(r.Summary)
	if err != nil || r.State != result.Unfinished || r.Summary.Steps != 0 {
		t.Fatalf("%v, state %s after %d steps", err, r.State, r.Summary.Steps)
	}
	for _, key := range []string{"step_time_ps", "samples_per_second", "step_median_ps", "step_p99_ps", "final_loss",
		"step_split_ps", "critical_path_ps"} {
		if strings.Contains(string(b), `"`+key+`"`) {
			t.Errorf("a training without a step has %s", key)
		}
	}
}

// The headline is the virtual time of all steps over their number, and what that makes in samples;
// its neighbours are of each step's slowest rank. The start phase is no step. All follow from the rows.
func TestTheTimesOfSteps(t *testing.T) {
	r := run(t, cluster8(5)+weather[3].fabric+weather[3].background+training(t, 30, 1), Options{})
	took := map[int32]unit.Duration{}
	start, last := unit.Time(0), unit.Time(0)
	for _, row := range rows(t, r.Run.Steps()) {
		if row.Step < 0 {
			start = max(start, row.End)
			continue
		}
		took[row.Step] = max(took[row.Step], row.End.Sub(row.Start))
		last = max(last, row.End)
	}
	ascending := slices.Sorted(maps.Values(took))
	if start == 0 || r.Start.Time != unit.Duration(start) {
		t.Errorf("the start phase took %v, want %v", r.Start.Time, start)
	}
	if want := last.Sub(start) / 30; r.StepTime != want || r.StepMedian != ascending[14] ||
		r.StepP99 != ascending[29] {
		t.Errorf("step time %v, median %v, p99 %v; want %v, %v, %v", r.StepTime, r.StepMedian, r.StepP99, want,
			ascending[14], ascending[29])
	}
	if want := 4 * 8 / r.StepTime.Seconds(); r.SampleRate != want {
		t.Errorf("%g samples/s, want %g: 8 ranks of 4 in %v", r.SampleRate, want, r.StepTime)
	}
	if r.PathsTraced != 30 || r.PathsEvery != 1 {
		t.Errorf("%d paths traced, one in %d; want all of 30 steps", r.PathsTraced, r.PathsEvery)
	}
}

// A queue pair that gives up ends the run with its name; what was done is kept.
func TestAQueuePairThatGivesUpEndsTheRun(t *testing.T) {
	// Three senders without flow control into 16 kB of shared buffer, and one retry.
	choke := "fabric: {switch: {buffer: 100kB}, qos: {ecn: {enabled: false}, pfc: {enabled: false}}}\n" +
		"congestion: {algorithm: none}\ntransport: {timeout: 10us, retries: 1}\n"
	yaml := cluster8(5) + choke + bursts("3MB", "100us", 50) +
		strings.Replace(training(t, 50, 1), "model: mlp,", "model: mlp, start: tree,", 1)
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || r.State != result.Failed || r.Error != err.Error() {
		t.Fatalf("%v, state %s, error %q in run.json", err, r.State, r.Error)
	}
	named := false
	for _, f := range rows(t, r.Run.Flows()) {
		named = named || f.Status == result.StatusFailed &&
			strings.Contains(err.Error(), "queue pair "+f.Name+" failed at")
	}
	if !named || !strings.Contains(err.Error(), "no acknowledgement within 10 us, nor after a retry") {
		t.Errorf("error %v names no flow that failed, or not what it waited for", err)
	}
	if len(rows(t, r.Run.Links())) == 0 || r.Drops == 0 {
		t.Error("no links or drops are kept")
	}
	for _, islands := range []int{2, 5} {
		again, _ := tryRun(t, context.Background(), yaml, Options{Islands: islands})
		if digestOf(t, again.path) != digestOf(t, r.path) {
			t.Errorf("%d islands: %s", islands, firstDifference(t, r.path, again.path))
		}
	}
}

// Digits that are missing are drawn, with progress; a folder drawn with other numbers is refused.
func TestDigitsAreDrawnWhenMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := "data/new"
	yaml := func(images int) string {
		return strings.Replace(cluster8(2)+training(t, 1, 1), fmt.Sprintf("data: %q", digits(t)),
			fmt.Sprintf("data: {digits: {dir: %q, train: %d, test: 10}}", dir, images), 1)
	}
	phases := map[string]bool{}
	r := run(t, yaml(64), Options{Progress: func(p result.Progress) { phases[p.Phase] = true }})
	if !phases["making data"] || !phases["reading data"] || r.TestAccuracy == nil {
		t.Errorf("phases %v", phases)
	}
	if _, err := tryRun(t, context.Background(), yaml(65), Options{}); err == nil ||
		!strings.Contains(err.Error(), "was made with") {
		t.Errorf("error %v", err)
	}
	// A scenario makes no folder outside the one in which railyard runs, and uses one that is
	// there.
	made, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("data")
	for _, dir = range []string{"../other", filepath.Join(filepath.Dir(made), "other"), "new/../../other"} {
		_, err := tryRun(t, context.Background(), yaml(64), Options{})
		if err == nil || !strings.Contains(err.Error(), "a run makes no folders there") {
			t.Errorf("%s: error %v", dir, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: made: %v", dir, err)
		}
	}
	for _, dir = range []string{"../data/new", made} {
		run(t, yaml(64), Options{})
	}
}
