package unit_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

func TestPrint(t *testing.T) {
	for _, c := range []struct {
		value interface{ String() string }
		want  string
	}{
		{unit.Duration(0), "0s"},
		{unit.Duration(1), "1ps"},
		{1500 * unit.Nanosecond, "1.5us"},
		{90 * unit.Second, "90s"},
		{1048576 * unit.Nanosecond, "1048576ns"},
		{-unit.Microsecond, "-1us"},
		{unit.Time(2 * unit.Second), "2s"},
		{unit.Bytes(0), "0B"},
		{150 * unit.Kilobyte, "150kB"},
		{4096 * unit.Byte, "4KiB"},
		{9216 * unit.Byte, "9KiB"},
		{1500 * unit.Byte, "1.5kB"},
		{400 * unit.GigabitPerSec, "400Gb/s"},
		{25_500 * unit.MegabitPerSec, "25.5Gb/s"},
		{20 * unit.Metre, "20m"},
		{unit.Length(1), "1mm"},
		{unit.Ratio{Num: 1, Den: 8}, "1/8"},
		{unit.Ratio{Num: 7, Den: 100}, "7%"},
		{unit.Ratio{Num: 2, Den: 1}, "2"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%#v prints as %s, want %s", c.value, got, c.want)
		}
	}
}

func TestPrintForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{unit.Duration(20_865_016).Human(), "20.87 us"}, {unit.Time(777).Human(), "777 ps"},
		{unit.Duration(0).Human(), "0 ps"},
		{(1048576 * unit.Nanosecond).Human(), "1.049 ms"}, {unit.Bytes(407_080).Human(), "407.1 kB"},
		{(400 * unit.GigabitPerSec).Human(), "400 Gb/s"},
		{unit.Scaled(math.Inf(1), "", "k"), "+Inf"}, {unit.Scaled(2.5e9, "", "k"), "2500000 k"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	duration := func(s string) (int64, error) { v, err := unit.ParseDuration(s); return int64(v), err }
	bytes := func(s string) (int64, error) { v, err := unit.ParseBytes(s); return int64(v), err }
	rate := func(s string) (int64, error) { v, err := unit.ParseBitrate(s); return int64(v), err }
	length := func(s string) (int64, error) { v, err := unit.ParseLength(s); return int64(v), err }
	for _, c := range []struct {
		parse func(string) (int64, error)
		text  string
		want  int64
		err   string // whole message, "" if it must parse
	}{
		{duration, "600ns", 600_000, ""},
		{duration, " 1.5 us ", 1_500_000, ""},
		{duration, "-3ms", -3_000_000_000, ""},
		{duration, "9223372036854775807ps", math.MaxInt64, ""},
		{duration, "9223372036854775808ps", 0, `"9223372036854775808ps": too large`},
		{duration, "0.5ps", 0, `"0.5ps": finer than 1 ps, the smallest step`},
		{duration, "10", 0, `"10": no unit, want a time (ps, ns, us, ms, s, min, h)`},
		{duration, "10m", 0, `"10m": unknown unit "m", want a time (ps, ns, us, ms, s, min, h)`},
		{duration, "ms", 0, `"ms": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "1.s", 0, `"1.s": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "1.2.3s", 0, `"1.2.3s": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "-0s", 0, `"-0s": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "-00.0s", 0, `"-00.0s": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "\u00a01s", 0, `"\u00a01s": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{duration, "", 0, `"": want a number with a unit: a time (ps, ns, us, ms, s, min, h)`},
		{bytes, "150kB", 150_000, ""},
		{bytes, "4KiB", 4096, ""},
		{bytes, "1.5KiB", 1536, ""},
		{bytes, "0.1B", 0, `"0.1B": finer than 1 B, the smallest step`},
		{bytes, "4Gb", 0, `"4Gb": unknown unit "Gb", want bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB)`},
		{rate, "400Gb/s", 400_000_000_000, ""},
		{rate, "50GB/s", 400_000_000_000, ""},
		{bytes, "4mb", 0, `"4mb": unknown unit "mb", want bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB); perhaps MB`},
		{bytes, "4KB", 0, `"4KB": unknown unit "KB", want bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB); perhaps kB`},
		{bytes, "4gib", 0, `"4gib": unknown unit "gib", want bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB); perhaps GiB`},
		{rate, "100Gbps", 0, `"100Gbps": unknown unit "Gbps", want bits (Gb/s) or bytes (GB/s); perhaps Gb/s`},
		{rate, "100gbit/s", 0, `"100gbit/s": unknown unit "gbit/s", want bits (Gb/s) or bytes (GB/s); perhaps Gb/s`},
		{rate, "25GBps", 0, `"25GBps": unknown unit "GBps", want bits (Gb/s) or bytes (GB/s); perhaps GB/s`},
		{duration, "5µs", 0, `"5µs": unknown unit "µs", want a time (ps, ns, us, ms, s, min, h); perhaps us`},
		{rate, "400G", 0, `"400G": unknown unit "G", want bits (Gb/s) or bytes (GB/s)`},
		{length, "2.5m", 2500, ""},
		{length, "20", 0, `"20": no unit, want a length (mm, cm, m, km)`},
	} {
		got, err := c.parse(c.text)
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%q parses as %d, %v, want %d", c.text, got, err, c.want)
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%q parses as %d, %v, want error %s", c.text, got, err, c.err)
		}
	}
}

