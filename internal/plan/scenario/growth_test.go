package scenario

import (
	"runtime"
	"strings"
	"testing"
)

// Work on a file that is wrong all over grows as the file does: twice the quotes or brackets
// allocate at most about twice as much. (Each once grew with the square.)
func TestWorkGrowsWithTheFile(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"quotes": func(n int) string { return "name: " + strings.Repeat(`"`, 8*n) },
		"commas": func(n int) string { return "name: [" + strings.Repeat(",", 8*n) + "]" },
		"tabs":   func(n int) string { return strings.Repeat("\t", 8*n) },
	} {
		parse := func(n int) func() {
			src := []byte(text(n))
			return func() { Parse("x.yaml", src) }
		}
		small, large := allocated(parse(1000)), allocated(parse(4000))
		if large > 8*small {
			t.Errorf("%s: four times as many take %d bytes instead of %d", name, large, small)
		}
	}
}

// A key that nobody knows takes little more than its problem: the table of fields, once made anew for
// each, has some 100 kB.
func TestUnknownKeysAreCheap(t *testing.T) {
	decodes := func(n int) func() {
		src := []byte("name: a\n" + strings.Repeat("nothing: 1\n", n))
		root, _ := readTree("x.yaml", src)
		return func() { decode("x.yaml", root, src) }
	}
	few, many := allocated(decodes(200)), allocated(decodes(2200))
	if each := (many - min(few, many)) / 2000; each > 4096 {
		t.Errorf("a further unknown key takes %d bytes, want at most 4096", each)
	}
}

// A file of flows is read in a few times its room, whatever its lines: blank ones are no flows, cells of the first
// line are looked at until enough are wrong, and a quote that is never closed ends at the bound of a flow.
func TestFlowsTakeTheRoomOfTheirText(t *testing.T) {
	s := &Scenario{}
	const size = 8 << 20
	for name, text := range map[string]string{
		"blank lines":   "name,from,to,bytes\n" + strings.Repeat("\n", size),
		"columns":       "name,from" + strings.Repeat(",", maxFlowLine-100),
		"an open quote": "name,from,to,bytes\n\"" + strings.Repeat("x\n", size/2),
		"one line":      "name,from,to,bytes\n" + strings.Repeat(",", size),
	} {
		took := allocated(func() {
			if _, err := s.ReadFlows(&Job{}, "f.csv", []byte(text)); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
		if most := uint64(len(text)) + 20<<20; took > most {
			t.Errorf("%s: %d bytes taken, want at most %d", name, took, most)
		}
	}
}

// What a quoted cell holds may go over lines; a record that is too long is told with the line it begins in.
func TestLongRecord(t *testing.T) {
	long := strings.Repeat("x\n", maxFlowLine/2+1)
	for text, want := range map[string]int{
		"a,b\n\"x\ny\",2\n": 0, "#" + long: 0, "# \" quote\n" + long: 0, "a\n\"" + long: 2, "a\n\"b\"\n" + long: 0,
		strings.Repeat("y", maxFlowLine+1): 1, "a\n\"x\ny\"\n\"" + long: 4,
	} {
		if got := longRecord([]byte(text)); got != want {
			t.Errorf("%.12q: line %d, want %d", text, got, want)
		}
	}
}

// allocated returns how many bytes a function takes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
