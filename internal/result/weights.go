package result

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/input"
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
	return d.keepWeights(filepath.Join(d.path, job, weightsFile), write)
}

// KeepCheckpoint writes the weights after a step, and then removes those that this directory had
// beyond the newest keep.
func (d *Dir) KeepCheckpoint(job string, step int64, keep int, write func(io.Writer) error) error {
	if d == nil {
		return nil
	}
	folder := filepath.Join(d.path, job, checkpointFolder)
	err := d.keepWeights(filepath.Join(folder, checkpointPrefix+strconv.FormatInt(step, 10)+weightsSuffix), write)
	if err != nil {
		return err
	}
	all, err := checkpoints(folder)
	for _, c := range all[:max(len(all)-keep, 0)] {
		err = errors.Join(err, os.Remove(c.path))
	}
	return d.weightsError(folder, err)
}

func (d *Dir) keepWeights(path string, write func(io.Writer) error) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = replaceBy(path, write)
	}
	return d.weightsError(path, err)
}

// weightsError remembers an error, so that Err and Keep tell it, too: the run ends.
func (d *Dir) weightsError(path string, err error) error {
	if err == nil {
		return nil
	}
	name, _ := filepath.Rel(d.path, path)
	err = fmt.Errorf("run directory %s: cannot write %s: %w", d.path, name, input.Cause(err))
	d.weights = cmp.Or(d.weights, err)
	return err
}

// replaceBy is replace for a file that is written piece by piece. The folder is synced too, so that
// after a crash of the machine the new name is there before an older file is removed.
func replaceBy(path string, write func(io.Writer) error) error {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	err = cmp.Or(write(b), b.Flush(), f.Sync())
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
		return err
	}
	return syncFile(filepath.Dir(path))
}

// syncFile puts a file or a folder on the disk, where the file system can.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err == nil {
		err = f.Sync()
		f.Close()
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	return err
}

// A weightsAt is a file of weights and the step in its name.
type weightsAt struct {
	path string
	step int64
}

// checkpoints lists those of a folder, oldest first; none if it is not there.
func checkpoints(folder string) (all []weightsAt, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name, isPrefix := strings.CutPrefix(e.Name(), checkpointPrefix)
		name, isSuffix := strings.CutSuffix(name, weightsSuffix)
		step, bad := strconv.ParseInt(name, 10, 64)
		if isPrefix && isSuffix && bad == nil && step >= 0 {
			all = append(all, weightsAt{filepath.Join(folder, e.Name()), step})
		}
	}
	slices.SortFunc(all, func(a, b weightsAt) int { return cmp.Compare(a.step, b.step) })
	return all, err
}

// Weights returns the file of the newest weights of a run directory: those at the end, or, of a run
// that was killed, the last checkpoint. older is a checkpoint before them, "" if there is none.
func (r *Run) Weights(job string) (newest, older string, err error) {
	all, err := checkpoints(filepath.Join(r.Path, job, checkpointFolder))
	if err != nil {
		return "", "", fmt.Errorf("run directory %s: %s: %w", r.Path, checkpointFolder, input.Cause(err))
	}
	var files []string
	for _, c := range all {
		files = append(files, c.path)
	}
	end := filepath.Join(r.Path, job, weightsFile)
	if _, err := os.Lstat(end); !errors.Is(err, fs.ErrNotExist) {
		files = append(files, end)
	}
	switch n := len(files); n {
	case 0:
		return "", "", fmt.Errorf("run directory %s: has no %s and no %s/%sN%s: want the directory of a training that "+
			"ended, or that had job.train.checkpoint.every", r.Path, weightsFile, checkpointFolder, checkpointPrefix,
			weightsSuffix)
	case 1:
		return files[0], "", nil
	default:
		return files[n-1], files[n-2], nil
	}
}
