package dump

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// start is 2000-01-01.
const start = 946_684_800

// drawn is telemetry as a run writes it: two switches, two hosts with two GPUs each, and what ranks did.
func drawn(seed uint64) *telemetry.Telemetry {
	s := splitmix.Stream(splitmix.Mix(seed))
	below := func(n uint64) int64 { return int64(s.Next() % n) }
	var b telemetry.Builder
	ports := map[string][]string{"leaf1": {"host1", "host2", "spine1", "spine1#1"}, "spine1": {"leaf1", "leaf1#1"}, "host1": {"leaf1"},
		"host2": {"leaf1"}}
	for _, device := range []string{"leaf1", "spine1", "host1", "host2"} {
		kind := telemetry.Port
		if strings.HasPrefix(device, "host") {
			kind = telemetry.NIC
		}
		for _, port := range ports[device] {
			has := func(c telemetry.Counter) bool {
				switch c {
				case telemetry.Utilisation, telemetry.Power:
					return false
				case telemetry.ECNMarked, telemetry.Watermark, telemetry.Watchdog:
					return kind == telemetry.Port
				}
				return c < telemetry.PCIe || kind == telemetry.NIC
			}
			for i := range 6 {
				r := telemetry.NewRow(kind, device, device+"/"+port, unit.Time(i)*unit.Time(20*unit.Microsecond)+312_500)
				r.Priority = 3
				for c := range telemetry.CounterCount {
					most := map[telemetry.Counter]uint64{telemetry.Up: 2, telemetry.Speed: 1_600_000}[c]
					if has(c) && below(8) > 0 {
						r.Set(c, below(cmp.Or(most, 1<<40)))
					}
				}
				if kind == telemetry.Port && below(4) == 0 {
					q := telemetry.NewRow(telemetry.Queue, device, device+"/"+port, r.Time)
					q.Priority, q.Watermark = 0, below(1<<20)
					b.Add(&q)
				}
				b.Add(&r)
			}
		}
	}
	for i := range 4 {
		device, gpu := fmt.Sprintf("host%d", 1+i/2), fmt.Sprintf("gpu%d", i%2)
		for k := range 5 {
			r := telemetry.NewRow(telemetry.GPU, device, gpu, unit.Time(k+1)*unit.Time(20*unit.Microsecond))
			r.Power, r.Utilisation = below(700_000), below(101)
			b.Add(&r)
		}
		at := unit.Time(below(1e6))
		for seq := range int64(3) {
			r := telemetry.NewRow(telemetry.Collective, device, gpu, at)
			r.Rank, r.Comm, r.Seq, r.Op, r.Bytes = int32(i), "0x00ab", seq, "all-reduce", unit.Bytes(1+below(1<<30))
			if at = at.Add(unit.Duration(below(1e9))); seq < 2 || i > 0 {
				r.End = at
			}
			b.Add(&r)
			r = telemetry.NewRow(telemetry.Step, device, gpu, r.Time)
			r.Rank, r.Seq, r.End = int32(i), seq, at
			b.Add(&r)
		}
	}
	for _, l := range []telemetry.Text{{At: 5, Device: "leaf1", Port: "leaf1/host2", Text: "Set operation status down: leaf1/host2"},
		{At: 6_000_000, Device: "leaf1", Port: "leaf1/spine1#1", Text: "%ADJCHANGE: neighbor spine1#1(spine1) Down"},
		{At: 7_000_000_000, Device: "host2", Port: "host2/leaf1", Text: "mlx5_core: host2/leaf1: Link down"},
		{At: 8_000_000_000_000, Device: "host1", Text: "NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/nic0/GDRDMA"}} {
		r := telemetry.NewRow(telemetry.Line, l.Device, l.Port, l.At)
		r.Text = l.Text
		b.Add(&r)
	}
	return b.Telemetry()
}

// texts are those of a form.
func texts(t *testing.T, of *telemetry.Telemetry, form string) map[string][]byte {
	t.Helper()
	files, err := Files(of, nil, start, form)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = b.Bytes()
	}
	return all
}

