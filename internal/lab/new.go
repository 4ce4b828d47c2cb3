package lab

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// templates is the lab that New writes: a small one that runs.
//
//go:embed template
var templates embed.FS

// New makes a folder with a lab to start from, and returns the paths of its files. The folder must
// be new or empty.
func New(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return nil, fmt.Errorf("folder %s: holds %s already, want a new or an empty folder", dir, entries[0].Name())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var out []string
	for _, name := range []string{readmeFile, expectFile, scenarioFile} {
		b, err := templates.ReadFile("template/" + name)
		if err != nil {
			return out, err
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			return out, err
		}
		out = append(out, path)
	}
	return out, nil
}
