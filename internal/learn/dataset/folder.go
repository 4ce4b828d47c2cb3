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
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// recordFile says what made a folder; a folder without it is the user's own.
func (k *kind) recordFile() string { return k.name + ".json" }

// files are the names of the four files.
func (k *kind) files() [4]string {
	images := func(name string) string {
		if k.channels == Grey {
			return name
		}
		return strings.Replace(name, "-idx3", "-idx4", 1)
	}
	return [4]string{images(trainFiles[0]), trainFiles[1], images(testFiles[0]), testFiles[1]}
}

// A record is what recordFile holds.
type record struct {
	Generator  string            `json:"generator"`
	Generation int               `json:"generation"`
	Train      int               `json:"train"`
	Test       int               `json:"test"`
	Seed       uint64            `json:"seed"`
	Side       int               `json:"side,omitempty"` // absent: what the kind has
	SHA256     map[string]string `json:"sha256"`         // of each of the four files, hexadecimal
}

func (k *kind) generator() string { return "railyard " + k.name }

func (r *record) String() string {
	side := ""
	if r.Side != 0 {
		side = fmt.Sprintf("side %d, ", r.Side)
	}
	return fmt.Sprintf("train %d, test %d, seed %d, %sgeneration %d", r.Train, r.Test, r.Seed, side, r.Generation)
}

func (d Drawn) record() *record {
	r := &record{Generator: d.kind().generator(), Generation: d.kind().generation, Train: d.Train, Test: d.Test, Seed: d.Seed,
		SHA256: map[string]string{}}
	if d.side() != d.kind().side {
		r.Side = d.Side
	}
	return r
}

// Ensure makes the folder d.Dir unless it is there: four plain IDX files and
// a record of it, written to a temporary sibling that is then renamed. A folder
// that was made with the same parameters, and not changed since, is left as it
// is; any other is an error. Progress is as for Make, and not called when there
// is nothing to make. When the context ends, or on any error, nothing new
// stays behind.
func (d Drawn) Ensure(ctx context.Context, progress func(done, total int)) error {
	if err := d.Check(); err != nil {
		return err
	}
	if d.Dir == "" {
		return fmt.Errorf("%s: dir is empty, want the folder for the data", d.Kind)
	}
	if made, err := d.Present(ctx); made || err != nil {
		return err
	}
	dir := filepath.Clean(d.Dir)
	set, err := d.Make(ctx, progress)
	if err != nil {
		return err
	}
	draft, err := output.Begin(dir)
	if err != nil {
		return d.unwritable(dir, err)
	}
	if err := d.publish(ctx, set, draft); err != nil {
		draft.Discard()
		// Another process may have been faster; its folder is as good if it is right.
		if there, _ := d.Present(ctx); there && ctx.Err() == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return d.unwritable(dir, err)
	}
	return nil
}

// unwritable is the error for a folder that cannot be made.
func (d Drawn) unwritable(dir string, err error) error {
	return fmt.Errorf("%s: cannot write %s: %w; give a dir where there is room and that may be written to",
		d.Kind, dir, input.Cause(err))
}

// publish fills a folder and gives it its name.
func (d Drawn) publish(ctx context.Context, set *Set, draft *output.Draft) error {
	made, names := d.record(), d.kind().files()
	for _, f := range []struct {
		name         string
		header, data []byte
	}{
		{names[0], imagesHeader(&set.Train), set.Train.Pixels},
		{names[1], labelsHeader(&set.Train), set.Train.Labels},
		{names[2], imagesHeader(&set.Test), set.Test.Pixels},
		{names[3], labelsHeader(&set.Test), set.Test.Labels},
	} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		sum, err := write(draft, f.name, f.header, f.data)
		if err != nil {
			return err
		}
		made.SHA256[f.name] = sum
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		panic(err)
	}
	if _, err := write(draft, d.kind().recordFile(), text, []byte("\n")); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return draft.Commit()
}

// write makes a file and returns the SHA-256 of its contents.
func write(draft *output.Draft, name string, parts ...[]byte) (sum string, err error) {
	f, err := draft.New(name)
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
func (d Drawn) Present(ctx context.Context) (bool, error) {
	dir := filepath.Clean(d.Dir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: dir %s: %w; want a folder, or a name that is free", d.Kind, dir, input.Cause(err))
	}
	if len(entries) == 0 {
		return false, nil
	}
	k := d.kind()
	there, err := k.readRecord(filepath.Join(dir, k.recordFile()))
	if errors.Is(err, fs.ErrNotExist) {
		return false, k.foreign(dir)
	}
	if err != nil {
		return false, err
	}
	want := d.record()
	if there.String() != want.String() {
		return false, fmt.Errorf("%s: %s was made with %v, and this asks for %v: want the same, another dir, or "+
			"the folder removed", k.name, dir, there, want)
	}
	for _, name := range k.files() {
		sum, err := hashFile(ctx, filepath.Join(dir, name), d.longest())
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			return false, fmt.Errorf("%s: %s is incomplete: %w; remove the folder to have it made again", k.name, dir, err)
		}
		if sum != there.SHA256[name] {
			return false, fmt.Errorf("%s: %s has SHA-256 %s, and %s says %q: the file was changed; remove the "+
				"folder to have it made again", k.name, filepath.Join(dir, name), sum, k.recordFile(), there.SHA256[name])
		}
	}
	return true, nil
}

// foreign is the error for a folder that the generator did not make.
func (k *kind) foreign(dir string) error {
	for _, name := range k.files() {
		_, plain := os.Stat(filepath.Join(dir, name))
		_, packed := os.Stat(filepath.Join(dir, name+".gz"))
		if plain != nil && packed != nil {
			return fmt.Errorf("%s: %s exists, is not empty and has no %s: want a free name or a folder that %s made",
				k.name, dir, k.recordFile(), k.name)
		}
	}
	return fmt.Errorf("%s: %s holds image data that %s did not make (it has no %s): want `data: %s` to use it as it is, "+
		"or another dir", k.name, dir, k.name, k.recordFile(), dir)
}

func (k *kind) readRecord(path string) (*record, error) {
	const limit = 1 << 16
	text, err := input.Read(context.Background(), path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", k.name, path, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r record
	err = decoder.Decode(&r)
	if err == nil && r.Generator != k.generator() {
		err = fmt.Errorf("generator is %q", r.Generator)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %v; want what %s wrote there: remove the folder to have it made again", k.name,
			path, err, k.name)
	}
	return &r, nil
}

// longest bounds the files that the generator writes.
func (d Drawn) longest() int64 {
	const header = 64 // at most
	return header + int64(max(d.Train, d.Test))*int64(d.side())*int64(d.side())*int64(d.kind().channels)
}

func hashFile(ctx context.Context, path string, most int64) (string, error) {
	f, length, err := input.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	if length > most {
		return "", fmt.Errorf("%s: has %d bytes, want at most %d", path, length, most)
	}
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
