package nccl

import (
	"fmt"
	"io"
	"slices"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
)

// WriteText prints a choice with all candidates: what NCCL believes of each, or why it cannot be.
func (c Choice) WriteText(w io.Writer, width int) error {
	s := sheet.New(width)
	by := "by NCCL's table"
	if c.Algorithm == Direct {
		by = "assumed: NCCL's table has no sends"
	}
	s.Wrap("", fmt.Sprintf("%v of %v: %v with %v on %s, %s %s", c.Collective, c.Bytes, c.Algorithm, c.Protocol,
		unit.CountOf(int64(c.Channels), "channel"), c.Time.Human(), by))
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
	for i, line := range c.reasons() {
		if i == 0 {
			s.Blank()
		}
		s.Wrap("  ", line)
	}
	return s.Flush(w)
}

// reasons says what the group lacks for a candidate, a line per algorithm and reason. What no group
// could change is left out.
func (c Choice) reasons() []string {
	var lines []string
	for _, k := range c.Candidates {
		switch k.Not {
		case "", sendsOnly, noAlgorithm, otherwise, simpleOnly, noLL128:
			continue
		}
		if line := fmt.Sprintf("%v: %s", k.Algorithm, k.Not); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
