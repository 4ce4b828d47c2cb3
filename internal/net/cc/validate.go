package cc

import "railyard/internal/base/unit"

// A ParamError says which parameter is out of bounds.
type ParamError struct{ Field, Value, Want string }

func (e *ParamError) Error() string { return e.Field + ": " + e.Value + ": want " + e.Want }

func outOfRange(field, value, want string) error { return &ParamError{field, value, want} }

// A check is one bound of one parameter.
type check struct {
	ok                 bool
	field, value, want string
}

// firstOf returns the first bound that does not hold.
func firstOf(checks ...check) error {
	for _, c := range checks {
		if !c.ok {
			return outOfRange(c.field, c.value, c.want)
		}
	}
	return nil
}

// fraction checks 0 < r <= 1, or 0 <= r <= 1 with zero allowed.
func fraction(field string, r unit.Ratio, zero bool) check {
	want := "more than 0, at most 1"
	if zero {
		want = "0 to 1"
	}
	ok := r.Den > 0 && r.Num <= r.Den && (r.Num > 0 || zero && r.Num == 0)
	return check{ok, field, ratioText(r), want}
}

// unless is a check that holds where the parameter is left out.
func (c check) unless(leftOut bool) check {
	c.ok = c.ok || leftOut
	return c
}

func ratioText(r unit.Ratio) string {
	if r.Den == 0 {
		return "not set"
	}
	return r.String()
}

func positive[T interface {
	~int64
	String() string
}](field string, v T) check {
	return check{v > 0, field, v.String(), "more than 0"}
}

func notNegative[T interface {
	~int64
	String() string
}](field string, v T) check {
	return check{v >= 0, field, v.String(), "0 or more"}
}

func whole(field string, v, lo, hi int32) check {
	n := func(v int32) string { return unit.Ratio{Num: int64(v), Den: 1}.String() }
	return check{v >= lo && v <= hi, field, n(v), n(lo) + " to " + n(hi)}
}
