package run

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/out/result"
	"railyard/internal/run/capture"
)

// buildCapture begins the capture that the scenario wants, and has the fabric tell it of frames and marks.
func (r *runner) buildCapture(fc *fabric.Config) (err error) {
	if r.plan.Captured() == nil || r.opt.Dir == nil {
		return nil
	}
	if r.capture, err = capture.New(r.plan, r.opt.Dir.Capture(), len(r.islands.sizes)); err != nil {
		return err
	}
	fc.OnSent, fc.Tapped = r.capture.Sent, r.capture.Tapped()
	log := fc.OnEvent
	fc.OnEvent = func(island int32, e fabric.Event) {
		if log != nil {
			log(island, e)
		}
		r.capture.Marked(island, e)
	}
	return nil
}

// finishCapture ends the capture. It returns a note if frames are not in it. What went wrong with its file, the run
// directory knows.
func (r *runner) finishCapture() []string {
	if r.capture == nil {
		return nil
	}
	if n, _ := r.capture.Finish(r.eng.Now()); n > 0 {
		return []string{fmt.Sprintf("%s leaves out %s: it keeps the first %s (capture.limit)", result.CaptureFile,
			unit.CountOf(n, "frame"), unit.Count(int64(r.plan.Scenario.Capture.Limit)))}
	}
	return nil
}
