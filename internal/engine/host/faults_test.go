package host

import (
	"testing"

	"railyard/internal/base/unit"
)

// A kernel of 10 us on a GPU to which something happens.
func TestStretchedKernels(t *testing.T) {
	const us = unit.Microsecond
	while := func(from, until unit.Duration) While { return While{unit.Time(from), unit.Time(until)} }
	three, still := unit.Ratio{Num: 3, Den: 1}, unit.Ratio{}
	for _, c := range []struct {
		what  string
		all   []Compute
		begin unit.Duration
		want  unit.Duration
	}{
		{"nothing", nil, 0, 10 * us},
		{"three times as long, all the time", []Compute{{Factor: three}}, 0, 30 * us},
		{"from the middle on", []Compute{{While: while(5*us, 0), Factor: three}}, 0, 5*us + 15*us},
		{"for a while: a third of 6 us is done meanwhile", []Compute{{While: while(5*us, 11*us), Factor: three}}, 0, 14 * us},
		{"it stands still", []Compute{{While: while(5*us, 105*us), Factor: still}}, 0, 110 * us},
		{"it began while the GPU stood still", []Compute{{While: while(5*us, 105*us), Factor: still}}, 7 * us, 115 * us},
		{"the last of two", []Compute{{Factor: still}, {Factor: three}}, 0, 30 * us},
		{"faster", []Compute{{Factor: unit.Ratio{Num: 1, Den: 2}}}, 0, 5 * us},
		{"another GPU's", []Compute{{GPU: 1, Factor: three}}, 0, 10 * us},
	} {
		h := &Hosts{hosts: make([]host, 1)}
		h.addFaults(&Faults{Compute: c.all})
		if got := h.stretched(&rankState{}, unit.Time(c.begin), 10*us); got != unit.Time(c.want) {
			t.Errorf("%s: until %v, want %v", c.what, got, c.want)
		}
	}
}

// A link inside a host that carries a tenth for a while: who asks again and again sees its byte past when a tenth of
// the rate allows, and what comes after is at full speed.
func TestASlowerLink(t *testing.T) {
	const rate = 80 * unit.GigabitPerSec // 10 B in a nanosecond
	all := turns(rate, []Slower{{While: While{1000_000, 3000_000}, Rate: rate / 10}})
	for _, c := range []struct {
		size unit.Bytes
		want unit.Time // ps
	}{
		{10_000, 1000_000}, // as it begins
		{11_000, 2000_000},
		{12_000, 3000_000},
		{22_000, 4000_000},
	} {
		s := newShare(rate, 0, all...)
		f := s.flow()
		m := s.add(0, f, c.size)
		if got := end(&s, 0, m+mark(c.size)*markByte); got < c.want || got > c.want+2 {
			t.Errorf("%d B are past at %d ps, want %d", c.size, got, c.want)
		}
	}
	// Nobody uses it as it turns: who comes later finds it as it is then.
	s := newShare(rate, 0, all...)
	f := s.flow()
	if got := end(&s, 2000_000, s.add(2000_000, f, 500)+500*markByte); got != 2500_000 {
		t.Errorf("500 B from 2 us on are past at %d ps, want 2.5 us", got)
	}
	if got := rateAt(rate, all, 2999_999); got != rate/10 {
		t.Errorf("%v before the end, want a tenth", got)
	}
	if got := rateAt(rate, all, 3000_000); got != rate {
		t.Errorf("%v after it, want all", got)
	}
}
