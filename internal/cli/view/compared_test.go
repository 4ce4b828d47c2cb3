package view

import (
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/nccl"
)

// Of two sweeps it says how far they are apart and where they part, or that they do not; a constant that was fitted to the log
// says nothing of large sizes.
func TestComparedSweepsAsText(t *testing.T) {
	far, own := 0.25, nccl.Default().NVLinkEfficiency
	for _, c := range []struct {
		what Compared
		want string
		not  string
	}{
		{Compared{}, "", "error:"},
		{Compared{Error: &far, Rows: make([]ComparedRow, 1), Given: "1.25", NVLink: own},
			"error: 25.0 % over 1 size (exp", "they part, likely"},
		{Compared{Error: &far, Rows: make([]ComparedRow, 2), Given: "1.25", NVLink: own},
			"nowhere by more than a factor of 1.25", "over 1 size"},
		{Compared{Error: &far, Large: &far, NVLink: own, Parting: &ComparedParting{Reason: "latency", Text: "all"}},
			"they part, likely reason latency: all", "nowhere"},
		{Compared{Error: &far, NVLink: unit.Ratio{Num: 1, Den: 3}}, "is the scenario's, 1/3: if it was", "16 GiB on 8 x H200"},
		{Compared{LeftOut: []ComparedLeft{{Size: 8, Why: "too long"}}, Notes: []string{"assumed"}}, "left out: 8B: too long", "scores"},
	} {
		s := sheet.New(120)
		ComparedText(s, &c.what)
		var b strings.Builder
		if err := s.Flush(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%+v:\n%swant %q and no %q", c.what, text, c.want, c.not)
		}
	}
}
