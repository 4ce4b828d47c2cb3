package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// twoTiers is hosts 1 to 4 on leaf1 and 5 to 8 on leaf2; all that crosses goes over spine1.
const twoTiers = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  links: {spine: 100Gb/s}
  switch: {buffer: 2MB}
  qos: {ecn: {min: 1MB, max: 1500kB}}
%s
congestion: {algorithm: none}
job:
  flows:
`

const crossing = `    - {name: one, from: host1/gpu0, to: host5/gpu0, bytes: 100kB}
`

// A switch that is said to be as the others is as the others: the tables are the same to the byte.
func TestSwitchThatDoesNotDiffer(t *testing.T) {
	flows := crossing + "    - {name: two, from: host2/gpu0, to: host5/gpu0, bytes: 2MB}\n" +
		"    - {name: three, from: host6/gpu0, to: host5/gpu0, bytes: 2MB}\n"
	plain := run(t, fmt.Sprintf(twoTiers, "")+flows, Options{})
	same := run(t, fmt.Sprintf(twoTiers, `
  switches:
    - {match: "*", buffer: 2MB, latency: 600ns, reserve: 4KiB, mtu: 9216B, data_weight: 50,
       ecn: {min: 1MB, max: 1500kB}, pfc: {enabled: true, alpha: 1/8}}`)+flows, Options{})
	if plain.Pauses == 0 {
		t.Error("nothing was paused: the run compares less than it means to")
	}
	for _, table := range plain.Run.Tables() {
		a, err1 := os.ReadFile(filepath.Join(plain.path, table+".parquet"))
		b, err2 := os.ReadFile(filepath.Join(same.path, table+".parquet"))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("table %s differs: %v %v", table, err1, err2)
		}
	}
}

// The latency of a switch adds to what crosses it, and to nothing else.
func TestLatencyOfASwitch(t *testing.T) {
	flows := crossing + "    - {name: two, from: host2/gpu0, to: host3/gpu0, bytes: 100kB}\n"
	plain := run(t, fmt.Sprintf(twoTiers, "")+flows, Options{})
	slow := run(t, fmt.Sprintf(twoTiers, "  switches: [{match: spine1, latency: 2us}]")+flows, Options{})
	const more = 1400 * unit.Nanosecond
	a, b := timesOf(t, plain), timesOf(t, slow)
	if d := b["one"].FCT - a["one"].FCT; d != more || b["one"].SwitchLatency-a["one"].SwitchLatency != more {
		t.Errorf("over the spine: %v longer, want %v", d, more)
	}
	if a["two"] != b["two"] {
		t.Errorf("beside it: %+v, want %+v", b["two"], a["two"])
	}
}

func timesOf(t *testing.T, r ran) map[string]result.FlowRow {
	t.Helper()
	all := map[string]result.FlowRow{}
	for f, err := range r.Run.Flows() {
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = f
	}
	return all
}

// fastUp is twoTiers where the spine gets twice as much as it can send on: it is the spine that queues.
var fastUp = strings.Replace(twoTiers, "  links: {spine: 100Gb/s}\n",
	"  links:\n    spine: 100Gb/s\n    named: [{link: leaf1/spine1, rate: 200Gb/s}]\n", 1)

// incastAcross: three hosts of leaf1 send to one of leaf2 each, all over one port of the spine.
const incastAcross = `    - {name: one, from: host1/gpu0, to: host5/gpu0, bytes: 500kB}
    - {name: two, from: host2/gpu0, to: host6/gpu0, bytes: 500kB}
    - {name: three, from: host3/gpu0, to: host7/gpu0, bytes: 500kB}
