package hostlint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
)

// system checks H16 to H18.
func (l *linter) system() {
	l.memory()
	if m := l.h.MemLock; m.Known() && m.Value >= 0 && m.Value < leastLocked {
		l.add("H17", lint.Warning, "", fmt.Sprintf("the shell that the script ran in may lock %d KiB, want "+
			"unlimited", m.Value), m.At)
	}
	var slow []string
	for g := range l.h.Governors {
		if g != "performance" {
			slow = append(slow, g)
		}
	}
	slices.Sort(slow)
	for _, g := range slow {
		s := l.h.Governors[g]
		l.add("H18", lint.Warning, "", fmt.Sprintf("%d CPUs have the governor %s", s.Value, g), s.At)
	}
}

// leastLocked is a bound in KiB below which queue pairs and buffers of eight NICs do not fit: 1 GiB.
const leastLocked = 1 << 20

// memory checks H16: nvidia_peermem (before, nv_peer_mem), or dma-buf: the open module of the GPU driver with Linux 5.12
// (NVIDIA, GPUDirect RDMA; NCCL's release notes, 2.12).
func (l *linter) memory() {
	if l.reached() {
		return // who has looked knows best
	}
	nvidia := l.h.Modules["nvidia"].Known()
	if !nvidia || len(l.nics) == 0 || !l.h.Complete(hostinfo.Lsmod) {
		return
	}
	if off := l.h.NCCL["NCCL_NET_GDR_LEVEL"]; off.Known() && (off.Value == "0" || off.Value == "LOC") {
		l.add("H16", lint.Error, "", fmt.Sprintf("NCCL_NET_GDR_LEVEL=%s: NCCL does not use GPUDirect RDMA", off.Value), off.At)
		return
	}
	for _, m := range []string{"nvidia_peermem", "nv_peer_mem"} {
		if l.h.Modules[m].Known() {
			return
		}
	}
	at := l.h.Modules["nvidia"].At
	switch {
	case !l.h.Licence.Known() || !l.h.Kernel.Known():
		l.add("H16", lint.Unknown, "", "nvidia_peermem is not loaded; whether dma-buf is there is not known", at)
	case l.h.Licence.Value == "NVIDIA":
		l.add("H16", lint.Error, "", "nvidia_peermem is not loaded, and the GPU driver, which is not the open one, "+
			"has no dma-buf", at)
	case !dmabuf(l.h.Kernel.Value):
		l.add("H16", lint.Error, "", fmt.Sprintf("nvidia_peermem is not loaded, and Linux %s has no dma-buf for "+
			"RDMA", l.h.Kernel.Value), at)
	case l.h.NCCL["NCCL_DMABUF_ENABLE"].Value == "0":
		l.add("H16", lint.Error, "", "nvidia_peermem is not loaded, and NCCL_DMABUF_ENABLE=0", l.h.NCCL["NCCL_DMABUF_ENABLE"].At)
	}
}

// dmabuf reports whether a kernel has it for RDMA: from 5.12 on.
func dmabuf(release string) bool {
	parts := strings.FieldsFunc(release, func(c rune) bool { return c < '0' || c > '9' })
	if len(parts) < 2 {
		return false
	}
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	return major > 5 || major == 5 && minor >= 12
}