func readAll(t *testing.T, all map[string][]byte) *telemetry.Telemetry {
	t.Helper()
	r := NewReader(GivenNames())
	for name, text := range all {
		if forms, err := r.Add(name, text); err != nil || len(forms) == 0 {
			t.Fatalf("%s: %v, %v", name, forms, err)
		}
	}
	got, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	if left := r.Unread(); len(left) > 0 {
		t.Errorf("not understood of what was written: %q", left)
	}
	return got
}

// TestBack: what is written is read as it was, to the picosecond.
func TestBack(t *testing.T) {
	for seed := range uint64(20) {
		for _, form := range Forms() {
			want := drawn(seed)
			got := readAll(t, texts(t, want, form))
			for i := range want.Series {
				for _, c := range Lost(form, want.Series[i].Kind) {
					want.Series[i].Values[c] = nil
				}
			}
			want.Series = slices.DeleteFunc(want.Series, func(s telemetry.Series) bool {
				return !slices.ContainsFunc(s.Values[:], func(v []int64) bool { return v != nil })
			})
			same(t, got, want)
		}
	}
}

// same compares part by part.
func same(t *testing.T, got, want *telemetry.Telemetry) {
	t.Helper()
	if !reflect.DeepEqual(got.Collectives, want.Collectives) {
		t.Errorf("collectives:\n%+v\nwant\n%+v", got.Collectives, want.Collectives)
	}
	if !reflect.DeepEqual(got.Steps, want.Steps) {
		t.Errorf("steps:\n%+v\nwant\n%+v", got.Steps, want.Steps)
	}
	if !reflect.DeepEqual(got.Lines, want.Lines) {
		t.Errorf("lines:\n%+v\nwant\n%+v", got.Lines, want.Lines)
	}
	if len(got.Series) != len(want.Series) {
		t.Fatalf("%d series, want %d", len(got.Series), len(want.Series))
	}
	for i := range got.Series {
		if !reflect.DeepEqual(got.Series[i], want.Series[i]) {
			t.Errorf("series:\n%+v\nwant\n%+v", got.Series[i], want.Series[i])
		}
	}
}

// FuzzAdd: whatever the text, it is read, or refused with a place, and what was read is telemetry.
func FuzzAdd(f *testing.F) {
	for _, form := range Forms() {
		files, err := Files(drawn(1), nil, start, form)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			var b bytes.Buffer
			if err := file.Write(&b); err != nil {
				f.Fatal(err)
			}
			for i := 0; i < b.Len(); i += 3500 {
				f.Add(b.Bytes()[i:min(b.Len(), i+3500)])
			}
		}
	}
	vendors, err := os.ReadFile("testdata/vendors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(vendors); i += 1500 {
		f.Add(vendors[i:min(len(vendors), i+2500)])
	}
	for _, text := range append(seeds, "a# date -Ins\n2026-01-31T10:00:00Z\na# ncclras -f json\n"+rasText("7")) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(GivenNames())
		forms, err := r.Add("x", text)
		if err != nil {
			var ps located.Problems
			if !errors.As(err, &ps) || ps[0].Line < 1 || ps[0].Line > 1+bytes.Count(text, []byte("\n")) || ps[0].Column < 1 {
				t.Errorf("refused without a place: %v", err)
			}
			return
		}
		dated := bytes.Contains(text, []byte("date")) || bytes.Contains(text, []byte("show clock"))
		if len(forms) == 0 && len(r.Unread()) == 0 && len(bytes.TrimSpace(text)) > 0 && !dated {
			t.Errorf("%q: neither read nor listed", text)
		}
		got, err := r.Telemetry()
		if err != nil {
			return // two values at one time, or years apart
		}
		for i := range got.Series {
			s := &got.Series[i]
			if !slices.IsSorted(s.At) || len(s.At) == 0 || s.At[0] < 0 {
				t.Errorf("%+v: not in order of time", s)
			}
			for c := range telemetry.CounterCount {
				if s.Has(c) && (len(s.Values[c]) != len(s.At) || slices.Min(s.Values[c]) < telemetry.Unknown) {
					t.Errorf("%+v: %s", s, telemetry.Counters[c].Name)
				}
			}
		}
	})
}

