package dump

import (
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/judge"
)

// TestVendors: what NX-OS, EOS and NVUE print is read, by counter and priority, with -- unknown; testdata/SOURCES.md has what the texts
// were made after.
func TestVendors(t *testing.T) {
	text, err := os.ReadFile("testdata/vendors.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(GivenNames())
	forms, err := r.Add("vendors", text)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(forms); strings.Join(forms, ", ") != "EOS's marks, EOS's queue monitor, NVUE, NX-OS's queues, tables of ports" {
		t.Errorf("forms: %q", forms)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*telemetry.Series{}
	for i := range all.Series {
		s := &all.Series[i]
		name := string(s.Kind) + " " + s.Port
		if s.Kind == telemetry.Queue {
			name += " " + string(rune('0'+s.Priority))
		}
		at[name] = s
	}
	const U = telemetry.Unknown
	for name, want := range map[string]map[telemetry.Counter]int64{
		"port switch1/Ethernet1/2":  {telemetry.RxPFC: 4_088_353, telemetry.TxPFC: 1890},
		"port switch1/Ethernet1/5":  {telemetry.RxPFC: 0, telemetry.TxPFC: 12},
		"port switch1/Ethernet1/47": {telemetry.RxPFC: 7316, telemetry.TxPFC: 762_946},
		"port switch1/Eth1/2": {telemetry.InErrors: 5, telemetry.OutDiscards: 17, telemetry.Oversize: 3, telemetry.RxBytes: 1_223_303,
			telemetry.RxPackets: 10_389, telemetry.TxBytes: U},
		"port switch1/Ethernet2/1": {telemetry.TxPackets: 118, telemetry.TxBytes: 6800, telemetry.OutDiscards: 9, telemetry.InDiscards: 10,
			telemetry.RxPFC: 8, telemetry.TxPFC: 7},
		"port switch1/Ethernet1/23": {telemetry.Watchdog: 1},
		"port switch2/Et3/1/1": {telemetry.Up: 1, telemetry.Speed: 40_000, telemetry.RxBytes: 1_223_303, telemetry.TxBytes: 3_235_055,
			telemetry.RxPackets: 10_389, telemetry.TxPackets: 37_263, telemetry.InErrors: 2, telemetry.Oversize: 4,
			telemetry.InDiscards: 6, telemetry.OutDiscards: 9, telemetry.RxPFC: 811, telemetry.TxPFC: 42, telemetry.ECNMarked: 2,
			telemetry.Watermark: 41_904},
		"port switch2/Et3/1/4": {telemetry.Up: 0, telemetry.Speed: U},
		"port switch2/Et3/2/2": {telemetry.Up: 0, telemetry.Speed: 10_000, telemetry.ECNMarked: U, telemetry.Watermark: U},
		"port switch3/eth0":    {telemetry.Up: 1, telemetry.LinkDowns: 1, telemetry.RxBytes: 184_151, telemetry.Speed: U},
		"port switch3/swp1": {telemetry.Up: 0, telemetry.LinkDowns: 2, telemetry.Speed: 400_000, telemetry.InErrors: 3,
			telemetry.OutDiscards: 2, telemetry.TxBytes: 57_456, telemetry.ECNMarked: 100, telemetry.RxPFC: 200, telemetry.TxPFC: 300,
			telemetry.RxPause: 77, telemetry.TxPackets: 192},
	} {
		s := at[name]
		if s == nil {
			t.Errorf("%s was not read", name)
			continue
		}
		for c, v := range want {
			if got := s.Value(c, len(s.At)-1); got != v {
				t.Errorf("%s: %s is %d, want %d", name, telemetry.Counters[c].Name, got, v)
			}
		}
		second := 23*unit.Duration(3600*unit.Second) + 59*60*unit.Second + 59*unit.Second
		if got := s.At[0]; got != unit.Time(second) && got != unit.Time(second+250*unit.Millisecond) {
			t.Errorf("%s: read at %v", name, got)
		}
	}
	listsUnread(t, r, "column Align-Err", "column Symbol", "wred-discards", "Restored", "mtu", "queue 11: want 0 to 7",
		"an entry without a queueLength")
}

// TestDamagedVendors: what is wrong is said with its line and column.
func TestDamagedVendors(t *testing.T) {
	const dated = "a# date -Ins\n2026-01-31T10:00:00Z\n"
	for _, c := range [][2]string{
		{"a# show interface counters\nPort InOctets\nEth1 -5\n", "x:5:6: -5: want a count"},
		{"a# show interface counters\nPort InOctets\nEth1 5 6\n", "x:5:1: Eth1: 3 words in a row, want 2"},
		{"a# show interface priority-flow-control\nPort Mode Oper(VL bmap) RxPPP TxPPP\nEth1 Auto On (8) 5\n",
			"x:5:1: Eth1: want PORT MODE"},
		{"a# show interfaces status\nPort Name Status Vlan Duplex Speed Type\nEth1\n", "x:5:"},
		{"a# show queuing interface\nEgress Queuing for Eth1\n| QOS GROUP 9 |\n", "x:5:3: QOS: want a group from 0 to 7"},
		{"a# show queuing interface\nEgress Queuing for Eth1\n 9 - - Active 1 Active 2\n", "x:5:2: 9: want a class of service"},
		{"a# nv show interface swp1 link -o json\n{\"stats\": {\"in-bytes\": -1}}\n", "x:4:1: stats.in-bytes of swp1: want a count"},
		{"a# nv show interface -o json\n{\"swp1\": {\"link\": {\"speed\": 5}}}\n", "x:4:1: link.speed of swp1: want a speed"},
		{"a# show x | json\n{\"intfQueueCounters\": {\"Et1\": {\"queueCounters\": {\"3\": \"-1\"}}}}\n",
			"x:4:1: queue 3 of Et1: -1 marked packets: want a count from 0 below 2^63, or -"},
		{"a# show x | json\n{\"intfQueueCounters\": {\"Et1\": {\"queueCounters\": {\"3\": 4}}}}\n", "x:4:"},
		{monitor(`"entryList": [{"interface": "Et1", "trafficClass": 3, "queueLength": -1}]`), "x:4:1: entry 1: want an interface"},
		{monitor(`"entryList": [{"trafficClass": 3, "queueLength": 1}]`), "x:4:1: entry 1: want an interface"},
		{monitor(`"platformName": "FocalPointV2", "bytesPerTxmpSegment": 480, "entryList": [{"interface": "Et1", "trafficClass": 3, ` +
			`"queueLength": 9223372036854775807}]`), "x:4:1: entry 1: want an interface, and a queueLength from 0 below 2^63 bytes"},
		{monitor(`"entryList": [7]`), "x:4:"},
		{"a# ncclras -f json\n" +
			"{\"communicators\": [{\"hash\": \"0x1\", \"ranks\": [{\"rank\": 0}]}]}\n",
			"rank 0 of communicator 1: want a host"},
		{"a# all_reduce_perf -b 8\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n8 2 float\n", "x:5:"},
	} {
		r := NewReader(GivenNames())
		if _, err := r.Add("x", []byte(dated+c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%q: %v, want %s", c[0], err, c[1])
		}
		if forms, err := NewReader(GivenNames()).Add("x", []byte(c[0])); err != nil || len(forms) > 0 { // of no time
			t.Errorf("%q without a time: %q, %v", c[0], forms, err)
		}
	}
}

// monitor is what EOS's queue monitor prints, with some of its members.
func monitor(members string) string {
	return "a# show queue-monitor length | json\n{\"lanzEnabled\": true, " + members + "}\n"
}

// TestQueueMonitor: lengths are bytes, but on a chip that counts segments; where neither is known, or nothing is monitored, that is said,
// and nothing is read. The deepest of a queue counts, whatever the order.
func TestQueueMonitor(t *testing.T) {
	const entries = `"entryList": [{"interface": "Ethernet4", "trafficClass": 1, "queueLength": 559},
		{"interface": "Et4", "trafficClass": 1, "queueLength": 3018}, {"interface": "Et4", "trafficClass": 1, "queueLength": 888},
		{"interface": "Et4", "trafficClass": 2, "queueLength": 0}]`
	for _, c := range []struct {
		members, unread string
		want            []int64 // of both queues
	}{
		{`"platformName": "Trident3", `, "", []int64{3018, 0}},
		{`"bytesPerTxmpSegment": 0, `, "", []int64{3018, 0}},
		{`"platformName": "FocalPointV2", "bytesPerTxmpSegment": 480, `, "", []int64{1_448_640, 0}},
		{`"platformName": "FocalPointV2", `, "whether lengths are bytes is not known", nil},
		{`"platformName": "Jericho", "bytesPerTxmpSegment": 480, `, "whether lengths are bytes is not known", nil},
		{`"lanzEnabled": false, `, "it is not enabled", nil},
	} {
		r := NewReader(GivenNames())
		if _, err := r.Add("x", []byte("a# date -Ins\n2026-01-31T10:00:00Z\n"+monitor(c.members+entries))); err != nil {
			t.Fatal(err)
		}
		var got []int64
		if all, err := r.Telemetry(); err == nil {
			for _, s := range all.Find(telemetry.Port, telemetry.Queue) {
				got = append(got, s.Value(telemetry.Watermark, 0))
			}
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: %v, want %v", c.members, got, c.want)
		}
		if c.unread != "" {
			listsUnread(t, r, c.unread)
		}
	}
}

// rasText is a status of four ranks, of which one has begun so many collectives.
func rasText(behind string) string {
	rank := func(n, host, count string) string {
		return `{"rank": ` + n + `, "host": "` + host + `", "pid": 1, "cuda_dev": ` + n + `, "status": {"init_state": 0}, ` +
			`"collective_counts": {"AllReduce": ` + count + `, "Broadcast": 0}}`
	}
	return `{"nccl_version": "2.28.9", "communicators_count": 1, "communicators": [{"hash": "0xab", "size": 5, "ranks": [` +
		rank("0", "node1", "101") + ", " + rank("1", "node1", behind) + ", " + rank("2", "node2", "101") + ", " +
		rank("3", "node2", "101") +
		`], "missing_ranks": [{"rank": 4, "host": "node3", "considered_dead": true, "unresponsive": true}]}]}` + "\n"
}

// TestRAS: a rank that has begun fewer collectives at two times is who is waited for; at one time it may be on its way.
func TestRAS(t *testing.T) {
	for _, c := range []struct {
		texts []string
		wrong bool
	}{{[]string{rasText("100")}, false}, {[]string{rasText("100"), rasText("101")}, false},
		{[]string{rasText("100"), rasText("100")}, true}} {
		r := NewReader(GivenNames())
		session := ""
		for i, text := range c.texts {
			session += "root@node1:~# date -Ins\n2026-01-31T10:00:0" + string(rune('0'+i)) + "Z\nroot@node1:~# ncclras -v -f json\n" + text
		}
		if forms, err := r.Add("x", []byte(session)); err != nil || !slices.Equal(forms, []string{"RAS's status"}) {
			t.Fatalf("%q, %v", forms, err)
		}
		all, err := r.Telemetry()
		if err != nil {
			t.Fatal(err)
		}
		v := judge.Judge(judge.Case{Now: all})
		if v.Wrong != c.wrong || v.Wrong && (v.Hypotheses[0].Mechanism != judge.DeadRank || v.Hypotheses[0].Place.Name != "node1/gpu1") {
			t.Errorf("%d statuses: %+v", len(c.texts), v.Hypotheses)
		}
		if len(all.Lines) != len(c.texts) || all.Lines[0].Text != "NCCL RAS: rank 4 of 0xab is missing, considered dead" ||
			all.Lines[0].Device != "node3" {
			t.Errorf("%+v", all.Lines)
		}
	}
}

// TestBenchmark: rows of nccl-tests are collectives of all ranks, and steps of the first, one after the other.
func TestBenchmark(t *testing.T) {
	r := NewReader(GivenNames())
	forms, err := r.Add("x", []byte("root@node1:~# date -Ins\n2026-01-31T10:00:00Z\nroot@node1:~# mpirun -n 2 ./all_reduce_perf -b 8\n"+
		"# Collective test starting: ./all_reduce_perf\n#  Rank  0 Group  0 Pid  1 on      node1 device  0 [0000:1b:00] NVIDIA H100\n"+
		"#  Rank  1 Group  0 Pid  2 on      node2 device  3 [0000:1b:00] NVIDIA H100\n"+
		"#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"+
		"#  (B)  (elements)  (us)  (GB/s)  (GB/s)  (us)  (GB/s)  (GB/s)\n"+
		"  32768  8192  float  sum  -1  20.00  1.64  1.64  0  10.50  3.12  3.12  0\n"))
	if err != nil || !slices.Equal(forms, []string{"nccl-tests"}) {
		t.Fatalf("%q, %v", forms, err)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Collectives) != 4 || len(all.Steps) != 2 {
		t.Fatalf("%+v\n%+v", all.Collectives, all.Steps)
	}
	p := all.Collectives[3]
	if p.Device != "node2" || p.Port != "gpu3" || p.Seq != 1 || p.Op != "all-reduce" || p.Bytes != 32768 ||
		p.Start.Sub(all.Collectives[0].End) != 0 || p.End.Sub(p.Start) != 10_500*unit.Nanosecond {
		t.Errorf("%+v", p)
	}
}

// TestBenchmarkJSON: what nccl-tests writes with -J says itself when and where it ran.
func TestBenchmarkJSON(t *testing.T) {
	text, err := os.ReadFile("../../job/nccltests/testdata/results.json")
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(GivenNames())
	if forms, err := r.Add("x", text); err != nil || !slices.Equal(forms, []string{"nccl-tests"}) {
		t.Fatalf("%q, %v", forms, err)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Collectives) != 6 || len(all.Steps) != 3 { // two results of one size, one of the other, by two ranks
		t.Fatalf("%+v\n%+v", all.Collectives, all.Steps)
	}
	first, last := all.Steps[0], all.Steps[2]
	if began := unit.Time((10*3600 + 15*60 + 30) * int64(unit.Second)); first.Start != began || first.Device != "node1" {
		t.Errorf("it began at %v at %s, want %v at node1", first.Start, first.Device, began)
	}
	if took := last.End.Sub(first.Start); took != 18_432*unit.Nanosecond+18_500_001*unit.Picosecond+22_250*unit.Nanosecond {
		t.Errorf("steps take %v together", took)
	}
	if p := all.Collectives[5]; p.Op != "reduce-scatter" || p.Bytes != 2097152 || p.Seq != 2 {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct{ from, to, want string }{
		{"2026-11-02 10:15:30", "2026-13-02 10:15:30", "want a time such as"},
		{"2026-11-02 10:15:30", "today", "want a time such as"},
		{`"devices"`, `"machines"`, "no config.devices"},
		{`"hostname":"node1"`, `"hostname":""`, "want the host that it runs on"},
		{`"time":18.432000`, `"time":"soon"`, "soon"},
	} {
		if _, err := NewReader(GivenNames()).Add("x", []byte(strings.Replace(string(text), c.from, c.to, 2))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
}
