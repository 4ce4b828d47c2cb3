package hostlint

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
)

// rdma checks GIDs, MTUs, firmware, errors and what NCCL took.
func (l *linter) rdma() {
	for _, n := range l.nics {
		if n.roce() {
			l.gids(n)
			l.mtu(n)
		}
		l.errors(n)
	}
	l.oneMTU()
	l.firmware()
	l.taken()
	l.bonds()
	l.functions()
}

// since is the version of NCCL from which it looks for a GID of RoCEv2 and IPv4 by itself (NCCL user guide, NCCL_IB_GID_INDEX).
const since = 21 // 2.21

// tables are the kinds that have tables of GIDs.
var tables = []hostinfo.Kind{hostinfo.Sysfs, hostinfo.Gids, hostinfo.Devinfo}

// gids checks H01.
func (l *linter) gids(n *nic) {
	if len(n.GIDs) == 0 {
		return // not collected
	}
	good, typed := -1, true
	for i := range n.GIDs {
		g := &n.GIDs[i]
		typed = typed && g.Type != ""
		if g.Type == "RoCE v2" && g.IPv4() && good < 0 {
			good = g.Index
		}
	}
	if !typed {
		return // which are RoCEv2 is not known
	}
	first := n.GIDs[0].At
	if good < 0 {
		severity, text := l.sure(lint.Error, "no GID of RoCEv2 and IPv4", tables...)
		l.alike("H01", severity, n.String(), text, first)
		return
	}
	index, at, said := 0, first, false
	text := ""
	if set := l.h.NCCL["NCCL_IB_GID_INDEX"]; set.Known() {
		v, err := strconv.Atoi(set.Value)
		if err != nil {
			return
		}
		if v >= 0 {
			index, at, said = v, set.At, true
			text = fmt.Sprintf("NCCL_IB_GID_INDEX is %d", v)
		}
	}
	if !said {
		major, minor, known := l.ncclVersion()
		if !known || major > 2 || minor >= since {
			return // it finds the one that is there, or which version it is is not known
		}
		at, text = l.h.NCCLSays.At, fmt.Sprintf("NCCL %s takes GID 0", l.h.NCCLSays.Value)
	}
	for i := range n.GIDs {
		if g := &n.GIDs[i]; g.Index == index {
			if g.Type == "RoCE v2" && g.IPv4() {
				return
			}
			what := g.Type
			if !g.IPv4() {
				what += ", no IPv4 address"
			}
			l.alike("H01", lint.Error, n.String(), fmt.Sprintf("%s, which is %s; RoCEv2 and IPv4 is %d", text, what, good), at)
			return
		}
	}
	severity, text := l.sure(lint.Error, fmt.Sprintf("%s, where there is none; RoCEv2 and IPv4 is %d", text, good), tables...)
	l.alike("H01", severity, n.String(), text, at)
}

// ncclVersion is that which NCCL's log says.
func (l *linter) ncclVersion() (major, minor int, ok bool) {
	parts := strings.Split(l.h.NCCLSays.Value, ".")
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err == nil && err2 == nil
}

// headers are those of RoCEv2 in an IP packet: IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4 (IBTA volume 1, annex A17).
const headers = 60

// mtu checks H02 of one NIC.
func (l *linter) mtu(n *nic) {
	want := 4096 // without a design: the largest of RDMA, where the NIC can do it
	if l.design != nil {
		want = int(l.design.MTU)
	}
	if n.MaxMTU.Known() && n.MaxMTU.Value < want && l.design == nil {
		want = n.MaxMTU.Value
	}
	severity := lint.Warning
	if l.design != nil {
		severity = lint.Error
	}
	packet := want + headers
	if l.design != nil && l.design.Packet > 0 {
		packet = int(l.design.Packet)
	}
	switch {
	case n.net != nil && n.net.MTU.Known() && n.net.MTU.Value < packet:
		l.alike("H02", severity, n.String(), fmt.Sprintf("an MTU of %d does not hold RDMA's %d and %d of headers",
			n.net.MTU.Value, want, headers),
			n.net.MTU.At)
	case n.MTU.Known() && n.MTU.Value < want:
		l.alike("H02", severity, n.String(), fmt.Sprintf("the RDMA MTU is %d, want %d", n.MTU.Value, want), n.MTU.At)
	}
}

// oneMTU checks that all NICs have one.
func (l *linter) oneMTU() {
	count, most := map[int]int{}, 0
	for _, n := range l.nics {
		if n.net != nil && n.net.MTU.Known() {
			count[n.net.MTU.Value]++
		}
	}
	for mtu, c := range count { // the one that most have, of equally many the largest: order does not matter
		if c > count[most] || c == count[most] && mtu > most {
			most = mtu
		}
	}
	for _, n := range l.nics {
		if n.net != nil && n.net.MTU.Known() && n.net.MTU.Value != most && n.net.MTU.Value >= 4096+headers {
			l.alike("H02", lint.Error, n.String(), fmt.Sprintf("an MTU of %d, most NICs have %d", n.net.MTU.Value,
				most), n.net.MTU.At)
		}
	}
}

