// Package built builds the program for tools that run it as a user does, in the folder of the
// repository.
package built

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// Program builds railyard into a new folder of temporary files, and returns the paths of both. The
// caller removes the folder; with an error there is none. What the compiler says goes to stderr.
func Program() (folder, program string, err error) {
	if folder, err = os.MkdirTemp("", "railyard"); err != nil {
		return "", "", err
	}
	program = filepath.Join(folder, "railyard")
	build := exec.Command("go", "build", "-o", program, "./cmd/railyard")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, program, nil
}
