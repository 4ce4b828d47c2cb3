package collected

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/netconf"
)

// mostHosts bounds the hosts of a call.
const mostHosts = 16_384

// someHosts keep about ten megabytes.
const someHosts = 50

// Hosts reads the folders of hosts. One of which nothing is understood is an error.
func Hosts(ctx context.Context, args []string) (hosts []*hostinfo.Host, err error) {
	// Of a megabyte that is read little stays: looking for it after each few would take most of the time. What stays of many
	// hosts is much, and ten times that would be too much.
	defer machine.Collect(machine.Collect(1000))
	seen := map[string]string{}
	for _, arg := range args {
		folders, err := hostFolders(arg)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			if len(hosts) == mostHosts {
				return nil, fmt.Errorf("hosts: more than %d folders", mostHosts)
			}
			name := filepath.Base(filepath.Clean(folder))
			if first, twice := seen[name]; twice {
				return nil, fmt.Errorf("hosts: %s: a host named %s is in %s too: want folders with names of their own",
					folder, name, first)
			}
			seen[name] = folder
			files, err := hostFiles(ctx, folder)
			if err != nil {
				return nil, fmt.Errorf("cannot read %s: %w", folder, err)
			}
			h, err := hostinfo.Read(name, files)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", folder, err)
			}
			if hosts = append(hosts, h); len(hosts)%someHosts == 0 {
				machine.Collect(max(120, 1000/(1+len(hosts)/someHosts)))
			}
		}
	}
	return hosts, nil
}

// hostFolders are the folders of hosts that an argument names: itself, if a file is in it, else those in it.
func hostFolders(path string) (all []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("cannot read %s: %w, want the folder of a host", path, err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			return []string{path}, nil
		}
		all = append(all, filepath.Join(path, e.Name()))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("hosts: %s: an empty folder, want what the script of \"railyard hosts collect\" filled", path)
	}
	return all, nil
}

// hostFiles reads the files of a host's folder. It may be a stranger's: no link leads out of it.
func hostFiles(ctx context.Context, folder string) (files []netconf.File, err error) {
	left := int64(hostinfo.MostBytes)
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if len(files) == hostinfo.MostFiles {
			return fmt.Errorf("more than %d files, want those of one host", hostinfo.MostFiles)
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		text, err := input.ReadIn(ctx, folder, inside, left)
		var long *input.TooLong
		if errors.As(err, &long) {
			return fmt.Errorf("with %s more than %v in all, want at most that for a host", name, unit.Bytes(hostinfo.MostBytes))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		left -= int64(len(text))
		files = append(files, netconf.NewFile(name, text))
		return nil
	})
	return files, err
}