// broken are counters of bits that were lost on a link, and slow those of RDMA that repeats, as mlx5, bnxt and ice call them. Pauses,
// marks and bits that FEC has corrected are none of them, and neither are errors of a lane (rx_err_lane_0_phy): they are
// counted before FEC (Linux, mlx5/counters.rst).
var (
	broken = []string{"rx_symbol_err_phy", "rx_crc_errors_phy", "rx_pcs_symbol_err_phy", "symbol_error", "port_rcv_errors",
		"link_error_recovery", "local_link_integrity_errors", "rx_fcs_errors", "rx_fcs_err_frames", "rx_pcs_symbol_err",
		"rx_crc_errors.nic"}
	slow = []string{"out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "port_xmit_discards", "rx_discards_phy",
		"tx_discards_phy", "rx_out_of_buffer", "rx_prio3_discards", "seq_err_naks_rcvd", "to_retransmits", "oos_drop_count",
		"rx_total_discard_pkts", "tx_total_discard_pkts"}
)

// errors checks H20.
func (l *linter) errors(n *nic) {
	l.counted(n.String(), n.Counters)
	for _, port := range n.ports {
		l.counted(n.called(port), port.Counters)
	}
}

// counted checks H20 of the counters of a port or an RDMA device.
func (l *linter) counted(who string, all map[string]hostinfo.Said[int64]) {
	for _, name := range broken {
		if c := all[name]; c.Value > 0 {
			l.add("H20", lint.Error, who, fmt.Sprintf("%s: %s is %d", who, name, c.Value), c.At)
		}
	}
	for _, name := range slow {
		if c := all[name]; c.Value > 0 {
			l.add("H20", lint.Warning, who, fmt.Sprintf("%s: %s is %d: packets were lost or came late", who, name, c.Value), c.At)
		}
	}
}

// firmware checks H19 inside the host: NICs of one name.
func (l *linter) firmware() {
	byModel := map[string][]*nic{}
	var models []string
	for _, n := range l.nics {
		p := l.h.Device(n.PCI)
		if p == nil || p.Name == "" || !n.Firmware.Known() {
			continue
		}
		if byModel[p.Name] == nil {
			models = append(models, p.Name)
		}
		byModel[p.Name] = append(byModel[p.Name], n)
	}
	for _, m := range models {
		count, most := map[string]int{}, ""
		for _, n := range byModel[m] {
			count[n.Firmware.Value]++
		}
		for v, c := range count { // the one that most have, of equally many the last: order does not matter
			if c > count[most] || c == count[most] && v > most {
				most = v
			}
		}
		for _, n := range byModel[m] {
			if n.Firmware.Value != most {
				l.alike("H19", lint.Warning, n.String(), fmt.Sprintf("firmware %s, others of its model have %s",
					n.Firmware.Value, most), n.Firmware.At)
			}
		}
	}
}

// taken checks H24.
func (l *linter) taken() {
	if len(l.h.NetIB) == 0 {
		return // no log
	}
	in := map[string]bool{}
	for _, s := range l.h.NetIB {
		in[s.Value] = true
	}
	for _, r := range l.h.RDMA { // one that is down is not taken, which is what the rule is about
		if chosen(l.h.NCCL["NCCL_IB_HCA"].Value, r.Name) && !in[r.Name] && !in[strings.Replace(r.Name, "/", ":", 1)] {
			state := ""
			if r.State.Known() && r.State.Value != "ACTIVE" {
				state = ", its state is " + r.State.Value
			}
			severity, text := l.sure(lint.Error, fmt.Sprintf("%s: not among the %d NICs that NCCL took%s", r.Name, len(l.h.NetIB), state),
				hostinfo.NCCLLog)
			l.add("H24", severity, r.Name, text, l.h.NetIB[0].At)
		}
	}
}

// bonds checks H22: modes of bonds that RDMA is joined in (Linux, drivers/net/ethernet/mellanox/mlx5/core/lag).
func (l *linter) bonds() {
	said := map[string]bool{}
	for _, n := range l.nics {
		if n.net == nil {
			continue
		}
		bond := l.h.NetdevCalled(n.net.Master.Value)
		if bond == nil {
			bond = n.net
		}
		mode := bond.Bond.Value
		if mode == "" || said[bond.Name] {
			continue
		}
		said[bond.Name] = true
		if !strings.Contains(mode, "active-backup") && !strings.Contains(mode, "balance-xor") &&
			!strings.Contains(mode, "(xor)") &&
			!strings.Contains(mode, "802.3ad") {
			l.add("H22", lint.Error, bond.Name, fmt.Sprintf("%s: mode %s", bond.Name, mode), bond.Bond.At)
		}
	}
}

// functions checks H23: NICs of a host have as many virtual functions, and no more than they can.
func (l *linter) functions() {
	count, most := map[int]int{}, 0
	for _, n := range l.nics {
		if p := l.h.Device(n.PCI); p != nil && p.VFs.Known() {
			count[p.VFs.Value]++
		}
	}
	for v, c := range count { // the one that most have, of equally many the largest: order does not matter
		if c > count[most] || c == count[most] && v > most {
			most = v
		}
	}
	for _, n := range l.nics {
		p := l.h.Device(n.PCI)
		switch {
		case p == nil || !p.VFs.Known():
		case p.TotalVFs.Known() && p.VFs.Value > p.TotalVFs.Value:
			l.alike("H23", lint.Error, n.String(), fmt.Sprintf("%d virtual functions, it can have %d", p.VFs.Value,
				p.TotalVFs.Value), p.VFs.At)
		case p.VFs.Value != most:
			l.alike("H23", lint.Warning, n.String(), fmt.Sprintf("%d virtual functions, most NICs have %d",
				p.VFs.Value, most), p.VFs.At)
		}
	}
}
