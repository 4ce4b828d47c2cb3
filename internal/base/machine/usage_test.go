package machine

import (
	"runtime"
	"testing"

	"railyard/internal/base/unit"
)

// What is computed takes CPU time, and what is touched counts as memory.
func TestUsage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems count in other ways")
	}
	before, held := CPU(), Peak()
	all := make([]byte, int64(held)+64<<20) // more than any test before has held
	for i := 0; CPU()-before < 0.02; i++ {
		all[i%len(all)]++
	}
	for i := range all {
		all[i]++
	}
	if after := Peak(); held < unit.Megabyte || after < held+32<<20 {
		t.Errorf("%v held before %d bytes were touched, %v after", held, len(all), after)
	}
	runtime.KeepAlive(all)
}
