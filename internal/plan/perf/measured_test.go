package perf

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/job/nccltests"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// devices are those of hosts with GPUs of a name.
func devices(name string, gpus ...int) (all []nccltests.Device) {
	for h, n := range gpus {
		for i := range n {
			all = append(all, nccltests.Device{Rank: len(all), Host: fmt.Sprint("node", h+1), Device: i, Name: name})
		}
	}
	return all
}

func TestMachinesOf(t *testing.T) {
	split := devices("NVIDIA H100 80GB HBM3", 2)
	split[1].Group = 1
	mixed := devices("NVIDIA H100 80GB HBM3", 2)
	mixed[1].Name = "NVIDIA H200"
	for _, c := range []struct {
		table nccltests.Table
		want  string
	}{
		{nccltests.Table{}, "0 x 0 "},
		{nccltests.Table{Devices: devices("NVIDIA H200", 8)}, "1 x 8 hgx-h200"},
		{nccltests.Table{Devices: devices("NVIDIA A100-SXM4-80GB", 4, 4)}, "2 x 4 hgx-a100"},
		{nccltests.Table{Devices: devices("NVIDIA H100 PCIe", 2)}, "1 x 2 "},
		{nccltests.Table{Devices: devices("NVIDIA H100 NVL", 2)}, "1 x 2 "},
		{nccltests.Table{Devices: devices("NVIDIA GH200 480GB", 1)}, "1 x 1 "},
		{nccltests.Table{Devices: devices("NVIDIA B200", 8), Cut: true}, "0 x 0 hgx-b200"},
		{nccltests.Table{Devices: devices("NVIDIA B200", 8, 4)},
			`8 GPUs on "node1", 4 on "node2": want as many on each host`},
		{nccltests.Table{Devices: split}, "ranks in groups 0 and 1: want one group of all ranks"},
		{nccltests.Table{Devices: mixed}, `rank 0 has "NVIDIA H100 80GB HBM3", rank 1 "NVIDIA H200": want equal GPUs`},
	} {
		m, err := MachinesOf(&c.table)
		got := fmt.Sprintf("%d x %d %s", m.Hosts, m.GPUs, m.Preset)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// measuredRow is a row as nccl-tests counts it over 8 ranks.
func measuredRow(op coll.Collective, size unit.Bytes, time unit.Duration) nccltests.Row {
	r := nccltests.NewResult(nccltests.Operation{Collective: op}, 8, max(size, 1), time)
	return nccltests.Row{Bytes: size, Type: "float", RedOp: "none", Root: -1, In: &r}
}

// What cannot be compared says why, and what was measured otherwise than simulated is noted.
func TestMeasured(t *testing.T) {
	us := unit.Microsecond
	odd := measuredRow(coll.BroadcastFrom, 1<<20, 30*us)
	odd.Out, odd.In = odd.In, nil
	odd.Type, odd.Root, odd.Out.Errors = "half", 3, nccltests.Errors{Checked: true, Value: 2}
	table := &nccltests.Table{CPUTime: true, Rows: []nccltests.Row{measuredRow(coll.BroadcastFrom, 0, 5*us),
		measuredRow(coll.BroadcastFrom, 6, 5*us), measuredRow(coll.BroadcastFrom, 8, 5*us), odd,
		measuredRow(coll.BroadcastFrom, 8, 5*us), measuredRow(coll.BroadcastFrom, 2*unit.Terabyte, 1e9*us)}}
	all, notes, err := sweep(t, coll.BroadcastFrom, 1, 8, Sizes{}).Measured(table)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, fmt.Sprintf("%s %v %v %s", m.Bytes, m.Time, m.InPlace, m.Left))
	}
	want := []string{"0B 5us true no bytes or no time: nothing to compare",
		"6B 5us true ranks here send whole float32 values and would run 4B", "8B 5us true ", "1MiB 30us false ",
		"8B 5us true measured more than once: the first row of a size counts", "2TB 1000s true too large, want at most 1TB"}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if all[3].Algorithm != "chain" || all[3].Channels < 1 || all[3].Count != 1<<18 {
		t.Errorf("%+v: not how perf runs it", all[3].Row)
	}
	for i, want := range []string{"1 size: only measured out of place", "1 size: the log counts wrong results",
		"1 size: measured with another root", `measured with "half"`, "host's times (-C 1)"} {
		if len(notes) != 5 || !strings.Contains(notes[i], want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
}

// Of a row that was measured both ways the figures are those of the way that is simulated.
func TestMeasuredAsSimulated(t *testing.T) {
	for op := coll.AllReduce; op < coll.Barrier; op++ {
		row := measuredRow(op, 1<<20, 30*unit.Microsecond)
		out := nccltests.NewResult(nccltests.Operation{Collective: op}, 8, row.Bytes, 40*unit.Microsecond)
		in := row
		row.Out = &out
		all, notes, err := sweep(t, op, 1, 8, Sizes{}).Measured(&nccltests.Table{Rows: []nccltests.Row{row}})
		if err != nil || len(notes) > 0 || all[0].InPlace != op.InPlace() || (all[0].Time == out.Time) == op.InPlace() {
			t.Errorf("%v: %+v, %q, %v", op, all, notes, err)
		}
		_, notes, err = sweep(t, op, 1, 8, Sizes{}).Measured(&nccltests.Table{Rows: []nccltests.Row{in}})
		if err != nil || (len(notes) == 0) != op.InPlace() ||
			len(notes) > 0 && !strings.Contains(notes[0], "only measured in place; simulated out of place") {
			t.Errorf("%v measured in place: %q, %v", op, notes, err)
		}
	}
}

// A log that is above what a ring can carry, or anything, says so from the first such size on.
func TestAboveTheLinks(t *testing.T) {
	ms := 1000 * unit.Microsecond // a ring of 8 takes 1.044 ms for 256 MiB at 450 GB/s, a tree 1.193 ms, NVLS 0.671 ms
	s := sweep(t, coll.AllReduce, 1, 8, Sizes{})
	for _, c := range []struct {
		took unit.Duration
		want string
	}{
		{2 * ms, ""},
		{ms, "from 256MiB on more was measured than a ring can carry over these links, 450 GB/s of bus bandwidth: NVLS ran"},
		{ms / 2, "from 256MiB on more was measured than anything can carry"},
	} {
		row, twice := measuredRow(coll.AllReduce, 256<<20, c.took), measuredRow(coll.AllReduce, 512<<20, 2*c.took)
		_, notes, err := s.Measured(&nccltests.Table{Rows: []nccltests.Row{twice, row}})
		if got := strings.Join(notes, "; "); err != nil || !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") ||
			strings.Contains(got, "512MiB") {
			t.Errorf("%v: %q, %v, want %q", c.took, got, err, c.want)
		}
	}
}

// Bandwidths of a log tell which operation over how many ranks it is of.
func TestBusBandwidthsOfOtherRanks(t *testing.T) {
	printed := func(op coll.Collective, alg, bus float64) error {
		row := nccltests.Row{Bytes: 1 << 30, Type: "float", In: &nccltests.Result{Time: 1,
			AlgBW: unit.Bitrate(alg * 8e9), BusBW: unit.Bitrate(bus * 8e9)}}
		_, _, err := sweep(t, op, 1, 8, Sizes{}).Measured(&nccltests.Table{Rows: []nccltests.Row{row}})
		return err
	}
	for _, c := range []struct {
		op       coll.Collective
		alg, bus float64
		fits     bool
	}{
		{coll.AllReduce, 265.14, 464.00, true},
		{coll.AllReduce, 0.01, 0.01, true}, // 0.005 to 0.015 times 1.75
		{coll.AllReduce, 1200.1, 2100.2, true},
		{coll.AllReduce, 265.14, 497.14, false}, // 16 ranks
		{coll.AllReduce, 265.14, 265.14, false}, // a broadcast
		{coll.AllReduce, 2, 3.47, false},
		{coll.ReduceScatter, 100, 87.5, true},
		{coll.ReduceScatter, 100, 93.75, false},
	} {
		if err := printed(c.op, c.alg, c.bus); (err == nil) != c.fits {
			t.Errorf("%v, algbw %v, busbw %v: %v", c.op, c.alg, c.bus, err)
		}
	}
	many := &nccltests.Table{Rows: make([]nccltests.Row, MaxRows+1)}
	if _, _, err := sweep(t, coll.AllReduce, 1, 8, Sizes{}).Measured(many); err == nil || err.Error() !=
		"1001 rows, want at most 1000" {
		t.Errorf("%v", err)
	}
	if err := printed(coll.AllReduce, 10, 18.75); err == nil || !strings.Contains(err.Error(),
		"1GiB: busbw is 1.875 times algbw, of all_reduce over 8 ranks it is 1.75") {
		t.Errorf("%v", err)
	}
}

// The model that looks for a reason has the efficiency of the scenario and the algorithm that ran.
func TestCompare(t *testing.T) {
	s := sweep(t, coll.AllReduce, 1, 8, Sizes{})
	s.Algorithm = "ring"
	p := nccl.Default()
	p.NVLinkEfficiency = unit.Ratio{Num: 1, Den: 2}
	var err error
	if s.Base, err = s.Base.Set("cluster.host.nvlink_efficiency", "1/2"); err != nil {
		t.Fatal(err)
	}
	row, err := s.row(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := p.Predict(coll.AllReduce, row.Bytes, plan.NCCLGroup(s.Base, &s.Base.Jobs[0], s.Host), nccl.Ring, nccl.Simple)
	if err != nil {
		t.Fatal(err)
	}
	pairs := []nccl.Pair{{Bytes: row.Bytes, Measured: slow.Time(), Simulated: 3 * slow.Time() / 2}}
	factor := unit.Ratio{Num: 5, Den: 4}
	for _, c := range []struct {
		algorithm scenario.Algorithm
		factor    unit.Ratio
		want      string
	}{
		{"ring", factor, "simulation NCCL's model fits as it is"},
		{"halving-doubling", factor, "unclear NCCL has no halving-doubling of this"},
		{"ring", unit.Ratio{Num: 2, Den: 1}, "none"},
		{"halving-doubling", unit.Ratio{Num: 2, Den: 1}, "none"},
	} {
		row.Algorithm = c.algorithm
		got, err := s.Compare([]Row{row}, pairs, c.factor)
		if err != nil {
			t.Fatal(err)
		}
		text := "none"
		if at := got.Parting; at != nil {
			text = at.Reason.String() + " " + at.Text
		}
		for _, w := range strings.SplitN(c.want, " ", 2) {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %s, want %s", c.algorithm, text, c.want)
			}
		}
		if got.Error < 0.499 || got.Error > 0.501 {
			t.Errorf("%s: error %v, want 0.5", c.algorithm, got.Error)
		}
	}
}
