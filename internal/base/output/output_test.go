//go:build unix

package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// files lists a folder with what each file holds.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		all = append(all, e.Name()+"="+string(b))
	}
	return strings.Join(all, " ")
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// A link, to a file or by a second name, is replaced, and what it leads to stays; nothing else is left.
func TestWriteReplacesLinks(t *testing.T) {
	for _, link := range []func(from, to string) error{os.Symlink, os.Link} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		mine := filepath.Join(elsewhere, "mine")
		must(t, os.WriteFile(mine, []byte("mine"), 0o666), link(mine, filepath.Join(dir, "out")))
		must(t, Write(filepath.Join(dir, "out"), []byte("new")))
		if got := files(t, dir) + ", " + files(t, elsewhere); got != "out=new, mine=mine" {
			t.Error(got)
		}
		if info, err := os.Lstat(filepath.Join(dir, "out")); err != nil || !info.Mode().IsRegular() {
			t.Error(info.Mode(), err)
		}
	}
}

// What fails half way leaves what was there, and no other file.
func TestWriteIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	must(t, Write(path, []byte("old")))
	full := errors.New("no space left on device")
	err := WriteBy(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, full)
	})
	if !errors.Is(err, full) || files(t, dir) != "out=old" {
		t.Error(err, files(t, dir))
	}
}

// What is no file is neither replaced nor waited for.
func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "folder")
	must(t, syscall.Mkfifo(pipe, 0o666), os.Mkdir(folder, 0o777))
	for path, want := range map[string]string{pipe: "is a named pipe", folder: "is a folder"} {
		if err := Write(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Error(entries)
	}
}

// Streams are written directly, and stay what they are.
func TestStreams(t *testing.T) {
	before, err := os.Lstat("/dev/null")
	must(t, err, Write("/dev/null", []byte("x")))
	if after, err := os.Lstat("/dev/null"); err != nil || !os.SameFile(before, after) {
		t.Error("/dev/null was replaced", err)
	}
	r, w, err := os.Pipe()
	must(t, err, Write(fmt.Sprintf("/dev/fd/%d", w.Fd()), []byte("through")))
	w.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "through" {
		t.Errorf("%q %v", b, err)
	}
}

// A folder below another is no link, at no part of its name; a link that the user names is followed.
func TestBelowFollowsNoLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	must(t, os.Symlink(elsewhere, filepath.Join(dir, "out")), os.Mkdir(filepath.Join(dir, "in"), 0o777),
		os.Symlink("in", filepath.Join(dir, "within")), os.Symlink(dir, filepath.Join(elsewhere, "mine")))
	f, err := Open(filepath.Join(elsewhere, "mine"))
	must(t, err)
	defer f.Close()
	for _, name := range []string{"out", "out/deeper", "within", "within/deeper", "..", "../x", "in/../..", "."} {
		if below, err := f.Below(name); err == nil {
			t.Errorf("%s: opened as %s", name, below.Path())
		}
	}
	below, err := f.Below("in/new")
	must(t, err)
	defer below.Close()
	must(t, below.Write("file", []byte("x")))
	if got := files(t, filepath.Join(dir, "in/new")); got != "file=x" {
		t.Error(got)
	}
	for _, name := range []string{"../file", "/tmp/file", "a/../../file"} {
		if err := below.Write(name, nil); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// A folder that is moved while it is written into stays the one that is; what takes its name is left alone.
func TestFolderThatIsReplaced(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "dir")
	f, err := Make(dir)
	must(t, err)
	defer f.Close()
	must(t, os.Rename(dir, filepath.Join(root, "moved")), os.Symlink(elsewhere, dir), f.Write("file", []byte("x")))
	if got := files(t, elsewhere) + files(t, filepath.Join(root, "moved")); got != "file=x" {
		t.Error(got)
	}
}

// The lock of a stranger's folder may be anything: nothing is written into it, and none is waited for.
func TestStrangersLock(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "mine")
	must(t, os.WriteFile(elsewhere, []byte("mine"), 0o666))
	for name, plant := range map[string]func(path string) error{
		"is a link":       func(path string) error { return os.Symlink(elsewhere, path) },
		"is a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"is a folder":     func(path string) error { return os.Mkdir(path, 0o777) },
		"":                func(path string) error { return os.Link(elsewhere, path) },
	} {
		dir := t.TempDir()
		must(t, plant(filepath.Join(dir, lockFile)))
		f, _, err := Hold(dir)
		if name == "" && err != nil || name != "" && (err == nil || !strings.Contains(err.Error(), name)) {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
		if b, _ := os.ReadFile(elsewhere); string(b) != "mine" {
			t.Fatalf("%q: the user's file holds %q", name, b)
		}
	}
}

