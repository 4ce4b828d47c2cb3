package cli

import (
	"testing"

	"railyard/internal/board"
	"railyard/internal/scenario"
)

// A board that is drawn has the rates that a run has by the same name.
func TestBoardsAreThePresetsOfRuns(t *testing.T) {
	for _, c := range scenario.HostPresets {
		sc, err := scenario.Parse("x.yaml", []byte("cluster: {hosts: 2, host: {preset: "+c.Name+"}}\n"+
			"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"))
		newBoard := board.Presets[c.Name]
		if err != nil || newBoard == nil {
			t.Errorf("%s: %v, no board: %t", c.Name, err, newBoard == nil)
			continue
		}
		b := newBoard()
		_, nvlink := b.Sum(0, board.NVSwitch)
		_, pcie := b.Sum(0, board.PCIeSwitch)
		if h := sc.Cluster.Host; nvlink != h.NVLink || pcie != h.PCIe {
			t.Errorf("%s: NVLink %v and PCIe %v, a run has %v and %v", c.Name, nvlink, pcie, h.NVLink, h.PCIe)
		}
	}
}
