package board

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
)

// Rows are a line for each part and what it is linked to, for people: part, to, links, each way in all.
// Parts of a kind that are linked alike have one.
func (b *Board) Rows() [][]string {
	rows := [][]string{{"from", "to", "links", "each way", "of"}}
	last := ""
	for i, p := range b.Parts {
		var own [][]string
		for _, l := range b.Links {
			if l.A == i {
				own = append(own, []string{p.Name, b.Parts[l.B].Name, fmt.Sprint(l.Count), rate(l.Count, l.Rate), l.Kind})
			}
		}
		// What is linked as the part before, such as GPU1 to the NVSwitches as GPU0, is not said again.
		if alike := p.alike(own); alike != last || len(own) == 0 {
			rows = append(rows, own...)
			last = alike
		} else if strings.HasPrefix(rows[len(rows)-1][0], "... ") {
			rows[len(rows)-1][0] = "... " + p.Name
		} else {
			rows = append(rows, []string{"... " + p.Name, "as above", "", "", ""})
		}
	}
	return rows
}

// alike is the same of parts of a kind that are linked to the same others by as many links.
func (p *Part) alike(own [][]string) string {
	text := string(p.Kind)
	for _, row := range own {
		text += "\n" + strings.Join(row[1:], " ")
	}
	return text
}

var plural = map[Kind]string{NVSwitch: "NVSwitches", GPU: "other GPUs", CPU: "CPUs", PCIeSwitch: "PCIe switches"}

// Sums are the links of each kind that a GPU has, in words; nil without GPUs.
func (b *Board) Sums() (all []string) {
	if len(b.Parts) == 0 || b.Parts[0].Kind != GPU {
		return nil
	}
	for _, to := range []Kind{NVSwitch, GPU, CPU, PCIeSwitch} {
		if n, r := b.Sum(0, to); n > 0 {
			others := fmt.Sprintf("%d links to %s", n, plural[to])
			if n == 1 {
				others = fmt.Sprintf("a link to a %s", to)
			}
			all = append(all, fmt.Sprintf("A GPU has %s: %s each way, %s both ways.", others, bytes(r), bytes(2*r)))
		}
	}
	return all
}

func rate(n int, r unit.Bitrate) string {
	if r == 0 {
		return "unknown"
	}
	return bytes(unit.Bitrate(n) * r)
}

// bytes prints a rate in bytes, as data sheets do.
func bytes(r unit.Bitrate) string { return fmt.Sprintf("%g GB/s", float64(r)/8e9) }
