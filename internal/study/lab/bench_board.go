package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/net/board"
)

var boardBench = Bench{
	Meaning: "what is inside a host: a GPU's links to NVSwitches and to PCIe, with their rates",
	Params: []Param{
		{Name: "preset", Meaning: "the host: " + strings.Join(slices.Sorted(maps.Keys(board.Presets)), ", "),
			Default: "hgx-h100", Needed: true},
	},
	Run: runBoard,
}

func runBoard(a Args) (*Shown, error) {
	made := board.Presets[a.Text("preset")]
	if made == nil {
		return nil, fmt.Errorf("preset: %q: no such host, want one of %s", a.Text("preset"),
			strings.Join(slices.Sorted(maps.Keys(board.Presets)), ", "))
	}
	b, s := made(), &Shown{}
	count := map[board.Kind]int{}
	for _, p := range b.Parts {
		count[p.Kind]++
	}
	s.add("gpus", float64(count[board.GPU]), "", "GPUs of the host")
	s.add("nics", float64(count[board.NIC]), "", "NICs")
	s.add("nvswitches", float64(count[board.NVSwitch]), "", "NVSwitches")
	s.links(b, "nvlink", board.NVSwitch)
	s.links(b, "pcie", board.PCIeSwitch)
	rows := b.Rows()
	s.Tables = []Table{{Name: "links", Title: b.Source, Columns: rows[0], Rows: rows[1:]}}
	return s, nil
}

// links are those of part 0, the first GPU, to parts of a kind, if it has any.
func (s *Shown) links(b *board.Board, name string, to board.Kind) {
	n, rate := b.Sum(0, to)
	if n == 0 {
		return
	}
	k, parts := 0, []string{}
	for _, l := range b.Links {
		if l.A == 0 && b.Parts[l.B].Kind == to || l.B == 0 && b.Parts[l.A].Kind == to {
			s.add(fmt.Sprintf("%s[%d]", name, k), float64(l.Count), "",
				fmt.Sprintf("links of a GPU to %s", b.Parts[l.A+l.B].Name))
			parts, k = append(parts, fmt.Sprint(l.Count)), k+1
		}
	}
	if k > 1 {
		s.add(name+"s", float64(n), strings.Join(parts, " + "), "links of a GPU to all of them")
	}
	s.addIn("GB/s", name+"_each_way", float64(rate)/8e9, "", "their rate, each way")
	s.addIn("GB/s", name+"_both_ways", float64(2*rate)/8e9, "", "both ways")
}
