package scenario

import (
	"runtime"
	"strings"
	"testing"
)

// Work on a file that is wrong all over grows as the file does: twice the keys, quotes or brackets
// allocate at most about twice as much. (Each of these once grew with the square.)
func TestWorkGrowsWithTheFile(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"unknown keys": func(n int) string {
			return "name: a\n" + strings.Repeat("nothing: 1\n", n)
		},
		"quotes": func(n int) string { return "name: " + strings.Repeat(`"`, 8*n) },
		"commas": func(n int) string { return "name: [" + strings.Repeat(",", 8*n) + "]" },
		"tabs":   func(n int) string { return strings.Repeat("\t", 8*n) },
	} {
		small, large := allocated(text(1000)), allocated(text(4000))
		if large > 8*small {
			t.Errorf("%s: four times as many take %d bytes instead of %d", name, large, small)
		}
	}
}

// allocated returns how many bytes Parse takes for a text that it refuses.
func allocated(text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Parse("x.yaml", []byte(text))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
