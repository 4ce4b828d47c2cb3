package rdmacmd

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/rdma"
)

func rdmaPingCommand(a *call.App) *cobra.Command {
	var f rdmaFlags
	var listen bool
	var size int
	cmd := &cobra.Command{
		Use:   "ping [SERVER]",
		Short: "Ping as rping does: a connection by RDMA's connection manager, READ, WRITE and SEND",
		Long: `Connects to SERVER with the messages of RDMA's connection manager (rdma_cm), and pings it as rping of
rdmacm-utils does: the server READs a text, and WRITEs it back. The other end is rping -s, or this program
with --listen, which answers rping -c as well. What comes back must be what was sent.`,
		Example: "  railyard rdma ping --listen\n  railyard rdma ping 127.0.0.1 --count 3\n" +
			"  railyard rdma ping 192.0.2.1 --size 4000 --capture ping.pcapng\n" +
			"  railyard rdma ping --listen --addr 10.0.0.1 --frames a.sock,b.sock\n" +
			"  railyard rdma ping 10.0.0.1 --addr 10.0.0.2 --frames b.sock,a.sock        # no network, no root",
		Args: func(_ *cobra.Command, args []string) error {
			if want := map[bool]int{true: 0, false: 1}[listen]; len(args) != want {
				return call.Misuse("rdma ping: %s, want the server's IP address, or none with --listen",
					call.Count(len(args), "argument"))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.framed("rdma ping", f.addr != ""); err != nil {
				return err
			}
			if listen {
				return rdmaPingServer(cmd.Context(), a, f)
			}
			return rdmaPing(cmd.Context(), a, args[0], size, f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&listen, "listen", false, "answer pings until Ctrl-C")
	fl.BoolVar(&f.once, "once", false, "with --listen: end after one connection")
	fl.IntVarP(&size, "size", "s", 64, "bytes of a ping: rping's -S, which must be the same at an rping")
	fl.IntVarP(&f.iters, "count", "n", 10, "pings")
	fl.StringVar(&f.addr, "addr", "", "IP address to be at; else that by which the server is reached, or 127.0.0.1 to listen")
	fl.IntVar(&f.port, "port", rdma.PingPort, "port of the server")
	fl.StringVar(&f.faults, "faults", "", FaultsText)
	fl.StringVar(&f.capture, "capture", "", "write all packets, both ways, to this file (pcapng)")
	fl.StringVar(&f.frames, "frames", "", framesText)
	fl.BoolVar(&f.json, "json", false, "print the times as JSON")
	return cmd
}

func rdmaPingServer(ctx context.Context, a *call.App, f rdmaFlags) error {
	const what = "rdma ping"
	addr, err := f.address(what)
	if err != nil {
		return err
	}
	if !addr.IsValid() {
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	if err := f.tcp(what); err != nil {
		return err
	}
	faults, err := f.script(what)
	if err != nil {
		return err
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	err = captured(f, func(open func(netip.Addr) (*endpoint.Endpoint, error)) error {
		e, err := open(addr)
		if err != nil {
			return err
		}
		defer e.Close()
		defer context.AfterFunc(ctx, e.Close)()
		if err := rdma.PingServer(ctx, e, f.port, f.once, a.Tell); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil // Ctrl-C is how it ends
	}, faults)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func rdmaPing(ctx context.Context, a *call.App, server string, size int, f rdmaFlags) error {
	const what = "rdma ping"
	if err := f.tcp(what); err != nil {
		return err
	}
	at, err := rdmaServerAt(what, server, f.port)
	if err != nil {
		return err
	}
	switch {
	case size < rdma.MinPing || size > rdma.MaxPing:
		return call.Misuse("%s: --size %d: want %d to %d bytes", what, size, rdma.MinPing, rdma.MaxPing)
	case f.iters < 1 || f.iters > rdma.MaxPings:
		return call.Misuse("%s: --count %d: want 1 to %d", what, f.iters, rdma.MaxPings)
	}
	c := rdma.Client{Server: at}
	if c.Addr, err = f.address(what); err != nil {
		return err
	}
	faults, err := f.script(what)
	if err != nil {
		return err
	}
	own, err := c.Own()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	var out *rdma.Pinged
	err = captured(f, func(open func(netip.Addr) (*endpoint.Endpoint, error)) error {
		e, err := open(own)
		if err != nil {
			return err
		}
		defer e.Close()
		defer context.AfterFunc(ctx, e.Close)()
		out, err = rdma.Ping(ctx, e, at.Addr(), f.port, f.iters, size, func(n int, took time.Duration) {
			if !f.json {
				fmt.Fprintf(a.Stdout, "%d bytes to %v and back: ping %d, %.3f ms\n", size, at.Addr(), n,
					took.Seconds()*1e3)
			}
		})
		return err
	}, faults)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %v: %w", what, at, err)
	case f.json:
		return a.PrintJSON(out)
	}
	sum := 0.0
	for _, v := range out.Times {
		sum += v
	}
	fmt.Fprintf(a.Stdout, "%s: min %.3f, mean %.3f, max %.3f ms\n", call.Count(len(out.Times), "ping"),
		slices.Min(out.Times)/1e3,
		sum/float64(len(out.Times))/1e3, slices.Max(out.Times)/1e3)
	return nil
}
