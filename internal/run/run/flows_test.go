package run

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Flows without a training: each message a row, each flow a line of the summary, the path named
// node by node.
func TestExplicitFlows(t *testing.T) {
	r := run(t, cluster8(3)+`
fabric: {spines: 1}
job:
  flows:
    - {from: host1/gpu0, to: host2/gpu0, bytes: 1MB}
    - {name: again, from: host1/gpu1, to: host3/gpu2, bytes: 100kB, start: 50us, count: 3, every: 20us}
    - {name: lone, from: host2/nic3, to: host3/nic3, bytes: 1B}
background:
  flows:
    - {from: host3/gpu0, to: host1/gpu0, bytes: 10kB, every: 1ms, count: 1000}
`, Options{})
	want := []struct {
		name, kind, src, dst, path string
		posted, done               int64
		start                      unit.Time
	}{
		{"flow1", result.KindJob, "host1/gpu0", "host2/gpu0", "host1>rail1>host2", 1, 1, 0},
		{"again", result.KindJob, "host1/gpu1", "host3/gpu2", "host1>rail2>spine1>rail3>host3", 3, 3,
			unit.Time(50 * unit.Microsecond)},
		{"lone", result.KindJob, "host2/nic3", "host3/nic3", "host2>rail4>host3", 1, 1, 0},
		// The run ends with the job: no later message of the background is posted.
		{"background1", result.KindBackground, "host3/gpu0", "host1/gpu0", "host3>rail1>host1", 1, 1, 0},
	}
	if len(r.Summary.Flows) != len(want) {
		t.Fatalf("%d flows, want %d", len(r.Summary.Flows), len(want))
	}
	var posted []unit.Time
	table := rows(t, r.Run.Flows())
	for i, w := range want {
		f := r.Summary.Flows[i]
		if f.Name != w.name || f.Kind != w.kind || f.Src != w.src || f.Dst != w.dst || f.Path != w.path ||
			f.Posted != w.posted || f.Done != w.done || *f.Start != w.start || f.Status != result.StatusDone {
			t.Errorf("flow %d is %+v, want %+v", i, f, w)
		}
		n := int64(0)
		for _, row := range table {
			if row.Name != w.name {
				continue
			}
			n++
			if row.Src != w.src || row.Dst != w.dst || row.Path != w.path || row.Bytes != f.Bytes || row.Step != -1 ||
				row.Channel != -1 {
				t.Errorf("a row of %s is %+v", w.name, row)
			}
			if w.name == "again" {
				posted = append(posted, row.Posted)
			}
		}
		if n != w.posted {
			t.Errorf("%d rows of %s, want %d", n, w.name, w.posted)
		}
	}
	if us := unit.Time(unit.Microsecond); !slices.Equal(posted, []unit.Time{50 * us, 70 * us, 90 * us}) {
		t.Errorf("messages of again are posted at %v", posted)
	}
	for i, row := range table {
		if row.ID != int64(i) {
			t.Errorf("row %d has id %d", i, row.ID)
		}
	}
	if r.Summary.Steps != 0 || r.WeightsSHA256 != "" || r.TestAccuracy != nil || r.StepSplit != nil {
		t.Error("a run without a training has figures of one")
	}
}

// A GPU's memory is a host path away from its NIC; a flow from NIC to NIC has none. The byte of
// "lone" shows it: PCIe both ways.
func TestANICEndpointHasNoHostPath(t *testing.T) {
	fct := map[string]unit.Duration{}
	for _, end := range []string{"gpu", "nic"} {
		r := run(t, cluster8(2)+"job: {flows: [{from: host1/"+end+"0, to: host2/"+end+"0, bytes: 1B}]}", Options{})
		fct[end] = r.Summary.Flows[0].Took()
	}
	sc := read(t, cluster8(2)+"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1B}]}")
	if pcie := 2 * (sc.Cluster.Host.PCIeLatency + sc.Cluster.Host.PCIe.TransmitTime(1)); fct["gpu"]-fct["nic"] != pcie {
		t.Errorf("GPU to GPU %v, NIC to NIC %v: want %v between them", fct["gpu"], fct["nic"], pcie)
	}
}

