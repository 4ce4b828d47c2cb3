package unit

import (
	"math"
	"testing"
)

func TestFiguresForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0).Human(), "0 ps"}, {Duration(777).Human(), "777 ps"}, {Duration(600_000).Human(), "600 ns"},
		{Duration(41_234_567).Human(), "41.23 us"},
		{Duration(999_949).Human(), "999.9 ns"}, {Duration(999_960).Human(), "1 us"}, {Duration(9_999_600).Human(),
			"10 us"}, {(3600 * Second).Human(), "3600 s"}, {Duration(-1500).Human(), "-1.500 ns"},
		{Bytes(4178).Human(), "4.178 kB"}, {Bytes(64).Human(), "64 B"}, {Bytes(25_000_000).Human(), "25 MB"},
		{Bytes(2_345_678_901).Human(), "2.346 GB"},
		{(400 * GigabitPerSec).Human(), "400 Gb/s"}, {ByteRate(4.515e8), "451.5 MB/s"}, {ByteRate(math.NaN()), "NaN"},
		{Rate(8_123_456), "8.123 M"}, {Rate(12), "12"}, {Count(1234567), "1,234,567"}, {Count(-999), "-999"},
		{Count(-1000), "-1,000"},
		{Percent(0), "0.0 %"}, {Percent(0.0001), "<0.1 %"}, {Percent(-0.0001), ">-0.1 %"}, {Percent(-0.001), "-0.1 %"},
		{Percent(0.9999), ">99.9 %"}, {Percent(1), "100 %"},
		{Percent(0.964), "96.4 %"},
		{Clock(1.26), "1.3 s"}, {Clock(59.4), "59 s"}, {Clock(200), "3 min 20 s"}, {Clock(7500), "2 h 05 min"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A part of a time is from 0 to 1.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		part, whole Duration
		want        float64
	}{{1, 4, 0.25}, {5, 4, 1}, {-1, 4, 0}, {1, 0, 0}, {4, 4, 1}} {
		if got := Share(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.part, c.whole, got, c.want)
		}
	}
}
