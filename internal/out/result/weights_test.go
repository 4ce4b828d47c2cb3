package result

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/output"
)

func saying(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// filesBelow lists a directory without run.json.
func filesBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); err == nil && !e.IsDir() && !output.Ours(e.Name()) && rel != runFile {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// The newest stay, by number and not by name, and the newest of all is found.
func TestTheNewestWeightsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Path: path}
	if _, err := r.Weights(""); err == nil || !strings.Contains(err.Error(), "has no weights.safetensors") {
		t.Errorf("of a directory without: %v", err)
	}
	for _, step := range []int64{8, 9, 10, 100} {
		if err := d.KeepCheckpoint("", step, 3, saying("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(path, checkpointFolder, "step-x.safetensors"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want := "checkpoints/step-10.safetensors checkpoints/step-100.safetensors checkpoints/step-9.safetensors " +
		"checkpoints/step-x.safetensors"
	if got := strings.Join(filesBelow(t, path), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	files, err := r.Weights("")
	if err != nil || len(files) != 3 || filepath.Base(files[0]) != "step-100.safetensors" ||
		filepath.Base(files[1]) != "step-10.safetensors" {
		t.Errorf("%v, %v", files, err)
	}
	if err := d.KeepWeights("", saying("end")); err != nil {
		t.Fatal(err)
	}
	if files, err = r.Weights(""); err != nil || filepath.Base(files[0]) != weightsFile ||
		filepath.Base(files[1]) != "step-100.safetensors" {
		t.Errorf("%v, %v", files, err)
	}
	if err := d.KeepWeights("second", saying("end")); err != nil {
		t.Fatal(err)
	}
	if files, err = r.Weights("second"); err != nil || files[0] != filepath.Join(path, "second", weightsFile) {
		t.Errorf("of a job with a name: %v, %v", files, err)
	}
}

// What fails half way leaves the file that was there, and no other; the run hears of it.
func TestWeightsThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.KeepWeights("", saying("first")); err != nil || d.Keep() != nil {
		t.Fatal(err, d.Keep())
	}
	full := errors.New("no space left on device")
	err = d.KeepWeights("", func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("second", 1<<16)); err != nil {
			return err
		}
		return full
	})
	if err == nil || !strings.Contains(err.Error(), "cannot write weights.safetensors: no space left on device") {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(path, weightsFile)); err != nil || string(b) != "first" {
		t.Errorf("%q, %v: want what was there", b, err)
	}
	if got := filesBelow(t, path); len(got) != 1 {
		t.Errorf("%v is left, want the weights alone", got)
	}
	if !errors.Is(d.Err(), full) || !errors.Is(d.Keep(), full) {
		t.Errorf("the run hears %v and %v", d.Err(), d.Keep())
	}
	s := &Summary{State: Complete}
	if err := d.Finish(s); !errors.Is(err, full) || s.State != Failed {
		t.Errorf("the run ends %s with %v", s.State, err)
	}
}

// A run that keeps nothing keeps no weights.
func TestNoDirectoryNoWeights(t *testing.T) {
	var d *Dir
	wrong := func(io.Writer) error { t.Error("written"); return nil }
	if err := errors.Join(d.KeepWeights("", wrong), d.KeepCheckpoint("", 1, 1, wrong)); err != nil {
		t.Error(err)
	}
}
