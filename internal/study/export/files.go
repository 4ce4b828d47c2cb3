package export

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// stoppable is a file whose writer ends with the context's error.
type stoppable struct {
	ctx context.Context
	io.Writer
}

func (s stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}

// writeFile writes path whole or not at all, compressed if its name ends in .gz.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := output.Create(path)
	return finishFile(ctx, path, f, err, write)
}

// finishFile fills a file that was begun, if it was.
func finishFile(ctx context.Context, path string, f *output.File, err error, write func(io.Writer) error) error {
	unwritable := func(err error) error { return fmt.Errorf("file %s: cannot write it: %w", path, input.Cause(err)) }
	if err != nil {
		return unwritable(err)
	}
	own := &watched{f: f}
	to := stoppable{ctx, own}
	if strings.HasSuffix(path, ".gz") {
		z, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // a level that exists
		if err = write(z); err == nil {
			err = z.Close()
		}
	} else {
		err = write(to)
	}
	if err != nil {
		f.Discard()
		if own.err != nil {
			return unwritable(own.err)
		}
		return err
	}
	if err := f.Commit(); err != nil {
		return unwritable(err)
	}
	return nil
}

// watched keeps the first error of writing a file, apart from those of reading what goes into it.
type watched struct {
	f   io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	w.err = cmp.Or(w.err, err)
	return n, err
}
