package dump

import (
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// TestCollected: what tools print is read, by counter, with N/A unknown and not 0.
func TestCollected(t *testing.T) {
	r := NewReader(GivenNames())
	collected, err := os.ReadFile("testdata/collected.txt") // layouts are those that the tools print, figures are made up
	if err != nil {
		t.Fatal(err)
	}
	forms, err := r.Add("leaf1-and-host1", collected)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(forms)
	if got := strings.Join(forms, ", "); got != "SONiC's tables, carrier_down_count, ethtool, ethtool -S, nvidia-smi, rdma" {
		t.Errorf("forms: %s", got)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*telemetry.Series{}
	for i := range all.Series {
		s := &all.Series[i]
		name := string(s.Kind) + " " + s.Device + " " + s.Port
		if s.Kind == telemetry.Queue {
			name += " " + string(rune('0'+s.Priority))
		}
		at[name] = s
	}
	ten := unit.Time(10*3600*unit.Second) + unit.Time(250*unit.Millisecond)
	const U = telemetry.Unknown
	for name, want := range map[string]map[telemetry.Counter]int64{
		"port leaf1 leaf1/Ethernet4": {telemetry.RxPackets: 1, telemetry.TxPackets: 128, telemetry.TxBytes: 4_096_640,
			telemetry.OutDiscards: 0, telemetry.RxPFC: 1200, telemetry.TxPFC: 42, telemetry.RxPause: 1_430_570, telemetry.Watermark: 4096,
			telemetry.ECNMarked: 1_032_740, telemetry.Watchdog: 3, telemetry.Speed: 400_000, telemetry.Up: 1, telemetry.LinkDowns: 2,
			telemetry.InErrors: 0, telemetry.RxBytes: U},
		"port leaf1 leaf1/Ethernet120": {telemetry.RxPackets: 1_010_254, telemetry.InErrors: 7, telemetry.InDiscards: 28,
			telemetry.OutDiscards: 12,
			telemetry.TxPackets:   U, telemetry.RxPFC: U, telemetry.Up: 0},
		"queue leaf1 leaf1/Ethernet4 1": {telemetry.Watermark: 2_554_880, telemetry.RxPFC: 0},
		"queue leaf1 leaf1/Ethernet4 4": {telemetry.TxPFC: 3},
		"nic host1 host1/eth0": {telemetry.RxBytes: 123_456_789_012, telemetry.RxPFC: 5, telemetry.RxPause: 1700, telemetry.TxPFC: U,
			telemetry.LinkDowns: 1, telemetry.Speed: 400_000, telemetry.Up: 1, telemetry.OutOfSequence: 17, telemetry.SequenceErrors: 3,
			telemetry.AckTimeouts: 2, telemetry.RPHandled: 8, telemetry.NPMarked: 9, telemetry.NPSent: 4},
		"gpu host1 gpu0": {telemetry.Power: 643_250, telemetry.Utilisation: 100},
		"gpu host1 gpu1": {telemetry.Power: U, telemetry.Utilisation: 7},
	} {
		s := at[name]
		if s == nil {
			t.Errorf("%s: is not there", name)
			continue
		}
		if len(s.At) != 1 || s.Device == "leaf1" && s.At[0] != ten {
			t.Errorf("%s: at %v", name, s.At)
		}
		for c, v := range want {
			if got := s.Value(c, 0); got != v {
				t.Errorf("%s: %s is %d, want %d", name, telemetry.Counters[c].Name, got, v)
			}
		}
	}
	for _, k := range []string{"nic host1 host1/mlx5_0", "port leaf1 leaf1/mlx5_0"} {
		if at[k] != nil {
			t.Errorf("%s: it is eth0", k)
		}
	}
	listsUnread(t, r, "rx_out_of_buffer", "rx_write_requests", "UC8", "MC0", "the column name")
}

// listsUnread holds that a reader lists what it did not understand.
func listsUnread(t *testing.T, r *Reader, all ...string) {
	t.Helper()
	left := strings.Join(r.Unread(), "\n")
	for _, want := range all {
		if !strings.Contains(left, want) {
			t.Errorf("%s is not listed as not understood:\n%s", want, left)
		}
	}
}

// TestDamaged: what is wrong is said with its line and column.
func TestDamaged(t *testing.T) {
	const dated = "a$ date -Ins\n2026-01-31T10:00:00Z\n"
	for _, c := range [][2]string{
		{dated + "a$ show pfc counters\nPort Rx  PFC0\n-------  ----\n    Eth  -1\n", `x:6:10: -1: want a count`},
		{dated + "a$ show pfc counters\nPort Rx  PFC0\n-------  ----\n    Ethern 12\n", `x:6:`},
		{dated + "a$ ethtool -S e\nNIC statistics:\n     rx_bytes_phy 12\n", `x:5:6: rx_bytes_phy: want NAME: COUNT`},
		{dated + "a$ rdma statistic\nlink m/1 np_cnp_sent x\n", `x:4:22: x: want a count`},
		{"a$ rdma statistic\nlink m/1 np_cnp_sent 1\n", `x:2:1: rdma statistic of no time`},
		{"a$ nvidia-smi\ntimestamp, index, power.draw [W]\n2026/02/30 10:00:00.1, 0, 1 W\n", `x:3:1:`},
		{"a$ nvidia-smi\ntimestamp, index, power.draw [W]\n2026/01/30 10:00:00.1, 0\n", `want 3 values`},
		{"2026-01-31T10:00:00Z a NCCL b\nnonsense here\n", `x:2:1: nonsense: want a line of a log`},
		{"node_network_up{device=\"e\",instance=\"a\"} 1 1000\nnode_network_up{device=\"e\",device=\"f\"} 1 1000\n", `x:2:`},
		{"node_network_receive_bytes_total{device=\"e\",instance=\"a\"} -5 1000\n", `x:1:59: -5: want bytes from 0`},
		{"node_network_receive_bytes_total{device=\"e\",instance=\"a\"} 5 1000.5\n", `want a time in milliseconds`},
		{"a$ cat t_rank_1\n{\"pg_config\": {}, \"entries\": [{\"collective_seq_id\": \"x\"}]}\n", `x:2:`},
	} {
		r := NewReader(GivenNames())
		text, want := c[0], c[1]
		_, err := r.Add("x", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestNotReady: what is of no device or no time is listed with what is wanted.
func TestNotReady(t *testing.T) {
	const dated = "a$ date -Ins\n2026-01-31T10:00:00Z\n"
	for text, want := range map[string]string{
		"NIC statistics:\n     rx_bytes_phy: 12\n":                  "of no device: want a prompt",
		"a$ ethtool -S e\nNIC statistics:\n     rx_bytes_phy: 12\n": "of no time: want what date -Ins printed",
		"Port Rx  PFC0\n-------  ----\n    Eth     1\n":             "of no device: want a prompt",
		dated + "a$ ethtool -i e\nNIC statistics:\n x: 1\n":         "of no interface",
		"{\"pg_config\": {}, \"entries\": []}":                      "whose rank nothing tells",
		"{\"x\": 1}":                                                "JSON of no form",
		"a$ show version\n":                                         "show version printed nothing",
	} {
		r := NewReader(GivenNames())
		forms, err := r.Add("x", []byte(text))
		if err != nil || len(forms) > 0 || !strings.Contains(strings.Join(r.Unread(), "\n"), want) {
			t.Errorf("%q: %v, %v, %q, want %q", text, forms, err, r.Unread(), want)
		}
	}
}

// TestDevices: whose a sample is, by label, by node_uname_info, by prompt.
func TestDevices(t *testing.T) {
	for text, want := range map[string]string{
		"node_network_up{device=\"e\",instance=\"h1:9100\"} 1 1000\n": "h1/e",
		"node_network_up{device=\"e\",instance=\"10.0.0.1:9100\"} 1 1000\n" +
			"node_uname_info{instance=\"10.0.0.1:9100\",nodename=\"h1\"} 1 1000\n": "h1/e",
		"node_uname_info{nodename=\"h1\"} 1\nnode_time_seconds 1.5e+09\nnode_network_up{device=\"e\"} 1\n":              "h1/e",
		"a@h1:~$ date +%s.%N\n1500000000.25\na@h1:~$ curl -s localhost:9100/metrics\nnode_network_up{device=\"e\"} 1\n": "h1/e",
		"node_network_up{device=\"e\",hostname=\"h1\",instance=\"exporter:9100\"} 1 1000\n":                             "h1/e",
	} {
		r := NewReader(GivenNames())
		if _, err := r.Add("x", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		all, err := r.Telemetry()
		if err != nil || len(all.Series) != 1 || all.Series[0].Port != want || all.Series[0].Device != "h1" {
			t.Errorf("%q: %+v, %v, want %s", text, all, err, want)
		}
	}
}

// TestInspector: verbose records have times; others do not, and are listed.
func TestInspector(t *testing.T) {
	head := `{"header":{"id":"0xab","rank":4,"n_ranks":8,"nnodes":1},"metadata":{"dump_timestamp_us":1752867229276385,"hostname":"h1"},` +
		`"coll_perf":{"coll":"ReduceScatter","coll_sn":1231,"coll_msg_size_bytes":2147483648,"coll_exec_time_us":41057`
	r := NewReader(GivenNames())
	if _, err := r.Add("x", []byte(head+`,"event_trace_ts":{"coll_start_ts":1,"kernel_events":[{"channel_id":0,`+
		`"kernel_start_ts":1752867229235181,`+
		`"kernel_stop_ts":1752867229275811},{"channel_id":1,"kernel_start_ts":1752867229235180,"kernel_stop_ts":1752867229275810}]}}}`+"\n"+
		head+"}}\n")); err != nil {
		t.Fatal(err)
	}
	all, err := r.Telemetry()
	if err != nil || len(all.Collectives) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	p := all.Collectives[0]
	if p.Device != "h1" || p.Rank != 4 || p.Comm != "0xab" || p.Seq != 1231 || p.Op != "reduce-scatter" || p.Bytes != 1<<31 ||
		p.End.Sub(p.Start) != 40_631*unit.Microsecond {
		t.Errorf("%+v", p)
	}
	if left := strings.Join(r.Unread(), "\n"); !strings.Contains(left, "NCCL_INSPECTOR_DUMP_VERBOSE=1") {
		t.Errorf("not listed: %s", left)
	}
}

// TestNames: a table of one's own goes before the given one; what is wrong in it is said with its place.
func TestNames(t *testing.T) {
	n := GivenNames()
	if err := n.Before("own", "# mine\nmy_up up port=device of=host\nnode_network_up in_errors port=device times=2/1\n"); err != nil {
		t.Fatal(err)
	}
	r := NewReader(n)
	text := "my_up{device=\"e\",instance=\"a\"} 1 1000\nnode_network_up{device=\"e\",instance=\"a\"} 3 1000\n"
	if _, err := r.Add("x", []byte(text)); err != nil {
		t.Fatal(err)
	}
	all, err := r.Telemetry()
	if err != nil || len(all.Series) != 1 || all.Series[0].Value(telemetry.InErrors, 0) != 6 || all.Series[0].Value(telemetry.Up, 0) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for text, want := range map[string]string{
		"a up":                    "own:1:1: a: want METRIC COUNTER port=LABEL",
		"9a up port=x":            "own:1:1:",
		"a ups port=x":            "own:1:3: ups: no counter, want rx_bytes",
		"a up port=x gpu=y":       "want one of port=LABEL and gpu=LABEL",
		"a up of=host x=1":        "x=1",
		"\na up port=x times=0":   "own:2:13:",
		"a up port=x of=router":   "want of=switch or of=host",
		"a up port=x where=y":     "want where=LABEL:VALUE",
		"a up port=x times=1/2/3": "want times=N",
	} {
		if err := GivenNames().Before("own", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPriorities: of a port that has counters of all priorities, that is the port's whose PFC frames rose; the first metric of the table
// is taken of several.
func TestPriorities(t *testing.T) {
	text := ""
	for p, values := range map[string][2]string{"0": {"5", "5"}, "4": {"7", "9"}, "3": {"0", "0"}} {
		for i, v := range values {
			at := []string{"1000", "2000"}[i]
			text += "nvswitch_interface_sp_rx_pause{instance=\"a\",interface=\"swp1\",switch_priority=\"" + p + "\"} " + v + " " + at + "\n"
		}
	}
	text += "node_network_receive_bytes_total{instance=\"a\",device=\"swp1\"} 5 1000\n" +
		"nvswitch_interface_dot3_stats_fcs_errors{instance=\"a\",interface=\"swp1\"} 3 1000\n" +
		"node_network_receive_errs_total{instance=\"a\",device=\"swp1\"} 8 1000\n"
	r := NewReader(GivenNames())
	if _, err := r.Add("x", []byte(text)); err != nil {
		t.Fatal(err)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	port := all.Find(telemetry.Port)[0]
	if port.Priority != 4 || port.Value(telemetry.RxPFC, 1) != 9 || port.Value(telemetry.InErrors, 0) != 3 ||
		len(all.Find(telemetry.Queue)) != 2 {
		t.Errorf("%+v", all.Series)
	}
}

// TestBeside: from LLDP and from containerlab's file comes the same graph, with the ports that telemetry has; what is beside a device
// of which nothing was read is left out.
func TestBeside(t *testing.T) {
	const metrics = "node_network_up{device=\"Ethernet1\",instance=\"spine1\"} 1 1000\n" +
		"interfaces_interface_state_counters_in_octets{interface_name=\"Ethernet1\",source=\"spine1\"} 1 1000\n" +
		"interfaces_interface_state_counters_in_octets{interface_name=\"Ethernet1\",source=\"leaf1\"} 1 1000\n" +
		"interfaces_interface_state_counters_in_octets{interface_name=\"Ethernet2\",source=\"leaf1\"} 1 1000\n" +
		"node_infiniband_np_cnp_packets_sent_total{device=\"eth0\",instance=\"host1\"} 1 1000\n"
	for name, text := range map[string]string{
		"lldp": "leaf1# show lldp neighbors\nPort   Neighbor Device ID   Neighbor Port ID   TTL\n" +
			"Et1    spine1               Ethernet1          120\nEt2    host1                eth0               120\n" +
			"Et3    printer              port1              120\nspine1# show lldp neighbors\n" +
			"Port   Neighbor Device ID   Neighbor Port ID   TTL\nEt1    leaf1                Ethernet1          120\n",
		"lab": "name: x\ntopology:\n  links:\n    - endpoints: [\"leaf1:Ethernet1\", \"spine1:Ethernet1\"] # 400Gb/s\n" +
			"    - endpoints: [leaf1:Ethernet2, 'host1:eth0']\n    - endpoints: [leaf1:Ethernet3, printer:port1]\n",
	} {
		r := NewReader(GivenNames())
		for _, x := range []string{metrics, text} {
			if forms, err := r.Add("x", []byte(x)); err != nil || len(forms) == 0 {
				t.Fatalf("%s: %v, %v", name, forms, err)
			}
		}
		all, err := r.Telemetry()
		if err != nil || !r.Beside() {
			t.Fatal(err)
		}
		g, err := r.Graph(all)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := ""
		for i := range g.Ports {
			p := &g.Ports[i]
			got += p.Name + " " + g.Nodes[p.Node].Kind.String() + " > " + g.Ports[i^1].Name + "\n"
		}
		if want := "host1/eth0 host > leaf1/Ethernet2\nleaf1/Ethernet2 leaf > host1/eth0\nleaf1/Ethernet1 leaf > spine1/Ethernet1\n" +
			"spine1/Ethernet1 spine > leaf1/Ethernet1\n"; got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
	r := NewReader(GivenNames())
	twice := "topology:\n - endpoints: [leaf1:Ethernet1, spine1:Ethernet1]\n - endpoints: [leaf1:Ethernet1, host1:eth0]\n"
	for _, x := range []string{metrics, twice} {
		if _, err := r.Add("x", []byte(x)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Graph(all); err == nil || !strings.Contains(err.Error(), "is plugged into") {
		t.Errorf("one port in two cables: %v", err)
	}
	if _, err := NewReader(GivenNames()).Add("x", []byte("topology:\n  links:\n    - endpoints:\n")); err == nil ||
		!strings.Contains(err.Error(), "x:3:") {
		t.Errorf("a cable over several lines: %v", err)
	}
}

// TestSums: marks of a port are the sum of those of its queues, at the times at which all were read; milliseconds of pauses are
// thousands of microseconds; the priority of a port that has PFC counters of one is that one, whichever is usual.
func TestSums(t *testing.T) {
	head := "a$ date -Ins\n2026-01-31T10:00:0%Z\n"
	marks := "a$ show queue wredcounters\nPort  TxQ  EcnMarked/pkts\n----  ---  --------------\n"
	text := strings.Replace(head, "%", "0", 1) + marks + "e1    UC3               5\ne1    UC4               7\n" +
		strings.Replace(head, "%", "1", 1) + marks + "e1    UC3              50\n" +
		"a$ show pfc counters --history\nPort  Priority  Total RX Pause Time MS\n----  --------  ----------------------\n" +
		"e1    PFC5                        12\n" +
		"a$ show pfc counters\nPort Rx  PFC3  PFC5\n-------  ----  ----\ne1        N/A     1\ne2          1     0\ne3          1     0\n"
	r := NewReader(GivenNames())
	if _, err := r.Add("x", []byte(text)); err != nil {
		t.Fatal(err)
	}
	all, err := r.Telemetry()
	if err != nil {
		t.Fatal(err)
	}
	p := all.Find(telemetry.Port)[0]
	if p.Port != "a/e1" || p.Priority != 5 || p.Value(telemetry.ECNMarked, 0) != 12 ||
		p.Value(telemetry.ECNMarked, 1) != telemetry.Unknown || p.Value(telemetry.RxPause, 1) != 12_000 ||
		all.Find(telemetry.Port)[1].Priority != 3 {
		t.Errorf("%+v", all.Series)
	}
}
