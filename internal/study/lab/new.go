package lab

import (
	"embed"
	"path/filepath"
)

// templates is the lab that New writes: a small one that runs.
//
//go:embed template
var templates embed.FS

// New makes a folder with a lab to start from, and returns the paths of its files. The folder must
// be new or empty.
func New(dir string) ([]string, error) {
	folder, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var out []string
	for _, name := range []string{readmeFile, expectFile, scenarioFile} {
		b, err := templates.ReadFile("template/" + name)
		if err != nil {
			return out, err
		}
		if err := folder.Write(name, b); err != nil {
			return out, err
		}
		out = append(out, filepath.Join(dir, name))
	}
	return out, nil
}
