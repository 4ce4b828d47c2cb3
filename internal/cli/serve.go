package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"railyard/internal/input"
	"railyard/internal/unit"
	"railyard/internal/web"
)

func (a *app) serveCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve [DIR] [--addr ADDRESS:PORT]",
		Short: "Show runs in a browser: the fabric in motion, time by time",
		Long: `Shows the run directories in and below DIR (runs, if it is not given) in a browser: what limited a
run, the fabric at any of its times, what each rank did when, each link, queue and queue pair over
time. Runs that are still being written are followed. It prints the address of the page, with a token without
which nothing is answered, and goes on until Ctrl-C. It only reads.

What is to be seen over time a run must have kept: output: {series: true, events: true, operations: true}.`,
		Example:           "  railyard serve\n  railyard serve runs/incast-1 --addr 127.0.0.1:8080",
		Args:              runDirs(0, 1),
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "runs"
			if len(args) == 1 {
				dir = args[0]
			}
			return a.serve(cmd.Context(), dir, addr)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0",
		"address and port to listen at; port 0 takes a free one. Others than this machine reach it only if it says so")
	return cmd
}

func (a *app) serve(ctx context.Context, dir, addr string) error {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return misuse("serve: --addr %s: want an address and a port, such as 127.0.0.1:8080 or [::1]:0", addr)
	}
	switch st, err := os.Stat(dir); {
	case err != nil:
		return misuse("serve: %s: %w", dir, input.Cause(err))
	case !st.IsDir():
		return misuse("serve: %s: is no folder, want a run directory or a folder with some below it", dir)
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	debug.SetMemoryLimit(web.Memory)
	s := web.New(web.Options{Dir: dir, Plan: collectivesOf})
	err = s.Serve(ctx, at, func(url string) {
		n, more := s.Runs()
		found := unit.CountOf(int64(n), "run")
		if more {
			found = "the first " + found
		}
		fmt.Fprintf(a.stdout, "%s\n", url)
		a.tell(fmt.Sprintf("shows %s below %s; Ctrl-C ends it", found, dir))
		if !at.Addr().IsLoopback() {
			a.tell(fmt.Sprintf("who reaches %s and has the address above can read them", at.Addr()))
		}
	})
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
