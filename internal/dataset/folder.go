package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/input"
)

// recordFile says what made a folder; a folder without it is the user's own.
const recordFile = "digits.json"

// generation changes whenever the same parameters would give other bytes.
const generation = 1

// A record is what recordFile holds.
type record struct {
	Generator  string            `json:"generator"`
	Generation int               `json:"generation"`
	Train      int               `json:"train"`
	Test       int               `json:"test"`
	Seed       uint64            `json:"seed"`
	Side       int               `json:"side,omitempty"` // absent: Side
	SHA256     map[string]string `json:"sha256"`         // of each of the four files, hexadecimal
}

const generatorName = "railyard digits"

func (r *record) String() string {
	side := ""
	if r.Side != 0 {
		side = fmt.Sprintf("side %d, ", r.Side)
	}
	return fmt.Sprintf("train %d, test %d, seed %d, %sgeneration %d", r.Train, r.Test, r.Seed, side, r.Generation)
}

func (d Digits) record() *record {
	r := &record{Generator: generatorName, Generation: generation, Train: d.Train, Test: d.Test, Seed: d.Seed,
		SHA256: map[string]string{}}
	if d.side() != Side {
		r.Side = d.Side
	}
	return r
}

// Ensure makes the folder d.Dir unless it is there: four plain IDX files and
// digits.json, written to a temporary sibling that is then renamed. A folder
// that was made with the same parameters, and not changed since, is left as it
// is; any other is an error. Progress is as for Make, and not called when there
// is nothing to make. When the context ends, or on any error, nothing new
// stays behind.
func (d Digits) Ensure(ctx context.Context, progress func(done, total int)) error {
	if err := d.check(); err != nil {
		return err
	}
	if d.Dir == "" {
		return errors.New("digits: dir is empty, want the folder for the data")
	}
	if made, err := d.Present(ctx); made || err != nil {
		return err
	}
	dir := filepath.Clean(d.Dir)
	set, err := d.Make(ctx, progress)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	undo, err := makeParents(parent)
	if err != nil {
		return unwritable(dir, err)
	}
	temp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".new-*")
	if err != nil {
		undo()
		return unwritable(dir, err)
	}
	if err := d.publish(ctx, set, temp, dir); err != nil {
		os.RemoveAll(temp)
		undo()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unwritable(dir, err)
	}
	return nil
}

// unwritable is the error for a folder that cannot be made.
func unwritable(dir string, err error) error {
	return fmt.Errorf("digits: cannot write %s: %w; give a dir where there is room and that may be written to",
		dir, input.Cause(err))
}

// publish fills temp and gives it its name.
func (d Digits) publish(ctx context.Context, set *Set, temp, dir string) error {
	made := d.record()
	for _, f := range []struct {
		name         string
		header, data []byte
	}{
		{trainFiles[0], imagesHeader(&set.Train), set.Train.Pixels},
		{trainFiles[1], labelsHeader(&set.Train), set.Train.Labels},
		{testFiles[0], imagesHeader(&set.Test), set.Test.Pixels},
		{testFiles[1], labelsHeader(&set.Test), set.Test.Labels},
	} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		sum, err := write(filepath.Join(temp, f.name), f.header, f.data)
		if err != nil {
			return err
		}
		made.SHA256[f.name] = sum
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		panic(err)
	}
	if _, err := write(filepath.Join(temp, recordFile), text, []byte("\n")); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil { // MkdirTemp keeps others out
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	os.Remove(dir) // only goes if it is empty, which Present allows
	if err := os.Rename(temp, dir); err != nil {
		// Another process may have been faster; its folder is as good if it is right.
		if there, _ := d.Present(ctx); there {
			return os.RemoveAll(temp)
		}
		return err
	}
	return nil
}

// write makes a file and returns the SHA-256 of its contents.
func write(path string, parts ...[]byte) (sum string, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
		if _, err := f.Write(part); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Present tells whether d.Dir holds d already. Missing and empty are not an error;
// anything else that Ensure did not make with these parameters is.
func (d Digits) Present(ctx context.Context) (bool, error) {
	dir := filepath.Clean(d.Dir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("digits: dir %s: %w; want a folder, or a name that is free", dir, input.Cause(err))
	}
	if len(entries) == 0 {
		return false, nil
	}
	there, err := readRecord(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, foreign(dir)
	}
	if err != nil {
		return false, err
	}
	want := d.record()
	if there.String() != want.String() {
		return false, fmt.Errorf("digits: %s was made with %v, and this asks for %v: want the same, another dir, or "+
			"the folder removed",
			dir, there, want)
	}
	for _, name := range append(trainFiles[:], testFiles[:]...) {
		sum, err := hashFile(ctx, filepath.Join(dir, name))
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			return false, fmt.Errorf("digits: %s is incomplete: %w; remove the folder to have it made again", dir, err)
		}
		if sum != there.SHA256[name] {
			return false, fmt.Errorf("digits: %s has SHA-256 %s, and %s says %q: the file was changed; remove the "+
				"folder to have it made again",
				filepath.Join(dir, name), sum, recordFile, there.SHA256[name])
		}
	}
	return true, nil
}

// foreign is the error for a folder that digits did not make.
func foreign(dir string) error {
	for _, name := range append(trainFiles[:], testFiles[:]...) {
		_, plain := os.Stat(filepath.Join(dir, name))
		_, packed := os.Stat(filepath.Join(dir, name+".gz"))
		if plain != nil && packed != nil {
			return fmt.Errorf("digits: %s exists, is not empty and has no %s: want a free name or a folder that "+
				"digits made", dir, recordFile)
		}
	}
	return fmt.Errorf("digits: %s holds image data that digits did not make (it has no %s): want `data: %s` to use "+
		"it as it is, or another dir",
		dir, recordFile, dir)
}

func readRecord(path string) (*record, error) {
	const limit = 1 << 16
	text, err := input.Read(context.Background(), path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("digits: %s: %w", path, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r record
	err = decoder.Decode(&r)
	if err == nil && r.Generator != generatorName {
		err = fmt.Errorf("generator is %q", r.Generator)
	}
	if err != nil {
		return nil, fmt.Errorf("digits: %s: %v; want what digits wrote there: remove the folder to have it made again",
			path, err)
	}
	return &r, nil
}

func hashFile(ctx context.Context, path string) (string, error) {
	f, _, err := input.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	h := sha256.New()
	for {
		_, err := io.CopyN(h, f, 16<<20)
		switch {
		case errors.Is(err, io.EOF):
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", err
		case ctx.Err() != nil:
			return "", ctx.Err()
		}
	}
}

// makeParents makes a folder with all above it; undo removes those that were
// not there, if nobody has put anything in.
func makeParents(dir string) (undo func(), err error) {
	var missing []string // deepest first
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	undo = func() {
		for _, at := range missing {
			os.Remove(at)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}
