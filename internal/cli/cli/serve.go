package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/machine"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/live"
	"railyard/internal/cli/web"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario/schema"
)

// serveFlags is the flags of `railyard serve`.
type serveFlags struct {
	addr               string
	run                bool
	body, disk, memory string
	runs, atOnce       int
	cpu                int
}

// serveCall is a call of railyard serve.
type serveCall struct {
	*app
	f serveFlags
}

func serveCommand(a *app) *cobra.Command {
	c := &serveCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "serve [DIR] [flags]",
		Short: "Show runs in a browser: the fabric in motion, time by time",
		Long: `Shows the run directories in and below DIR (runs, if it is not given) in a browser: what limited a
run, the fabric at any of its times, what each rank did when, each link, queue and queue pair over
time. Runs that are still being written are followed. It prints the address of the page, with a token without
which nothing is answered, and goes on until Ctrl-C. It only reads.

What is to be seen over time a run must have kept: output: {series: true, events: true, operations: true}.

With --run a page takes scenarios, too: who has the address can write one, see its problems, run and
cancel it. Each run is a process of its own, as railyard run starts one, and leaves DIR/NAME-N. As many run at once as
the forecasts of their memory allow; others wait. A scenario reads what was posted with it, and no other
file. Ctrl-C ends the runs, too, and keeps what they have.`,
		Example: "  railyard serve\n  railyard serve runs/incast-1 --addr 127.0.0.1:8080\n  railyard serve --run",
		Args:    call.RunDirs(0, 1), ValidArgsFunction: call.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "runs"
			if len(args) == 1 {
				dir = args[0]
			}
			for _, name := range bounding {
				if cmd.Flags().Changed(name) && !f.run {
					return call.Misuse("serve: --%s: bounds runs, want --run with it", name)
				}
			}
			return c.serve(cmd.Context(), dir)
		},
	}
	b := live.Usual()
	fl := cmd.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:0",
		"address and port to listen at; port 0 takes a free one. Others than this machine reach it only if it says so")
	fl.BoolVar(&f.run, "run", false, "run scenarios that the page posts")
	fl.IntVar(&f.runs, "max-runs", b.Runs, "with --run: runs that the server takes in all")
	fl.StringVar(&f.disk, "max-disk", b.Disk.Human(), "with --run: what its runs may hold on disk together")
	fl.IntVar(&f.cpu, "max-cpu", int(b.CPU), "with --run: seconds of processors that its runs may take together")
	fl.StringVar(&f.memory, "max-memory", "", "with --run: memory of the runs that go on at once, by their forecasts (default what "+
		"is free)")
	fl.IntVar(&f.atOnce, "at-once", 0, "with --run: runs that go on at once (default as many as there are cores)")
	fl.Lookup("at-once").DefValue = "0"
	fl.StringVar(&f.body, "max-body", b.Body.Human(), "with --run: what is posted at once")
	return cmd
}

// bounding are the flags that bound what is run.
var bounding = []string{"max-runs", "max-disk", "max-cpu", "max-memory", "max-body", "at-once"}

// bounds reads the flags that bound what is run.
func (f *serveFlags) bounds() (live.Bounds, error) {
	b := live.Usual()
	for _, x := range []struct {
		name, text string
		to         *unit.Bytes
	}{{"max-disk", f.disk, &b.Disk}, {"max-body", f.body, &b.Body}, {"max-memory", f.memory, &b.Memory}} {
		if x.text == "" {
			continue
		}
		v, err := unit.ParseBytes(x.text)
		if err == nil && v < 1 {
			err = fmt.Errorf("%s: want more than 0", x.text)
		}
		if err != nil {
			return b, call.Misuse("serve: --%s: %w", x.name, err)
		}
		*x.to = v
	}
	for _, x := range []struct {
		name string
		n    int
		most int
		to   func(n int)
	}{{"max-runs", f.runs, 100_000, func(n int) { b.Runs = n }}, {"max-cpu", f.cpu, 1 << 30, func(n int) { b.CPU = float64(n) }},
		{"at-once", f.atOnce, 1000, func(n int) { b.AtOnce = n }}} {
		switch {
		case x.name == "at-once" && x.n == 0:
		case x.n < 1 || x.n > x.most:
			return b, call.Misuse("serve: --%s %d: want 1 to %d", x.name, x.n, x.most)
		default:
			x.to(x.n)
		}
	}
	return b, nil
}

func (c *serveCall) serve(ctx context.Context, dir string) error {
	at, err := netip.ParseAddrPort(c.f.addr)
	if err != nil {
		return call.Misuse("serve: --addr %s: want an address and a port, such as 127.0.0.1:8080 or [::1]:0", c.f.addr)
	}
	bounds, err := c.f.bounds()
	if err != nil {
		return err
	}
	if c.f.run {
		if err := runsIn(dir); err != nil {
			return err
		}
	}
	switch st, err := os.Stat(dir); {
	case err != nil:
		return call.Misuse("serve: %s: %w", dir, input.Cause(err))
	case !st.IsDir():
		return call.Misuse("serve: %s: is no folder, want a run directory or a folder with some below it", dir)
	}
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	machine.Limit(web.Memory)
	o := web.Options{Dir: dir, Plan: collectivesOf}
	if c.f.run {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("serve: --run: %w", err)
		}
		o.Live = live.New(live.Options{Root: dir, Program: program, Bounds: bounds})
		defer o.Live.Close()
		defer context.AfterFunc(ctx, o.Live.Close)() // at once, while connections end
		o.Examples, o.Schema = slices.Concat(examplesToEdit(), labsToEdit()), schema.JSON()
	}
	s := web.New(o)
	err = s.Serve(ctx, at, func(url string) {
		n, more := s.Runs()
		found := unit.CountOf(int64(n), "run")
		if more {
			found = "the first " + found
		}
		fmt.Fprintf(c.Stdout, "%s\n", url)
		does := ""
		if c.f.run {
			does = ", and runs scenarios there"
		}
		c.Tell(fmt.Sprintf("shows %s below %s%s; Ctrl-C ends it", found, dir, does))
		if !at.Addr().IsLoopback() {
			can := "read them"
			if c.f.run {
				can = "read them and run scenarios here"
			}
			c.Tell(fmt.Sprintf("who reaches %s and has the address above can %s", at.Addr(), can))
		}
	})
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// runsIn makes the folder that runs are to lie in, unless it is there.
func runsIn(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		if _, err := result.OpenIncomplete(dir); err == nil {
			return call.Misuse("serve: --run: %s is a run directory, want a folder that runs are to lie in", dir)
		}
		return nil
	}
	folder, err := output.Make(dir)
	if err != nil {
		return call.Misuse("serve: --run: %s: %w", dir, input.Cause(err))
	}
	return folder.Close()
}