// seeds are texts of forms that Files does not write.
var seeds = []string{
	"# HELP node_network_up x\nnode_network_up{device=\"eth0\"} 1\nnode_time_seconds 1.7e+09\nnode_uname_info{nodename=\"host1\"} 1\n",
	"root@h1:~# date -Ins\n2026-01-31T10:00:00,123456789+01:00\nroot@h1:~# curl -s localhost:9100/metrics\n" +
		"node_network_up{device=\"e\"} 1\n",
	`{"header":{"id":"0xab","rank":1,"n_ranks":8,"nnodes":1},"metadata":{"hostname":"h1"},"coll_perf":{"coll":"AllReduce","coll_sn":7,` +
		`"coll_msg_size_bytes":64,"event_trace_ts":{"kernel_events":[{"kernel_start_ts":1752867229235181,` +
		`"kernel_stop_ts":1752867229275811}]}}}`,
	"a# date -Ins\n2026-01-31T10:00:00Z\na# all_reduce_perf\n# Rank 0 Group 0 Pid 1 on h device 0 [0000:1b:00] X\n" +
		"# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n" +
		"32768 8192 float sum -1 20.00 1.64 1.64 0 10.50 3.12 3.12 0\n",
	`{"nccl_version":22707,"start_time":"2026-11-02 10:15:30","args":["a_perf"],"config":{"devices":[{"rank":0,"hostname":"h"}]},` +
		`"results":[{"size":4,"count":1,"type":"float","out_of_place":{"time":1.5,"alg_bw":1,"bus_bw":1,"nwrong":null}}]}`,
	"a# show clock\n23:59:59.25 UTC Sat Jan 31 2026\na# show interfaces status\nPort  Name  Status  Vlan  Duplex  Speed  Type\n" +
		"Et1  x  connected  trunk  full  100G  x\n",
	"2026 Jan  5 10:00:00.123456 leaf1 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet8 oper state set from up to down\n",
}

// What no dump has is refused where it stands: lines without end, tables of a million lines, a device in each line.
func TestDumpsAreBounded(t *testing.T) {
	lines := func(head string, n int, line func(i int) string) string {
		b := strings.Builder{}
		b.WriteString(head)
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	const table = "admin@leaf1:~$ date -Ins\n2026-01-31T10:00:00,250000000+00:00\nadmin@leaf1:~$ show pfc counters\n" +
		"    Port Rx    PFC0\n-----------  ------\n"
	for want, text := range map[string]string{
		"m:2:1: more than 65536 bytes in a line": "# TYPE a counter\n" + strings.Repeat("x ", 40_000),
		"1,000,002 lines of one command":         lines(table, 1_000_000, func(int) string { return "\n" }),
		"more than 65,536 ports and GPUs": lines("", 65_537, func(i int) string {
			return fmt.Sprintf("node_network_receive_bytes_total{instance=\"h%d\",device=\"eth0\"} 1 1000\n", i)
		}),
	} {
		if _, err := NewReader(GivenNames()).Add("m", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	short := "# TYPE a counter\n" + strings.Repeat("node_load1 1\n", 20_000) // of short lines as many as there are
	if _, err := NewReader(GivenNames()).Add("m", []byte(short)); err != nil {
		t.Error(err)
	}
}

// A command that printed nothing is one that printed nothing.
func TestACommandThatPrintedNothing(t *testing.T) {
	r := NewReader(GivenNames())
	const text = "admin@leaf1:~$ date -Ins\n2000-01-01T00:00:00,000040+00:00\nadmin@leaf1:~$ cat /sys/class/net/eth0/carrier_down_count\n" +
		"admin@leaf1:~$ show lldp table\n\n"
	if _, err := r.Add("x", []byte(text)); err == nil && len(r.Unread()) == 0 {
		t.Error("nothing is said of it")
	}
}
