package commission_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/plan/commission"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// pod is two hosts of two GPUs, each rail on a leaf of its own, under two spines.
const pod = "cluster: {hosts: 2, host: {gpus: 2}}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 16MB}]}\n"

func checksOf(t testing.TB, text string, k commission.Known) (*plan.Plan, []commission.Check) {
	t.Helper()
	sc, err := scenario.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		t.Fatal(err)
	}
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	return p, commission.Checks(p, in, k)
}

func find(t *testing.T, checks []commission.Check, key string) *commission.Check {
	for i := range checks {
		if checks[i].Key == key {
			return &checks[i]
		}
	}
	t.Fatalf("no check %s", key)
	return nil
}

// The ceiling of an RDMA write at 400 Gb/s: 392 with 4 KB of payload in a packet, 370 with 1 KB.
func TestCeilingOfWrites(t *testing.T) {
	for mtu, want := range map[string]float64{"4096B": 392, "1024B": 370} {
		_, checks := checksOf(t, pod+"transport: {mtu: "+mtu+"}\n", commission.Known{})
		if got := float64(find(t, checks, "write.rail2").Expect.N) / 1e9; math.Abs(got-want) > 0.5 {
			t.Errorf("%s: %v Gb/s, want %v", mtu, got, want)
		}
	}
}

// slowHost is pod, with a link inside hosts that is slower than the NIC behind it.
const slowHost = "cluster: {hosts: 2, host: {preset: hgx-h100, gpus: 2, graph: preset, links: [{link: PCIe1/NIC0, rate: 10GB/s}]}}\n" +
	"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 16MB}]}\n"

// What is expected of a write is what a run reaches, but for the time until the first byte is there, also where the host
// is slower than its NIC.
func TestWritesReachWhatIsExpected(t *testing.T) {
	for _, text := range []string{pod, slowHost} {
		p, checks := checksOf(t, text, commission.Known{})
		sum, err := run.Run(context.Background(), p.Scenario, run.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := 16e6 * 8 / sum.Flows[0].Took().Seconds()
		want := find(t, checks, "write.rail1").Expect.N
		if ratio := got / float64(want); ratio > 1 || ratio < 0.98 {
			t.Errorf("%s%v Gb/s, want up to 2%% less than %v", text, got/1e9, float64(want)/1e9)
		}
	}
	_, checks := checksOf(t, slowHost, commission.Known{})
	if c := find(t, checks, "write.rail1"); c.Expect.N != 80e9 || !strings.Contains(c.Note, "PCIe1/NIC0 inside the host") {
		t.Errorf("%+v", c)
	}
	if c := find(t, checks, "write.rail2"); c.Expect.N < 390e9 {
		t.Errorf("%+v", c)
	}
}

// The closed form of a collective knows what PCIe leaves of NICs: it is within a third of packets.
func TestClosedFormKnowsTheHost(t *testing.T) {
	p, _ := checksOf(t, slowHost, commission.Known{})
	s, err := commission.Sweep(p)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Rows()
	if err != nil {
		t.Fatal(err)
	}
	row := rows[20] // 8 MiB
	sc, err := s.Scenario(row)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(context.Background(), sc, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := commission.Simulated(s, row, sum)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(f.Time) / float64(f.Closed); ratio < 3.0/4 || ratio > 4.0/3 {
		t.Errorf("%v by packets, %v by the closed form", f.Time.Human(), f.Closed.Human())
	}
}

// An incast of the usual configuration marks and drops nothing; the collective that is next to the limit of packets takes
// what the closed form says, within a third.
func TestWhatIsSimulated(t *testing.T) {
	text := strings.Replace(pod, "hosts: 2", "hosts: 4", 1)
	p, _ := checksOf(t, text, commission.Known{})
	sc, senders, err := commission.Incast(p)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(context.Background(), sc, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := commission.LoadOf(sum, senders)
	if senders != 3 || l.Marks == 0 || l.Drops != 0 || l.Took < 900*unit.Microsecond {
		t.Errorf("%d senders: %+v", senders, l)
	}
	s, rows, err := commission.Rows(p)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := rows[0].Bytes, rows[len(rows)-1].Bytes; first != 8 || last != 4<<30 {
		t.Errorf("from %v to %v", first, last)
	}
	row := rows[21] // 16 MiB
	if sc, err = s.Scenario(row); err != nil {
		t.Fatal(err)
	}
	if sum, err = run.Run(context.Background(), sc, run.Options{}); err != nil {
		t.Fatal(err)
	}
	f, err := commission.Simulated(s, row, sum)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(f.Time) / float64(f.Closed); ratio < 3.0/4 || ratio > 4.0/3 {
		t.Errorf("%v by packets, %v by the closed form", f.Time.Human(), f.Closed.Human())
	}
	known := commission.Known{Load: l, Figures: []commission.Figure{f}}
	for _, row := range slices.Delete(rows, 21, 22) {
		f, err := commission.Closed(s, row)
		if err != nil {
			t.Fatal(err)
		}
		known.Figures = append(known.Figures, f)
	}
	before, err := commission.Foreseen(p)
	if err != nil {
		t.Fatal(err)
	}
	if had, have := keys(t, text, before), keys(t, text, known); !slices.Equal(had, have) {
		t.Errorf("before anything was simulated %v, then %v", had, have)
	}
}

// keys lists keys and units of checks.
func keys(t *testing.T, text string, k commission.Known) (all []string) {
	_, checks := checksOf(t, text, k)
	for i := range checks {
		all = append(all, checks[i].Key+" "+fmt.Sprint(checks[i].Expect.Kind))
	}
	slices.Sort(all)
	return all
}

// A file of what is expected is read back, and nothing deviates.
func TestTemplatePasses(t *testing.T) {
	k := commission.Known{Load: &commission.Loaded{Senders: 3, Took: unit.Millisecond, Marks: 12, Pauses: 40, Drops: 2},
		Median: unit.Millisecond, P99: 1070 * unit.Microsecond}
	_, checks := checksOf(t, pod, k)
	var b strings.Builder
	if err := commission.WriteTemplate(&b, checks, true); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), string(located.BOM) + strings.ReplaceAll(b.String(), "\n", "\r\n")} {
		m, err := commission.Read("m.txt", []byte(text), checks)
		if err != nil {
			t.Fatal(err)
		}
		all, first := commission.Judge(checks, m)
		if first >= 0 || len(m) != len(checks) {
			t.Errorf("%d of %d values; %+v deviates", len(m), len(checks), all[max(first, 0)].Check)
		}
	}
}

// Whatever the file, reading ends, and what is read has a check.
func FuzzRead(f *testing.F) {
	_, checks := checksOf(f, pod, commission.Known{})
	f.Add("write.rail1 390Gb/s\nidle.drops 0\n# x\nstep.spread 3%\n")
	f.Add("port.leaf1/Ethernet1/1.rate down\nport.leaf1/Ethernet1/2.neighbour host1\nport.leaf1/Ethernet1/2.errors 3\n")
	f.Add("write.rail1 -1Gb/s\n\x00 \xff\nidle.drops 99999999999999999999\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := commission.Read("m.txt", []byte(text), checks)
		if err == nil {
			commission.Judge(checks, m)
		}
	})
}

