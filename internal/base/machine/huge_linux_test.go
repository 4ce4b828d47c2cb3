package machine

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"railyard/internal/base/unit"
)

// inHugePages is how much of this process lies in huge pages.
func inHugePages(t *testing.T) (n unit.Bytes) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Skip(err)
	}
	for line := range bytes.Lines(text) {
		if k, ok := kilobytes(string(line), "AnonHugePages"); ok {
			n = k
		}
	}
	return n
}

// alone is a variable of the environment of a process that does nothing but TestHuge.
const alone = "RAILYARD_TEST_HUGE"

// What the heap holds next lies in huge pages, if the kernel waits to be asked and has any; asking itself takes no memory.
func TestHuge(t *testing.T) {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !bytes.Contains(mode, []byte("[madvise]")) {
		t.Skip("the kernel does not wait to be asked")
	}
	if os.Getenv(alone) == "" { // another test's garbage would be used first
		child := exec.Command(os.Args[0], "-test.run=^TestHuge$", "-test.v")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestHuge")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const asked, held = 192 * unit.Mebibyte, 128 * unit.Mebibyte
	before := inHugePages(t)
	Huge(asked)
	if n := inHugePages(t); n > before+held/4 {
		t.Errorf("%v more in huge pages before anything is held", n-before)
	}
	all := make([][]byte, held/unit.Mebibyte)
	for i := range all {
		all[i] = make([]byte, unit.Mebibyte)
		for k := 0; k < len(all[i]); k += 4096 {
			all[i][k] = 1
		}
	}
	if n := inHugePages(t); n < before+held/2 {
		t.Errorf("%v of %v in huge pages", n-before, held)
	}
	runtime.KeepAlive(all)
}
