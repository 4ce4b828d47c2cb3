package dump

import "testing"

// TestDates: as the calendar has them, and what is none.
func TestDates(t *testing.T) {
	for text, want := range map[string]instant{
		"1970-01-01T00:00:00Z":                 {0, 0},
		"2000-01-01T00:00:00.0000203125+00:00": {946_684_800, 20_312_500},
		"2000-02-29T23:59:59,123456789+00:00":  {951_868_799, 123_456_789_000},
		"2026-01-31T10:00:00+01:00":            {1_769_850_000, 0},
		"2026-01-31 10:00:00.5 -0530":          {1_769_873_400, 500_000_000_000},
		"Sat Jan  1 00:00:00 UTC 2000":         {946_684_800, 0},
		"946684800.25":                         {946_684_800, 250_000_000_000},
		"2100-03-01T00:00:00Z":                 {4_107_542_400, 0},
		"2000-02-30T00:00:00Z":                 never,
		"2100-02-29T00:00:00Z":                 never,
		"2000-13-01T00:00:00Z":                 never,
		"2000-01-01T24:00:00Z":                 never,
		"2000-01-01T00:00:00":                  never,
		"2000-01-01T00:00:00+24:00":            never,
		"2200-01-01T00:00:00Z":                 never,
		"Sat Jan  1 00:00:00 CET 2000":         never,
		"1970-01-01T00:00:00+01:00":            never,
		"12":                                   never,
	} {
		got, known := date(text)
		if known != (want != never) || known && got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, known, want)
		}
	}
	for _, sec := range []int64{0, 951_868_799, 951_782_400, 4_107_542_400, 1_769_850_000} {
		if got, known := momentOf(sec).unix(); got != sec || !known {
			t.Errorf("%d is %v, and that %d", sec, momentOf(sec), got)
		}
	}
}