// Traffic of priority other has a queue of its own: it is not paused, and a port shares its rate
// between the two.
func TestOtherTrafficHasItsOwnQueue(t *testing.T) {
	yaml := func(priority string) string {
		return cluster8(3) + `
fabric: {design: rail-optimized, spines: 0, switch: {buffer: 4MB}, qos: {ecn: {enabled: false}, lossy_alpha: 8}}
congestion: {algorithm: none}
job:
  flows:
    - {name: data, from: host1/gpu0, to: host3/gpu0, bytes: 5MB}
    - {name: rival, from: host2/gpu0, to: host3/gpu0, bytes: 5MB, priority: ` + priority + `}
`
	}
	same, other := run(t, yaml("data"), Options{}), run(t, yaml("other"), Options{})
	if same.Drops+other.Retransmits < other.Drops { // a lossy class may drop: then it sends again
		t.Errorf("%d drops, %d sent again", other.Drops, other.Retransmits)
	}
	classes := map[int32]bool{}
	for _, q := range rows(t, other.Run.Queues()) {
		if q.Port == "rail1/host3" {
			classes[q.Class] = true
		}
	}
	if !classes[3] || !classes[0] {
		t.Errorf("queues of priorities %v at rail1/host3, want 0 and 3", classes)
	}
	pausedNIC := func(r ran, port string) unit.Duration {
		for _, p := range r.Pausing {
			if p.Port == port {
				return p.Paused
			}
		}
		return 0
	}
	if pausedNIC(same, "host2/rail1") == 0 {
		t.Error("the rival in the RoCE class is never paused")
	}
	if d := pausedNIC(other, "host2/rail1"); d != 0 {
		t.Errorf("the rival in another class is paused for %v", d)
	}
}

// Every zero that a reader would ask about has a sentence, and each says what is so.
func TestNotesExplainZeros(t *testing.T) {
	flow := func(settings, flows string) string {
		return cluster8(4) + settings + "\njob:\n  flows:\n" + flows
	}
	one := "    - {from: host1/gpu0, to: host2/gpu0, bytes: 100kB}\n"
	two := one + "    - {from: host3/gpu0, to: host2/gpu0, bytes: 100kB}\n"
	for _, c := range []struct {
		name, yaml string
		want       []string
	}{
		{"one packet", flow("", "    - {from: host1/gpu0, to: host2/gpu0, bytes: 1kB}\n"),
			[]string{"no ECN marks, hence no CNPs: no switch ever held a second packet", "no pauses: "}},
		{"one sender", flow("", one), []string{"No switch port sends what comes from two NICs", "no pauses: ",
			"no drops, hence no retransmissions: every packet found room"}},
		{"two senders", flow("", two), []string{"marking starts at 400 kB", "no pauses: what a switch held"}},
		{"all off", flow("fabric: {qos: {ecn: {enabled: false}, pfc: {enabled: false}}}", two),
			[]string{"fabric.qos.ecn.enabled is false", "fabric.qos.pfc.enabled is false"}},
		{"one host", cluster8(2) + oneHost(t), []string{"every gradient went over NVLink"}},
		{"ring", cluster8(2) + training(t, 3, 4), []string{"Each ring has its rail to itself",
			"14 messages, one after the other", "of 400 training images were left out"}},
		{"pauses", cluster8(5) + weather[3].fabric + weather[3].background + training(t, 3, 1),
			[]string{"PFC paused senders"}},
		{"losses", cluster8(5) + weather[4].fabric + weather[4].background + training(t, 6, 1),
			[]string{"go-back-N repeats"}},
		{"broken link", flow("faults: [{link: host1/rail1, at: 1us, down: 20us}]", one),
			[]string{"no drops in switches: what was lost, "}},
		{"slow", flow("transport: {timeout: 5us, retries: 1000}\ncongestion: {algorithm: none}", two),
			[]string{"waited longer than transport.timeout (5 us)"}},
	} {
		r := run(t, c.yaml, Options{})
		for _, want := range c.want {
			if !noteWith(r.Summary, want) {
				t.Errorf("%s: no note with %q: %q", c.name, want, r.Notes)
			}
		}
		for _, n := range []struct {
			count int64
			says  string
		}{{r.ECNMarks, "no ECN marks"}, {r.Pauses, "no pauses"}, {r.Drops, "no drops"}} {
			if noteWith(r.Summary, n.says) != (n.count == 0) && c.name != "one host" {
				t.Errorf("%s: count %d, notes %q", c.name, n.count, r.Notes)
			}
		}
	}
}

