package dataset

import (
	"errors"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"railyard/internal/base/output"
)

// A data set that does not fit is none: its folder does not get its name. The limit of a file's size stands for a full disk.
func TestADataSetThatDoesNotFit(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	draft, err := output.Begin(filepath.Join(t.TempDir(), "set"))
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Discard()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: was.Max}); err != nil {
		t.Skip(err)
	}
	sum, err := write(draft, "large", make([]byte, 500), make([]byte, 501))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if sum != "" || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%q, %v", sum, err)
	}
	if _, err := write(draft, "small", []byte("1")); err != nil {
		t.Error(err)
	}
	if sum, err := write(draft, "small", []byte("2")); err == nil {
		t.Errorf("a file is written over another: %q", sum)
	}
}
