package result

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/unit"
)

// Sampling each instant or only at changes gives the same rows and figures.
func TestQueueLogIsRunLength(t *testing.T) {
	levels := []unit.Bytes{0, 0, 4178, 4178, 4178, 8356, 0, 0, 0, 4178}
	run := func(everySample bool) ([]QueueRow, []QueueFigures) {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		l := NewQueueLog(d.Queues(), []Queue{{"rail1/host1", 0}, {"rail1/host1", 3}})
		for i, b := range levels {
			if everySample || i == 0 || b != levels[i-1] {
				l.Sample(1, unit.Time(i)*1_000_000, b)
			}
		}
		figures := l.Figures(10_000_000)
		if again := l.Figures(10_000_000); !cmp.Equal(figures, again) {
			t.Error("asking for the figures changed them")
		}
		if err := d.Finish(&Summary{State: Complete}); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var rows []QueueRow
		for q, err := range r.Queues() {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, q)
		}
		return rows, figures
	}
	rows, figures := run(true)
	want := []QueueRow{{"rail1/host1", 3, 2_000_000, 4178}, {"rail1/host1", 3, 5_000_000, 8356},
		{"rail1/host1", 3, 6_000_000, 0}, {"rail1/host1", 3, 9_000_000, 4178}}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	mean := unit.Bytes((4*4178 + 8356) / 10)
	if d := cmp.Diff([]QueueFigures{{"rail1/host1", 3, mean, 8356, 8356, 0}}, figures); d != "" {
		t.Error(d)
	}
	rows2, figures2 := run(false)
	if !cmp.Equal(rows, rows2) || !cmp.Equal(figures, figures2) {
		t.Error("sampling only changes gives other rows or figures")
	}
}

func TestQueuePercentile(t *testing.T) {
	l := NewQueueLog(nil, []Queue{{"a", 3}})
	for i := range 1000 { // 1 to 1000 kB, a microsecond each, from 0 on
		l.Sample(0, unit.Time(i)*1_000_000, unit.Bytes(i+1)*1000)
	}
	f := l.Figures(1000 * 1_000_000)[0]
	if f.P99 < 990_000 || f.P99 > 990_000*129/128 {
		t.Errorf("99th percentile %d, want 990000 and at most 1/128 more", f.P99)
	}
	if f.Mean != 500_500 || f.Max != 1_000_000 {
		t.Errorf("mean %d max %d, want 500500 and 1000000", f.Mean, f.Max)
	}
}

// Each value lies in a bucket whose top is at least the value and at most 1/128 more.
func TestBuckets(t *testing.T) {
	last := -1
	for v := int64(0); v < 1<<40; v += 1 + v/500 {
		b := bucket(v)
		if top := bucketTop(b); top < v || top-v > v/128 || b < last {
			t.Fatalf("value %d: bucket %d up to %d", v, b, bucketTop(b))
		}
		if last = b; bucket(bucketTop(b)) != b || bucket(bucketTop(b)+1) != b+1 {
			t.Fatalf("bucket %d does not end at %d", b, bucketTop(b))
		}
	}
}
