package web

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// Bounds of the search for runs.
const (
	deepest     = 6      // folders below the one that is served
	mostFolders = 50_000 // looked into
	mostRuns    = 5_000
	runFile     = "run.json"
)

// runEntry is a run directory, as the list of runs has it.
type runEntry struct {
	ID       string            `json:"id"` // its path below the folder that is served; ".": that is one itself
	Name     string            `json:"name"`
	State    result.State      `json:"state"` // "": it cannot be read, see Error
	Held     bool              `json:"held"`  // it is being written; running and not held: it was killed
	Seed     uint64            `json:"seed"`
	End      unit.Time         `json:"end_ps"`
	Answer   string            `json:"answer"`
	Headline []headline.Figure `json:"headline"`
	Error    string            `json:"error,omitempty"`
}

// catalogue knows the runs below a folder.
type catalogue struct {
	root string

	mu    sync.Mutex
	found []string // ids
	at    map[string]bool
	more  bool // there are others
	when  time.Time
	known map[string]knownRun
}

// knownRun is an entry that was read, and of which file.
type knownRun struct {
	size  int64
	time  time.Time
	entry runEntry
}

// fresh is how long a list of runs is good, and soon how long it is for who asks for a run that is not in it: one that has just
// begun is opened from its page.
const (
	fresh = 2 * time.Second
	soon  = 20 * time.Millisecond
)

// list returns the ids of all runs, as they were found not long ago.
func (c *catalogue) list() (ids []string, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.when) > fresh {
		c.find()
		c.when = time.Now()
	}
	return c.found, c.more
}

// find looks for run directories. Links are not followed.
func (c *catalogue) find() {
	c.found, c.at, c.more = nil, map[string]bool{}, false
	type folder struct {
		id    string
		depth int
	}
	queue, looked := []folder{{".", 0}}, 0
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		if looked++; looked > mostFolders || len(c.found) == mostRuns {
			c.more = true
			break
		}
		entries, err := os.ReadDir(filepath.Join(c.root, f.id))
		if err != nil {
			continue
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == runFile && e.Type().IsRegular() }) {
			c.found = append(c.found, filepath.ToSlash(f.id))
			c.at[filepath.ToSlash(f.id)] = true
			continue
		}
		for _, e := range entries {
			if e.IsDir() && f.depth < deepest && !strings.HasPrefix(e.Name(), ".") {
				queue = append(queue, folder{filepath.Join(f.id, e.Name()), f.depth + 1})
			}
		}
	}
	slices.SortFunc(c.found, compareNames)
}

// dir returns where a run lies; false: no such run was found.
func (c *catalogue) dir(id string) (string, bool) {
	c.list()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at[id] && time.Since(c.when) > soon {
		c.find()
		c.when = time.Now()
	}
	if !c.at[id] {
		return "", false
	}
	return filepath.Join(c.root, filepath.FromSlash(id)), true
}

// entry reads what the list says of a run, unless its file is as it was.
func (c *catalogue) entry(id string) runEntry {
	dir := filepath.Join(c.root, filepath.FromSlash(id))
	st, err := os.Stat(filepath.Join(dir, runFile))
	if err != nil {
		return runEntry{ID: id, Error: "its run.json is gone", Headline: []headline.Figure{}}
	}
	c.mu.Lock()
	known, ok := c.known[id]
	c.mu.Unlock()
	e := known.entry
	if !ok || known.size != st.Size() || !known.time.Equal(st.ModTime()) {
		e = readEntry(id, dir)
		c.mu.Lock()
		if c.known == nil || len(c.known) > mostRuns {
			c.known = map[string]knownRun{}
		}
		c.known[id] = knownRun{st.Size(), st.ModTime(), e}
		c.mu.Unlock()
	}
	e.Held = e.State == result.Running && (&result.Run{Path: dir}).Held()
	return e
}

// mostHeadline is how many figures the list shows of a run.
const mostHeadline = 3

func readEntry(id, dir string) runEntry {
	e := runEntry{ID: id, Headline: []headline.Figure{}}
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		e.Error = err.Error()
		return e
	}
	s := run.Summary
	e.Name, e.State, e.Seed, e.End = s.Name, s.State, s.Seed, s.VirtualTime
	e.Answer, _ = report.Answer(report.OfSummary(s))
	all := headline.Of(s)
	e.Headline = append(e.Headline, all[:min(len(all), mostHeadline)]...)
	return e
}

// page returns the entries of some runs whose ids or names hold a text.
func (c *catalogue) page(filter string, from, most int) (entries []runEntry, all int, more bool) {
	ids, more := c.list()
	entries = []runEntry{}
	for _, id := range ids {
		if filter != "" && !strings.Contains(strings.ToLower(id), strings.ToLower(filter)) {
			continue
		}
		if all >= from && len(entries) < most {
			entries = append(entries, c.entry(id))
		}
		all++
	}
	return entries, all, more
}

// byUse orders shows: what nobody looks at first, and of those what was looked at longest ago.
func byUse(a, b *show) int {
	return cmp.Or(cmp.Compare(min(a.followers, 1), min(b.followers, 1)), a.used.Compare(b.used))
}
