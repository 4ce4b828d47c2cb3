package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/netconf"
	"railyard/internal/unit"
)

// Files of a device are a to z, then a1.
func TestLettersOfFiles(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "a1", 53: "b2"} {
		if got := letter(n); got != want {
			t.Errorf("file %d: %q, want %q", n, got, want)
		}
	}
}

// A reserve stands in the line of a class that pauses if it has one.
func TestPauseText(t *testing.T) {
	p := &netconf.Pause{Priority: 3}
	if got := pauseText(p); got != "priority 3, platform's xOFF" {
		t.Errorf("%q", got)
	}
	p.Buffer = &netconf.Buffer{XOFF: 9 * unit.Kilobyte, Headroom: 40 * unit.Kilobyte, Resume: 2 * unit.Kilobyte}
	if got := pauseText(p); strings.Contains(got, "reserve") {
		t.Errorf("without a reserve: %q", got)
	}
	p.Buffer.Reserve = 5 * unit.Kilobyte
	if got := pauseText(p); !strings.HasSuffix(got, ", reserve 5kB") {
		t.Errorf("%q, want a reserve of 5kB", got)
	}
}

// A folder that is not there is empty; one that cannot be read is not.
func TestFirstInAFolder(t *testing.T) {
	dir := t.TempDir()
	if name, err := firstIn(filepath.Join(dir, "none")); name != "" || err != nil {
		t.Errorf("not there: %q, %v", name, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err := firstIn(dir); name != "file" || err != nil {
		t.Errorf("with a file: %q, %v", name, err)
	}
	if _, err := firstIn(file); err == nil {
		t.Error("a file is no folder, and that is no error")
	}
}

type failing []error

func (f *failing) Write(b []byte) (int, error) {
	err := (*f)[0]
	*f = (*f)[1:]
	return len(b), err
}

// The first error of writing is kept, also where the writer goes on.
func TestWatchedKeepsTheFirstError(t *testing.T) {
	first := errors.New("no space left")
	w := &watched{f: &failing{nil, first, errors.New("another"), nil}}
	for range 4 {
		w.Write([]byte("x"))
	}
	if w.err != first {
		t.Errorf("kept %v, want %v", w.err, first)
	}
}
