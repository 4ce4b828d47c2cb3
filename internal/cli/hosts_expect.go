package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/board"
	"railyard/internal/commission"
	"railyard/internal/hostboard"
	"railyard/internal/inventory"
	"railyard/internal/plan"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/view"
)

func hostsExpectCommand(a *app) *cobra.Command {
	host, asJSON := "", false
	cmd := &cobra.Command{
		Use:   "expect FILE [flags]",
		Short: "Say what a host of a scenario is to say about itself",
		Long: `Says what one host of a scenario is to say about itself: its NICs in the order of rails with leaf, MTU,
address and cable, quality of service and NCCL's traffic class, what railyard commission expects of it,
and what nvidia-smi topo -m says of its board. "railyard hosts lint --scenario FILE" holds hosts against it.`,
		Example: "  railyard hosts expect my.yaml\n  railyard hosts expect my.yaml --host host7",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("%s: %s, want one FILE: %s", called(cmd), count(len(args), "argument"), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.hostsExpect(args[0], host, asJSON) },
	}
	cmd.Flags().StringVar(&host, "host", "", "which host (default: the first)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// expectedNIC is one of a host.
type expectedNIC struct {
	Interface string       `json:"interface"`
	Leaf      string       `json:"leaf"`
	Port      string       `json:"leaf_port"`
	Rate      unit.Bitrate `json:"rate_bps"`
	Address   string       `json:"address,omitempty"`
	Cable     float64      `json:"cable_metres"`
}

// expectedRow is a check of commission.
type expectedRow struct {
	Key      string `json:"key"`
	Expect   string `json:"expect"`
	Accepted string `json:"accepted"`
}

// expectedHost is what a host is to say.
type expectedHost struct {
	Host         string        `json:"host"`
	NICs         []expectedNIC `json:"nics"`
	MTU          unit.Bytes    `json:"mtu"`
	RDMAMTU      unit.Bytes    `json:"rdma_mtu"`
	DSCP         int           `json:"dscp"`
	CNPDSCP      int           `json:"cnp_dscp"`
	Priority     int           `json:"priority"`
	PFC          bool          `json:"pfc"`
	DCQCN        bool          `json:"dcqcn"`
	TrafficClass int           `json:"nccl_ib_tc"`
	Checks       []expectedRow `json:"checks"`
	Board        string        `json:"board,omitempty"`
	Topo         [][]string    `json:"topo,omitempty"`
}

// expected is what a host of a plan is to say.
func (a *app) expected(p *plan.Plan, host string) (*expectedHost, error) {
	in, err := p.Inventory()
	if err != nil {
		return nil, err
	}
	at := 0
	if host != "" {
		if at = slices.IndexFunc(p.Graph.Hosts, func(h topo.Host) bool { return h.Name == host }); at < 0 {
			var names []string
			for i := range p.Graph.Hosts {
				names = append(names, p.Graph.Hosts[i].Name)
			}
			return nil, misuse("hosts expect: --host %q: no host of the scenario, want one of %s%s", host, view.ShortList(names),
				meant(host, names))
		}
	}
	sc := p.Scenario
	q, t := &sc.Fabric.QoS, &sc.Transport
	h := &expectedHost{Host: p.Graph.Hosts[at].Name, RDMAMTU: t.MTU, MTU: inventory.IPMTU(p.Frames().MaxDataFrame(t.MTU)),
		DSCP: q.DSCP, CNPDSCP: q.CNPDSCP, Priority: q.DataPriority, PFC: q.PFC.Enabled, DCQCN: sc.Congestion.Algorithm == "dcqcn",
		TrafficClass: q.DSCP<<2 | 2}
	for _, id := range p.Graph.Hosts[at].NICs {
		nic := &p.Graph.NICs[id]
		port, far := &p.Graph.Ports[nic.Port], p.Graph.Peer(nic.Port)
		n := expectedNIC{Interface: in.Ports[nic.Port].Name.String(), Leaf: p.Graph.Nodes[port.To].Name,
			Port: in.Ports[far].Name.String(), Rate: port.Rate, Cable: float64(port.Delay) / 5000}
		if v4 := in.Ports[nic.Port].Address.V4; v4.IsValid() {
			n.Address = v4.String()
		}
		h.NICs = append(h.NICs, n)
	}
	known, err := commission.Foreseen(p)
	if err != nil {
		return nil, err
	}
	for _, c := range commission.Checks(p, in, known) {
		if strings.HasPrefix(c.Key, "port."+h.Host+"/") || strings.HasPrefix(c.Key, "write.") {
			h.Checks = append(h.Checks, expectedRow{c.Key, c.Expect.Short(), c.Accepted()})
		}
	}
	return h, h.board(p)
}

// board adds what the GPU driver says of the board, where it is known.
func (h *expectedHost) board(p *plan.Plan) error {
	at := &p.Scenario.Cluster.Host
	var b *board.Board
	switch {
	case at.Graph.Set:
		var err error
		if b, err = p.Board(); err != nil {
			return err
		}
		h.Board = "cluster.host.graph"
	case board.Presets[at.Preset] != nil:
		b, h.Board = board.Presets[at.Preset](), "cluster.host.preset: "+at.Preset+", whose PCIe switches are assumed"
	default:
		return nil
	}
	gpus, nics := hostboard.Seats(b, at.GPUs, len(h.NICs))
	other := slices.ContainsFunc(b.Links, func(l board.Link) bool { return l.Kind == "Infinity Fabric" }) // no driver of NVIDIA's
	if len(gpus) == 0 || len(gpus) < at.GPUs || other {
		h.Board = ""
		return nil
	}
	h.Topo = hostboard.Matrix(b, gpus, nics)
	return nil
}

func (a *app) hostsExpect(file, host string, asJSON bool) error {
	p, err := a.plan(file)
	if err != nil {
		return err
	}
	h, err := a.expected(p, host)
	if err != nil {
		return a.located(file, p.Scenario, err)
	}
	if asJSON {
		return a.printJSON(h)
	}
	s := a.newSheet()
	s.Wrap("", fmt.Sprintf("%s of %s, as it is to say of itself", h.Host, file))
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
		return s.Flush(a.stdout)
	}
	s.Wrap("", "nvidia-smi topo -m, by "+h.Board+":")
	columns(s, h.Topo)
	return s.Flush(a.stdout)
}
