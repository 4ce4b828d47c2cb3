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

// allocated returns how many bytes a function takes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
