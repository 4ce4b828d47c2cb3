package output

import (
	"os"
	"path/filepath"
	"strings"
)

// Folders of our own have names with these ends. Who makes one has it locked (flock(2)) while it lives: the lock goes with the
// process, however that ends, and a number of a process that another one has by now deceives nobody.
const (
	temporaryPrefix = "railyard-"
	temporarySuffix = ".held"
)

// Temporary makes a folder of our own, and returns what removes it with all that it holds.
func Temporary(name string) (dir string, remove func(), err error) {
	// Each turn but the last is lost to a process that cleared the folder before it was locked.
	const turns = 100
	for range turns {
		if dir, err = os.MkdirTemp("", temporaryPrefix+name+"-*"+temporarySuffix); err != nil {
			return dir, func() {}, err
		}
		own, free, err := lockFolder(dir, true)
		if err != nil {
			os.Remove(dir)
			return dir, func() {}, err
		}
		if free {
			return dir, func() { own.Close(); os.RemoveAll(dir) }, nil
		}
	}
	return dir, func() {}, &Busy{Path: dir}
}

// ClearTemporary removes the folders of our own that dead processes left on this machine: those that nobody has locked.
func ClearTemporary() {
	all, err := os.ReadDir(os.TempDir())
	if err != nil {
		return // where no folder can be seen, none is ours
	}
	for _, e := range all {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), temporaryPrefix) || !strings.HasSuffix(e.Name(), temporarySuffix) {
			continue
		}
		dir := filepath.Join(os.TempDir(), e.Name())
		if own, free, err := lockFolder(dir, false); err == nil && free {
			os.RemoveAll(dir) // while it is locked: who has just made it makes another
			own.Close()
		}
	}
}

// lockFolder locks a folder, if nobody has. What is not there any more, or is another one by now, is not free. Where a file
// system knows no locks every folder is, for who made it, and none for who clears.
func lockFolder(dir string, made bool) (own *os.File, free bool, err error) {
	before, err := os.Lstat(dir)
	if os.IsNotExist(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if own, err = os.OpenFile(dir, os.O_RDONLY|noWait, 0); os.IsNotExist(err) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	if free, err = flock(own, made); err != nil && made {
		free, err = true, nil
	}
	if err == nil && free {
		now, gone := os.Lstat(dir)
		mine, bad := own.Stat()
		free = gone == nil && bad == nil && os.SameFile(before, mine) && os.SameFile(now, mine)
	}
	if err != nil || !free {
		own.Close()
		return nil, false, err
	}
	return own, true, nil
}
