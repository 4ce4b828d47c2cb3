package designcmd

import (
	"fmt"

	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/cli/view"
)

// designText prints a study for people.
func (c *designCall) designText(s *view.Study, dir string) error {
	out := c.NewSheet()
	r := s.Requirement
	growth := ""
	if r.Later.Set {
		growth = fmt.Sprintf(" at first, %s later", unit.Count(int64(r.Later.Value)))
	}
	out.Wrap("", fmt.Sprintf("%s: %s GPUs%s, %s of %s, %s of %s each", r.Name, unit.Count(int64(r.GPUs)), growth,
		unit.CountOf(int64(r.Hosts()), "host"), unit.CountOf(int64(r.Host.GPUs), "GPU"),
		unit.CountOf(int64(r.Rails()*r.NIC.PerGPU), "port"), r.NIC.Speed.Human()))
	s.BesideText(out)
	if l := s.Layout(); l != nil {
		s.TiersText(out, l.Option)
		s.GrowthText(out, l.Option)
		s.LossText(out, l.Option)
		s.BillText(out, l)
		if len(l.Findings) > 0 {
			out.Title("What does not fit, or is unusual")
			l.Findings.Sorted().RenderWidth(out, s.Source, shown.Columns(c.Stdout))
		}
		if dir != "" {
			out.Title(fmt.Sprintf("%s: scenario.yaml, bill.csv, cables.csv (%s), racks.txt (%s), design.json", dir,
				unit.CountOf(int64(len(l.Cables)), "cable"), unit.CountOf(int64(len(l.Racks)), "rack")))
		}
	}
	return out.Flush(c.Stdout)
}
