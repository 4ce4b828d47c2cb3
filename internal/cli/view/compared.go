package view

import (
	"fmt"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/nccl"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/scenario"
)

// A ComparedRow is a size with both times.
type ComparedRow struct {
	Size       unit.Bytes            `json:"size_bytes"`
	InPlace    bool                  `json:"in_place"` // as measured
	Measured   unit.Duration         `json:"measured_time_ps"`
	MeasuredBW float64               `json:"measured_busbw_bytes_per_s"`
	Simulated  unit.Duration         `json:"simulated_time_ps"`
	SimBW      float64               `json:"simulated_busbw_bytes_per_s"`
	Ratio      float64               `json:"ratio"` // simulated over measured time
	Algorithm  scenario.Algorithm    `json:"algorithm"`
	Protocol   scenario.NCCLProtocol `json:"protocol"`
	Channels   int                   `json:"channels"`
	PacketHops int64                 `json:"packet_hops"`
}

// A ComparedLeft is one that was not simulated.
type ComparedLeft struct {
	Size unit.Bytes `json:"size_bytes"`
	Why  string     `json:"why"`
}

// A ComparedParting is where both part.
type ComparedParting struct {
	Size   unit.Bytes `json:"size_bytes"`
	Reason string     `json:"reason"`
	Left   float64    `json:"error_left"` // from this size on, if the reason holds
	Text   string     `json:"text"`
}

// Compared is a measured sweep of nccl-tests beside a simulated one.
type Compared struct {
	Log        string           `json:"log"`
	Program    string           `json:"program"`
	Hosts      int              `json:"hosts"`
	Ranks      int              `json:"ranks"`
	Preset     string           `json:"host_preset"`
	Iterations int              `json:"iterations"`
	Warmup     int              `json:"warmup"`
	Rows       []ComparedRow    `json:"rows"`
	LeftOut    []ComparedLeft   `json:"left_out"`
	Error      *float64         `json:"error"`            // null: nothing was compared
	Large      *float64         `json:"error_from_64MiB"` // null: no size is as large
	Factor     float64          `json:"factor"`
	Parting    *ComparedParting `json:"parting"` // null: nowhere by more than the factor
	Calibrated []unit.Bytes     `json:"calibrated_sizes_bytes"`
	Efficiency float64          `json:"nvlink_efficiency"`
	Notes      []string         `json:"notes"`

	NVLink unit.Ratio `json:"-"` // Efficiency
	Given  string     `json:"-"` // Factor as it was written
}

// ComparedText prints what stands below the rows.
func ComparedText(s *sheet.Sheet, c *Compared) {
	s.Blank()
	if c.Error != nil {
		large := ""
		if c.Large != nil {
			large = fmt.Sprintf(", %s over those from %s on", unit.Percent(*c.Large), perf.LargeFrom)
		}
		s.Wrap("", fmt.Sprintf("error: %s over %s%s (exp(mean |ln(simulated/measured)|) - 1)", unit.Percent(*c.Error),
			unit.CountOf(int64(len(c.Rows)), "size"), large))
		if p := c.Parting; p != nil {
			s.Wrap("", fmt.Sprintf("they part, likely reason %s: %s", p.Reason, p.Text))
		} else {
			s.Wrap("", fmt.Sprintf("they part nowhere by more than a factor of %s", c.Given))
		}
		s.Wrap("", fmt.Sprintf("scores: %s. Calibrated on this log: nothing. %s", unit.CountOf(int64(len(c.Rows)), "size"),
			c.efficiency()))
	}
	for _, l := range c.LeftOut {
		s.Wrap("", fmt.Sprintf("left out: %s: %s", l.Size, l.Why))
	}
	for _, n := range c.Notes {
		s.Wrap("", "note: "+n)
	}
}

// efficiency says where the one constant that was ever fitted to a measurement comes from.
func (c *Compared) efficiency() string {
	e := c.NVLink
	if e.Cmp(nccl.Default().NVLinkEfficiency) != 0 {
		return fmt.Sprintf("cluster.host.nvlink_efficiency is the scenario's, %v: if it was fitted to this log, large sizes "+
			"say nothing", e)
	}
	return fmt.Sprintf("cluster.host.nvlink_efficiency, %v, was calibrated on one other point: 16 GiB on 8 x H200 "+
		"without NVLS", e)
}
