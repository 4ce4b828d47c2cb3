package call

import (
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

func TestDidYouMean(t *testing.T) {
	for word, want := range map[string]string{
		"rnu": "run", "ran": "run", "versoin": "version", "ver": "version", "dta": "data", "x": "",
		"frobnicate": "", "": "",
	} {
		got := DidYouMean(word, []string{"run", "data", "version"}, "see elsewhere")
		if want == "" && got != "; see elsewhere" || want != "" && got != "; did you mean "+want+"?" {
			t.Errorf("%q: %s, want %q", word, got, want)
		}
	}
	if n := scenario.Edits("kitten", "sitting"); n != 3 {
		t.Errorf("kitten to sitting: %d edits, want 3", n)
	}
	if !strings.Contains(KernelNames(), "portable") {
		t.Error("the portable kernel is not listed")
	}
}
