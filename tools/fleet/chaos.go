//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"railyard/internal/base/splitmix"
)

const (
	killEach = 2 * time.Second
	downFor  = 5 * time.Second // the server that is killed
	partFor  = 20 * time.Second
)

// wrongClock is the server that has a wrong clock, if one has. It is the one that is killed, then.
const wrongClock = 1

// fleet is what is running.
type fleet struct {
	*try
	servers [servers]*process
	workers []*process
	special map[string]*process // workers of which something is known
	started int
	full    string // a disk without room
	sweep   *process
}

// chaos is a sweep while things go wrong, some times.
func (t *try) chaos(ctx context.Context) error {
	alone, err := t.start("", "alone", nil, t.railyard, "sweep", "sweep.yaml", "-q", "-o", "want")
	if err != nil {
		return err
	}
	if err := alone.wait(ctx); err != nil {
		return fmt.Errorf("the sweep in one process: %w: %s", err, alone.last())
	}
	fmt.Printf("     in one process: %.0f CPU-s\n", alone.cpu())
	first := t.random
	for n := range t.times {
		if t.random = first + splitmix.Stream(n); t.times > 1 {
			t.dir = t.shared(fmt.Sprintf("try%d", n+1))
			if err := os.Mkdir(t.dir, 0o700); err != nil {
				return err
			}
			fmt.Printf("     try %d\n", n+1)
		}
		if err := t.once(ctx); err != nil {
			return err
		}
	}
	return nil
}

// once is one try.
func (t *try) once(ctx context.Context) error {
	f := &fleet{try: t, special: map[string]*process{}}
	defer func() { f.close() }()
	if err := f.begin(ctx); err != nil {
		return err
	}
	if err := f.play(ctx); err != nil {
		return err
	}
	return f.judge()
}

// begin starts servers and workers.
func (f *fleet) begin(ctx context.Context) error {
	if err := f.network(); err != nil {
		return err
	}
	for i := range f.servers {
		program := f.server
		if i == wrongClock && f.clockServer != "" {
			program = f.clockServer
		}
		var err error
		if f.servers[i], err = f.startServer(i, program); err != nil {
			return err
		}
	}
	if err := f.ready(ctx); err != nil {
		return err
	}
	for range f.try.workers {
		if err := f.worker(len(f.workers)); err != nil {
			return err
		}
	}
	if f.quiet {
		return nil
	}
	f.full = f.path("full")
	if err := errors.Join(os.Mkdir(f.full, 0o700), command("mount", "-t", "tmpfs", "-o", "size=4k", "fleet", f.full),
		os.WriteFile(filepath.Join(f.full, "room"), make([]byte, 4096), 0o600)); err != nil {
		return err
	}
	for _, w := range []struct {
		name, program, temporary string
		at                       member
	}{{"full-disk", f.railyard, f.full, near}, {"old", f.old, "", far}, {"clock", f.clock, "", near}} {
		if w.program == "" {
			continue
		}
		var err error
		if f.special[w.name], err = f.startWorker(w.at, w.name, w.program, w.temporary); err != nil {
			return err
		}
	}
	return nil
}

