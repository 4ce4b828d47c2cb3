package board

import (
	"maps"
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// Book, chapter 13: a GPU's 18 NVLinks are split 5, 4, 4 and 5 over four NVSwitches, 900 GB/s both ways.
func TestBookChapter13NVLinks(t *testing.T) {
	b := Presets["hgx-h100"]()
	for part, p := range b.Parts {
		if p.Kind != GPU {
			continue
		}
		var split []int
		for _, l := range b.Links {
			if l.A == part && b.Parts[l.B].Kind == NVSwitch {
				split = append(split, l.Count)
			}
		}
		if n, rate := b.Sum(part, NVSwitch); !slices.Equal(split, []int{5, 4, 4, 5}) || n != 18 || 2*rate != 900*gbyte {
			t.Errorf("%s: %v, %d links, %v each way", p.Name, split, n, rate)
		}
	}
}

// What a GPU has for other GPUs, both ways, is as in data sheets.
func TestRatesOfDataSheets(t *testing.T) {
	for name, want := range map[string]unit.Bitrate{
		"hgx-a100": 600, "hgx-h100": 900, "hgx-h200": 900, "hgx-b200": 1800, "gb200-nvl72": 1800, "mi300x": 896,
	} {
		b := Presets[name]()
		_, nv := b.Sum(0, NVSwitch)
		_, mesh := b.Sum(0, GPU)
		if 2*(nv+mesh) != want*gbyte {
			t.Errorf("%s: %v each way, want %d GB/s both ways", name, nv+mesh, int64(want))
		}
	}
}

// Every part is reached from every other; a shared board has one NIC, the others one for each GPU.
func TestBoardsAreWhole(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(Presets)) {
		b := Presets[name]()
		reached := map[int]bool{0: true}
		for range b.Parts {
			for _, l := range b.Links {
				if l.A == l.B || l.Count < 1 || l.Kind == "" {
					t.Errorf("%s: %+v", name, l)
				}
				if reached[l.A] || reached[l.B] {
					reached[l.A], reached[l.B] = true, true
				}
			}
		}
		count := map[Kind]int{}
		for _, p := range b.Parts {
			count[p.Kind]++
		}
		want := max(count[GPU], 1)
		if name != "cpu" && name[len(name)-1] == 'd' {
			want = 1
		}
		if len(reached) != len(b.Parts) || b.Name != name || b.Source == "" || count[NIC] != want {
			t.Errorf("%s: %d of %d parts reached, %d NICs, want %d", name, len(reached), len(b.Parts), count[NIC], want)
		}
	}
}
