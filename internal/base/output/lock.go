package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// lockFile holds the process that writes into a folder, as long as it does.
const lockFile = prefix + "lock"

// Busy says that another process is writing into a folder.
type Busy struct {
	Path string
	PID  int // 0: not known
}

func (b *Busy) Error() string {
	who := ""
	if b.PID > 0 {
		who = fmt.Sprintf(" (pid %d)", b.PID)
	}
	return "is being written by another railyard" + who
}

// Hold is Make, and keeps others that Hold the folder out until Close or the end of the process.
// fresh says that the folder was not there. With an error the folder is as it was.
func Hold(dir string) (f *Folder, fresh bool, err error) {
	_, err = os.Stat(dir)
	fresh = errors.Is(err, fs.ErrNotExist)
	if f, err = Make(dir); err == nil {
		if err = f.Hold(); err != nil {
			f.root.Close()
			f = nil
		}
	}
	if err != nil && fresh {
		Prune(dir)
	}
	return f, fresh, err
}

// Hold locks a folder that is open.
func (f *Folder) Hold() error {
	// Each turn but the last is lost to another process that took or left the lock meanwhile, or asked about it.
	const turns = 1000
	for range turns {
		if held, err := f.try(); held || err != nil {
			return err
		}
	}
	return &Busy{Path: f.path}
}

func (f *Folder) try() (held bool, err error) {
	own, err := f.New(lockFile)
	fresh := err == nil
	if errors.Is(err, fs.ErrExist) {
		own, err = f.plain(lockFile, os.O_RDWR)
	}
	if errors.Is(err, errReplaced) || errors.Is(err, fs.ErrNotExist) && f.there() {
		return false, nil // another has just taken it, or left it
	}
	if err != nil {
		return false, err
	}
	free, err := flock(own, fresh)
	if err == nil && !free {
		if asked, err := unlocked(own); err == nil && asked { // it was only asked about: see Owned
			own.Close()
			return false, nil
		}
	}
	if err != nil || !free {
		pid := readPID(own)
		own.Close()
		if err == nil {
			err = &Busy{f.path, pid}
		}
		return false, err
	}
	if !f.has(own) {
		own.Close()
		return false, nil
	}
	if fresh {
		writePID(own)
		f.lock = own
		return true, nil
	}
	defer own.Close()
	return f.inherit()
}

// inherit takes the place of a dead owner, whose lock this process has. Nothing is written into its
// file, which may be a stranger's, and have a second name elsewhere.
func (f *Folder) inherit() (held bool, err error) {
	temp := prefix + rand.Text() + ".tmp"
	own, err := f.New(temp)
	if err != nil {
		return false, err
	}
	if _, err = flock(own, true); err == nil {
		writePID(own)
		err = f.Rename(temp, lockFile)
	}
	if err != nil {
		own.Close()
		f.Remove(temp)
		return false, err
	}
	f.lock = own
	return true, nil
}

// release gives the lock back.
func (f *Folder) release() {
	if f.lock == nil {
		return
	}
	if f.has(f.lock) {
		f.Remove(lockFile)
	}
	f.lock.Close()
	f.lock = nil
}

// has reports whether a file is still the lock of the folder.
func (f *Folder) has(own *os.File) bool {
	is, err := f.root.Lstat(lockFile)
	if err != nil {
		return false
	}
	mine, err := own.Stat()
	return err == nil && os.SameFile(is, mine)
}

// there reports whether the folder still has a name, and so can take files.
func (f *Folder) there() bool {
	_, err := os.Stat(f.path)
	return err == nil
}

func writePID(own *os.File) { fmt.Fprintln(own, os.Getpid()) } // on a full disk nobody is told the number

func readPID(own *os.File) int {
	b := make([]byte, 20)
	n, err := own.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// Owned returns a *Busy if some process holds a folder, and takes nothing.
func Owned(dir string) error {
	f, err := Open(dir)
	if err != nil {
		return nil
	}
	defer f.root.Close()
	own, err := f.plain(lockFile, os.O_RDWR)
	if err != nil {
		return nil
	}
	defer own.Close()
	if free, err := unlocked(own); err != nil || free {
		return nil
	}
	return &Busy{dir, readPID(own)}
}
