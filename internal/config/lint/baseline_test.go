package lint

import (
	"encoding/json"
	"testing"
)

// A baseline leaves out a finding as often as it has it, wherever its line is now.
func TestBaselineLeavesOutWhatItHas(t *testing.T) {
	found := func(text string, line int) Finding {
		f := Finding{Rule: "Q01", Severity: Error, Device: "leaf1", Text: text}
		f.Line = line
		return f
	}
	text, err := json.Marshal(map[string]any{"findings": []Finding{found("a", 1), found("a", 2), found("b", 3)}})
	if err != nil {
		t.Fatal(err)
	}
	old, err := ParseBaseline(text)
	if err != nil {
		t.Fatal(err)
	}
	other := found("b", 3)
	other.Device = "leaf2"
	kept, known := old.Without([]Finding{found("a", 7), found("a", 8), found("a", 9), other, found("c", 1)})
	if known != 2 || len(kept) != 3 || kept[0].Line != 9 || kept[1].Device != "leaf2" || kept[2].Text != "c" {
		t.Errorf("%d known, kept %+v", known, kept)
	}
	if kept, known := (Baseline)(nil).Without([]Finding{found("a", 1)}); known != 0 || len(kept) != 1 {
		t.Errorf("without a baseline %d are known, kept %+v", known, kept)
	}
	for _, text := range []string{"", "[]", "{}", `{"findings": 3}`, `{"findings": [3]}`} {
		if _, err := ParseBaseline([]byte(text)); err == nil {
			t.Errorf("%q is a baseline", text)
		}
	}
}
