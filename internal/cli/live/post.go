package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
)

// A Post is a scenario with the files that it names.
type Post struct {
	Scenario string
	Files    []File
}

// A File lies beside the scenario, by a name that may have folders.
type File struct {
	Name string
	Data []byte
}

// scenarioFile is the scenario's own name.
const scenarioFile = "scenario.yaml"

// bytes is what a post takes on a disk.
func (p *Post) bytes() unit.Bytes {
	n := len(p.Scenario)
	for i := range p.Files {
		n += len(p.Files[i].Data)
	}
	return unit.Bytes(n)
}

// check says what is wrong with the names of a post.
func (p *Post) check() error {
	if len(p.Files) > mostFiles {
		return refuse("%d files, want at most %d", len(p.Files), mostFiles)
	}
	seen := map[string]bool{scenarioFile: true}
	for i := range p.Files {
		name := p.Files[i].Name
		if why := wrongName(name); why != "" {
			return refuse("file %q: %s", shown.Text(short(name)), why)
		}
		// Folders count as names: a file may not be one of them. Some disks do not tell case apart.
		if key := strings.ToLower(name); seen[key] {
			return refuse("file %q: there are two of this name", name)
		} else {
			seen[key] = true
		}
	}
	for i := range p.Files {
		for dir := path.Dir(strings.ToLower(p.Files[i].Name)); dir != "."; dir = path.Dir(dir) {
			if seen[dir] {
				return refuse("file %q: %q is a file and cannot be its folder", p.Files[i].Name, dir)
			}
		}
	}
	return nil
}

func short(name string) string { return name[:min(len(name), longestName)] }

// wrongName says why a name cannot be that of a posted file.
func wrongName(name string) string {
	parts := strings.Split(name, "/")
	switch {
	case name == "":
		return "want a name"
	case len(name) > longestName:
		return fmt.Sprintf("%d bytes long, want at most %d", len(name), longestName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `\:`):
		return "want no control character, backslash or colon in it"
	case !filepath.IsLocal(name) || path.Clean(name) != name:
		return "leads out of the folder of what is posted, or is not in its shortest form: want a name such as net.txt or configs/leaf1"
	case len(parts) > deepestName:
		return fmt.Sprintf("%d parts, want at most %d", len(parts), deepestName)
	}
	for _, part := range parts {
		if strings.HasPrefix(part, ".") {
			return "begins with a point, want none that does"
		}
	}
	return ""
}

// write puts a post into a new folder.
func (p *Post) write() (dir string, remove func(), err error) {
	if err := p.check(); err != nil {
		return "", nil, err
	}
	dir, remove, err = output.Temporary("posted")
	if err != nil {
		return "", nil, input.Cause(err)
	}
	if err := p.writeInto(dir); err != nil {
		remove()
		return "", nil, input.Cause(err)
	}
	return dir, remove, nil
}

func (p *Post) writeInto(dir string) error {
	top, err := output.Open(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	if err := top.Write(scenarioFile, []byte(p.Scenario)); err != nil {
		return err
	}
	for _, f := range p.Files {
		in := top
		if folder := path.Dir(f.Name); folder != "." {
			if in, err = top.Below(folder); err != nil {
				return err
			}
		}
		err := in.Write(path.Base(f.Name), f.Data)
		if in != top {
			in.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Checked is what railyard check says of a post.
type Checked struct {
	Name     string `json:"name"` // of the scenario
	Errors   int    `json:"errors"`
	Estimate *struct {
		Memory unit.Bytes `json:"memory_bytes"`
	} `json:"estimate"`

	Whole json.RawMessage `json:"-"` // all that check --json prints
}

// Check says what is wrong with what is posted and what its run would cost. Nothing stays.
func (r *Runner) Check(ctx context.Context, p Post) (*Checked, error) {
	dir, remove, err := p.write()
	if err != nil {
		return nil, err
	}
	defer remove()
	return r.check(ctx, dir, "--graph")
}

// check asks railyard check, in a process of its own.
func (r *Runner) check(ctx context.Context, dir string, more ...string) (*Checked, error) {
	select {
	case r.checks <- struct{}{}:
		defer func() { <-r.checks }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.ctx.Done():
		return nil, errEnds
	}
	r.mu.Lock()
	most, used := r.options.Bounds.CPU, r.use().CPU
	r.mu.Unlock()
	if used >= most {
		return nil, full("this server has taken %.0f s of processors, the bound is %.0f (--max-cpu): start another", used, most)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime*time.Second)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	cmd := exec.CommandContext(ctx, r.options.Program)
	cmd.Args = append([]string{"railyard", "check", scenarioFile, "--json", "--local"}, more...)
	cmd.Dir = dir
	apart(cmd)
	var out bytes.Buffer
	errs := &tail{}
	cmd.Stdout, cmd.Stderr = &out, errs
	err := cmd.Run()
	if s := cmd.ProcessState; s != nil {
		r.mu.Lock()
		r.cpu += (s.UserTime() + s.SystemTime()).Seconds()
		r.mu.Unlock()
	}
	switch {
	case r.ctx.Err() != nil:
		return nil, errEnds
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, refuse("it was not checked within %d s: make it smaller", checkTime)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	c := &Checked{Whole: bytes.TrimSpace(out.Bytes())}
	if e := json.Unmarshal(c.Whole, c); e == nil {
		return c, nil
	}
	if err == nil {
		err = errors.New("the check says nothing")
	}
	return nil, refuse("%s", saidBy(errs, err))
}

// saidBy is what a process that ended with an error said last.
func saidBy(t *tail, err error) string {
	lines := strings.Split(strings.TrimSpace(shown.Lines(t.String())), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "railyard: ")
	if last == "" {
		return err.Error()
	}
	return last
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

const mostTail = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - mostTail; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.b) }

// sizeOf is what lies in and below a folder.
func sizeOf(dir string) (sum unit.Bytes) {
	if dir == "" {
		return 0
	}
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // it has just gone away
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += unit.Bytes(info.Size())
		}
		return nil
	})
	return sum
}
