package machine

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"railyard/internal/base/unit"
)

// grow makes garbage, of so many bytes in all, and returns how often it was collected meanwhile.
func grow(bytes unit.Bytes) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range bytes / unit.Mebibyte {
		kept = make([]byte, unit.Mebibyte)
	}
	kept = nil
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

var kept []byte

// percent is what the runtime says.
func percent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// While the collector rests nothing is collected; past the bytes that it was told all is as before.
func TestRest(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer Collect(Collect(25))
	limit := debug.SetMemoryLimit(-1)
	if n := grow(128 * unit.Mebibyte); n < 2 {
		t.Fatalf("awake it collected %d times", n)
	}
	runtime.GC()
	Rest(512 * unit.Mebibyte)
	Rest(512 * unit.Mebibyte) // no other than one
	if n := grow(128 * unit.Mebibyte); n != 0 {
		t.Errorf("it was to rest until 512 MiB are there, and collected %d times at 128 MiB", n)
	}
	if n := grow(unit.Gibibyte); n == 0 {
		t.Error("nothing was collected of 1 GiB")
	}
	for deadline := time.Now().Add(time.Minute); percent() != 25; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after the rest it collects at %d %%, want 25", percent())
		}
		runtime.GC() // the finalizer is called at some time behind a collection
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("after the rest the limit of memory is %d, was %d", got, limit)
	}
}

// Who says how much garbage is left ends a rest, and is told what was before it.
func TestCollectEndsARest(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer Collect(Collect(25))
	Rest(unit.Gibibyte)
	if was := Collect(300); was != 25 {
		t.Errorf("it said %d %%, was 25 before the rest", was)
	}
	runtime.GC()
	if got := percent(); got != 300 {
		t.Errorf("it collects at %d %%, want 300", got)
	}
}

// So does a limit of memory.
func TestLimitEndsARest(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer Collect(Collect(25))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	Rest(unit.Gibibyte)
	Limit(2 * unit.Gibibyte)
	runtime.GC()
	if p, limit := percent(), debug.SetMemoryLimit(-1); p != 25 || limit != int64(2*unit.Gibibyte) {
		t.Errorf("it collects at %d %% and %d bytes, want 25 and 2 GiB", p, limit)
	}
}

// What the environment says is obeyed.
func TestRestObeysTheEnvironment(t *testing.T) {
	defer Collect(Collect(25))
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv("GOGC", "")
		t.Setenv("GOMEMLIMIT", "")
		t.Setenv(name, "50")
		if Rest(unit.Gibibyte); percent() != 25 {
			t.Errorf("with %s it rests", name)
		}
	}
}

// A rest goes on although the runtime tells only then that it has found what an earlier one left to be found.
func TestRestAfterARest(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer Collect(Collect(25))
	c := &collector
	Rest(512 * unit.Mebibyte)
	c.mu.Lock() // so that it waits
	runtime.GC()
	c.rests++
	c.mu.Unlock()
	told := make(chan bool)
	runtime.SetFinalizer(&witness{}, func(*witness) { close(told) }) // they are told of one after the other
	runtime.GC()
	<-told
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.resting {
		t.Error("the rest is over")
	}
}
