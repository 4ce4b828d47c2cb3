package tune

import (
	"fmt"
	"strconv"
	"strings"
)

// Prefer is what counts most where a choice is made on the frontier: one of the names below, or weights such as
// throughput=2,delay=1.
type Prefer string

// The preferences, by the names that a user gives.
const (
	PreferAll        Prefer = "all"        // no figure gets worse than it is
	PreferThroughput Prefer = "throughput" // near the best in this figure
	PreferDelay      Prefer = "delay"
	PreferPauses     Prefer = "pauses"
)

// Preferences lists those that have a name.
func Preferences() []Prefer { return []Prefer{PreferAll, PreferThroughput, PreferDelay, PreferPauses} }

// mostWeight bounds a weight: beside one a hundred times as large nothing else counts.
const mostWeight = 100

// ParsePrefer reads a name, or weights. The error says what would do.
func ParsePrefer(text string) (Prefer, error) {
	for _, p := range Preferences() {
		if text == string(p) {
			return p, nil
		}
	}
	if !strings.Contains(text, "=") {
		return "", fmt.Errorf("%q: want all, throughput, delay or pauses, or weights such as throughput=2,delay=1", text)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		w, err := strconv.ParseFloat(value, 64)
		_, known := weighed[name]
		if !known || seen[name] || err != nil || !(w > 0 && w <= mostWeight) {
			return "", fmt.Errorf("%q: want throughput, delay and pauses, each once at most, with weights above 0 and up to %d",
				part, mostWeight)
		}
		seen[name] = true
	}
	return Prefer(text), nil
}

// weighed is where a figure is among time, delay and paused.
var weighed = map[string]int{"throughput": 0, "delay": 1, "pauses": 2}

// weights are those of time, delay and paused; false: there are none, and it is a name. What is not named does not count.
func (p Prefer) weights() (w [3]float64, ok bool) {
	if !strings.Contains(string(p), "=") {
		return w, false
	}
	for part := range strings.SplitSeq(string(p), ",") {
		name, value, _ := strings.Cut(part, "=")
		if at, known := weighed[name]; known {
			w[at], _ = strconv.ParseFloat(value, 64)
		}
	}
	return w, true
}
