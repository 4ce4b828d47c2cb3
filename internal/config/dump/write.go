package dump

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
)

// A File is to be written.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Forms are those in which Files writes.
func Forms() []string { return []string{"prometheus", "commands", "nxos", "eos", "nvue"} }

// written are the metrics that Files writes of a kind.
var written = map[telemetry.Kind][]string{
	telemetry.Port: {"node_network_receive_bytes_total", "node_network_transmit_bytes_total", "node_network_receive_packets_total",
		"node_network_transmit_packets_total", "node_network_up", "node_network_speed_bytes", "nvswitch_interface_dot3_stats_fcs_errors",
		"nvswitch_interface_dot3_stats_frame_too_longs", "nvswitch_interface_discards_ingress_general",
		"nvswitch_interface_discards_egress_general", "nvswitch_interface_sp_rx_pause", "nvswitch_interface_sp_tx_pause",
		"nvswitch_interface_sp_rx_pause_duration", "nvswitch_interface_performance_marked_packets",
		"nvswitch_interface_shared_buffer_port_tc_watermark", "nvswitch_interface_carrier_down_changes_total",
		"railyard_pfc_watchdog_storms_total"},
	telemetry.Queue: {"nvswitch_interface_sp_rx_pause", "nvswitch_interface_sp_tx_pause", "nvswitch_interface_sp_rx_pause_duration",
		"nvswitch_interface_shared_buffer_port_tc_watermark"},
	telemetry.NIC: {"node_ethtool_received_bytes_phy", "node_ethtool_transmitted_bytes_phy", "node_ethtool_received_packets_phy",
		"node_ethtool_transmitted_packets_phy", "node_ethtool_received_crc_errors_phy", "node_ethtool_received_oversize_pkts_phy",
		"node_ethtool_received_discards_phy", "node_ethtool_transmitted_discards_phy", "node_ethtool_received_prio{P}_pause",
		"node_ethtool_transmitted_prio{P}_pause", "node_ethtool_received_prio{P}_pause_duration", "node_ethtool_link_down_events_phy",
		"node_network_up", "node_network_speed_bytes", "node_infiniband_np_ecn_marked_roce_packets_received_total",
		"node_infiniband_np_cnp_packets_sent_total", "node_infiniband_rp_cnp_packets_handled_total",
		"node_infiniband_out_of_sequence_packets_received_total", "node_infiniband_packet_sequence_errors_total",
		"node_infiniband_local_ack_timeout_errors_total", "railyard_nic_pcie_mbps"},
	telemetry.GPU: {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE"},
}

// A writer writes telemetry of a run that began at a time.
type writer struct {
	*telemetry.Telemetry
	graph *topo.Graph
	start int64 // seconds since 1970
	names *Names
	form  string
}

// shell is a name that a prompt can have, and plain one that a command can print.
var (
	shell = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`)
	plain = regexp.MustCompile(`^[!-~]+$`)
)

// Files are the texts of telemetry in a form, with what switches hear of their neighbours if the graph is known. start: when the run
// began, in seconds since 1970, a midnight if the times shall be read back as they are.
func Files(t *telemetry.Telemetry, g *topo.Graph, start int64, form string) ([]File, error) {
	w := &writer{t, g, start, GivenNames(), form}
	if err := w.check(); err != nil {
		return nil, err
	}
	files := []File{{"messages.log", w.log}}
	if g != nil {
		files = append(files, File{"neighbours.txt", w.neighbours})
	}
	if len(t.Collectives) > 0 {
		files = append(files, File{"recorder.txt", w.recorder})
	}
	if form == "prometheus" {
		return append(files, File{"metrics.om", w.metrics}), nil
	}
	var devices []string
	for i := range t.Series {
		devices = append(devices, t.Series[i].Device)
	}
	slices.Sort(devices)
	for _, d := range slices.Compact(devices) {
		files = append(files, File{d + ".txt", w.commands(d)})
	}
	return files, nil
}

// lost are the counters of switches for which a form has no room.
var lost = map[string]map[telemetry.Kind][]telemetry.Counter{
	"commands": {telemetry.Port: {telemetry.RxBytes, telemetry.Oversize}},
	"nxos": {telemetry.Port: {telemetry.RxPause, telemetry.ECNMarked, telemetry.Watermark, telemetry.LinkDowns},
		telemetry.Queue: {telemetry.RxPause, telemetry.Watermark}},
	"eos": {telemetry.Port: {telemetry.RxPause, telemetry.Watchdog, telemetry.LinkDowns},
		telemetry.Queue: {telemetry.RxPFC, telemetry.TxPFC, telemetry.RxPause}},
	"nvue": {telemetry.Port: {telemetry.Oversize, telemetry.Watermark, telemetry.Watchdog}, telemetry.Queue: {telemetry.Watermark}},
}

// Lost are the counters of a kind for which a form has no room.
func Lost(form string, k telemetry.Kind) []telemetry.Counter { return lost[form][k] }

// check refuses names that no text could hold.
func (w *writer) check() error {
	for i := range w.Series {
		s := &w.Series[i]
		rest, own := strings.CutPrefix(s.Port, s.Device+"/")
		if s.Kind == telemetry.GPU {
			rest, own = strings.CutPrefix(s.Port, "gpu")
		}
		if !shell.MatchString(s.Device) || !own || !plain.MatchString(rest) || strings.ContainsAny(rest, ",;()[]'\"") {
			return fmt.Errorf("%s of %s: no port or GPU of a device, as commands could print it", located.Shown(s.Port),
				located.Shown(s.Device))
		}
	}
	for _, p := range slices.Concat(w.Collectives, w.Steps) {
		if !shell.MatchString(p.Device) || p.Rank < 0 || p.Seq < 0 {
			return fmt.Errorf("rank %d of %s, number %d: no rank of a host", p.Rank, located.Shown(p.Device), p.Seq)
		}
	}
	for i := range w.Lines {
		if !shell.MatchString(w.Lines[i].Device) {
			return fmt.Errorf("a line of the log of %s: no name of a device", located.Shown(w.Lines[i].Device))
		}
	}
	return nil
}

// bare is an interface as its device calls it.
func bare(s *telemetry.Series) string {
	if s.Kind == telemetry.GPU {
		return strings.TrimPrefix(s.Port, "gpu")
	}
	return strings.TrimPrefix(s.Port, s.Device+"/")
}

// seconds writes a time as seconds since 1970.
func (w *writer) seconds(t unit.Time) string {
	sec, ps := int64(t)/int64(unit.Second), int64(t)%int64(unit.Second)
	text := strconv.FormatInt(w.start+sec, 10)
	if ps == 0 {
		return text
	}
	return text + "." + strings.TrimRight(fmt.Sprintf("%012d", ps), "0")
}

// stamp writes it as logs have it.
func (w *writer) stamp(t unit.Time) string {
	sec, ps := int64(t)/int64(unit.Second), int64(t)%int64(unit.Second)
	text := momentOf(w.start + sec).String()
	if ps > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%012d", ps), "0")
	}
	return text + "+00:00"
}

// metrics writes OpenMetrics text.
func (w *writer) metrics(to io.Writer) error {
	b := bufio.NewWriter(to)
	of := map[string]*name{}
	for i := range w.names.list {
		of[w.names.list[i].metric] = &w.names.list[i]
	}
	families := map[string][]func(){}
	var order []string
	for i := range w.Series {
		s := &w.Series[i]
		for _, metric := range written[s.Kind] {
			n := of[metric]
			perPriority := slices.Contains(ofPriority, n.counter)
			if !s.Has(n.counter) || perPriority && s.Priority < 0 {
				continue
			}
			full := strings.Replace(metric, "{P}", strconv.Itoa(int(s.Priority)), 1)
			if families[full] == nil {
				order = append(order, full)
			}
			families[full] = append(families[full], func() { w.family(b, full, n, s, perPriority) })
		}
	}
	slices.Sort(order)
	for _, full := range order {
		fmt.Fprintf(b, "# TYPE %s unknown\n", full)
		for _, write := range families[full] {
			write()
		}
	}
	fmt.Fprintln(b, "# EOF")
	return b.Flush()
}

// family writes the samples of a series.
func (w *writer) family(b *bufio.Writer, metric string, n *name, s *telemetry.Series, perPriority bool) {
	labels := fmt.Sprintf("instance=%q,%s=%q", s.Device, n.port, bare(s))
	if s.Kind == telemetry.GPU {
		labels = fmt.Sprintf("Hostname=%q,%s=%q", s.Device, n.gpu, bare(s))
	}
	if perPriority && n.priority != "" {
		labels += fmt.Sprintf(",%s=\"%d\"", n.priority, s.Priority)
	}
	for i, v := range s.Values[n.counter] {
		if v == telemetry.Unknown {
			continue
		}
		fmt.Fprintf(b, "%s{%s} %s %s\n", metric, labels, divided(v, n.num, n.den), w.seconds(s.At[i]))
	}
}

// divided is what a value was before it was multiplied by num/den, exactly where decimals can say it.
func divided(v, num, den int64) string {
	if num == 1 && den == 1 {
		return strconv.FormatInt(v, 10)
	}
	x := new(big.Rat).Mul(new(big.Rat).SetInt64(v), big.NewRat(den, num))
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(12), "0")
}

// log writes lines of logs, on which GPU ranks run, and steps.
func (w *writer) log(to io.Writer) error {
	type said struct {
		at           unit.Time
		device, text string
	}
	var all []said
	on, size := map[rankOn]string{}, int32(0)
	for _, p := range slices.Concat(w.Collectives, w.Steps) {
		on[rankOn{p.Device, p.Rank}] = p.Port
		size = max(size, p.Rank+1)
	}
	for _, k := range slices.SortedFunc(maps.Keys(on), func(a, b rankOn) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.device, b.device))
	}) {
		if gpu, is := strings.CutPrefix(on[k], "gpu"); is {
			all = append(all, said{0, k.device, fmt.Sprintf("NCCL INFO ncclCommInitRank comm 0x0 rank %d nranks %d cudaDev %s nvmlDev %s "+
				"busId 0 commId 0x0 - Init COMPLETE", k.rank, size, gpu, gpu)})
		}
	}
	for _, l := range w.Lines {
		all = append(all, said{l.At, l.Device, shown.Text(l.Text)})
	}
	for _, p := range w.Steps {
		if p.End >= p.Start {
			took := int64(p.End.Sub(p.Start))
			all = append(all, said{p.End, p.Device, fmt.Sprintf("[Rank %d] iteration %d | elapsed time per iteration (ms): %d.%09d",
				p.Rank, p.Seq, took/1e9, took%1e9)})
		}
	}
	slices.SortStableFunc(all, func(a, b said) int { return cmp.Compare(a.at, b.at) })
	b := bufio.NewWriter(to)
	for _, l := range all {
		fmt.Fprintf(b, "%s %s %s\n", w.stamp(l.at), l.device, l.text)
	}
	return b.Flush()
}

// recorder writes what PyTorch's flight recorder has of each rank.
func (w *writer) recorder(to io.Writer) error {
	ranks := map[string]map[int32]bool{}
	of := map[rankOn][]telemetry.Part{}
	for _, p := range w.Collectives {
		if ranks[p.Comm] == nil {
			ranks[p.Comm] = map[int32]bool{}
		}
		ranks[p.Comm][p.Rank] = true
		of[rankOn{p.Device, p.Rank}] = append(of[rankOn{p.Device, p.Rank}], p)
	}
	b := bufio.NewWriter(to)
	for _, k := range slices.SortedFunc(maps.Keys(of), func(a, b rankOn) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.device, b.device))
	}) {
		parts := of[k]
		slices.SortStableFunc(parts, func(a, b telemetry.Part) int { return cmp.Compare(a.Start, b.Start) })
		groups, entries := map[string]any{}, make([]any, 0, len(parts))
		for i, p := range parts {
			list := strings.ReplaceAll(fmt.Sprint(slices.Sorted(maps.Keys(ranks[p.Comm]))), " ", ", ")
			groups[p.Comm] = map[string]string{"name": p.Comm, "desc": "", "ranks": list}
			e := map[string]any{"record_id": i, "collective_seq_id": p.Seq, "p2p_seq_id": 0, "op_id": p.Seq, "is_p2p": false,
				"process_group": []string{p.Comm, ""}, "profiling_name": "nccl:" + strings.ReplaceAll(p.Op, "-", "_"), "state": "started",
				"retired": false, "time_discovered_started_ns": w.nanoseconds(p.Start), "time_discovered_completed_ns": nil,
				"input_sizes": [][]int64{}, "input_dtypes": []string{}}
			if p.Bytes > 0 {
				e["input_sizes"], e["input_dtypes"] = [][]int64{{int64(p.Bytes)}}, []string{"Byte"}
			}
			if p.End != telemetry.Unknown {
				e["state"], e["retired"], e["time_discovered_completed_ns"] = "completed", true, w.nanoseconds(p.End)
			}
			entries = append(entries, e)
		}
		text, err := json.MarshalIndent(map[string]any{"version": "2.5", "pg_config": groups, "entries": entries}, "", " ")
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "root@%s:~# cat nccl_trace_rank_%d\n%s\n", k.device, k.rank, text)
	}
	return b.Flush()
}

// nanoseconds writes a time as nanoseconds since 1970.
func (w *writer) nanoseconds(t unit.Time) json.Number {
	text := strconv.FormatInt(w.start*1e9+int64(t)/1000, 10)
	if ps := int64(t) % 1000; ps > 0 {
		text += fmt.Sprintf(".%03d", ps)
	}
	return json.Number(text)
}
