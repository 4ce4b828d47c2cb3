package dump

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/net/telemetry"
)

// plainCell is a count as NX-OS and EOS print it.
func plainCell(v int64) string {
	if v == telemetry.Unknown {
		return "--"
	}
	return strconv.FormatInt(v, 10)
}

// portRows lays out a table with a row for each port, its columns right-aligned; ruled: between rules, as NX-OS has it.
func portRows(ruled bool, heads []string, ports []reading, of func(r reading) []string) string {
	rows := [][]string{append([]string{"Port"}, heads...)}
	for _, r := range ports {
		cells := of(r)
		if slices.ContainsFunc(cells, func(c string) bool { return c != "--" && c != "0" }) ||
			!slices.Contains(cells, "--") { // a row of nothing but what is unknown is none
			rows = append(rows, append([]string{bare(r.Series)}, cells...))
		}
	}
	if len(rows) == 1 {
		return ""
	}
	width := make([]int, len(heads)+1)
	for _, row := range rows {
		for i, c := range row {
			width[i] = max(width[i], len(c))
		}
	}
	var b strings.Builder
	for k, row := range rows {
		text := row[0] + strings.Repeat(" ", width[0]-len(row[0]))
		for i, c := range row[1:] {
			text += "  " + strings.Repeat(" ", width[1+i]-len(c)) + c
		}
		if k == 0 && ruled {
			text = strings.Repeat("-", len(text)) + "\n" + text + "\n" + strings.Repeat("-", len(text))
		}
		b.WriteString(text + "\n")
	}
	return b.String() + "\n"
}

// counts are cells of counters.
func counts(of ...telemetry.Counter) func(r reading) []string {
	return func(r reading) (all []string) {
		for _, c := range of {
			all = append(all, plainCell(r.of(c)))
		}
		return all
	}
}

// packetCells are those of unicast, multicast and broadcast packets: all are of the first kind.
func packetCells(c telemetry.Counter) func(r reading) []string {
	return func(r reading) []string {
		if r.of(c) == telemetry.Unknown {
			return []string{"--", "--", "--"}
		}
		return []string{plainCell(r.of(c)), "0", "0"}
	}
}

// statusTable is what both print of the state and the speed of ports.
func statusTable(ports []reading) string {
	width := len("Port")
	for _, r := range ports {
		width = max(width, len(bare(r.Series)))
	}
	line := func(port, state, speed string) string {
		return fmt.Sprintf("%-*s  %-12s  %-10s  %-6s  %7s  %s\n", width, port, state, "routed", "full", speed, "none")
	}
	text := strings.NewReplacer("routed", "Vlan  ", "full  ", "Duplex", "none", "Type").Replace(line("Port", "Status", "Speed"))
	n := len(text)
	for _, r := range ports {
		state, speed := "unknown", "--"
		switch r.of(telemetry.Up) {
		case 1:
			state = "connected"
		case 0:
			state = "notconnect"
		}
		if v := r.of(telemetry.Speed); v != telemetry.Unknown {
			if speed = strconv.FormatInt(v, 10); v%1000 == 0 {
				speed = strconv.FormatInt(v/1000, 10) + "G"
			}
		}
		if state != "unknown" || speed != "--" {
			text += line(bare(r.Series), state, speed)
		}
	}
	if len(text) == n {
		return ""
	}
	return text
}

// onEOS writes what EOS prints. PFC is that of all priorities there: the port's.
func (w *writer) onEOS(b *bufio.Writer, device string, at map[telemetry.Kind][]reading) {
	ports := at[telemetry.Port]
	for _, x := range []struct{ command, printed string }{
		{"show interfaces counters", portRows(false, []string{"InOctets"}, ports, counts(telemetry.RxBytes)) +
			portRows(false, []string{"InUcastPkts", "InMcastPkts", "InBcastPkts"}, ports, packetCells(telemetry.RxPackets)) +
			portRows(false, []string{"OutOctets"}, ports, counts(telemetry.TxBytes)) +
			portRows(false, []string{"OutUcastPkts", "OutMcastPkts", "OutBcastPkts"}, ports, packetCells(telemetry.TxPackets))},
		{"show interfaces counters errors", portRows(false, []string{"FCS", "Giants"}, ports,
			counts(telemetry.InErrors, telemetry.Oversize))},
		{"show interfaces counters discards", portRows(false, []string{"InDiscards", "OutDiscards"}, ports,
			counts(telemetry.InDiscards, telemetry.OutDiscards))},
		{"show priority-flow-control counters", portRows(false, []string{"RxPfc", "TxPfc"}, ports,
			counts(telemetry.RxPFC, telemetry.TxPFC))},
		{"show interfaces status", statusTable(ports)},
		{"show qos interfaces ecn counters queue | json", marksOnEOS(ports)},
		{"show queue-monitor length | json", queuesOnEOS(slices.Concat(ports, at[telemetry.Queue]))},
	} {
		w.ask(b, "admin", device, x.command, x.printed)
	}
}

