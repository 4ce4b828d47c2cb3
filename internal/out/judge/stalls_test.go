package judge

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// sending is three NICs, read 20 times, and what each has sent of 190 kB by a read.
func sending(sent func(host, read int) int64, change func(r *telemetry.Row, read int)) *telemetry.Telemetry {
	var b telemetry.Builder
	for i := range 20 {
		for h := range 3 {
			r := telemetry.NewRow(telemetry.NIC, fmt.Sprintf("host%d", h+1), fmt.Sprintf("host%d/leaf1", h+1),
				unit.Time(i)*unit.Time(20*unit.Microsecond))
			r.TxBytes = sent(h, i)
			r.TxPackets = r.TxBytes / 1000
			if change != nil {
				change(&r, i)
			}
			b.Add(&r)
		}
	}
	return b.Telemetry()
}

// Where no NIC sends for a while, a host stands still that has not sent all of its bytes; not one that only acknowledges or is through,
// nor where senders fall silent again and again, or packets were marked, so that they have reason to be slow.
func TestWhoDoesNotStandStill(t *testing.T) {
	order := func(h, i int) int64 { return int64(i) * 10_000 }
	stands := func(h, i int) int64 {
		if i < 5 {
			return order(h, i)
		}
		return int64(max(5, i-10))*10_000 + int64(h)*1000
	}
	// silent is that for so many reads once: as all compute, or where one stands still, before that others go on for a while.
	silent := func(reads int, still bool) *telemetry.Telemetry {
		return sending(func(h, i int) int64 {
			n := int64(i-max(0, min(i-4, reads))) * 10_000
			if still && i >= 4 {
				n += int64(h) * 1000
			}
			return n
		}, nil)
	}
	for name, c := range map[string]struct {
		now, was *telemetry.Telemetry
		named    bool
	}{
		"stands twice as long as in order": {silent(9, true), silent(4, false), true},
		"hardly longer than in order":      {silent(7, true), silent(4, false), false},
		"stands":                           {sending(stands, nil), sending(order, nil), true},
		"again and again": {sending(func(h, i int) int64 { return int64(i/6)*60_000 + int64(h)*1000*int64(i/6) }, nil),
			sending(order, nil), false},
		"through": {sending(func(h, i int) int64 {
			if i < 5 {
				return int64(i) * 38_000
			}
			return 190_000 + int64(h)*1000 + int64(max(0, i-15))*500
		}, nil), sending(order, nil), false},
		"acknowledges": {sending(func(h, i int) int64 {
			if h == 0 {
				return stands(0, i) / 100
			}
			return stands(2, i)
		}, nil), sending(func(h, i int) int64 {
			if h == 0 {
				return order(0, i) / 20
			}
			return order(2, i)
		}, nil), false},
		"marked": {sending(stands, func(r *telemetry.Row, i int) { r.ECNMarked = int64(i) * 100 }),
			sending(order, func(r *telemetry.Row, i int) { r.ECNMarked = int64(i) / 2 }), false},
	} {
		v := Judge(Case{Now: c.now, Healthy: c.was})
		if named := v.Wrong && v.Hypotheses[0].Mechanism == HostHang; named != c.named {
			t.Errorf("%s: named %v, %+v", name, named, v.Hypotheses)
		}
	}
}

// A rank that is late has a slow GPU, but for one on a host that is sent more than in order, if it is not late again and again.
func TestWhoIsSentMoreHasMoreToDo(t *testing.T) {
	of := func(bytes int64, late bool) *telemetry.Telemetry {
		return shown(func(r *telemetry.Row) {
			if r.Kind == string(telemetry.NIC) {
				r.RxBytes = r.TxBytes * bytes / 10
			}
			if r.Kind == string(telemetry.Collective) && r.Rank == 0 && r.Seq == 1 && late {
				r.Time = r.Time.Add(80 * unit.Microsecond)
			}
		})
	}
	for bytes, named := range map[int64]bool{10: true, 11: true, 12: false} {
		v := Judge(Case{Now: of(bytes, true), Healthy: of(10, false)})
		if got := v.Wrong && v.Hypotheses[0].Mechanism == SlowGPU; got != named {
			t.Errorf("%d tenths of the bytes: named %v, %+v", bytes, got, v.Hypotheses)
		}
	}
}

// A rank that is late once after an all-to-all may have been given more to do; one that is late after each has a slow GPU, and so
// has one that is late once after a collective in which all have as much.
func TestWhoIsDealtMoreHasMoreToDo(t *testing.T) {
	of := func(op string, from int64) *telemetry.Telemetry {
		return shown(func(r *telemetry.Row) {
			if r.Kind != string(telemetry.Collective) {
				return
			}
			if r.Op = op; r.Rank == 0 && r.Seq >= from && from > 0 {
				r.Time = r.Time.Add(80 * unit.Microsecond)
			}
		})
	}
	for _, c := range []struct {
		op    string
		from  int64 // the first that it begins late
		named bool
	}{{"all-reduce", 2, true}, {telemetry.AllToAll, 2, false}, {telemetry.AllToAll, 1, true}} {
		v := Judge(Case{Now: of(c.op, c.from), Healthy: of(c.op, 0)})
		if got := v.Wrong && v.Hypotheses[0].Mechanism == SlowGPU; got != c.named {
			t.Errorf("%s, late from collective %d on: named %v, %+v", c.op, c.from, got, v.Hypotheses)
		}
	}
}
