package unit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A scale is one unit name with its size in the quantity's smallest unit.
type scale struct {
	name string
	size int64
}

// Unit names, largest first: printing takes the first that divides the value.
var (
	durationScales = []scale{{"h", int64(Hour)}, {"min", int64(Minute)}, {"s", int64(Second)},
		{"ms", int64(Millisecond)},
		{"us", int64(Microsecond)}, {"ns", int64(Nanosecond)}, {"ps", 1}}
	byteScales = []scale{{"TB", int64(Terabyte)}, {"GB", int64(Gigabyte)},
		{"MB", int64(Megabyte)}, {"kB", int64(Kilobyte)},
		{"TiB", int64(Tebibyte)}, {"GiB", int64(Gibibyte)}, {"MiB", int64(Mebibyte)},
		{"KiB", int64(Kibibyte)}, {"B", 1}}
	rateScales = []scale{{"Tb/s", int64(TerabitPerSec)}, {"Gb/s", int64(GigabitPerSec)}, {"Mb/s", int64(MegabitPerSec)},
		{"kb/s", int64(KilobitPerSec)}, {"b/s", 1},
		{"TB/s", 8 * int64(TerabitPerSec)}, {"GB/s", 8 * int64(GigabitPerSec)}, {"MB/s", 8 * int64(MegabitPerSec)},
		{"kB/s", 8 * int64(KilobitPerSec)}, {"B/s", 8}}
	bitScales    = 5 // of rateScales, printed; the rest is read too
	lengthScales = []scale{{"km", int64(Kilometre)}, {"m", int64(Metre)}, {"cm", int64(Centimetre)}, {"mm", 1}}
)

// ParseDuration reads a span such as 600ns, 1.5us, 10ms or 2s.
func ParseDuration(s string) (Duration, error) {
	v, err := parse(s, durationScales, "a time (ps, ns, us, ms, s, min, h)", "1 ps")
	return Duration(v), err
}

// ParseBytes reads a byte count such as 4096B, 150kB, 25MB or 4KiB.
func ParseBytes(s string) (Bytes, error) {
	v, err := parse(s, byteScales, "bytes (B, kB, MB, GB, TB or KiB, MiB, GiB, TiB)", "1 B")
	return Bytes(v), err
}

// ParseBitrate reads a rate in bits (400Gb/s) or bytes (50GB/s).
func ParseBitrate(s string) (Bitrate, error) {
	v, err := parse(s, rateScales, "bits (Gb/s) or bytes (GB/s)", "1 b/s")
	return Bitrate(v), err
}

// ParseLength reads a cable length such as 20m.
func ParseLength(s string) (Length, error) {
	v, err := parse(s, lengthScales, "a length (mm, cm, m, km)", "1 mm")
	return Length(v), err
}

// ParseRatio reads an exact ratio: 1/8, 7%, 0.07, 1e-12 or 2. It keeps the terms of a fraction as
// written.
func ParseRatio(s string) (Ratio, error) {
	t := trimmed(s)
	if n, d, ok := strings.Cut(t, "/"); ok {
		n, d = trimmed(n), trimmed(d)
		num, err1 := strconv.ParseInt(n, 10, 64)
		den, err2 := strconv.ParseInt(d, 10, 64)
		switch {
		case signed(n) && digits(d) && (errors.Is(err1, strconv.ErrRange) || errors.Is(err2, strconv.ErrRange)):
			return Ratio{}, fmt.Errorf("%s: a term too large for a ratio, want at most %d", quote(s), int64(math.MaxInt64))
		case err1 != nil || err2 != nil || den <= 0 || !signed(n) || !digits(d):
			return Ratio{}, fmt.Errorf("%s: want a ratio such as 1/8, 7%% or 0.07", quote(s))
		}
		return Ratio{num, den}, nil
	}
	den := int64(1)
	if p, ok := strings.CutSuffix(t, "%"); ok {
		t, den = trimmed(p), 100
	}
	if n, e, ok := strings.Cut(strings.ToLower(t), "e-"); ok && den == 1 { // as bit error rates are written
		power, err := strconv.ParseUint(e, 10, 8)
		if err != nil || power > 15 {
			return Ratio{}, fmt.Errorf("%s: want a ratio such as 1/8, 7%% or 1e-12, down to 1e-15", quote(s))
		}
		for t = n; power > 0; power-- {
			den *= 10
		}
	}
	whole, frac, _ := strings.Cut(t, ".")
	if len(frac) > 2 && den > 100*1_000_000 || len(frac) > 12 || whole == "" || whole == "-" || !signed(whole+frac) {
		return Ratio{}, fmt.Errorf("%s: want a ratio such as 1/8, 7%% or 0.07", quote(s))
	}
	num, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return Ratio{}, fmt.Errorf("%s: too large for a ratio", quote(s))
	}
	for range frac {
		den *= 10
	}
	if den%100 == 0 && den > 100 && num%10 == 0 { // 7.0% is 7%
		for den > 100 && num%10 == 0 {
			num, den = num/10, den/10
		}
	}
	return Ratio{num, den}, nil
}

