package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/plan/switches"
)

// Bounds of the folder of fabric.config.
const (
	mostConfigs     = 16384               // switches
	mostConfigFiles = 100                 // of one
	mostConfigBytes = 256 * unit.Megabyte // of all together
)

// readConfig reads a folder of configurations: each entry is that of a switch, a file or a folder of its files.
func readConfig(ctx context.Context, dir string) (all []switches.Configuration, err error) {
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, input.Cause(err)
	}
	switch {
	case len(entries) == 0:
		return nil, errors.New("an empty folder, want configurations")
	case len(entries) > mostConfigs:
		return nil, fmt.Errorf("%d entries, want at most %d", len(entries), mostConfigs)
	}
	left := mostConfigBytes
	for _, e := range entries {
		c := switches.Configuration{Name: e.Name()}
		if c.Files, err = readDevice(ctx, filepath.Join(dir, e.Name()), &left); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// readDevice reads the files of one switch, in the order of their names, and takes their bytes from what is left.
func readDevice(ctx context.Context, path string, left *unit.Bytes) (files []netconf.File, err error) {
	err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, input.Cause(err))
		}
		if e.IsDir() {
			return nil
		}
		if len(files) == mostConfigFiles {
			return fmt.Errorf("%s: more than %d files, want those of one switch", path, mostConfigFiles)
		}
		text, err := input.Read(ctx, name, int64(*left))
		var long *input.TooLong
		switch {
		case errors.As(err, &long):
			return fmt.Errorf("%s: with it more than %v in all", name, mostConfigBytes)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		*left -= unit.Bytes(len(text))
		files = append(files, netconf.NewFile(name, text))
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no file in it", path)
	}
	return files, err
}
