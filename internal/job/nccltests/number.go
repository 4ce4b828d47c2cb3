package nccltests

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

const (
	gBs = 8_000_000_000 // bits per second of a GB/s
	us  = 1_000_000     // picoseconds of a microsecond
)

// decimal reads a number as printf writes it, times scale, to the nearest whole.
func decimal(text string, scale int64) (int64, error) {
	wrong := fmt.Errorf("%s: want a number, 0 or more", located.Shown(text))
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if text == "" || len(text) > 40 || strings.Trim(mantissa, "0123456789.") != "" {
		return 0, wrong
	}
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e < -18 || e > 18) {
		return 0, wrong
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, wrong
	}
	r.Mul(r, new(big.Rat).SetInt64(scale))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return 0, fmt.Errorf("%s: too large", located.Shown(text))
	}
	return n.Int64(), nil
}

func duration(text string) (unit.Duration, error) {
	n, err := decimal(text, us)
	return unit.Duration(n), err
}

func bandwidth(text string) (unit.Bitrate, error) {
	n, err := decimal(text, gBs)
	return unit.Bitrate(n), err
}

// errorsOf reads the column of errors.
func errorsOf(text string) (Errors, error) {
	if text == "N/A" {
		return Errors{}, nil
	}
	if _, err := decimal(text, 1); err != nil {
		return Errors{}, fmt.Errorf("%s: want a number, 0 or more, or N/A", located.Shown(text))
	}
	v, err := strconv.ParseFloat(text, 64)
	return Errors{Checked: true, Value: v}, err
}

// whole reads an integer from least on.
func whole(text string, least int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s: want a whole number from %d", located.Shown(text), least)
	}
	return n, nil
}