func TestParseRatio(t *testing.T) {
	for text, want := range map[string]unit.Ratio{
		"1/8": {Num: 1, Den: 8}, "2/16": {Num: 2, Den: 16}, "7%": {Num: 7, Den: 100}, "7.0%": {Num: 7, Den: 100},
		"0.07": {Num: 7, Den: 100},
		"0.5%": {Num: 5, Den: 1000}, "2": {Num: 2, Den: 1}, "-1/2": {Num: -1, Den: 2}, " 1 / 3 ": {Num: 1, Den: 3},
		"0.25": {Num: 25, Den: 100},
	} {
		if got, err := unit.ParseRatio(text); err != nil || got != want {
			t.Errorf("%q parses as %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "1/", "/8", "1/0", "1/-8", "1e3", ".5", "%", "1 2", "0.0000000000001",
		"9999999999999999999", "x", "+1/8", "1/+8", "-0", "-0/8", "-0.0%", "\u00a01/8", "1/0000"} {
		if got, err := unit.ParseRatio(text); err == nil {
			t.Errorf("%q parses as %v, want an error", text, got)
		}
	}
}

// anyInt64 draws values of every size, with either sign, round ones too.
func anyInt64(t *rapid.T) int64 {
	v := rapid.Int64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift")
	if m := rapid.SampledFrom([]int64{1, 10, 1000, 1_000_000, 60, 1024}).Draw(t, "multiple"); v < math.MaxInt64/m &&
		v > math.MinInt64/m {
		v *= m
	}
	return v
}

func TestPrintedParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyInt64(t)
		if got, err := unit.ParseDuration(unit.Duration(v).String()); err != nil || got != unit.Duration(v) {
			t.Fatalf("duration %d prints as %v, which parses as %d, %v", v, unit.Duration(v), got, err)
		}
		if got, err := unit.ParseBytes(unit.Bytes(v).String()); err != nil || got != unit.Bytes(v) {
			t.Fatalf("%d bytes print as %v, which parses as %d, %v", v, unit.Bytes(v), got, err)
		}
		if got, err := unit.ParseBitrate(unit.Bitrate(v).String()); err != nil || got != unit.Bitrate(v) {
			t.Fatalf("%d bit/s print as %v, which parses as %d, %v", v, unit.Bitrate(v), got, err)
		}
		if got, err := unit.ParseLength(unit.Length(v).String()); err != nil || got != unit.Length(v) {
			t.Fatalf("%d mm print as %v, which parses as %d, %v", v, unit.Length(v), got, err)
		}
		r := unit.Ratio{Num: v, Den: max(1, anyInt64(t))}
		if got, err := unit.ParseRatio(r.String()); err != nil || got != r {
			t.Fatalf("ratio %d/%d prints as %v, which parses as %v, %v", r.Num, r.Den, r, got, err)
		}
	})
}

// FuzzParse: whatever parses prints as a text that parses to the same value, and says so with every
// parser.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"600ns", "1.5us", "4KiB", "0.1MB", "400Gb/s", "50GB/s", "20m", "1/8", "7%", "-0.07", "",
		"1.", "9223372036854775808ps", "1/9223372036854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := unit.ParseDuration(s); err == nil {
			if w, err := unit.ParseDuration(v.String()); err != nil || w != v {
				t.Errorf("%q is %d, prints %v, parses as %d, %v", s, v, v, w, err)
			}
		}
		if v, err := unit.ParseBytes(s); err == nil {
			if w, err := unit.ParseBytes(v.String()); err != nil || w != v {
				t.Errorf("%q is %d, prints %v, parses as %d, %v", s, v, v, w, err)
			}
		}
		if v, err := unit.ParseBitrate(s); err == nil {
			if w, err := unit.ParseBitrate(v.String()); err != nil || w != v {
				t.Errorf("%q is %d, prints %v, parses as %d, %v", s, v, v, w, err)
			}
		}
		if v, err := unit.ParseLength(s); err == nil {
			if w, err := unit.ParseLength(v.String()); err != nil || w != v {
				t.Errorf("%q is %d, prints %v, parses as %d, %v", s, v, v, w, err)
			}
		}
		if v, err := unit.ParseRatio(s); err == nil {
			if v.Den <= 0 {
				t.Errorf("%q has denominator %d", s, v.Den)
			}
			if w, err := unit.ParseRatio(v.String()); err != nil || w != v {
				t.Errorf("%q is %v, which parses as %v, %v", s, v, w, err)
			}
		}
	})
}

