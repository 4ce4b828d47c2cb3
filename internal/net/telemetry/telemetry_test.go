package telemetry

import (
	"reflect"
	"testing"

	"railyard/internal/base/unit"
)

// TestRise: a counter that wraps goes on, one that was cleared begins anew, what was not read is bridged.
func TestRise(t *testing.T) {
	const end = int64(1) << 32
	for _, c := range []struct {
		what    string
		counter Counter
		values  []int64
		want    int64
		known   bool
	}{
		{"it grows", TxBytes, []int64{5, 7, 12}, 7, true},
		{"it stands", TxBytes, []int64{5, 5}, 0, true},
		{"a read that failed", TxBytes, []int64{5, Unknown, 12}, 7, true},
		{"one read alone", TxBytes, []int64{Unknown, 5}, 0, false},
		{"none", TxBytes, []int64{Unknown, Unknown}, 0, false},
		{"32 bits wrap", OutOfSequence, []int64{end - 3, 4}, 7, true},
		{"32 bits are cleared", OutOfSequence, []int64{1000, 4}, 4, true},
		{"64 bits are cleared, near the end of 32", TxBytes, []int64{end - 3, 4}, 4, true},
		{"cleared, and then on", TxBytes, []int64{100, 110, 3, 5}, 10 + 3 + 2, true},
	} {
		b := Builder{}
		for i, v := range c.values {
			r := NewRow(Port, "leaf1", "leaf1/spine1", unit.Time(i))
			r.Set(RxPackets, 0)
			r.Set(c.counter, v)
			b.Add(&r)
		}
		s := &b.Telemetry().Series[0]
		if got, known := s.Total(c.counter); got != c.want || known != c.known {
			t.Errorf("%s: %d, %v, want %d, %v", c.what, got, known, c.want, c.known)
		}
	}
}

// TestRowsInAnyOrder: the order in which rows come is of no account, and reads of one instant by several readers are one.
func TestRowsInAnyOrder(t *testing.T) {
	row := func(at unit.Time, c Counter, v int64) Row {
		r := NewRow(NIC, "host1", "host1/rail1", at)
		r.Set(c, v)
		return r
	}
	rows := []Row{row(30, TxBytes, 300), row(10, TxBytes, 100), row(20, TxBytes, 200), row(20, NPSent, 5)}
	var b, back Builder
	for i := range rows {
		b.Add(&rows[i])
		back.Add(&rows[len(rows)-1-i])
	}
	got := b.Telemetry()
	if again := back.Telemetry(); !reflect.DeepEqual(got, again) {
		t.Errorf("in turn %+v, back %+v", got, again)
	}
	s := got.Series[0]
	if len(s.At) != 3 || s.Value(TxBytes, 1) != 200 || s.Value(NPSent, 1) != 5 || s.Value(NPSent, 0) != Unknown {
		t.Errorf("%+v", s)
	}
}

// TestEachCounterHasAColumn: the table of counters and the columns of a row are one list.
func TestEachCounterHasAColumn(t *testing.T) {
	r := NewRow(Port, "a", "b", 0)
	v := reflect.ValueOf(&r).Elem()
	for c := range CounterCount {
		r.Set(c, int64(c)+1)
		found := false
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag.Get("parquet")
			found = found || tag == Counters[c].Name+",delta" && v.Field(i).Int() == int64(c)+1
		}
		if !found || Counters[c].Unit == "" || Counters[c].Meaning == "" || Counters[c].Bits == 0 {
			t.Errorf("%+v: no column of that name, or not all is said of it", Counters[c])
		}
	}
}

// TestStanding: a counter that stands takes its value in each read, whenever it first changes or is not read.
func TestStanding(t *testing.T) {
	for _, values := range [][]int64{{7, 7, 7, 7}, {7, 7, 8, 8}, {7, Unknown, 7, 7}, {Unknown, 7, 7, 7}, {7, 7, 7, 6},
		{Unknown, Unknown, 0, 0}} {
		var b Builder
		for i, v := range values {
			r := NewRow(Port, "leaf1", "leaf1/spine1", unit.Time(i))
			r.Set(TxBytes, v)
			r.Set(RxBytes, 7)
			b.Add(&r)
		}
		s := &b.Telemetry().Series[0]
		if !reflect.DeepEqual(s.Values[TxBytes], values) || !reflect.DeepEqual(s.Values[RxBytes], []int64{7, 7, 7, 7}) || s.Has(InErrors) {
			t.Errorf("%v: %v, %v", values, s.Values[TxBytes], s.Values[RxBytes])
		}
	}
}