`

// The spine with a small buffer pauses the leaf, and the leaf then its hosts; with a marking curve of its
// own it alone marks. What check prints and run.json keeps is what it does.
func TestBufferAndMarkingOfASwitch(t *testing.T) {
	base := strings.Replace(fastUp, "buffer: 2MB", "buffer: 16MB", 1)
	plain := run(t, fmt.Sprintf(base, "")+incastAcross, Options{})
	const profile = `  switches:
    - {match: "spine?", buffer: 600kB}
    - {match: spine1, ecn: {min: 20kB, max: 80kB, probability: 1/2}}`
	small := run(t, fmt.Sprintf(base, profile)+incastAcross, Options{})
	pauses := func(r ran) map[string]int64 {
		return linksOf(t, r, func(l *result.LinkRow) int64 { return l.PausesSent })
	}
	marks := func(r ran) map[string]int64 {
		return linksOf(t, r, func(l *result.LinkRow) int64 { return l.ECNMarks })
	}
	if n := pauses(plain)["spine1/leaf1"]; n != 0 {
		t.Errorf("the large buffer: %d pauses by the spine", n)
	}
	if n := pauses(small)["spine1/leaf1"]; n == 0 {
		t.Error("the small buffer: no pauses by the spine")
	}
	for port, n := range marks(small) {
		if (n > 0) != (port == "spine1/leaf2") {
			t.Errorf("%s: %d marks", port, n)
		}
	}
	if plain.ECNMarks != 0 {
		t.Errorf("without a profile: %d marks", plain.ECNMarks)
	}
	found := 0
	for _, row := range small.Thresholds {
		if (row.Switch == "spine") != (row.Match == "spine?, spine1") {
			t.Errorf("row %+v", row)
		}
		if row.Match != "" {
			found++
			if row.ECN.Min != 20*unit.Kilobyte || row.ECN.Max != 80*unit.Kilobyte || row.Shared >= 600*unit.Kilobyte {
				t.Errorf("row of the spine: %+v", row)
			}
		}
	}
	if found == 0 {
		t.Error("no thresholds of the spine")
	}
	other := run(t, fmt.Sprintf(base, profile)+incastAcross, Options{Islands: 5, Workers: 3})
	if digestOf(t, other.path) != digestOf(t, small.path) {
		t.Error(firstDifference(t, other.path, small.path))
	}
}

func linksOf(t *testing.T, r ran, of func(*result.LinkRow) int64) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for l, err := range r.Links() {
		if err != nil {
			t.Fatal(err)
		}
		all[l.Port] = of(&l)
	}
	return all
}

// A spine without PFC drops what the leaf in front of it need not stop sending.
func TestPFCOfASwitch(t *testing.T) {
	profile := "  switches: [{match: spine1, buffer: 600kB, pfc: {enabled: false}}]"
	r := run(t, fmt.Sprintf(fastUp, profile)+incastAcross, Options{})
	drops := linksOf(t, r, func(l *result.LinkRow) int64 { return l.Drops })
	if drops["spine1/leaf2"] == 0 || drops["spine1/leaf2"] != r.Drops || r.LosslessDrops != 0 {
		t.Errorf("drops %v", drops)
	}
	if i := slices.IndexFunc(r.Pausing, func(p result.PauseFigures) bool { return p.Port == "spine1/leaf1" }); i >= 0 {
		t.Errorf("the spine pauses: %+v", r.Pausing[i])
	}
}

// A switch has its own idea of classes, and of how to choose: what check warns of happens, the partition changes
// nothing, and check says who differs in what.
func TestClassesAndChoicesOfASwitch(t *testing.T) {
	for _, c := range []struct {
		profile, warns string
		drops, spread  bool
	}{
		{"dscp: 26", "take DSCP 26 for RoCE data, and NICs write 24: there it is other traffic", true, false},
		{"data_priority: 4", "spine1 pauses priority 4, and leaf1 sends RoCE data with priority 3", true, false},
		{"data_priority: 0, other_priority: 3", "spine1 pauses priority 0", true, false},
		{"cnp_dscp: 50", "", false, false},
		{"balance: spray, spray: {pick: round-robin}", "", false, false},
	} {
		yaml := fmt.Sprintf(fastUp, "  switches: [{match: spine1, buffer: 1MB, "+c.profile+"}]") + incastAcross
		sc, err := scenario.Parse("switch.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		in, err := Inspect(sc)
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(in.Findings, func(f scenario.Finding) bool {
			return c.warns != "" && strings.Contains(f.Message, c.warns)
		})
		if warned != (c.warns != "") {
			t.Errorf("%s: findings %v", c.profile, in.Findings)
		}
		if d := in.Plan.Switches.Differing(); len(d) != 1 || !slices.Equal(d[0].Switches, []string{"spine1"}) || len(d[0].Keys) < 2 {
			t.Errorf("%s: differing %+v", c.profile, d)
		}
		r := run(t, yaml, Options{})
		if got := linksOf(t, r, func(l *result.LinkRow) int64 { return l.Drops })["spine1/leaf2"] > 0; got != c.drops {
			t.Errorf("%s: drops at the spine: %v", c.profile, got)
		}
		other := run(t, yaml, Options{Islands: 5, Workers: 3})
		if digestOf(t, other.path) != digestOf(t, r.path) {
			t.Errorf("%s: %s", c.profile, firstDifference(t, other.path, r.path))
		}
	}
}

// One leaf sprays and the other hashes: what leaf1 sends takes all spines, what leaf2 sends takes one.
func TestOneLeafSprays(t *testing.T) {
	yaml := strings.Replace(fmt.Sprintf(twoTiers, "  switches: [{match: leaf1, balance: spray}]"), "spines: 1", "spines: 4", 1)
	yaml = strings.Replace(yaml, "congestion:", "transport: {receiver: direct}\ncongestion:", 1) +
		"    - {name: one, from: host1/gpu0, to: host5/gpu0, bytes: 1MB}\n" +
		"    - {name: two, from: host6/gpu0, to: host2/gpu0, bytes: 1MB}\n"
	data := linksOf(t, run(t, yaml, Options{}), func(l *result.LinkRow) int64 { return int64(l.DataBytes) })
	taken := map[string]int{}
	for port, n := range data {
		if leaf, to, _ := strings.Cut(port, "/"); strings.HasPrefix(to, "spine") && n > 0 {
			taken[leaf]++
		}
	}
	if taken["leaf1"] != 4 || taken["leaf2"] != 1 {
		t.Errorf("spines that carry data: %v", taken)
	}
}
