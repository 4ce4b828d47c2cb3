package board

import (
	"fmt"
	"strings"
	"testing"
)

// rows are the lines of a board's table.
func rows(b *Board) string {
	var s strings.Builder
	for _, r := range b.Rows() {
		fmt.Fprintln(&s, strings.TrimSpace(strings.Join(r, " | ")))
	}
	return s.String()
}

// Parts of a kind that are linked alike have one row together; the first has a row for each link.
func TestRowsOfABoard(t *testing.T) {
	b := &Board{}
	for i := range 4 {
		b.add(fmt.Sprint("GPU", i), GPU)
	}
	one, two, cpu := b.add("NVSwitch1", NVSwitch), b.add("NVSwitch2", NVSwitch), b.add("CPU0", CPU)
	for gpu := range 3 {
		b.join(gpu, one, 5, nvlink4)
		b.join(gpu, two, 4, nvlink4)
	}
	b.join(3, one, 4, nvlink4) // fewer links than the others
	b.join(cpu, 0, 1, between)
	const want = `from | to | links | each way | of
GPU0 | NVSwitch1 | 5 | 125 GB/s | NVLink 4
GPU0 | NVSwitch2 | 4 | 100 GB/s | NVLink 4
... GPU2 | as above |  |  |
GPU3 | NVSwitch1 | 4 | 100 GB/s | NVLink 4
CPU0 | GPU0 | 1 | unknown | between sockets
`
	if got := rows(b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// GPUs reach each other over links between them and NVSwitches, by however many, and over nothing else.
func TestBridgedGPUs(t *testing.T) {
	b := &Board{}
	for i := range 5 {
		b.add(fmt.Sprint("GPU", i), GPU)
	}
	sw, pcie := b.add("NVSwitch1", NVSwitch), b.add("PCIe1", PCIeSwitch)
	b.join(0, sw, 1, nvlink4)
	b.join(1, sw, 1, nvlink4)
	b.join(1, 2, 1, fabric3) // and by it to GPU0
	b.join(3, pcie, 1, pcie5)
	b.join(4, pcie, 1, pcie5)
	got := ""
	for _, row := range b.Bridged([]int{0, 2, 3, 4}) {
		for _, yes := range row {
			got += map[bool]string{true: "x", false: "."}[yes]
		}
		got += " "
	}
	if got != "xx.. xx.. ..x. ...x " {
		t.Errorf("%s", got)
	}
}
