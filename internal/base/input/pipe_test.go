//go:build unix

package input

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe in place of a folder is refused: nobody waits for who would write into it.
func TestAPipeIsNoFolder(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := ReadIn(context.Background(), pipe, "run.json", 100); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Error(err)
	}
}
