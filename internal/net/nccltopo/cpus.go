package nccltopo

import (
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// attributes are a model's words by key.
func attributes(model string) map[string]string {
	all := map[string]string{}
	for _, w := range strings.Fields(model) {
		key, value, _ := strings.Cut(w, "=")
		all[key] = value
	}
	return all
}

// AMD reports whether the processors of a board are AMD's (ncclTopoCpuType).
func AMD(b *board.Board) bool {
	for _, cpu := range b.Of(board.CPU) {
		if attributes(b.Parts[cpu].Model)["vendor"] == "AuthenticAMD" {
			return true
		}
	}
	return false
}

const gbyte = 8 * unit.GigabitPerSec // a gigabyte per second

// Between is the rate that NCCL takes a CPU to have towards another of its host (ncclTopoGetInterCpuBw, with the
// constants of topo.h); 0: no limit, of one that it does not know.
func Between(cpu *board.Part) unit.Bitrate {
	of := attributes(cpu.Model)
	family, _ := strconv.Atoi(of["familyid"])
	id, _ := strconv.Atoi(of["modelid"])
	switch of["arch"] + " " + of["vendor"] {
	case "x86_64 AuthenticAMD":
		return 16 * gbyte
	case "x86_64 CentaurHauls", "x86_64 Shanghai":
		if family == 7 && id == 0x5b {
			return 9 * gbyte
		}
		return 6 * gbyte
	case "x86_64 GenuineIntel":
		switch {
		case family == 6 && id >= 0xcf: // Emerald Rapids
			return 40 * gbyte
		case family == 6 && id >= 0x8f: // Sapphire Rapids
			return 22 * gbyte
		case family == 6 && id >= 0x55: // Skylake
			return 10 * gbyte
		}
		return 6 * gbyte
	}
	switch of["arch"] {
	case "ppc64":
		return 32 * gbyte
	case "arm64":
		return 6 * gbyte
	}
	return 0
}
