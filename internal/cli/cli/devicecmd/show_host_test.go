package devicecmd

import (
	"strings"
	"testing"

	"railyard/internal/net/board"
	"railyard/internal/plan/scenario"
)

// Every board that is drawn is a host of runs, or says how a scenario comes to it, or that none does.
func TestBoardsSayWhetherRunsHaveThem(t *testing.T) {
	for name := range board.Presets {
		text := "cluster: {hosts: 2, host: {preset: " + name +
			"}}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"
		_, err := scenario.Parse("x.yaml", []byte(text))
		if said := notOfRuns(name); (err == nil) != (said == "") {
			t.Errorf("%s: %q, a scenario: %v", name, said, err)
		}
		if preset, shared := strings.CutSuffix(name, "-shared"); shared {
			text = strings.Replace(strings.Replace(text, name, preset, 1), "2, host", "2, nic: {shared_by: 2}, host", 1)
			if _, err := scenario.Parse("x.yaml", []byte(text)); err != nil ||
				!strings.Contains(notOfRuns(name), "preset: "+preset+" and cluster.nic.shared_by: 2") {
				t.Errorf("%s: %q, %v", name, notOfRuns(name), err)
			}
		}
	}
}

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
		if c.Name == "cpu" { // sockets in place of GPUs
			_, nvlink = b.Sum(0, board.CPU)
			_, pcie = b.Sum(0, board.NIC)
		}
		if h := sc.Cluster.Host; nvlink != h.NVLink || pcie != h.PCIe {
			t.Errorf("%s: NVLink %v and PCIe %v, a run has %v and %v", c.Name, nvlink, pcie, h.NVLink, h.PCIe)
		}
	}
}