// oneHost is the training on the four GPUs of one host.
func oneHost(t *testing.T) string {
	return "job: {parallel: {dp: 4}, train: {layers: [784, 10], data: " + digits(t) + ", batch: 4, steps: 2, lr: 0.1}}"
}

// The summary lists the busiest links, and every port that queued or was paused, those held longest
// first.
func TestListsOfPorts(t *testing.T) {
	const shown = 10 // busiest links
	r := run(t, cluster8(5)+weather[1].fabric+`
job:
  flows:
`+allToOne(), Options{})
	if len(r.BusiestLinks) != shown || r.BusiestLinks[0].Utilisation < r.BusiestLinks[shown-1].Utilisation {
		t.Errorf("%d links, want the %d busiest", len(r.BusiestLinks), shown)
	}
	paused := map[string]bool{}
	for _, l := range rows(t, r.Run.Links()) {
		if l.PausesSent+l.PausesReceived > 0 {
			paused[l.Port] = true
		}
	}
	if len(paused) <= shown || len(r.Pausing) != len(paused) {
		t.Errorf("%d pausing ports in the summary, %d in the table", len(r.Pausing), len(paused))
	}
	if r.Pausing[0].Paused == 0 ||
		!slices.IsSortedFunc(r.Pausing, func(a, b result.PauseFigures) int { return cmp.Compare(b.Paused, a.Paused) }) {
		t.Errorf("not longest held first: %+v", r.Pausing)
	}
}

// allToOne has every GPU of four hosts send to the fifth host's first.
func allToOne() string {
	text := ""
	for _, host := range []string{"host1", "host2", "host3", "host4"} {
		for _, gpu := range []string{"gpu0", "gpu1", "gpu2", "gpu3"} {
			text += "    - {from: " + host + "/" + gpu + ", to: host5/gpu0, bytes: 1MB}\n"
		}
	}
	return text
}

// No flows end before the links of hosts have carried what they send, whatever controls congestion.
func TestFlowsTakeAtLeastTheirBytes(t *testing.T) {
	draw := splitmix.Stream(11)
	pick := func(of ...string) string { return of[draw.Next()%uint64(len(of))] }
	for n := range 12 {
		algorithm := pick("none", "dcqcn", "timely")
		yaml := fmt.Sprintf(`
cluster: {hosts: 6, host: {gpus: 1}, nic: {speed: %s}}
fabric: {balance: %s}
congestion: {algorithm: %s}
seed: %d
job:
  flows:
    - {pattern: each, from: "host[1-5]/gpu0", to: "%s/gpu0", bytes: %s}
    - {from: host2/gpu0, to: host6/gpu0, bytes: %s}
`, pick("100Gb/s", "400Gb/s"), pick("ecmp", "spray"), algorithm, n, pick("host[2-6]", "host6"),
			pick("1B", "100kB", "1MB"), pick("70kB", "3MB"))
		sc, err := scenario.Parse("job.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, bound := foresight.LeastOf(p, 0)
		took := run(t, yaml, Options{}).VirtualTime
		if !bound || took < unit.Time(l.Time) {
			t.Errorf("draw %d: %s, less than the %s of %s over port %d", n, took, l.Time, l.Bytes, l.Port)
		}
	}
}
