package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"railyard/internal/base/unit"
)

// Stdin is the name that stands for standard input on the command line.
const Stdin = "-"

// A TooLong says that an input has more bytes than its reader takes.
type TooLong struct{ Most int64 }

// Error names the bound; the caller names the file.
func (e *TooLong) Error() string {
	return fmt.Sprintf("longer than %s, want at most that", unit.Bytes(e.Most))
}

// Open opens a regular file, following links, and returns its length. The error does not name the
// file.
func Open(path string) (f *os.File, length int64, err error) {
	// Looked at before it is opened: opening a device may act on it.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, Cause(err)
	}
	if err := regular(info.Mode()); err != nil {
		return nil, 0, err
	}
	return opened(os.OpenFile(path, forReading, 0))
}

// forReading does not wait should the file become a FIFO meanwhile.
const forReading = os.O_RDONLY | syscall.O_NONBLOCK

// opened looks again at what was opened.
func opened(f *os.File, err error) (*os.File, int64, error) {
	if err != nil {
		return nil, 0, Cause(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, 0, Cause(err)
	}
	return f, info.Size(), nil
}

// regular refuses what is not a regular file.
func regular(m fs.FileMode) error {
	kind := ""
	switch {
	case m.IsRegular():
		return nil
	case m.IsDir():
		kind = "a folder"
	case m&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case m&fs.ModeSocket != 0:
		kind = "a socket"
	case m&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "no file"
	}
	return fmt.Errorf("is %s, want a regular file", kind)
}

// Read returns what a regular file holds, at most so many bytes: with more the error is TooLong. It
// ends with the context. The error does not name the file.
func Read(ctx context.Context, path string, most int64) ([]byte, error) {
	return whole(ctx, most)(Open(path))
}

// whole reads what was opened, at most so many bytes.
func whole(ctx context.Context, most int64) func(f *os.File, length int64, err error) ([]byte, error) {
	return func(f *os.File, length int64, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if length > most {
			return nil, &TooLong{most}
		}
		return all(ctx, f, length, most)
	}
}

// all reads to the end, with room for what is expected.
func all(ctx context.Context, r io.Reader, expected, most int64) ([]byte, error) {
	const piece = 1 << 20 // between two looks at the context
	b := make([]byte, 0, expected+1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):min(cap(b), len(b)+piece)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > most: // some files say that they are empty, and are not
			return nil, &TooLong{most}
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, Cause(err)
		}
	}
}

// Stream returns what r gives, standard input say, at most so many bytes. It ends with the context
// even while r is silent: the reading then goes on in the background until r gives something.
func Stream(ctx context.Context, r io.Reader, most int64) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return all(ctx, r, 0, most) })
}

// Await returns what f returns, or the context's error as soon as that ends. Then f goes on in the
// background and what it returns is dropped: it must be a function of its input that writes
// nothing.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return *new(T), err
	}
	return o.v, o.err
}

// Cause drops operation and path of a file error: the message that it goes into names the file.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
