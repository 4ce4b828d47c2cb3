package result

import (
	"fmt"
	"os"
	"path/filepath"
)

// inputFolder holds what a run read beside its scenario.
const inputFolder = "inputs"

// An Input is a file that a scenario names, as the run read it.
type Input struct {
	Name string // in the run directory: schedule.txt, whatever the scenario calls it
	Text []byte
}

// KeepInputs copies what the run read beside its scenario and its images, so that it
// can be run again after these files have changed.
func (d *Dir) KeepInputs(inputs []Input) error {
	if d == nil || len(inputs) == 0 {
		return nil
	}
	folder := filepath.Join(d.path, inputFolder)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return unwritable(d.path, err)
	}
	for _, in := range inputs {
		if err := writeSynced(filepath.Join(folder, in.Name), in.Text); err != nil {
			return fmt.Errorf("run directory %s: cannot write %s/%s: %w", d.path, inputFolder, in.Name, plain(err))
		}
	}
	return nil
}
