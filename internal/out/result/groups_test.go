package result

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// begun is a run that has begun, and has no row yet.
func begun(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(&Summary{Name: "groups"}); err != nil {
		t.Fatal(err)
	}
	return d
}

// Row groups that are read in any order have, put together, the rows that are read from the beginning; also after the file has gone.
func TestGroupsHaveTheRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := begun(t, path)
	const n = 2*RowGroupRows + 100
	for i := range n {
		d.Queues().Add(QueueRow{Port: "a/b", Class: int32(i % 8), Time: 1, Bytes: 7})
	}
	if err := d.Finish(&Summary{State: Complete, VirtualTime: 10}); err != nil {
		t.Fatal(err)
	}
	run, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var whole []QueueRow
	for row, err := range run.Queues() {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, row)
	}
	g, err := run.QueueGroups()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	parts := make([][]QueueRow, g.Len())
	for i := g.Len() - 1; i >= 0; i-- {
		for range 2 { // a second time, from the beginning of the group
			parts[i] = nil
			if err := g.Each(i, func(r *QueueRow) bool { parts[i] = append(parts[i], *r); return true }); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Each(i, func(*QueueRow) bool { return false }); err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Concat(parts...); g.Len() != 3 || len(got) != n || !slices.Equal(got, whole) {
		t.Errorf("%d groups with %d rows, want 3 with the %d of the table, in order", g.Len(), len(got), n)
	}
	if _, err := run.SeriesGroups(); err == nil {
		t.Error("a table that is not there was opened")
	}
}

// What is read without some columns has the others as they are, whatever was read before with all.
func TestGroupsWithoutColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := begun(t, path)
	for i := range 1000 {
		d.Queues().Add(QueueRow{Port: fmt.Sprint("a/", i%7), Class: int32(i % 8), Time: 1, Bytes: unit.Bytes(i)})
	}
	if err := d.Finish(&Summary{State: Complete, VirtualTime: 10}); err != nil {
		t.Fatal(err)
	}
	run, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := run.QueueGroups()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	without := LeaveOut("port", "bytes")
	for range 2 {
		for _, none := range []bool{false, true} {
			n := 0
			each := func(r *QueueRow) bool {
				want := QueueRow{Port: fmt.Sprint("a/", n%7), Class: int32(n % 8), Time: 1, Bytes: unit.Bytes(n)}
				if none {
					want.Port, want.Bytes = "", 0
				}
				if *r != want {
					t.Errorf("row %d, without columns %v: %v, want %v", n, none, *r, want)
				}
				n++
				return true
			}
			if none {
				err = g.EachOf(0, without, each)
			} else {
				err = g.Each(0, each)
			}
			if err != nil || n != 1000 {
				t.Fatalf("%d rows, %v", n, err)
			}
		}
	}
}
