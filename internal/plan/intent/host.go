package intent

import (
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/hostboard"
	"railyard/internal/net/board"
	"railyard/internal/net/inventory"
	"railyard/internal/plan/commission"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/transport"
)

// A NIC is one of a host.
type NIC struct {
	Interface string       `json:"interface"`
	Leaf      string       `json:"leaf"`
	Port      string       `json:"leaf_port"`
	Rate      unit.Bitrate `json:"rate_bps"`
	Address   string       `json:"address,omitempty"`
	Cable     float64      `json:"cable_metres"`
}

// A Check is one of commission's.
type Check struct {
	Key      string `json:"key"`
	Expect   string `json:"expect"`
	Accepted string `json:"accepted"`
}

// A Host is what a host is to say.
type Host struct {
	Host         string     `json:"host"`
	NICs         []NIC      `json:"nics"`
	MTU          unit.Bytes `json:"mtu"`
	RDMAMTU      unit.Bytes `json:"rdma_mtu"`
	DSCP         int        `json:"dscp"`
	CNPDSCP      int        `json:"cnp_dscp"`
	Priority     int        `json:"priority"`
	PFC          bool       `json:"pfc"`
	DCQCN        bool       `json:"dcqcn"`
	TrafficClass int        `json:"nccl_ib_tc"`
	Checks       []Check    `json:"checks"`
	Board        string     `json:"board,omitempty"`
	Topo         [][]string `json:"topo,omitempty"`
}

// HostOf is what the host with a number is to say about itself.
func HostOf(p *plan.Plan, in *inventory.Inventory, at int) (*Host, error) {
	sc := p.Scenario
	q, t := &sc.Fabric.QoS, &sc.Transport
	h := &Host{Host: p.Graph.Hosts[at].Name, RDMAMTU: t.MTU, MTU: inventory.IPMTU(transport.Frames(p.Scenario).MaxDataFrame(t.MTU)),
		DSCP: q.DSCP, CNPDSCP: q.CNPDSCP, Priority: q.DataPriority, PFC: q.PFC.Enabled, DCQCN: sc.Congestion.Algorithm == scenario.ByDCQCN,
		TrafficClass: q.DSCP<<2 | 2}
	for _, id := range p.Graph.Hosts[at].NICs {
		nic := &p.Graph.NICs[id]
		port, far := &p.Graph.Ports[nic.Port], p.Graph.Peer(nic.Port)
		n := NIC{Interface: in.Ports[nic.Port].Name.String(), Leaf: p.Graph.Nodes[port.To].Name,
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
			h.Checks = append(h.Checks, Check{c.Key, c.Expect.Short(), c.Accepted()})
		}
	}
	return h, h.board(p)
}

// board adds what the GPU driver says of the board, where it is known.
func (h *Host) board(p *plan.Plan) error {
	at := &p.Scenario.Cluster.Host
	var b *board.Board
	switch {
	case at.Graph.Set:
		var err error
		if b, err = pcie.Board(p.Scenario, p.Files.HostGraph); err != nil {
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
