package lint

import (
	"encoding/json"
	"errors"
	"strings"

	"railyard/internal/base/objects"
)

// A Baseline is findings that are known, by what does not change when lines move: how often each was there.
type Baseline map[string]int

func baselineKey(f *Finding) string {
	return strings.Join([]string{f.Rule, string(f.Severity), f.Device, f.Port, f.Text}, "\x00")
}

// Without leaves out the findings of a baseline, and says how many those are.
func (b Baseline) Without(all []Finding) (kept []Finding, known int) {
	if b == nil {
		return all, 0
	}
	for i := range all {
		key := baselineKey(&all[i])
		if b[key] > 0 {
			b[key]--
			known++
			continue
		}
		kept = append(kept, all[i])
	}
	return kept, known
}

// ParseBaseline reads what lint --json has printed.
func ParseBaseline(text []byte) (Baseline, error) {
	var said struct {
		Findings objects.List[Finding] `json:"findings"`
	}
	err := objects.Check(text) // before room is made for any
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil || said.Findings == nil {
		return nil, errors.New("not what lint --json prints, want an object with findings")
	}
	b := Baseline{}
	for i := range said.Findings {
		b[baselineKey(&said.Findings[i])]++
	}
	return b, nil
}
