package cli

import (
	"fmt"
	"path/filepath"

	"railyard/internal/trial"
	"railyard/internal/unit"
	"railyard/internal/view"
)

// tuneText prints what a tuning found.
func (c *tuneCall) tuneText(f *trial.Found, out string) error {
	s := c.newSheet()
	s.Wrap("", view.TuneHeading(f))
	for _, p := range f.Patterns {
		s.Hang("  ", "    ", p.Name+": "+p.What)
	}
	if f.LeftOut != "" {
		s.Hang("  ", "    ", f.LeftOut)
	}
	if f.Slice.Hosts < f.Slice.Of {
		s.Wrap("  ", fmt.Sprintf("%d of %s take part, evenly apart; the fabric is whole", f.Slice.Hosts,
			unit.CountOf(int64(f.Slice.Of), "host")))
	}
	s.Title("By formula")
	for _, r := range f.Formula {
		s.Hang("  ", "    ", r.Key+" "+r.Value+": "+r.Why)
	}
	view.PointsText(s, f)
	s.Title("Why")
	for _, p := range f.Points {
		s.Hang(fmt.Sprintf("  %2d  ", p.Number), "      ", p.Why)
	}
	view.PricesText(s, f)
	view.ChosenText(s, f)
	if out != "" {
		s.Blank()
		s.Wrap("", "files: "+filepath.Join(out, tuneFile)+", "+pageFile+", "+plotFolder+", "+tunedFile)
	}
	return s.Flush(c.stdout)
}
