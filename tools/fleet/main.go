//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"railyard/internal/base/splitmix"
)

// try is what is tried, with what, and where.
type try struct {
	runs, workers    int
	railyard, server string // programs
	old, clock       string // railyard of another version, with a wrong clock; "": none
	clockServer      string
	times            int    // tries, each with other draws
	root             string // all that is written lies below: what tries share, and
	dir              string // what is of one try
	token            string
	random           splitmix.Stream // which worker is killed
	quiet, failed    bool
}

func main() {
	t := &try{}
	share := flag.Bool("share", false, "nothing goes wrong; how much CPU time is spent in runs")
	flag.IntVar(&t.runs, "runs", 10000, "runs of 50 ms")
	flag.IntVar(&t.workers, "workers", 8, "worker processes")
	flag.StringVar(&t.railyard, "railyard", "", "the program (default: built now)")
	flag.StringVar(&t.server, "server", "", "nats-server (default: built now, of the version in go.mod)")
	flag.StringVar(&t.old, "old", "", "railyard of another version")
	flag.StringVar(&t.clock, "clock", "", "railyard whose clock is wrong")
	flag.StringVar(&t.clockServer, "clock-server", "", "nats-server whose clock is wrong")
	flag.IntVar(&t.times, "times", 1, "chaos so many times, with one seed more each time: the table is to be the same")
	flag.Uint64Var((*uint64)(&t.random), "seed", 1, "of what is drawn")
	flag.Parse()
	t.token = fmt.Sprintf("sesame%016x", t.random.Next())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	do := t.chaos
	if *share {
		do = t.share
	}
	err := t.begin(ctx)
	if err == nil {
		err = do(ctx)
	}
	stop()
	if err == nil && !t.failed || *share {
		os.RemoveAll(t.root)
	} else {
		fmt.Println("what was written stays in", t.root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
	}
	if err != nil || t.failed {
		os.Exit(1)
	}
}

// begin makes a folder, and builds what is not given.
func (t *try) begin(ctx context.Context) (err error) {
	if t.runs < 100 || t.runs%100 != 0 || t.workers < 2 || t.times < 1 {
		return fmt.Errorf("-runs %d -workers %d -times %d: want hundreds of runs, 2 workers or more, a try or more", t.runs,
			t.workers, t.times)
	}
	if t.root, err = os.MkdirTemp("", "fleet-"); err != nil {
		return err
	}
	t.dir = t.root
	for _, p := range []struct {
		path  *string
		build string
	}{{&t.railyard, "./cmd/railyard"}, {&t.server, "github.com/nats-io/nats-server/v2"}} {
		if *p.path != "" {
			continue
		}
		*p.path = filepath.Join(t.root, filepath.Base(p.build))
		build := exec.CommandContext(ctx, "go", "build", "-o", *p.path, p.build)
		build.Stdout, build.Stderr = os.Stdout, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building %s: %w", p.build, err)
		}
	}
	// The sweep's scenario names the first: it goes along to workers.
	return errors.Join(t.write("star.txt", star), t.write("token", t.token+"\n"), t.write("sweep.yaml", t.sweepFile()), t.certificate())
}

// check prints whether something is as it should be.
func (t *try) check(ok bool, format string, a ...any) {
	said := "ok   "
	if !ok {
		said, t.failed = "FAIL ", true
	}
	fmt.Println(said + fmt.Sprintf(format, a...))
}

// shared is the path of what all tries have.
func (t *try) shared(name ...string) string {
	return filepath.Join(append([]string{t.root}, name...)...)
}

// door is how servers are reached, for sweeps and workers.
func (t *try) door() []string {
	return []string{"--nats", t.url(), "--nats-ca", t.shared("cert.pem"), "--nats-creds", t.shared("token")}
}

func (t *try) path(name ...string) string { return filepath.Join(append([]string{t.dir}, name...)...) }

func (t *try) write(name, text string) error { return os.WriteFile(t.path(name), []byte(text), 0o600) }
