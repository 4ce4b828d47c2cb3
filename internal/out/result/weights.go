package result

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/input"
)

// Weights of a training. Those at its end are weightsFile; those during it lie in checkpointFolder.
// Of a job with a name, among several, both are in a folder of that name.
const (
	weightsFile      = "weights.safetensors"
	checkpointFolder = "checkpoints"
	checkpointPrefix = "step-"
	weightsSuffix    = ".safetensors"
)

// MaxWeights bounds a file of weights: parameters and velocities of the largest model, and names.
const MaxWeights = 1<<31 + 1<<25

// KeepWeights writes the weights at the end of a training: the old file, if there is one, or the new
// one, whole.
func (d *Dir) KeepWeights(job string, write func(io.Writer) error) error {
	if d == nil {
		return nil
	}
	return d.keepWeights(job, weightsFile, write)
}

// KeepCheckpoint writes the weights after a step, and then removes those that this directory had
// beyond the newest keep.
func (d *Dir) KeepCheckpoint(job string, step int64, keep int, write func(io.Writer) error) error {
	if d == nil {
		return nil
	}
	below := path.Join(job, checkpointFolder)
	err := d.keepWeights(below, checkpointPrefix+strconv.FormatInt(step, 10)+weightsSuffix, write)
	if err != nil {
		return err
	}
	folder, err := d.folder.Below(below)
	if err != nil {
		return d.weightsError(below, err)
	}
	defer folder.Close()
	names, err := folder.Names()
	all := checkpoints(names)
	for _, c := range all[:max(len(all)-keep, 0)] {
		err = errors.Join(err, folder.Remove(c.name))
	}
	return d.weightsError(below, err)
}

// keepWeights writes a file in a folder of the directory, or in itself. The folder is synced too, so that after a
// crash of the machine the new name is there before an older file is removed.
func (d *Dir) keepWeights(below, name string, write func(io.Writer) error) error {
	folder, err := d.folder, error(nil)
	if below != "" {
		if folder, err = d.folder.Below(below); err == nil {
			defer folder.Close()
		}
	}
	if err == nil {
		err = folder.WriteBy(name, func(w io.Writer) error {
			b := bufio.NewWriterSize(w, 1<<16)
			return cmp.Or(write(b), b.Flush())
		})
	}
	if err == nil {
		err = folder.Sync()
	}
	return d.weightsError(path.Join(below, name), err)
}

// weightsError remembers an error, so that Err and Keep tell it, too: the run ends.
func (d *Dir) weightsError(name string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("run directory %s: cannot write %s: %w", d.path, name, input.Cause(err))
	d.weights = cmp.Or(d.weights, err)
	return err
}

// A weightsAt is a file of weights and the step in its name.
type weightsAt struct {
	name string
	step int64
}

// checkpoints finds those among the names in a folder, oldest first.
func checkpoints(names []string) (all []weightsAt) {
	for _, name := range names {
		number, isPrefix := strings.CutPrefix(name, checkpointPrefix)
		number, isSuffix := strings.CutSuffix(number, weightsSuffix)
		step, bad := strconv.ParseInt(number, 10, 64)
		if isPrefix && isSuffix && bad == nil && step >= 0 {
			all = append(all, weightsAt{name, step})
		}
	}
	slices.SortFunc(all, func(a, b weightsAt) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.name, b.name)) })
	return all
}

// Weights returns the files of weights of a run directory, at least one, newest first: those at the end, and before
// them, or of a run that was killed, the last checkpoints.
func (r *Run) Weights(job string) (files []string, err error) {
	folder := filepath.Join(r.Path, job, checkpointFolder)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run directory %s: %s: %w", r.Path, checkpointFolder, input.Cause(err))
	}
	end := filepath.Join(r.Path, job, weightsFile)
	if _, err := os.Lstat(end); !errors.Is(err, fs.ErrNotExist) {
		files = append(files, end)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, c := range slices.Backward(checkpoints(names)) {
		files = append(files, filepath.Join(folder, c.name))
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("run directory %s: has no %s and no %s/%sN%s: want the directory of a training that "+
			"ended, or that had job.train.checkpoint.every", r.Path, weightsFile, checkpointFolder, checkpointPrefix,
			weightsSuffix)
	}
	return files, nil
}
