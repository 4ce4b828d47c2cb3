package faultsearch

import (
	"flag"
	"testing"
)

var (
	first = flag.Uint64("first", 1, "number of the first case")
	cases = flag.Uint64("cases", 400, "how many cases")
)

// TestSearch runs cases in order and prints each violation as one line to repeat.
func TestSearch(t *testing.T) {
	events, bad := int64(0), 0
	for n := *first; n < *first+*cases; n++ {
		c, err := New(n)
		if err != nil {
			t.Fatalf("case %d cannot be drawn: %v", n, err)
		}
		e, err := c.Run()
		events += e
		if err != nil {
			t.Errorf("go test ./internal/faultsearch -run TestSearch -first %d -cases 1: %v\n\t%v", n, err, c)
			if bad++; bad == 10 {
				t.Fatal("ten violations: giving up")
			}
		}
	}
	t.Logf("%d cases, %d events", *cases, events)
}
