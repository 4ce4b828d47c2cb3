package designcmd

import (
	"context"
	"errors"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/out/result"
	"railyard/internal/plan/design"
	"railyard/internal/plan/scenario"
)

// playSlices plays a slice of each design that closes: an all-reduce and an all-to-all.
func (c *designCall) playSlices(ctx context.Context, s *view.Study) error {
	s.Timed = make([]view.Timed, len(s.Options))
	for i, o := range s.Options {
		l := s.Layouts[i]
		if l == nil {
			continue
		}
		slice, err := design.Slice(s.Requirement, o)
		if err != nil {
			return fmt.Errorf("design: slice of %s: %w", o.Design, err)
		}
		sc, err := scenario.Parse(o.Design+".yaml", design.Scenario(s.Requirement, slice, l.Lengths(),
			s.Requirement.Simulate.Bytes,
			"all-reduce", "all-to-all"))
		if err != nil {
			return fmt.Errorf("design: slice of %s: %w", o.Design, err)
		}
		p := c.StartNext(c.f.quiet, o.Design)
		sum, err := c.engine.Run(ctx, sc, call.RunOptions{Workers: -1, Progress: func(v result.Progress) {
			v.Phase = o.Design + ", " + v.Phase
			p.Update(v)
		}})
		p.Stop()
		if ctx.Err() != nil {
			return &call.Exit{Code: call.Interrupted, Err: errors.New("design: interrupted")}
		}
		if err != nil {
			return fmt.Errorf("design: slice of %s: %w", o.Design, err)
		}
		if len(sum.Collectives) != 2 {
			return fmt.Errorf("design: slice of %s: %d collectives ended, want 2", o.Design, len(sum.Collectives))
		}
		w := slice.Backend()
		s.Timed[i] = view.Timed{Hosts: w.Hosts, Bytes: s.Requirement.Simulate.Bytes, AllReduce: sum.Collectives[0].Time,
			AllToAll: sum.Collectives[1].Time,
			What: fmt.Sprintf("%s of each collective on %s of %s, %s, %s, %s", s.Requirement.Simulate.Bytes.Human(),
				call.Count(w.Segments, "segment"), call.Count(w.Segment, "host"), countLeaves(w.Leaves()),
				call.Count(w.Spines(), "spine"),
				call.Count(w.SuperSpines(), "super-spine"))}
	}
	return nil
}

func countLeaves(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return unit.Count(int64(n)) + " leaves"
}
