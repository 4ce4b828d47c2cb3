//go:build unix

package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused and not read: a reader of any of these would wait forever, or
// never end.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, link, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "socket")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		pipe: "is a named pipe, want a regular file", link: "is a named pipe, want a regular file",
		"/dev/zero": "is a device, want a regular file", socket: "is a socket, want a regular file",
		dir: "is a folder, want a regular file", filepath.Join(dir, "none"): "no such file or directory",
	} {
		if b, err := Read(context.Background(), path, 100); err == nil || err.Error() != want || b != nil {
			t.Errorf("%s: %d bytes, %v; want %s", path, len(b), err, want)
		}
	}
}

// A file as long as the bound is read, a longer one is not, also where its length is not known
// before.
func TestBound(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "file")
	for n, ok := range map[int]bool{0: true, 1: true, 99: true, 100: true, 101: false, 3 << 20: false} {
		text := bytes.Repeat([]byte("x"), n)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		file, fileErr := Read(ctx, path, 100)
		stream, streamErr := Stream(ctx, bytes.NewReader(text), 100)
		for _, got := range []struct {
			b   []byte
			err error
		}{{file, fileErr}, {stream, streamErr}} {
			var long *TooLong
			if ok && (got.err != nil || !bytes.Equal(got.b, text)) ||
				!ok && !(errors.As(got.err, &long) && strings.Contains(got.err.Error(), "100B")) {
				t.Errorf("%d bytes: %d and %v", n, len(got.b), got.err)
			}
		}
	}
	// The kernel says 0 for the length of this one.
	if b, err := Read(ctx, "/proc/self/status", 1<<20); err == nil && len(b) == 0 {
		t.Error("a file of /proc is read as empty")
	}
}

// endless never ends and never waits; silent waits until the test ends.
type (
	endless struct{}
	silent  struct{ end chan struct{} }
)

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func (s silent) Read([]byte) (int, error) {
	<-s.end
	return 0, io.EOF
}

// An input without an end stops at the bound; one that is silent, with the context.
func TestStreamEnds(t *testing.T) {
	var long *TooLong
	if _, err := Stream(context.Background(), endless{}, 10<<20); !errors.As(err, &long) {
		t.Errorf("endless: %v, want TooLong", err)
	}
	s := silent{make(chan struct{})}
	defer close(s.end)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Stream(ctx, s, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("silent: %v, want the context's end", err)
	}
}
