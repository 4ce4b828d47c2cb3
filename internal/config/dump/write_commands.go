package dump

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// commands writes what a device prints, time by time.
func (w *writer) commands(device string) func(io.Writer) error {
	return func(to io.Writer) error {
		b := bufio.NewWriter(to)
		at := map[unit.Time]map[telemetry.Kind][]reading{}
		isSwitch := false
		for i := range w.Series {
			s := &w.Series[i]
			if s.Device != device || s.Kind == telemetry.GPU {
				continue
			}
			isSwitch = isSwitch || s.Kind != telemetry.NIC
			for k, t := range s.At {
				if at[t] == nil {
					at[t] = map[telemetry.Kind][]reading{}
				}
				at[t][s.Kind] = append(at[t][s.Kind], reading{s, k})
			}
		}
		for _, t := range slices.Sorted(maps.Keys(at)) {
			if isSwitch {
				on := map[string]struct {
					clock string
					write func(*bufio.Writer, string, map[telemetry.Kind][]reading)
				}{"commands": {"date -Ins", w.onSwitch}, "nxos": {"run bash date -Ins", w.onNXOS}, "eos": {"bash date -Ins", w.onEOS},
					"nvue": {"date -Ins", w.onNVUE}}[w.form]
				w.ask(b, "admin", device, on.clock, strings.Replace(w.stamp(t), ".", ",", 1)+"\n")
				on.write(b, device, at[t])
			} else {
				w.ask(b, "root", device, "date -Ins", strings.Replace(w.stamp(t), ".", ",", 1)+"\n")
				w.onHost(b, device, at[t][telemetry.NIC])
			}
		}
		w.onGPUs(b, device)
		return b.Flush()
	}
}

// reading is the k-th of a series.
type reading struct {
	*telemetry.Series
	k int
}

func (r reading) of(c telemetry.Counter) int64 { return r.Value(c, r.k) }

// ask writes a command and what it prints; nothing where that is nothing.
func (w *writer) ask(b *bufio.Writer, user, device, command, printed string) {
	if printed != "" {
		sign := "$"
		if user == "root" {
			sign = "#"
		}
		fmt.Fprintf(b, "%s@%s:~%s %s\n%s", user, device, sign, command, printed)
	}
}

// cellText is a count as SONiC prints it.
func cellText(v int64) string {
	if v == telemetry.Unknown {
		return "N/A"
	}
	return unit.Count(v)
}

// tabled lays out rows right-aligned below dashes.
func tabled(title string, heads []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	width := make([]int, len(heads))
	for _, row := range append([][]string{heads}, rows...) {
		for i, c := range row {
			width[i] = max(width[i], len(c))
		}
	}
	var b strings.Builder
	b.WriteString(title)
	line := func(row []string) {
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(strings.Repeat(" ", width[i]-len(c)) + c)
		}
		b.WriteString("\n")
	}
	line(heads)
	under := make([]string, len(heads))
	for i := range under {
		under[i] = strings.Repeat("-", max(2, width[i]))
		width[i] = len(under[i])
	}
	line(under)
	for _, row := range rows {
		line(row)
	}
	b.WriteString("\n")
	return b.String()
}

// perPriorityTable is one with a row for each port and a column for each priority.
func perPriorityTable(title, port, prefix string, of []reading, c telemetry.Counter) string {
	heads := []string{port}
	for p := range 8 {
		heads = append(heads, prefix+strconv.Itoa(p))
	}
	rows := map[string][]string{}
	var order []string
	for _, r := range of {
		if r.Priority < 0 || r.of(c) == telemetry.Unknown {
			continue
		}
		name := bare(r.Series)
		if rows[name] == nil {
			rows[name] = []string{name, "N/A", "N/A", "N/A", "N/A", "N/A", "N/A", "N/A", "N/A"}
			order = append(order, name)
		}
		rows[name][1+r.Priority] = cellText(r.of(c))
	}
	slices.Sort(order)
	var all [][]string
	for _, name := range order {
		all = append(all, rows[name])
	}
	return tabled(title, heads, all)
}

