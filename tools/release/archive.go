package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// An entry is a file or a folder of an archive.
type entry struct {
	name string // with slashes; that of a folder ends in one
	mode int64  // permissions
	data []byte
}

// entries reads what lies below a folder, in the order of names. With top the names begin with the folder's own.
// Permissions are those that everybody gets: 0755 for folders and what may be run, 0644 for others.
func entries(dir string, top bool) (all []entry, err error) {
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(below)
		if top {
			name = path.Join(filepath.Base(dir), name)
		}
		if name == "." {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{name: name, mode: 0o644}
		switch {
		case d.IsDir():
			e.name, e.mode = name+"/", 0o755
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s: want files and folders alone", at)
		default:
			if info.Mode()&0o100 != 0 {
				e.mode = 0o755
			}
			e.data, err = os.ReadFile(at)
		}
		all = append(all, e)
		return err
	})
	return all, err
}

// An owner is a user and a group by number.
type owner int

// tarred writes entries as a tar (POSIX.1-2001, ustar where it suffices) without dates. Who owns a file is asked for
// each.
func tarred(w io.Writer, all []entry, of func(name string) owner) error {
	t := tar.NewWriter(w)
	for _, e := range all {
		o := int(of(e.name))
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.data)), Uid: o, Gid: o}
		if e.name[len(e.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func root(string) owner { return 0 }

// tarGz writes entries as a tar that gzip has compressed.
func tarGz(w io.Writer, all []entry) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := tarred(z, all, root); err != nil {
		return err
	}
	return z.Close()
}

// zipped writes entries as a zip.
func zipped(w io.Writer, all []entry) error {
	const firstDay = 1<<5 | 1 // 1980-01-01: MS-DOS knows no day before, and zip wants one
	z := zip.NewWriter(w)
	for _, e := range all {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.ModifiedDate = firstDay //lint:ignore SA1019 what takes its place wants a clock's time
		h.SetMode(fs.FileMode(e.mode))
		if e.name[len(e.name)-1] == '/' {
			h.SetMode(fs.FileMode(e.mode) | fs.ModeDir)
			h.Method = zip.Store
		}
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}