// ready waits until the servers have a leader.
func (f *fleet) ready(ctx context.Context) error {
	for range 300 {
		for _, s := range f.servers {
			if text, err := os.ReadFile(s.log); err == nil && bytes.Contains(text, []byte("JetStream cluster new metadata leader")) {
				return nil
			}
		}
		if sleep(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the servers have no leader: %s", f.servers[0].last())
}

// worker starts the worker of a place; every other place is in the far half.
func (f *fleet) worker(place int) error {
	at := near
	if place%2 == 1 {
		at = far
	}
	p, err := f.startWorker(at, fmt.Sprintf("worker-%d", f.started), f.railyard, f.path(fmt.Sprintf("tmp-place%d", place)))
	if err != nil {
		return err
	}
	f.started++
	if place == len(f.workers) {
		f.workers = append(f.workers, p)
	}
	f.workers[place] = p
	return nil
}

func (f *fleet) startWorker(at member, name, program, temporary string) (*process, error) {
	if temporary == "" {
		temporary = f.path("tmp-" + name)
	}
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return nil, err
	}
	words := append([]string{"worker", "--cores", "1", "--name", name}, f.door()...)
	return f.start(at.name, name, append(f.profile(name), "TMPDIR="+temporary), program, words...)
}

// startSweep starts the sweep, or goes on with it.
func (f *fleet) startSweep(out string) (err error) {
	f.sweep, err = f.start(sweeper.name, "sweep", nil, f.railyard, append([]string{"sweep", f.shared("sweep.yaml"), "-q", out, "got"},
		f.door()...)...)
	return err
}

// play runs the sweep, and does what goes wrong.
func (f *fleet) play(ctx context.Context) (err error) {
	if err := f.startSweep("--out"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute+time.Duration(f.runs)*500*time.Millisecond)
	defer cancel()
	begun, killed, kills := time.Now(), time.Now(), 0
	said, resumed := 0, false
	events := []struct {
		at float64 // of the rows
		do func(context.Context) error
	}{{0.02, f.loseServer}, {0.5, f.lostHalf}}
	for {
		if sleep(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("%w after %d rows: %s", ctx.Err(), f.rows(), f.sweep.last())
		}
		select {
		case <-f.sweep.end:
			f.check(resumed, "the sweep was killed once")
			f.check(f.sweep.err == nil, "the sweep ends by itself: %.0f s, %d workers killed; it took %.0f CPU-s",
				time.Since(begun).Seconds(), kills, f.sweep.cpu())
			if f.sweep.err != nil {
				return fmt.Errorf("%w: %s", f.sweep.err, f.sweep.last())
			}
			return nil
		default:
		}
		rows := f.rows()
		if part := rows * 10 / f.runs; part > said {
			said = part
			fmt.Printf("     %d rows after %.0f s\n", rows, time.Since(begun).Seconds())
		}
		if len(events) > 0 && float64(rows) >= events[0].at*float64(f.runs) {
			do := events[0].do
			events = events[1:]
			go func() {
				if err := do(ctx); err != nil && ctx.Err() == nil {
					fmt.Println("FAIL", err)
					f.failed = true
				}
			}()
		}
		if !resumed && rows >= f.runs*3/4 {
			resumed = true
			fmt.Printf("     the sweep is killed, and goes on, %d rows\n", rows)
			f.sweep.kill()
			if err := f.startSweep("--resume"); err != nil {
				return err
			}
		}
		if time.Since(killed) >= killEach {
			killed = time.Now()
			kills++
			place := int(f.random.Next() % uint64(len(f.workers)))
			f.workers[place].kill()
			if err := f.worker(place); err != nil {
				return err
			}
		}
	}
}

// loseServer kills a server, and starts it again with what it has on its disk.
func (f *fleet) loseServer(ctx context.Context) error {
	i, program := 0, f.server
	if f.clockServer != "" {
		i, program = wrongClock, f.clockServer
	}
	fmt.Printf("     server %d is killed, %d rows\n", i+1, f.rows())
	f.servers[i].kill()
	if sleep(ctx, downFor); ctx.Err() != nil {
		return nil
	}
	p, err := f.startServer(i, program)
	if err == nil {
		f.servers[i] = p
		fmt.Printf("     server %d comes again, %d rows\n", i+1, f.rows())
	}
	return err
}

// lostHalf takes the cable between the halves away, and puts it back.
func (f *fleet) lostHalf(ctx context.Context) error {
	fmt.Printf("     the halves see nothing of each other, %d rows\n", f.rows())
	if err := f.partition(true); err != nil {
		return err
	}
	sleep(ctx, partFor)
	fmt.Printf("     they see each other again, %d rows\n", f.rows())
	return f.partition(false)
}

// rows is how many rows the sweep has.
func (f *fleet) rows() int {
	names, _ := os.ReadDir(f.path("got", "rows")) // none is there yet
	return len(names)
}

// judge says whether all is as it should be.
func (f *fleet) judge() error {
	for _, name := range []string{"sweep.json", "sweep.parquet"} {
		want, err := os.ReadFile(f.shared("want", name))
		if err != nil {
			return err
		}
		got, err := os.ReadFile(f.path("got", name))
		f.check(err == nil && bytes.Equal(want, got), "%s: the %d bytes of the sweep in one process, SHA-256 %.8x", name, len(want),
			sha256.Sum256(got))
	}
	f.check(f.rows() == f.runs, "%d rows of %d", f.rows(), f.runs)
	_, err := os.Stat(f.path("got", "dead"))
	f.check(errors.Is(err, fs.ErrNotExist), "no dead letter")
	by, err := f.workersOf()
	if err != nil {
		return err
	}
	fmt.Printf("     %d workers have rows\n", len(by))
	if p := f.special["full-disk"]; p != nil {
		text, err := os.ReadFile(p.log)
		back := bytes.Count(text, []byte("handed back "))
		f.check(err == nil && by["full-disk"] == 0 && back > 0, "the worker with a full disk has no row, and handed %d runs back", back)
	}
	if p := f.special["old"]; p != nil {
		text, err := os.ReadFile(p.log)
		f.check(err == nil && by["old"] == 0 && bytes.Contains(text, []byte("refused: sweep fleet is of Railyard ")),
			"the worker of another version has no row, and says why: %s", p.last())
	}
	if f.special["clock"] != nil {
		f.check(by["clock"] > 0, "the worker whose clock is wrong has %d rows", by["clock"])
	}
	f.listed()
	f.left()
	return f.secrets()
}

// workersOf counts the rows of each worker.
func (f *fleet) workersOf() (map[string]int, error) {
	files, err := filepath.Glob(f.path("got", "rows", "*.json"))
	by := map[string]int{}
	for _, file := range files {
		text, e := os.ReadFile(file)
		var row struct {
			Worker string `json:"worker"`
		}
		if err = errors.Join(err, e, json.Unmarshal(text, &row)); err != nil {
			return nil, err
		}
		by[row.Worker]++
	}
	return by, err
}

// left ends workers and servers, and says what they leave.
func (f *fleet) left() {
	for range 50 { // who came for a worker that was killed clears what that one left, once it has begun
		if all, err := filepath.Glob(f.path("tmp-*", "*")); err != nil || len(all) == 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, p := range append(f.workers, f.special["full-disk"], f.special["old"], f.special["clock"]) {
		if p == nil {
			continue
		}
		if err := p.stop(130, 143); err != nil {
			f.check(false, "%s ends at SIGTERM: %v", p.name, err)
		}
	}
	folders, err := filepath.Glob(f.path("tmp-*", "*"))
	f.check(err == nil && len(folders) == 0, "no folder of a worker is left, killed or not %s", strings.Join(folders, ", "))
	for range 150 { // a server that saw nothing of the others hears late that it is all through
		if len(f.kept(0))+len(f.kept(1))+len(f.kept(2)) == 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	for i, s := range f.servers {
		if err := s.stop(1); err != nil {
			f.check(false, "%s: %v", s.name, err)
		}
		kept := f.kept(i)
		f.check(len(kept) == 0, "%s keeps nothing of the sweep %s", s.name, strings.Join(kept, ", "))
	}
}

// kept lists what a server has of the sweep.
func (f *fleet) kept(server int) (names []string) {
	streams, _ := filepath.Glob(f.path(fmt.Sprintf("store%d", server+1), "jetstream", "$G", "streams", "*")) // the pattern is one
	for _, s := range streams {
		if base := filepath.Base(s); base != "KV_RAILYARD_SWEEPS" {
			names = append(names, base)
		}
	}
	return names
}

// listed looks for the token where every user of a machine can look: in what processes were started with.
func (f *fleet) listed() {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	found := 0
	for _, path := range all {
		if text, gone := os.ReadFile(path); gone == nil && bytes.Contains(text, []byte(f.token)) {
			found++
		}
	}
	f.check(err == nil && len(all) > 0 && found == 0, "no process was started with the token of the servers")
}

// secrets looks for the token in all that was written, but for what has to hold it.
func (f *fleet) secrets() error {
	found := 0
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".conf") || path == f.shared("token") {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(f.token)) {
			found++
			fmt.Println("     the token stands in", path)
		}
		return err
	})
	f.check(found == 0, "no text holds the token of the servers")
	return err
}

// close ends what runs, and removes what was made.
func (f *fleet) close() {
	for _, p := range append(f.workers, f.sweep, f.special["full-disk"], f.special["old"], f.special["clock"]) {
		p.kill()
	}
	for _, p := range f.servers {
		p.kill()
	}
	if f.full != "" {
		command("umount", f.full) //nolint:errcheck // it was not mounted
	}
	f.apart() //nolint:errcheck // they were not made
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