// onSwitch writes what SONiC's commands print. It has no command for bytes of a port but those of its queues: all of them stand
// at the queue of the port's priority.
func (w *writer) onSwitch(b *bufio.Writer, device string, at map[telemetry.Kind][]reading) {
	ports, all := at[telemetry.Port], slices.Concat(at[telemetry.Port], at[telemetry.Queue])
	var counters, status, history, queues, marks, storms [][]string
	for _, r := range ports {
		name, state, oper := bare(r.Series), "N/A", "N/A"
		if up := r.of(telemetry.Up); up == 1 {
			state, oper = "U", "up"
		} else if up == 0 {
			state, oper = "D", "down"
		}
		counters = append(counters, []string{name, state, cellText(r.of(telemetry.RxPackets)), "0.00 B/s", "0.00%",
			cellText(r.of(telemetry.InErrors)), cellText(r.of(telemetry.InDiscards)), "N/A", cellText(r.of(telemetry.TxPackets)),
			"0.00 B/s", "0.00%", "N/A", cellText(r.of(telemetry.OutDiscards)), "N/A"})
		if v := r.of(telemetry.Speed); v != telemetry.Unknown {
			speed := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", v/1000, v%1000), "0"), ".") + "G"
			status = append(status, []string{name, "N/A", speed, "N/A", "N/A", name, "routed", oper, "up", "N/A", "N/A"})
		}
		if r.Priority < 0 {
			continue
		}
		queue := "UC" + strconv.Itoa(int(r.Priority))
		if v := r.of(telemetry.TxBytes); v != telemetry.Unknown {
			queues = append(queues, []string{name, queue, "N/A", cellText(v), "N/A", "N/A"})
		}
		if v := r.of(telemetry.ECNMarked); v != telemetry.Unknown {
			marks = append(marks, []string{name, queue, "N/A", "N/A", cellText(v), "N/A"})
		}
		if v := r.of(telemetry.Watchdog); v != telemetry.Unknown {
			storms = append(storms, []string{name + ":" + strconv.Itoa(int(r.Priority)), "operational", strconv.FormatInt(v, 10) + "/0",
				"N/A", "N/A", "N/A", "N/A"})
		}
		if v := r.of(telemetry.LinkDowns); v != telemetry.Unknown {
			w.ask(b, "admin", device, "cat /sys/class/net/"+name+"/carrier_down_count", strconv.FormatInt(v, 10)+"\n")
		}
	}
	for _, r := range all {
		if v := r.of(telemetry.RxPause); v != telemetry.Unknown && r.Priority >= 0 {
			history = append(history, []string{bare(r.Series), "PFC" + strconv.Itoa(int(r.Priority)), "N/A", cellText(v), "N/A", "N/A"})
		}
	}
	for _, x := range []struct{ command, printed string }{
		{"show interfaces counters", tabled("", strings.Fields("IFACE STATE RX_OK RX_BPS RX_UTIL RX_ERR RX_DRP RX_OVR TX_OK TX_BPS "+
			"TX_UTIL TX_ERR TX_DRP TX_OVR"), counters)},
		{"show interfaces status", tabled("", []string{"Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin",
			"Type", "Asym PFC"}, status)},
		{"show pfc counters", perPriorityTable("", "Port Rx", "PFC", all, telemetry.RxPFC) +
			perPriorityTable("", "Port Tx", "PFC", all, telemetry.TxPFC)},
		{"show pfc counters --history", tabled("", []string{"Port", "Priority", "RX Pause Transitions", "Total RX Pause Time US",
			"Recent RX Pause Time US", "Recent RX Pause Timestamp"}, history)},
		{"show queue watermark unicast", perPriorityTable("Egress shared pool occupancy per unicast queue:\n", "Port", "UC", all,
			telemetry.Watermark)},
		{"show queue counters", tabled("", []string{"Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes"}, queues)},
		{"show queue wredcounters", tabled("", []string{"Port", "TxQ", "WredDrp/pkts", "WredDrp/bytes", "EcnMarked/pkts",
			"EcnMarked/bytes"}, marks)},
		{"show pfcwd stats", tabled("", []string{"QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP",
			"TX LAST OK/DROP", "RX LAST OK/DROP"}, storms)},
	} {
		w.ask(b, "admin", device, x.command, x.printed)
	}
}

