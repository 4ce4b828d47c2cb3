// Command release makes the files of a release that no compiler makes: archives, images, lists of what is
// in a program, and the licences of that. `.ci/release` calls it; see there for what a release holds.
//
//	go run ./tools/release pack DIR FILE       an archive of a folder: FILE ends in .tar.gz or .zip
//	go run ./tools/release image DIR FILE      an OCI image of linux as a tar, whose root is the folder
//	go run ./tools/release sbom PROGRAM        the modules of a Go program, as CycloneDX
//	go run ./tools/release licences PROGRAM    the licences of these modules and of Go
//
// The same input gives the same bytes: names are sorted, and nothing has a date, a user or a machine.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// errUsage is how the command is called.
var errUsage = errors.New("usage: release pack DIR FILE | image DIR FILE | sbom PROGRAM | licences PROGRAM")

func main() {
	if err := release(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release runs one command line.
func release(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "pack":
		return pack(args[1], args[2])
	case len(args) == 3 && args[0] == "image":
		return writeImage(args[1], args[2])
	case len(args) == 2 && args[0] == "sbom":
		return printed(sbom(args[1]))
	case len(args) == 2 && args[0] == "licences":
		return printed(licences(args[1]))
	}
	return errUsage
}

func printed(text []byte, err error) error {
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}

// pack writes a folder as an archive that unpacks into one folder of the same name.
func pack(dir, file string) error {
	all, err := entries(dir, true)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	switch {
	case strings.HasSuffix(file, ".tar.gz"):
		err = tarGz(&b, all)
	case strings.HasSuffix(file, ".zip"):
		err = zipped(&b, all)
	default:
		return fmt.Errorf("%s: want a name that ends in .tar.gz or .zip", file)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

func writeImage(dir, file string) error {
	all, err := entries(dir, false)
	if err != nil {
		return err
	}
	text, err := image(all)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return os.WriteFile(file, text, 0o666)
}
