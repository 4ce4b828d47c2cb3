package hash

import (
	"slices"
	"strings"
	"testing"
)

// A file of flows that holds none is refused with what is wanted, and where.
func TestFlowsThatAreNone(t *testing.T) {
	flows, err := ReadFlows("f.csv", []byte("\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv: no flows, want a line of ") || len(flows) > 0 {
		t.Errorf("%v, %v", flows, err)
	}
}

// A value's column is where it begins, after the blanks before it.
func TestColumnsOfCells(t *testing.T) {
	type cell struct {
		i, column int
		value     string
	}
	var got []cell
	n := cells("a,  b ,,\tc", func(i, column int, value string) { got = append(got, cell{i, column, value}) })
	want := []cell{{0, 1, "a"}, {1, 5, "b"}, {2, 8, ""}, {3, 10, "c"}}
	if n != 4 || !slices.Equal(got, want) {
		t.Errorf("%d: %v, want %v", n, got, want)
	}
}

// Acknowledgements go the other way, with the ports as they are (RoCEv2: 4791 is the destination both ways).
func TestHeadersOfTheWayBack(t *testing.T) {
	f := Flow{SrcIP: 1, DstIP: 2, SrcPort: 50000, DstPort: 4791, QP: 7}
	if got, want := f.Reverse(), (Flow{SrcIP: 2, DstIP: 1, SrcPort: 50000, DstPort: 4791, QP: 7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
