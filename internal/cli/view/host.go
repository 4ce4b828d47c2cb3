package view

import (
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/plan/intent"
)

// columns prints a table whose first column names its rows: what has no room beside it follows below.
func columns(s *sheet.Sheet, rows [][]string) {
	var names []string
	all := make([][]string, len(rows[0])-1)
	for _, row := range rows {
		names = append(names, row[0])
		for k := range all {
			all[k] = append(all[k], row[k+1])
		}
	}
	s.Columns(names, all)
}

// HostText prints what is understood of a host.
func HostText(s *sheet.Sheet, h *hostinfo.Host) {
	s.Title(h.Name)
	s.Wrap("", fmt.Sprintf("%s understood, %d of no matter, %d not", unit.CountOf(int64(h.Lines.Understood), "line"),
		h.Lines.Known, h.Lines.Unread))
	if missing := h.Missing(); len(missing) > 0 {
		s.Hang("not collected: ", "  ", strings.Join(missing, ", "))
	}
	s.Blank()
	rows := [][]string{{"NIC", "interface", "PCI", "NUMA", "PCIe is", "can", "MTU", "RoCEv2 IPv4 GIDs", "firmware"}}
	for _, r := range h.RDMA {
		mtu, numa, is, can := "", "", "", ""
		if n := h.NetdevOf(r); n != nil && n.MTU.Known() {
			mtu = fmt.Sprint(n.MTU.Value)
		}
		if p := h.Device(r.PCI); p != nil {
			is, can = p.Is.String(), p.Can.String()
		}
		if node := h.NodeOf(r.PCI); node.Known() {
			numa = fmt.Sprint(node.Value)
		}
		var gids []string
		for i := range r.GIDs {
			if g := &r.GIDs[i]; g.IPv4() && g.Type == "RoCE v2" {
				gids = append(gids, fmt.Sprintf("%d: %v", g.Index, g.Address.Unmap()))
			}
		}
		rows = append(rows, []string{r.Name, r.Netdev.Value, r.PCI, numa, is, can, mtu, strings.Join(gids, " "),
			r.Firmware.Value})
	}
	if len(rows) > 1 {
		columns(s, rows)
		s.Blank()
	}
	rows = [][]string{{"GPU", "model", "NUMA", "PCIe is", "can"}}
	for _, g := range h.GPUs {
		numa := ""
		if node := h.NodeOf(g.Address); node.Known() {
			numa = fmt.Sprint(node.Value)
		}
		rows = append(rows, []string{g.Address, g.Name.Value, numa, g.Is.String(), g.Can.String()})
	}
	if len(rows) > 1 {
		columns(s, rows)
		s.Blank()
	}
	for i, u := range h.Unread {
		if i == 20 {
			s.Wrap("", fmt.Sprintf("and %d more lines that are not understood", h.Lines.Unread-i))
			break
		}
		s.Hang("", "  ", fmt.Sprintf("%s:%d: not understood: %s", u.File, u.Line, u.Text))
	}
}

// MeantText prints what a host is to say of itself.
func MeantText(s *sheet.Sheet, h *intent.Host) {
	s.Blank()
	rows := [][]string{{"NIC", "leaf", "port", "rate", "address", "cable"}}
	for _, n := range h.NICs {
		rows = append(rows, []string{n.Interface, n.Leaf, n.Port, n.Rate.Human(), n.Address, fmt.Sprintf("%.1f m", n.Cable)})
	}
	s.Grid("lllrlr", rows)
	s.Blank()
	rows = [][]string{{"of each NIC", "is to be", "by"}, {"MTU", fmt.Sprintf("at least %d", int64(h.MTU)), "ip link"},
		{"RDMA's MTU", fmt.Sprint(int64(h.RDMAMTU)), "ibv_devinfo"}, {"trust", "dscp", "mlnx_qos, dcb apptrust"},
		{"PFC", map[bool]string{true: fmt.Sprintf("priority %d", h.Priority), false: "none"}[h.PFC], "mlnx_qos, dcb pfc"},
		{"DSCP of RoCE data", fmt.Sprintf("%d, in priority %d", h.DSCP, h.Priority), "mlnx_qos, dcb app"},
		{"DSCP of CNPs", fmt.Sprint(h.CNPDSCP), "ecn/roce_np/cnp_dscp"},
		{"DCQCN", map[bool]string{true: fmt.Sprintf("on, priority %d", h.Priority), false: "the scenario has none"}[h.DCQCN],
			"ecn/roce_np, ecn/roce_rp"},
		{"NCCL_IB_TC", fmt.Sprint(h.TrafficClass), "env, tc/1/traffic_class"}}
	s.Grid("llw", rows)
	s.Blank()
	rows = [][]string{{"check", "expected", "accepted"}}
	for _, c := range h.Checks {
		rows = append(rows, []string{c.Key, c.Expect, c.Accepted})
	}
	if len(rows) > 1 {
		s.Grid("lll", rows)
		s.Blank()
	}
	if h.Topo == nil {
		s.Wrap("", "nvidia-smi topo -m: no board of such a host is known; cluster.host.graph says it.")
		return
	}
	s.Wrap("", "nvidia-smi topo -m, by "+h.Board+":")
	columns(s, h.Topo)
}
