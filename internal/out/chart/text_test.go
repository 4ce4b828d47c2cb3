package chart

import "testing"

func TestUnitText(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    Value
		want string
	}{
		{Time, 151_700_000, "151.7 us"}, {Time, 0, "0"}, {Bytes, 1_062_500, "1.062 MB"},
		{Bitrate, 400e9, "400 Gb/s"},
		{ByteRate, 84.41e6, "84.41 MB/s"}, {Rate, 738_900, "738.9 k"}, {Fraction, 0.0004, "<0.1 %"},
		{Fraction, 1, "100 %"}, {Count, 12_345_678, "12,345,678"},
		{Count, 2.5, "2.5"}, {Plain, 2.302585, "2.303"}, {Plain, 0.00001234, "1.234e-05"}, {Time, Nothing, "-"},
	} {
		if got := c.unit.Text(c.v); got != c.want {
			t.Errorf("%q.Text(%v) = %q, want %q", c.unit, c.v, got, c.want)
		}
	}
}
