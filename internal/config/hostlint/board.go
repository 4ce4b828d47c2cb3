package hostlint

import (
	"fmt"
	"strings"

	"railyard/internal/config/hostboard"
	"railyard/internal/config/lint"
	"railyard/internal/net/board"
)

// boards checks H29: NCCL's file of the host, and the ways of the GPU driver, against the tree of PCIe. Where NCCL was given a
// file, its own is no witness of the host.
func (l *linter) boards() {
	if !l.h.NCCL["NCCL_TOPO_FILE"].Known() {
		for _, d := range hostboard.Differ(l.h) {
			l.add("H29", lint.Warning, d.What, d.What+": "+d.Text, d.At)
		}
	}
	const most = 8
	all := hostboard.Ways(l.h)
	for i, d := range all {
		if i == most-1 && len(all) > most {
			l.add("H29", lint.Warning, "", fmt.Sprintf("%d more ways are otherwise to the GPU driver than to Linux", len(all)-i), d.At)
			break
		}
		l.add("H29", lint.Warning, d.What, d.What+": "+d.Text, d.At)
	}
}

// reached checks H16 by NCCL's file: GPUs and NICs of which it says that they do no GPUDirect RDMA. True: it says something.
func (l *linter) reached() bool {
	b := l.h.NCCLBoard
	if b == nil {
		return false
	}
	var not []string
	nics := 0
	for i := range b.Parts {
		p := &b.Parts[i]
		if p.Kind == board.NIC && strings.Contains(p.Model, "dev=") {
			nics++
		}
		if p.NoGPUDirect {
			not = append(not, p.Name)
		}
	}
	if nics == 0 || l.h.NCCL["NCCL_TOPO_FILE"].Known() {
		return false
	}
	if not != nil {
		l.add("H16", lint.Error, "", `to NCCL `+lint.Some(not)+` cannot do GPUDirect RDMA (gdr="0" in its topology)`, l.h.BoardAt)
	}
	return true
}