// stage is a network, what was simulated of it, and what was measured.
type stage struct {
	scripttest.Log
	t        *testing.T
	text     string
	known    commission.Known
	measured strings.Builder
}

// Do obeys: "scenario LINE", "pod LINE" (another network, pod and a line: nothing is measured of it), "load MARKS PAUSES
// DROPS" in 1 ms, "run MEDIAN P99", "measured KEY VALUE", "checks", "judge".
func (s *stage) Do(c []string) {
	rest := strings.Join(c[1:], " ") + "\n"
	switch c[0] {
	case "scenario":
		s.text += rest
	case "pod":
		s.text = pod + rest
		s.measured.Reset()
	case "load":
		s.known.Load = &commission.Loaded{Senders: 2, Took: unit.Millisecond, Marks: int64(len(c[1])), Pauses: int64(len(c[2]))}
	case "run":
		s.known.Median, _ = unit.ParseDuration(c[1])
		s.known.P99, _ = unit.ParseDuration(c[2])
	case "measured":
		s.measured.WriteString(rest)
	case "checks", "judge":
		_, checks := checksOf(s.t, s.text, s.known)
		var m commission.Measured
		if c[0] == "judge" {
			var err error
			if m, err = commission.Read("m.txt", []byte(s.measured.String()), checks); err != nil {
				s.WriteString(err.Error() + "\n")
				return
			}
		}
		all, first := commission.Judge(checks, m)
		out := sheet.New(80)
		commission.Print(out, all, first, commission.Fewer(all), c[0] == "judge")
		var b strings.Builder
		_ = out.Flush(&b)
		text := strings.ReplaceAll(b.String(), "\n\n", "\n") // an empty line would end the outcome
		if c[0] == "judge" {
			text, _, _ = strings.Cut(text, "\nlinks\n")
			text += "\n"
		}
		s.WriteString(text)
	}
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}