// onNXOS writes what NX-OS prints.
func (w *writer) onNXOS(b *bufio.Writer, device string, at map[telemetry.Kind][]reading) {
	ports, all := at[telemetry.Port], slices.Concat(at[telemetry.Port], at[telemetry.Queue])
	var queues, storms strings.Builder
	for _, r := range all {
		rx, tx := plainCell(r.of(telemetry.RxPFC)), plainCell(r.of(telemetry.TxPFC))
		if r.Priority < 0 {
			continue
		}
		if rx != "--" || tx != "--" {
			fmt.Fprintf(&queues, "Ingress Queuing for %s\nPFC Statistics\nCOS QOS Group  PG  TxPause  TxCount  RxPause  RxCount\n"+
				"  %d  %d  %d  Inactive  %s  Inactive  %s\n", bare(r.Series), r.Priority, r.Priority, r.Priority, dash(tx), dash(rx))
		}
		if v := r.of(telemetry.Watchdog); r.Kind == telemetry.Port && v != telemetry.Unknown {
			fmt.Fprintf(&storms, "%s Interface PFC watchdog: [Enabled]\n|  QOS GROUP %d [Active] PFC [YES] PFC-COS [%d]\n"+
				"|  Shutdown|  %d|\n", bare(r.Series), r.Priority, r.Priority, v)
		}
	}
	for _, x := range []struct{ command, printed string }{
		{"show interface counters", portRows(true, []string{"InOctets"}, ports, counts(telemetry.RxBytes)) +
			portRows(true, []string{"InUcastPkts", "InMcastPkts", "InBcastPkts"}, ports, packetCells(telemetry.RxPackets)) +
			portRows(true, []string{"OutOctets"}, ports, counts(telemetry.TxBytes)) +
			portRows(true, []string{"OutUcastPkts", "OutMcastPkts", "OutBcastPkts"}, ports, packetCells(telemetry.TxPackets))},
		{"show interface counters errors", portRows(true, []string{"FCS-Err", "OutDiscards"}, ports,
			counts(telemetry.InErrors, telemetry.OutDiscards)) +
			portRows(true, []string{"Giants", "InDiscards"}, ports, counts(telemetry.Oversize, telemetry.InDiscards))},
		{"show interface status", statusTable(ports)},
		{"show queuing interface", queues.String()},
		{"show queuing pfc-queue", storms.String()},
	} {
		w.ask(b, "admin", device, x.command, x.printed)
	}
}

// dash is what is not known in a row of PFC.
func dash(cell string) string { return strings.Replace(cell, "--", "-", 1) }

// onNVUE writes what NVUE prints as JSON.
func (w *writer) onNVUE(b *bufio.Writer, device string, at map[telemetry.Kind][]reading) {
	all := map[string]map[string]any{}
	qos := map[string]map[string]map[string]map[string]int64{}
	for _, r := range slices.Concat(at[telemetry.Port], at[telemetry.Queue]) {
		port := bare(r.Series)
		group := func(name string, of map[string]telemetry.Counter) {
			for key, c := range of {
				if v := r.of(c); v != telemetry.Unknown && r.Priority >= 0 && c != telemetry.TxBytes && c != telemetry.TxPackets &&
					c != telemetry.OutDiscards {
					if qos[port] == nil {
						qos[port] = map[string]map[string]map[string]int64{}
					}
					if qos[port][name] == nil {
						qos[port][name] = map[string]map[string]int64{}
					}
					class := strconv.Itoa(int(r.Priority))
					if qos[port][name][class] == nil {
						qos[port][name][class] = map[string]int64{}
					}
					qos[port][name][class][key] = v
				}
			}
		}
		for name, of := range queueStats {
			group(name, of)
		}
		if r.Kind != telemetry.Port {
			continue
		}
		stats, link := map[string]int64{}, map[string]any{}
		for key, c := range linkStats {
			if v := r.of(c); v != telemetry.Unknown {
				if c == telemetry.LinkDowns {
					v *= 2
				}
				stats[key] = v
			}
		}
		if len(stats) > 0 {
			link["stats"] = stats
		}
		if v := r.of(telemetry.Speed); v != telemetry.Unknown {
			link["speed"] = strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", v/1000, v%1000), "0"), ".") + "G"
		}
		if v := r.of(telemetry.Up); v != telemetry.Unknown {
			link["state"] = map[string]any{[]string{"down", "up"}[min(v, 1)]: map[string]any{}}
		}
		if len(link) > 0 {
			all[port] = map[string]any{"link": link}
		}
	}
	if len(all) > 0 {
		w.ask(b, "admin", device, "nv show interface -o json", asJSON(all))
	}
	ports := make([]string, 0, len(qos))
	for port := range qos {
		ports = append(ports, port)
	}
	slices.Sort(ports)
	for _, port := range ports {
		w.ask(b, "admin", device, "nv show interface "+port+" counters qos -o json", asJSON(qos[port]))
	}
}

// asJSON is a value that can be nothing but written.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}
