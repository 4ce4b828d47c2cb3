package nccltopo

import (
	"slices"
	"strconv"
)

// Switches of Broadcom show themselves as two levels of bridges though they carry the full rate between all their
// ports; NCCL makes one of them (ncclTopoFlattenBcmSwitches), and so does flat: a bridge with what hangs on the
// bridges right below it that are its own.
func flat(e *element) *element {
	gen := broadcom(e, 0)
	if gen == 0 {
		return e
	}
	whole := *e
	whole.children = nil
	for _, c := range e.children {
		if c.name == "pci" && broadcom(c, 1) == gen && !slices.ContainsFunc(c.children, isDevice) {
			whole.children = append(whole.children, c.children...)
		} else {
			whole.children = append(whole.children, c)
		}
	}
	return &whole
}

func isDevice(e *element) bool { return e.name == "gpu" || e.name == "nic" }

// broadcom is the generation of a switch of Broadcom that has two levels, by its identifiers (getBcmGen); 0: another.
func broadcom(e *element, level int64) int {
	var id [4]int64
	for i, key := range [...]string{"vendor", "device", "subsystem_vendor", "subsystem_device"} {
		id[i], _ = strconv.ParseInt(e.attrs[key], 0, 32) // 0 if it is not there
	}
	switch id[3] &^= 0xfff; {
	case id == [4]int64{0x1000, 0xc010, 0x1000, 0xa000}:
		return 4
	case id == [4]int64{0x1000, 0xc030, 0x1000, level << 12}:
		return 5
	}
	return 0
}
