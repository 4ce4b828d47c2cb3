package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/unit"
	"railyard/internal/out/parquet"
)

// tableLimits are what a table may ask of its reader, far above what Table writes.
var tableLimits = parquet.Limits{Footer: 32 << 20, Page: 4 << 20, GroupRows: RowGroupRows, Text: 16 << 10}

// rows streams a table, a batch in memory at a time. Every row goes through check, which
// knows the rows before it.
func rows[R any](r *Run, name string, check func(*bounds) func(*R) error) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var zero R
		parts := partsOf(r.Path, name)
		if err := r.whole(name, parts); err != nil {
			yield(zero, err)
			return
		}
		b := boundsOf(r.Summary)
		one := check(b)
		n := int64(0)
		for _, path := range parts {
			err := readPart(r, path, func(row *R) (bool, error) {
				if err := one(row); err != nil {
					return false, fmt.Errorf("is damaged: row %d: %w", n, err)
				}
				n++
				return yield(*row, nil), nil
			})
			switch {
			case err == errStopped:
				return
			case err != nil:
				yield(zero, fmt.Errorf("table %s: %w", path, err))
				return
			}
		}
	}
}

// errStopped says that nobody wants more rows.
var errStopped = fmt.Errorf("stopped")

// readPart hands the rows of a file to f, until that says that it has enough.
func readPart[R any](r *Run, path string, f func(*R) (more bool, err error)) error {
	file, size, err := input.OpenIn(r.Path, filepath.Base(path))
	if err != nil {
		return err
	}
	defer file.Close()
	p, err := parquet.Open(file, size, tableLimits)
	if err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	defer p.Close()
	reader, err := parquet.NewReader[R](p, r.Summary.FormatVersion == FormatVersion, clean)
	if err != nil {
		return err
	}
	for {
		batch, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is damaged: %w", err)
		}
		for i := range batch {
			switch more, err := f(&batch[i]); {
			case err != nil:
				return err
			case !more:
				return errStopped
			}
		}
	}
}

// whole says why a table cannot be read, or must not be trusted: what run.json says of its
// file is not so. Of a run that did not end, run.json says nothing of tables.
func (r *Run) whole(name string, parts []string) error {
	i := slices.IndexFunc(r.Summary.Tables, func(t TableFile) bool { return t.Name == name })
	if i < 0 {
		if len(parts) == 0 {
			return noTable(r.Path, name)
		}
		return nil
	}
	if r.Damaged && len(parts) > 0 {
		return nil
	}
	want := r.Summary.Tables[i]
	path := filepath.Join(r.Path, tableName(name))
	if len(parts) != 1 || parts[0] != path {
		return fmt.Errorf("table %s: is missing: %s says that it has %s rows", path, runFile, unit.Count(want.Rows))
	}
	got, err := fileOf(r.Path, tableName(name), want.Bytes)
	if err != nil {
		return fmt.Errorf("table %s: %w", path, err)
	}
	if got.Bytes != want.Bytes || got.SHA256 == "" {
		return fmt.Errorf("table %s: is not the one that the run wrote: it has %d bytes, and %s says %d of Parquet; "+
			"--damaged reads it all the same", path, got.Bytes, runFile, want.Bytes)
	}
	if got.SHA256 != want.SHA256 {
		return fmt.Errorf("table %s: is not the one that the run wrote: it has %d bytes with SHA-256 %.12s..., and "+
			"%s says %d bytes with %.12s...; --damaged reads it all the same",
			path, got.Bytes, got.SHA256, runFile, want.Bytes, want.SHA256)
	}
	return nil
}

// fileOf measures a table's file; its name and rows are the caller's. Of one that has not so many bytes as it should
// have, or is no Parquet file, the digest is not taken.
func fileOf(dir, name string, want int64) (TableFile, error) {
	f, size, err := input.OpenIn(dir, name)
	if err != nil {
		return TableFile{}, err
	}
	if size != want || !framed(f, size) {
		f.Close()
		return TableFile{Bytes: size}, nil
	}
	return measured(f, nil)
}

// framed reports whether a file begins and ends as Parquet does: of a sparse giant no more is read.
func framed(f *os.File, size int64) bool {
	const magic = "PAR1"
	b := make([]byte, 2*len(magic))
	_, head := f.ReadAt(b[:len(magic)], 0)
	_, tail := f.ReadAt(b[len(magic):], size-int64(len(magic)))
	return head == nil && tail == nil && string(b) == magic+magic
}

// measured takes length and digest of a file that was opened, and closes it.
func measured(f *os.File, err error) (TableFile, error) {
	if err != nil {
		return TableFile{}, input.Cause(err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return TableFile{}, input.Cause(err)
	}
	return TableFile{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}

// noTable says why there are no rows.
func noTable(dir, name string) error {
	path := filepath.Join(dir, tableName(name))
	if _, err := os.Stat(filepath.Join(dir, partName(name, 1)+unfinished)); err == nil {
		return fmt.Errorf("table %s: was not finished: the run was killed before its first part was closed, or is "+
			"still going", path)
	}
	return fmt.Errorf("table %s: the run wrote none", path)
}
