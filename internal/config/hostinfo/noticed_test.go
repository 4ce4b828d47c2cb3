package hostinfo

import "testing"

func TestDigitsAtTheBeginning(t *testing.T) {
	for text, want := range map[string]int{"": 0, "12a3": 2, "09": 2, "/1": 0, ":1": 0, "a1": 0, "5.15": 1} {
		if got := digits(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
