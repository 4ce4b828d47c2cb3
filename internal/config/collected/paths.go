package collected

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"railyard/internal/base/input"
)

// Paths are the devices that a path names: itself, the folders in it, or files that each name another host.
func Paths(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil { // a file, or nothing: reading it says which
		return []string{path}, nil
	}
	var all []string
	for _, e := range entries {
		if !e.IsDir() {
			return oneEach(path, entries), nil
		}
		if e.Name() == "etc" { // a device whose files lie deeper
			return []string{path}, nil
		}
		all = append(all, filepath.Join(path, e.Name()))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: an empty folder, want configurations", path)
	}
	return all, nil
}

// calledHost is the line in which a configuration names its device.
var calledHost = regexp.MustCompile(`(?m)^\s*(?:hostname|set system host-name|(?:nv )?set system hostname)\s+(\S+)\s*$`)

// oneEach is the folder as a device; of files that each name another host, the files.
func oneEach(path string, entries []os.DirEntry) (all []string) {
	hosts := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || len(all) == mostFiles {
			return []string{path}
		}
		file := filepath.Join(path, e.Name())
		text, err := input.Read(context.Background(), file, MostConfig)
		m := calledHost.FindSubmatch(text)
		if err != nil || m == nil || hosts[string(m[1])] {
			return []string{path}
		}
		hosts[string(m[1])] = true
		all = append(all, file)
	}
	if len(all) < 2 {
		return []string{path}
	}
	return all
}
