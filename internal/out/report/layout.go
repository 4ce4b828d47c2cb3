package report

import (
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
)

// text is what a command prints.
type text struct{ *sheet.Sheet }

func newText(width int) *text { return &text{sheet.New(width)} }

// count prints "1 step", "3 steps".
func count(n int64, thing string) string { return unit.CountOf(n, thing) }