// String prints the ratio as a percentage or a whole number where that is exact, else as a
// fraction.
func (r Ratio) String() string {
	switch r.Den {
	case 1:
		return strconv.FormatInt(r.Num, 10)
	case 100:
		return strconv.FormatInt(r.Num, 10) + "%"
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

// MarshalText writes the ratio as String does: JSON has it as "1/8".
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRatio reads.
func (r *Ratio) UnmarshalText(b []byte) (err error) {
	*r, err = ParseRatio(string(b))
	return err
}

func (d Duration) String() string { return format(int64(d), durationScales, "s") }
func (b Bytes) String() string    { return format(int64(b), byteScales, "B") }
func (r Bitrate) String() string  { return format(int64(r), rateScales[:bitScales], "b/s") }
func (l Length) String() string   { return format(int64(l), lengthScales, "m") }

// format prints v exactly, in the largest unit in which it needs no more than three decimals.
func format(v int64, scales []scale, zero string) string {
	if v == 0 {
		return "0" + zero
	}
	neg := ""
	u := uint64(v)
	if v < 0 {
		neg, u = "-", -u
	}
	best := ""
	for _, sc := range scales {
		size := uint64(sc.size)
		if u < size {
			continue
		}
		whole, rem := u/size, u%size
		if rem == 0 {
			t := neg + strconv.FormatUint(whole, 10) + sc.name
			if best == "" || len(t) < len(best) {
				best = t
			}
			continue
		}
		if size%1000 == 0 && rem%(size/1000) == 0 {
			t := neg + strconv.FormatUint(whole, 10) + "." +
				strings.TrimRight(fmt.Sprintf("%03d", rem/(size/1000)), "0") + sc.name
			if best == "" || len(t) < len(best) {
				best = t
			}
		}
	}
	return best
}

// parse reads a decimal number with one of the named units, exactly.
func parse(s string, scales []scale, want, smallest string) (int64, error) {
	t := trimmed(s)
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.' || t[i] == '-' && i == 0) {
		i++
	}
	number, name := t[:i], trimmed(t[i:])
	whole, frac, dot := strings.Cut(number, ".")
	if whole == "" || whole == "-" || !signed(whole+frac) || dot && frac == "" || len(number) > 40 {
		return 0, fmt.Errorf("%s: want a number with a unit: %s", quote(s), want)
	}
	if name == "" {
		return 0, fmt.Errorf("%s: no unit, want %s", quote(s), want)
	}
	size := int64(0)
	for _, sc := range scales {
		if sc.name == name {
			size = sc.size
		}
	}
	if size == 0 {
		return 0, fmt.Errorf("%s: unknown unit %s, want %s%s", quote(s), quote(name), want, near(name, scales))
	}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n <= math.MaxInt64/size && n >= math.MinInt64/size {
		return n * size, nil // as nearly all are: exact, and files of flows hold millions
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fmt.Errorf("%s: want a number with a unit: %s", quote(s), want)
	}
	r.Mul(r, new(big.Rat).SetInt64(size))
	if !r.IsInt() {
		return 0, fmt.Errorf("%s: finer than %s, the smallest step", quote(s), smallest)
	}
	if !r.Num().IsInt64() {
		return 0, fmt.Errorf("%s: too large", quote(s))
	}
	return r.Num().Int64(), nil
}

// spelled are other ways to write units.
var spelled = strings.NewReplacer("bps", "b/s", "Bps", "B/s", "bit/s", "b/s", "µs", "us", "μs", "us")

// near says which unit was perhaps meant by a name: one that differs in case, or in how it is written; of bits and bytes that of
// the same case. "" where it may be the other: Mb is no misspelt MB, but a million bits.
func near(name string, scales []scale) string {
	as, meant, sure := spelled.Replace(name), "", false
	for _, sc := range scales {
		bits := strings.Contains(as, "b")
		if !strings.EqualFold(sc.name, as) || bits && sc.name == strings.ReplaceAll(as, "b", "B") {
			continue
		}
		if same := strings.Contains(sc.name, "b") == bits; meant == "" || same && !sure {
			meant, sure = sc.name, same
		}
	}
	if meant == "" {
		return ""
	}
	return "; perhaps " + meant
}

// trimmed is s without the blanks around it: those of ASCII, as a scenario's schema has them.
func trimmed(s string) string { return strings.Trim(s, " \t\n\r\f") }

// signed reports whether s is digits, with a minus sign or without. Nothing has a sign if it is 0.
func signed(s string) bool {
	rest, minus := strings.CutPrefix(s, "-")
	return digits(rest) && (!minus || strings.Trim(rest, "0") != "")
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// quote shows input in an error, cut to a length that fits a line.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}
