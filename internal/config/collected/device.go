package collected

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A Device is what files say of one: what was parsed, by which dialect, of which files.
type Device struct {
	*netconf.Parsed
	Dialect string
	Files   []netconf.File
}

// Empty reports whether nothing is known of the device but, maybe, its name.
func (c *Device) Empty() bool {
	d := c.Device
	return len(d.Interfaces) == 0 && d.BGP == nil && d.Tunnels == nil && d.Peer == nil && d.QoS == nil && d.LLDP == nil &&
		d.Balance == nil
}

// MostConfig bounds the bytes of a device's configuration, all files together, and mostFiles their number.
const (
	MostConfig = 4 << 20
	mostFiles  = 100
	mostPorts  = 8192 // interfaces; the largest chassis have some thousand
)

// Files are those of a device: path is one of them, standard input, or the folder that they are in.
func Files(path string, stdin io.Reader) (files []netconf.File, err error) {
	info, err := os.Stat(path)
	switch {
	case path == input.Stdin:
		text, err := input.Stream(context.Background(), stdin, MostConfig)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, err)
		}
		return []netconf.File{netconf.NewFile(path, text)}, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	case info.IsDir():
		files, err = filesIn(path)
	default:
		var text []byte
		text, err = input.Read(context.Background(), path, MostConfig)
		files = []netconf.File{netconf.NewFile(path, text)}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return files, nil
}

// Read parses the files of a device, which lie at path, in a dialect. What no device could have, or no line of which is
// understood, is an error.
func Read(path string, files []netconf.File, dialect string, of netconf.Dialect) (*Device, error) {
	c := &Device{Parsed: of.Parse(files), Dialect: dialect, Files: files}
	if n := len(c.Device.Interfaces); n > mostPorts {
		return nil, fmt.Errorf("%s: %d interfaces, want at most %d: this is no device's", path, n, mostPorts)
	}
	if hideForeign(c) == len(c.Files) {
		return nil, fmt.Errorf("%s: no line of it is understood, want a configuration of %s", path, c.Dialect)
	}
	return c, nil
}

// hideForeign puts one problem without a line in place of those of each file that is no
// configuration: one that is named by mistake shows none of its words. It returns how many there are.
func hideForeign(c *Device) (n int) {
	said := map[string]bool{} // files that say something
	for _, place := range c.Places {
		said[place.File] = true
	}
	for _, slip := range c.Slips {
		said[slip.File] = true
	}
	for _, f := range c.Files {
		wrong := map[int]bool{}
		for _, p := range c.Problems {
			if p.File == f.Name {
				wrong[p.Line] = true
			}
		}
		for _, u := range c.Unread {
			if u.File == f.Name {
				wrong[u.Line] = true
			}
		}
		if len(wrong) == 0 || said[f.Name] || len(wrong) < min(statements(f.Text), netconf.MostUnread) && !c.Empty() {
			continue
		}
		n++
		c.Problems = slices.DeleteFunc(c.Problems, func(p located.Problem) bool { return p.File == f.Name })
		c.Unread = slices.DeleteFunc(c.Unread, func(u netconf.Unread) bool { return u.File == f.Name })
		c.Problems = append(c.Problems, located.Problem{File: f.Name, Warning: true,
			Message: "no line of it is understood, want a configuration of " + c.Dialect})
	}
	return n
}

// statements counts the lines of a text that say something.
func statements(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '!' && line[0] != '#' {
			n++
		}
	}
	return n
}

// filesIn are those of a folder, however deep.
func filesIn(path string) (files []netconf.File, err error) {
	left := int64(MostConfig)
	err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if len(files) == mostFiles {
			return fmt.Errorf("more than %d files, want those of one device", mostFiles)
		}
		text, err := input.Read(context.Background(), name, left)
		var long *input.TooLong
		if errors.As(err, &long) {
			return fmt.Errorf("with %s more than %v in all, want at most that for a device", name, unit.Bytes(MostConfig))
		}
		left -= int64(len(text))
		files = append(files, netconf.NewFile(name, text))
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("no file in it")
	}
	return files, err
}

// In lists what a file of a device has that is wrong or not understood, in the order of its lines.
func (c *Device) In(file string) (all located.Problems) {
	for _, slip := range c.Slips {
		if slip.File == file {
			all = append(all, located.Problem{File: file, Line: slip.Line, Column: 1, Message: slip.Rule + ": " + slip.Text,
				Warning: true})
		}
	}
	for _, p := range c.Problems {
		if p.File == file {
			all = append(all, p)
		}
	}
	return append(all, unreadOf(c, file)...).Sorted()
}

// unreadOf is a warning for each kind of lines of a file that are not understood, at the first of them.
func unreadOf(c *Device, file string) (all located.Problems) {
	at, times := map[string]int{}, map[string]int{}
	for i := range c.Unread {
		u := &c.Unread[i]
		if u.File != file {
			continue
		}
		kind := u.Kind()
		if times[kind]++; times[kind] == 1 {
			at[kind] = len(all)
			all = append(all, located.Problem{File: file, Line: u.Line, Column: u.Column, Width: 1,
				Message: located.Shown(u.Text) + ": not understood", Warning: true})
			continue
		}
		all[at[kind]].Message = fmt.Sprintf("%s: not understood, %d times", located.Shown(kind), times[kind])
	}
	return all
}
