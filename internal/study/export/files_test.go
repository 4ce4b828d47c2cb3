package export

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// An export that is interrupted leaves no file that is not whole.
func TestAnInterruptedExportLeavesNoPart(t *testing.T) {
	for _, name := range []string{"t.json", "t.json.gz"} {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(context.Background())
		err := writeFile(ctx, filepath.Join(dir, name), func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
			stop()
			_, err := w.Write(make([]byte, 1<<20))
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
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
