package unit

import "testing"

func TestPower(t *testing.T) {
	for _, c := range []struct {
		text, printed, human string
		want                 Power
	}{{"700W", "700W", "700 W", 700 * Watt}, {"14.3kW", "14.3kW", "14.30 kW", 14_300 * Watt}, {"0W", "0W", "0 W", 0},
		{"0.1 W", "100mW", "0.100 W", 100}, {"1.5MW", "1.5MW", "1.500 MW", 1_500_000 * Watt}} {
		got, err := ParsePower(c.text)
		if err != nil || got != c.want || got.String() != c.printed {
			t.Errorf("%s: %d %v, %v, want %d %s", c.text, got, got, err, c.want, c.printed)
		}
		if got.Human() != c.human {
			t.Errorf("%s: %q, want %q", c.text, got.Human(), c.human)
		}
	}
	for _, bad := range []string{"700", "7hp", "W", "0.0001W"} {
		if v, err := ParsePower(bad); err == nil {
			t.Errorf("%s: %v, want an error", bad, v)
		}
	}
}
