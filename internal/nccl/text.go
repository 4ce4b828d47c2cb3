package nccl

import (
	"fmt"
	"io"

	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// WriteText prints a choice with all candidates: what NCCL believes of each, or why it cannot be.
func (c Choice) WriteText(w io.Writer, width int) error {
	s := sheet.New(width)
	s.Wrap("", fmt.Sprintf("%v of %s: %v with %v on %s, %s by NCCL's table", c.Collective, c.Bytes.Human(),
		c.Algorithm, c.Protocol, unit.CountOf(int64(c.Channels), "channel"), c.Time.Human()))
	s.Blank()
	rows := [][]string{{"", "algorithm", "protocol", "latency", "bandwidth", "time"}}
	for _, k := range c.Candidates {
		if k.Not != "" {
			continue
		}
		mark := ""
		if k == c.Candidate {
			mark = "*"
		}
		rows = append(rows, []string{mark, k.Algorithm.String(), k.Protocol.String(), k.Latency.Human(),
			unit.ByteRate(float64(k.Bandwidth) / 8), k.Time.Human()})
	}
	s.Grid("lllrrr", rows)
	s.Blank()
	for _, line := range c.reasons() {
		s.Wrap("  ", line)
	}
	return s.Flush(w)
}

// reasons says why candidates cannot be, a line per algorithm and reason.
func (c Choice) reasons() []string {
	var lines []string
	last := Candidate{Algorithm: algorithms}
	for _, k := range c.Candidates {
		if k.Not != "" && (k.Algorithm != last.Algorithm || k.Not != last.Not) {
			lines = append(lines, fmt.Sprintf("%v: %s", k.Algorithm, k.Not))
		}
		last = k
	}
	return lines
}