const holdEnv = "RAILYARD_TEST_HOLD"

// Of many that want a folder at once one has it at a time, and the others are told which process; whoever is killed
// leaves it free, and nothing stays behind.
func TestHold(t *testing.T) {
	if dir := os.Getenv(holdEnv); dir != "" {
		_, _, err := Hold(dir)
		fmt.Println(err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	dir := filepath.Join(t.TempDir(), "dir")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHold$")
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	in, err := cmd.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	said := make([]byte, 6)
	if _, err := io.ReadFull(out, said); err != nil || string(said) != "<nil>\n" {
		t.Fatalf("the child says %q, %v", said, err)
	}
	want := fmt.Sprintf("is being written by another railyard (pid %d)", cmd.Process.Pid)
	if _, _, err := Hold(dir); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := Owned(dir); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := Owned(dir); err != nil {
		t.Errorf("its owner is dead: %v", err)
	}
	// A dead owner's lock is inherited by one.
	const rivals = 8
	for range 50 {
		won := make(chan *Folder, rivals)
		for range rivals {
			go func() {
				f, _, err := Hold(dir)
				if err != nil && !errors.As(err, new(*Busy)) {
					t.Error(err)
				}
				won <- f
			}()
		}
		var holders []*Folder
		for range rivals {
			if f := <-won; f != nil && f.lock != nil {
				holders = append(holders, f)
			}
		}
		if len(holders) != 1 {
			t.Fatalf("%d hold it", len(holders))
		}
		// As if it were killed: the file stays, its lock goes.
		holders[0].lock.Close()
		holders[0].lock = nil
		holders[0].Close()
	}
	f, _, err := Hold(dir)
	must(t, err, f.Close())
	if got := files(t, dir); got != "" {
		t.Errorf("%s is left", got)
	}
}

// A folder that is filled beside its name gets it whole; what was made for it goes with it.
func TestDraft(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "data")
	d, err := Begin(dir)
	must(t, err, d.Write("file", []byte("x")))
	d.Discard()
	if got := files(t, root); got != "" {
		t.Errorf("%s is left", got)
	}
	if d, err = Begin(dir); err != nil {
		t.Fatal(err)
	}
	must(t, d.Write("file", []byte("x")), d.Commit())
	if got := files(t, dir); got != "file=x" {
		t.Error(got)
	}
	// A link in its place is not followed, nor is what it leads to removed.
	elsewhere := t.TempDir()
	link := filepath.Join(root, "link")
	must(t, os.Symlink(elsewhere, link))
	d, err = Begin(link)
	must(t, err, d.Write("file", []byte("x")))
	if err := d.Commit(); err == nil {
		t.Error("a link was replaced by a folder")
		return
	}
	d.Discard()
	if got := files(t, elsewhere); got != "" {
		t.Error(got)
	}
}

// Of folders of our own those that dead processes left are cleared, and nothing else: not what is held, of another name, a file,
// or a link.
func TestClearTemporary(t *testing.T) {
	temp, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	living, remove, err := Temporary("queue")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(err, os.MkdirAll(filepath.Join(temp, "railyard-inputs-1.held", "below"), 0o700),
		os.WriteFile(filepath.Join(temp, "railyard-inputs-1.held", "below", "f"), nil, 0o600),
		os.Mkdir(filepath.Join(temp, "railyard-inputs-2"), 0o700), os.Mkdir(filepath.Join(temp, "other.held"), 0o700),
		os.WriteFile(filepath.Join(temp, "railyard-file.held"), nil, 0o600),
		os.Symlink(elsewhere, filepath.Join(temp, "railyard-link.held")))
	if err != nil {
		t.Fatal(err)
	}
	ClearTemporary()
	want := []string{"other.held", "railyard-file.held", "railyard-inputs-2", "railyard-link.held", filepath.Base(living)}
	if got := namesIn(t, temp); !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}
	remove()
	if got := namesIn(t, temp); slices.Contains(got, filepath.Base(living)) {
		t.Error("what is removed is there")
	}
}

// However many clear, and whenever, a folder that was made is there until its maker removes it.
func TestClearTemporaryWhileOthersMake(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var makers, clearers sync.WaitGroup
	end := make(chan struct{})
	for range 2 {
		clearers.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
					ClearTemporary()
				}
			}
		})
		makers.Go(func() {
			for range 300 {
				dir, remove, err := Temporary("x")
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "f"), nil, 0o600)
					runtime.Gosched()
					_, gone := os.Stat(filepath.Join(dir, "f"))
					err = errors.Join(err, gone)
				}
				if err != nil {
					t.Error(err)
					return
				}
				remove()
			}
		})
	}
	makers.Wait()
	close(end)
	clearers.Wait()
	if got := namesIn(t, temp); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
