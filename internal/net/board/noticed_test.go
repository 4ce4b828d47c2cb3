package board

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// What a GPU has of each kind of link, in words; boards that begin with something else say nothing.
func TestSumsInWords(t *testing.T) {
	b := &Board{}
	gpu, peer, first, second := b.add("GPU0", GPU), b.add("GPU1", GPU), b.add("NVSwitch0", NVSwitch), b.add("PCIe0", PCIeSwitch)
	b.Links = []Link{{A: gpu, B: first, Count: 3, Rate: 200 * unit.GigabitPerSec, Kind: "NVLink"},
		{A: gpu, B: second, Count: 1, Rate: 512 * unit.GigabitPerSec, Kind: "PCIe"}}
	want := []string{"A GPU has 3 links to NVSwitches: 75 GB/s each way, 150 GB/s both ways.",
		"A GPU has a link to a PCIe switch: 64 GB/s each way, 128 GB/s both ways."}
	if got := b.Sums(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := b.Of(GPU); !slices.Equal(got, []int{gpu, peer}) {
		t.Errorf("GPUs %v", got)
	}
	if got := [2]string{rate(2, 0), rate(2, 200*unit.GigabitPerSec)}; got != [2]string{"unknown", "50 GB/s"} {
		t.Errorf("of two links: %q", got)
	}
	b.Parts[0].Kind = CPU
	if got := b.Sums(); got != nil {
		t.Errorf("of a board that begins with a CPU: %q", got)
	}
}
