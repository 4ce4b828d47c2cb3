package verbs

import (
	"reflect"
	"testing"
)

// Each counter is listed, once, under a name of its own.
func TestEachCounterIsListed(t *testing.T) {
	var c Counters
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i) + 1)
	}
	names, counts := map[string]bool{}, map[int64]bool{}
	for _, n := range c.List() {
		names[n.Name], counts[n.Count] = true, true
	}
	if len(names) != v.NumField() || len(counts) != v.NumField() {
		t.Errorf("%d names, %d counts of %d: %v", len(names), len(counts), v.NumField(), c.List())
	}
}