func TestTransmitTime(t *testing.T) {
	for _, c := range []struct {
		rate  unit.Bitrate
		bytes unit.Bytes
		want  unit.Duration
	}{
		{100 * unit.GigabitPerSec, 1048, 83_840},
		{400 * unit.GigabitPerSec, 4178, 83_560},
		{800 * unit.GigabitPerSec, 1, 10},
		{3 * unit.BitPerSecond, 1, 2_666_666_666_667}, // rounded up
		{unit.GigabitPerSec, 0, 0},
	} {
		if got := c.rate.TransmitTime(c.bytes); got != c.want {
			t.Errorf("%v at %v takes %v, want %v", c.bytes, c.rate, got, c.want)
		}
	}
}

// TestTransmitTimeExact compares with big integers: ceil(8e12 * bytes / rate), or a panic where
// that does not fit.
func TestTransmitTimeExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := unit.Bitrate(rapid.Int64Range(1, math.MaxInt64).Draw(t, "rate") >> rapid.IntRange(0,
			62).Draw(t, "rate shift"))
		rate = max(rate, 1)
		b := unit.Bytes(rapid.Int64Range(0, math.MaxInt64).Draw(t, "bytes") >> rapid.IntRange(0,
			62).Draw(t, "bytes shift"))
		want := new(big.Int).Mul(big.NewInt(int64(b)), big.NewInt(8*int64(unit.Second)))
		want.Add(want, big.NewInt(int64(rate)-1)).Div(want, big.NewInt(int64(rate)))
		got, panicked := catch(func() int64 { return int64(rate.TransmitTime(b)) })
		if panicked != !want.IsInt64() || !panicked && got != want.Int64() {
			t.Fatalf("%d bytes at %d bit/s: %d ps (panicked: %v), want %v", b, rate, got, panicked, want)
		}
	})
}

// TestBytesInInvertsTransmitTime: in the time that b bytes take, b bytes are sent, and less than b
// in one picosecond less.
func TestBytesInInvertsTransmitTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := unit.Bitrate(rapid.Int64Range(1, 8*int64(unit.TerabitPerSec)).Draw(t, "rate"))
		b := unit.Bytes(rapid.Int64Range(1, 1_000_000).Draw(t, "bytes"))
		d := rate.TransmitTime(b)
		if got, less := rate.BytesIn(d), rate.BytesIn(d-1); got < b || less >= b {
			t.Fatalf("%d bytes at %d bit/s take %d ps, in which %d are sent (in 1 ps less %d)", b, rate, d, got, less)
		}
	})
}

func TestRatioExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo int64, name string) int64 {
			return max(lo, rapid.Int64Range(lo, math.MaxInt64).Draw(t, name)>>rapid.IntRange(0,
				62).Draw(t, name+" shift"))
		}
		r := unit.Ratio{Num: draw(0, "num"), Den: draw(1, "den")}
		s := unit.Ratio{Num: draw(0, "other num"), Den: draw(1, "other den")}
		x := draw(0, "x")
		want := new(big.Int).Mul(big.NewInt(r.Num), big.NewInt(x))
		want.Div(want, big.NewInt(r.Den))
		got, panicked := catch(func() int64 { return r.Of(x) })
		if panicked != !want.IsInt64() || !panicked && got != want.Int64() {
			t.Fatalf("%v of %d: %d (panicked: %v), want %v", r, x, got, panicked, want)
		}
		if rapid.Bool().Draw(t, "negative") {
			r.Num = -r.Num
		}
		if got, want := r.Cmp(s), big.NewRat(r.Num, r.Den).Cmp(big.NewRat(s.Num, s.Den)); got != want {
			t.Fatalf("%v compared with %v: %d, want %d", r, s, got, want)
		}
	})
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func() int64{
		"no rate":        func() int64 { return int64(unit.Bitrate(0).TransmitTime(1)) },
		"negative rate":  func() int64 { return int64(unit.Bitrate(-1).TransmitTime(1)) },
		"negative bytes": func() int64 { return int64(unit.GigabitPerSec.TransmitTime(-1)) },
	} {
		if _, panicked := catch(f); !panicked {
			t.Errorf("%s: no panic", name)
		}
	}
}

// catch calls f and reports whether it panicked.
func catch(f func() int64) (v int64, panicked bool) {
	defer func() { panicked = recover() != nil }()
	return f(), false
}

// Bit error rates are written with an exponent.
func TestRatiosWithExponents(t *testing.T) {
	for text, want := range map[string]unit.Ratio{"1e-12": {Num: 1, Den: 1_000_000_000_000},
		"2.5E-7": {Num: 25, Den: 100_000_000}, "1e-0": {Num: 1, Den: 1}} {
		if got, err := unit.ParseRatio(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"1e-16", "1e12", "e-3", "1e-", "1e-12%", "0.001e-12"} {
		if r, err := unit.ParseRatio(text); err == nil {
			t.Errorf("%s: %v, want an error", text, r)
		}
	}
}