// ethtoolNames are those of mlx5; {P} is the priority.
var ethtoolNames = []struct {
	name    string
	counter telemetry.Counter
}{{"rx_bytes_phy", telemetry.RxBytes}, {"tx_bytes_phy", telemetry.TxBytes}, {"rx_packets_phy", telemetry.RxPackets},
	{"tx_packets_phy", telemetry.TxPackets}, {"rx_crc_errors_phy", telemetry.InErrors}, {"rx_oversize_pkts_phy", telemetry.Oversize},
	{"rx_discards_phy", telemetry.InDiscards}, {"tx_discards_phy", telemetry.OutDiscards}, {"rx_prio{P}_pause", telemetry.RxPFC},
	{"tx_prio{P}_pause", telemetry.TxPFC}, {"rx_prio{P}_pause_duration", telemetry.RxPause}, {"link_down_events_phy", telemetry.LinkDowns}}

// onHost writes what commands print of a host's ports. The RDMA devices have the names of their interfaces.
func (w *writer) onHost(b *bufio.Writer, device string, nics []reading) {
	var links, stats, files strings.Builder
	for _, r := range nics {
		port := bare(r.Series)
		var lines strings.Builder
		for _, x := range ethtoolNames {
			if v := r.of(x.counter); v != telemetry.Unknown && (r.Priority >= 0 || !strings.Contains(x.name, "{P}")) {
				fmt.Fprintf(&lines, "     %s: %d\n", strings.Replace(x.name, "{P}", strconv.Itoa(int(r.Priority)), 1), v)
			}
		}
		if lines.Len() > 0 {
			w.ask(b, "root", device, "ethtool -S "+port, "NIC statistics:\n"+lines.String())
		}
		lines.Reset()
		if v := r.of(telemetry.Speed); v != telemetry.Unknown {
			fmt.Fprintf(&lines, "\tSpeed: %dMb/s\n", v)
		}
		if v := r.of(telemetry.Up); v != telemetry.Unknown {
			fmt.Fprintf(&lines, "\tLink detected: %s\n", []string{"no", "yes"}[min(v, 1)])
		}
		if lines.Len() > 0 {
			w.ask(b, "root", device, "ethtool "+port, "Settings for "+port+":\n"+lines.String())
		}
		line := ""
		for c := telemetry.NPMarked; c <= telemetry.AckTimeouts; c++ {
			if v := r.of(c); v != telemetry.Unknown {
				line += fmt.Sprintf(" %s %d", telemetry.Counters[c].Name, v)
			}
		}
		if line != "" {
			fmt.Fprintf(&stats, "link %s/1%s\n", port, line)
			fmt.Fprintf(&links, "link %s/1 state ACTIVE physical_state LINK_UP netdev %s\n", port, port)
		}
		if v := r.of(telemetry.PCIe); v != telemetry.Unknown {
			fmt.Fprintf(&files, "railyard_nic_pcie_mbps{device=%q} %d\n", port, v)
		}
	}
	w.ask(b, "root", device, "rdma statistic", stats.String())
	w.ask(b, "root", device, "rdma link", links.String())
	w.ask(b, "root", device, "cat /var/lib/node_exporter/railyard.prom", files.String())
}

// onGPUs writes what nvidia-smi prints.
func (w *writer) onGPUs(b *bufio.Writer, device string) {
	var lines strings.Builder
	for i := range w.Series {
		s := &w.Series[i]
		if s.Device != device || s.Kind != telemetry.GPU {
			continue
		}
		for k, t := range s.At {
			power, busy := "[N/A]", "[N/A]"
			if v := s.Value(telemetry.Power, k); v != telemetry.Unknown {
				power = fmt.Sprintf("%d.%03d W", v/1000, v%1000)
			}
			if v := s.Value(telemetry.Utilisation, k); v != telemetry.Unknown {
				busy = fmt.Sprintf("%d %%", v)
			}
			stamp := strings.TrimSuffix(strings.NewReplacer("-", "/", "T", " ").Replace(w.stamp(t)), "+00:00")
			fmt.Fprintf(&lines, "%s, %s, %s, %s\n", stamp, bare(s), busy, power)
		}
	}
	if lines.Len() > 0 {
		w.ask(b, "root", device, "nvidia-smi --query-gpu=timestamp,index,utilization.gpu,power.draw --format=csv",
			"timestamp, index, utilization.gpu [%], power.draw [W]\n"+lines.String())
	}
}
