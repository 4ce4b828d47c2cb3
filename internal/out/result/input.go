package result

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// inputFolder holds what a run read: its scenario as the user wrote it, and the files that the
// scenario names.
const inputFolder = "inputs"

// Names of inputs, whatever the files are called for the user.
const (
	ScenarioInput  = "scenario.yaml" // the scenario's own text
	ScheduleInput  = "schedule.txt"
	TopologyInput  = "topology.txt"
	HostGraphInput = "host.xml"
	FlowsInput     = "flows.csv"
	NetworkInput   = "network.txt"
	TimesInput     = "times.csv"
	ConfigInput    = "config" // a folder: of each switch a file or a folder
	ImagesInput    = "images" // not kept, only its digest
	TextInput      = "text"   // the same
)

// An Input is a file as the run read it.
type Input struct {
	Name string // in the run directory
	Text []byte
}

// InputDigest says which bytes a run read beside its scenario, so that it is run again with the
// same ones or not at all.
type InputDigest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Digest returns the digest of a file that a run read.
func (in Input) Digest() InputDigest {
	sum := sha256.Sum256(in.Text)
	return InputDigest{in.Name, hex.EncodeToString(sum[:])}
}

// KeepInputs copies what the run read, its images and text excepted, so that it can be run again after these
// files have changed.
func (d *Dir) KeepInputs(inputs []Input) error {
	if d == nil || len(inputs) == 0 {
		return nil
	}
	for _, in := range inputs {
		folder, err := d.folder.Below(path.Join(inputFolder, path.Dir(in.Name)))
		if err != nil {
			return unwritable(d.path, err)
		}
		err = folder.Write(path.Base(in.Name), in.Text)
		folder.Close()
		if err != nil {
			return fmt.Errorf("run directory %s: cannot write %s/%s: %w", d.path, inputFolder,
				in.Name, input.Cause(err))
		}
	}
	return nil
}

// InputPath returns where the run's copy of an input lies.
func (r *Run) InputPath(name string) string { return filepath.Join(r.Path, inputFolder, name) }

// HasInput says why the run's copy of an input is not there: run.json names it, and may be a stranger's.
func (r *Run) HasInput(name string) error {
	f, _, err := input.OpenIn(r.Path, filepath.Join(inputFolder, name))
	if err != nil {
		return fmt.Errorf("run directory %s: a file that the run read is missing: %s/%s: %w", r.Path, inputFolder, clean(name), err)
	}
	f.Close()
	return nil
}

// PlainInputs says which of the copies that a run made of its inputs is none: a link, say, which no run makes.
func (r *Run) PlainInputs() error {
	folder := filepath.Join(r.Path, inputFolder)
	return filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Type().IsRegular() {
			return err
		}
		return fmt.Errorf("%s: is %s, want a file as the run wrote it", name, output.Kind(e.Type()))
	})
}

// Source returns the scenario as the user wrote it, without the values that were derived from it.
func (r *Run) Source() ([]byte, error) {
	b, err := readBounded(r.Path, path.Join(inputFolder, ScenarioInput))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("run directory %s: has no %s/%s, from which it would be run again: run the scenario "+
			"anew with this version",
			r.Path, inputFolder, ScenarioInput)
	case err != nil:
		return nil, fmt.Errorf("run directory %s: %s/%s: %w", r.Path, inputFolder, ScenarioInput, input.Cause(err))
	}
	return b, nil
}
