package foresight

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/net/board"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// withoutGPUDirect says which GPUs and NICs of a host's graph cannot do GPUDirect RDMA: their bytes go through memory.
func withoutGPUDirect(p *plan.Plan) []scenario.Finding {
	if p.PCIe.Graph == nil {
		return nil
	}
	b, err := pcie.Board(p.Scenario, p.Files.HostGraph)
	if err != nil {
		return nil // New has said so
	}
	var names []string
	for _, x := range slices.Concat(b.Of(board.GPU), b.Of(board.NIC)) {
		if b.Parts[x].NoGPUDirect {
			names = append(names, b.Parts[x].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []scenario.Finding{{Severity: scenario.Warning, Path: "cluster.host.graph",
		Message: fmt.Sprintf(`%s: gdr="0" of %s: what they send and receive goes through the memory of the GPU's CPU, up a link that GPUs `+
			`and NICs may share, and down it again`, p.Scenario.Cluster.Host.Graph.Value, strings.Join(names, ", ")),
		Hint: "load a peer memory module (nvidia-peermem), or use dma-buf, and dump the file again"}}
}

// withoutNVLink says that no NVLink joins all GPUs of a host's graph, and which ways over PCIe are slowest.
func withoutNVLink(p *plan.Plan) []scenario.Finding {
	if p.PCIe.Graph == nil || p.PCIe.Graph.Peers == nil {
		return nil
	}
	text := "all send each other over PCIe"
	if p.PCIe.Inside() != "PCIe" {
		text = "those that it does not join send each other over PCIe"
	}
	return []scenario.Finding{{Severity: scenario.Warning, Path: "cluster.host.graph",
		Message: fmt.Sprintf("%s: no NVLink joins all GPUs: %s, %v each while all send to the next in a ring; "+
			"rings follow the board's tree",
			p.Scenario.Cluster.Host.Graph.Value, text, p.PCIe.PeerRate())}}
}
