package rdmacmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/rdma"
	"railyard/internal/plan/perf"
)

// rdmaCall is a call of a command below railyard rdma.
type rdmaCall struct {
	*call.App
	f rdmaFlags
}

// rdmaCommand is `railyard rdma`.
func Command(a *call.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rdma",
		Short: "Send real RoCEv2 packets: a queue pair of ours on a real network",
		Long: `Moves bytes over RoCEv2 (UDP port 4791) with the queue pair that the simulator runs, between two
machines or two addresses of this one, and measures as perftest does. Linux only. As root it verifies
every bit of each packet's ICRC; else all but the IP identification's 16.`,
	}
	cmd.AddCommand(rdmaServerCommand(a), rdmaClientCommand(a), rdmaPingCommand(a), rdmaShowCommand(a))
	return cmd
}

// rdmaFlags are those of a server and a client.
type rdmaFlags struct {
	addr    string
	port    int
	once    bool
	size    string
	iters   int
	mtu     int
	depth   int
	faults  string
	capture string
	json    bool

	perftest bool
	part     string
	gid      string
	frames   string
}

const framesText = "LOCAL,REMOTE: send and take Ethernet frames by unix datagram sockets, as QEMU's netdev dgram"

func (f *rdmaFlags) address(what string) (a netip.Addr, err error) {
	if f.addr == "" {
		return a, nil
	}
	return ipOf(what, "--addr", f.addr)
}

func ipOf(what, flag, text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.Is4In6() {
		return a, call.Misuse("%s: %s %s: want an IP address of this machine", what, flag, located.Shown(text))
	}
	return a, nil
}

// framed reports what is wrong with --frames; without an address of the queue pairs they have none.
func (f *rdmaFlags) framed(what string, addressed bool) error {
	local, remote, two := strings.Cut(f.frames, ",")
	if f.frames != "" && (!two || local == "" || remote == "" || !addressed) {
		return call.Misuse("%s: --frames %s: want the names of two sockets, LOCAL,REMOTE, and an IP address: --addr, or of a server --gid",
			what, located.Shown(f.frames))
	}
	return nil
}

// open opens an endpoint.
func (f *rdmaFlags) open(own netip.Addr, faults *endpoint.Faults, watch endpoint.Watcher) (*endpoint.Endpoint, error) {
	if f.frames == "" {
		return endpoint.Open(own, faults, watch)
	}
	local, remote, _ := strings.Cut(f.frames, ",")
	return endpoint.OpenFrames(own, local, remote, faults, watch)
}

// partOf reads in what a server of perftest's takes part; nil: in nothing.
func (f *rdmaFlags) partOf(what string) (*rdma.Test, error) {
	if f.part == "" {
		return nil, nil
	}
	if !slices.Contains(rdma.PerftestParts(), f.part) {
		return nil, call.Misuse("%s: --perftest %s: want one of %s", what, located.Shown(f.part),
			strings.Join(rdma.PerftestParts(), ", "))
	}
	t, err := rdmaTest(what, f.part, *f)
	return &t, err
}

func (f *rdmaFlags) tcp(what string) error {
	if f.port < 1 || f.port > 1<<16-1 {
		return call.Misuse("%s: --port %d: want 1 to 65535", what, f.port)
	}
	return nil
}

func (f *rdmaFlags) script(what string) (*endpoint.Faults, error) {
	if f.faults == "" {
		return nil, nil
	}
	s, err := endpoint.ParseFaults(f.faults)
	if err != nil {
		return nil, call.Misuse("%s: --faults: %w", what, err)
	}
	return s, nil
}

const FaultsText = "what becomes of packets that it sends: lose:3, repeat:5, late:7, mark:9, spoil:11 (its ICRC), " +
	"lose:/50 for each fiftieth, or lose:1/50 for one in fifty"

func rdmaServerCommand(a *call.App) *cobra.Command {
	c := &rdmaCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Wait for measurements of railyard rdma client",
		Long: `Waits for clients until Ctrl-C, and does its part of what they measure. It listens at 127.0.0.1, TCP
port 18515 and UDP port 4791, unless --addr says otherwise. Whoever reaches it may measure. Clients of
perftest may too: ib_write_bw, ib_send_bw, ib_read_bw, ib_read_lat, ib_atomic_lat; and ib_send_lat or
ib_write_lat, if --perftest says which, with the client's --size and --iters: their clients do not.`,
		Example: "  railyard rdma server\n  railyard rdma server --addr 192.0.2.1 --once\n" +
			"  railyard rdma server --perftest write_lat --size 8 --iters 1000        # ib_write_lat -s 8 -n 1000\n" +
			"  railyard rdma server --gid 10.0.0.1 --frames a.sock,b.sock             # no network, no root",
		Args: none("rdma server"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.rdmaServer(cmd.Context()) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1", "IP address to be at")
	fl.IntVar(&f.port, "port", rdma.Port, "TCP port")
	fl.BoolVar(&f.once, "once", false, "end after one measurement")
	fl.StringVar(&f.faults, "faults", "", FaultsText)
	fl.StringVar(&f.gid, "gid", "", "IP address of the queue pairs, if not that of TCP: perftest's TCP is IPv4 alone")
	fl.StringVar(&f.part, "perftest", "", "what perftest's clients measure, if the server takes part: "+
		strings.Join(rdma.PerftestParts(), ", "))
	fl.StringVarP(&f.size, "size", "s", "", "with --perftest, bytes of a message; else 8")
	fl.IntVarP(&f.iters, "iters", "n", 1000, "with --perftest, messages")
	fl.StringVar(&f.frames, "frames", "", framesText)
	return cmd
}

// none is the arguments of a command without any.
func none(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return call.Misuse("%s: %s, want none", what, call.Count(len(args), "argument"))
		}
		return nil
	}
}

func (a *rdmaCall) rdmaServer(ctx context.Context) error {
	const what = "rdma server"
	addr, err := a.f.address(what)
	if err != nil {
		return err
	}
	if !addr.IsValid() {
		return call.Misuse("%s: --addr: want an IP address of this machine", what)
	}
	if err := a.f.tcp(what); err != nil {
		return err
	}
	if _, err := a.f.script(what); err != nil {
		return err
	}
	part, err := a.f.partOf(what)
	if err != nil {
		return err
	}
	own := addr
	if a.f.gid != "" {
		if own, err = ipOf(what, "--gid", a.f.gid); err != nil {
			return err
		}
	}
	if err := a.f.framed(what, a.f.gid != ""); err != nil {
		return err
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	s := rdma.Server{Addr: addr, Port: a.f.port, Once: a.f.once, Say: a.Tell, Perftest: part,
		Open: func() (*endpoint.Endpoint, error) {
			faults, err := a.f.script(what) // each measurement counts its packets from 0
			if err != nil {
				return nil, err
			}
			return a.f.open(own, faults, nil)
		}}
	err = s.Serve(ctx)
	if errors.Is(err, context.Canceled) {
		return nil // Ctrl-C is how it ends
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func rdmaClientCommand(a *call.App) *cobra.Command {
	c := &rdmaCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "client OP SERVER",
		Short: "Measure against railyard rdma server, and print perftest's table",
		Long: `Measures OP against the railyard rdma server at the IP address SERVER: ` + strings.Join(rdma.Operations(), ", ") + `.
write_bw, send_bw and read_bw print how many bytes go, write_lat and send_lat half of a round trip, read_lat
and atomic_lat (additions to 8 bytes) a whole one. In the end the bytes at client and server must have the same
SHA-256, and each addition must be there once, or it is an error.
Against a server on this machine the client is at the address after the server's.`,
		Example: "  railyard rdma client write_bw 127.0.0.1\n" +
			"  railyard rdma client send_lat 192.0.2.1 --size 8 --capture lat.pcapng\n" +
			"  railyard rdma client write_bw 127.0.0.1 --faults lose:1/50 --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return call.Misuse("rdma client: %s, want an operation (%s) and the server's IP address",
					call.Count(len(args), "argument"),
					strings.Join(rdma.Operations(), ", "))
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(rdma.Operations(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rdmaClient(cmd.Context(), args[0], args[1])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.size, "size", "s", "", "bytes of a message; of bandwidths 64K, of latencies 8")
	fl.IntVarP(&f.iters, "iters", "n", 1000, "messages")
	fl.IntVarP(&f.mtu, "mtu", "m", 4096, "path MTU at most: 256, 512, 1024, 2048 or 4096 bytes; less where an interface takes less")
	fl.IntVarP(&f.depth, "tx-depth", "t", 128, "messages that are outstanding at most")
	fl.StringVar(&f.addr, "addr", "", "IP address to be at; else that by which the server is reached")
	fl.IntVar(&f.port, "port", rdma.Port, "TCP port of the server")
	fl.StringVar(&f.faults, "faults", "", FaultsText)
	fl.StringVar(&f.capture, "capture", "", "write all packets, both ways, to this file (pcapng)")
	fl.BoolVar(&f.perftest, "perftest", false, "the server is perftest's: ib_write_bw for write_bw, and so on")
	fl.StringVar(&f.frames, "frames", "", framesText)
	fl.BoolVar(&f.json, "json", false, "print the result, with the counters of both ends, as JSON")
	return cmd
}

// rdmaServerAt reads the address of a server.
func rdmaServerAt(what, server string, port int) (netip.AddrPort, error) {
	a, err := netip.ParseAddr(server)
	if err != nil || a.Zone() != "" || a.Is4In6() {
		return netip.AddrPort{}, call.Misuse("%s: server %s: want an IP address, such as 127.0.0.1", what,
			located.Shown(server))
	}
	return netip.AddrPortFrom(a, uint16(port)), nil
}

// rdmaTest is what a client is asked for.
func rdmaTest(what, op string, f rdmaFlags) (rdma.Test, error) {
	t := rdma.Test{Op: op, Iterations: f.iters, MTU: f.mtu, Depth: f.depth, Size: 64 << 10}
	if f.part != "" { // the client says both
		t.MTU, t.Depth = 4096, 1
	}
	if !slices.Contains(rdma.Operations(), op) {
		return t, call.Misuse("%s: operation %s: want one of %s%s", what, located.Shown(op),
			strings.Join(rdma.Operations(), ", "),
			call.Meant(op, rdma.Operations()))
	}
	if t.Latency() {
		t.Size = 8
	}
	if f.size != "" {
		b, err := parseMessage(f.size)
		if err != nil {
			return t, call.Misuse("%s: --size: %w", what, err)
		}
		t.Size = b
	}
	if err := t.Validate(); err != nil {
		return t, call.Misuse("%s: %w", what, err)
	}
	return t, nil
}

func (a *rdmaCall) rdmaClient(ctx context.Context, op, server string) error {
	const what = "rdma client"
	if err := a.f.tcp(what); err != nil {
		return err
	}
	at, err := rdmaServerAt(what, server, a.f.port)
	if err != nil {
		return err
	}
	t, err := rdmaTest(what, op, a.f)
	if err != nil {
		return err
	}
	c := rdma.Client{Server: at, Test: t, Perftest: a.f.perftest}
	if c.Addr, err = a.f.address(what); err != nil {
		return err
	}
	if err := a.f.framed(what, a.f.addr != ""); err != nil {
		return err
	}
	faults, err := a.f.script(what)
	if err != nil {
		return err
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	var r *rdma.Result
	err = captured(a.f, func(open func(netip.Addr) (*endpoint.Endpoint, error)) (err error) {
		c.Open = open
		r, err = c.Run(ctx)
		return err
	}, faults)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %s at %v: %w", what, op, at, err)
	case a.f.json:
		return a.PrintJSON(r)
	}
	a.rdmaTable(r)
	return nil
}

// captured runs do, whose endpoint writes its packets to the file of --capture, if there is one.
func captured(f rdmaFlags, do func(open func(netip.Addr) (*endpoint.Endpoint, error)) error,
	faults *endpoint.Faults) error {
	if f.capture == "" {
		return do(func(own netip.Addr) (*endpoint.Endpoint, error) { return f.open(own, faults, nil) })
	}
	return output.WriteBy(f.capture, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		var watch *endpoint.Capture
		err := do(func(own netip.Addr) (*endpoint.Endpoint, error) {
			watch = endpoint.NewCapture(b, own)
			return f.open(own, faults, watch)
		})
		if err == nil && watch != nil {
			err = watch.Err()
		}
		return errors.Join(err, b.Flush())
	})
}

// rdmaTable prints perftest's table.
func (a *rdmaCall) rdmaTable(r *rdma.Result) {
	contents := "contents verified by SHA-256"
	if r.Perftest {
		contents = "contents not compared: perftest does not"
	}
	fmt.Fprintf(a.Stdout, "# %s, path MTU %d, %s; %s\n", r.Op, r.MTU, icrcText(r.Raw), contents)
	if r.Latency() {
		fmt.Fprintf(a.Stdout, " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "+
			"99%% percentile[usec]   99.9%% percentile[usec]\n")
		fmt.Fprintf(a.Stdout, " %-7d %-10d %12.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f\n", r.Size, r.Iterations,
			r.Min, r.Max,
			r.Typical, r.Mean, r.Deviation, r.P99, r.P999)
	} else {
		fmt.Fprintf(a.Stdout, " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n")
		fmt.Fprintf(a.Stdout, " %-10d %-14d %-19.2f %-21.2f %.6f\n", r.Size, r.Iterations, r.Peak, r.Average, r.Rate)
	}
	if text := timeoutsText(r); text != "" {
		fmt.Fprintf(a.Stdout, "# %s\n", text)
	}
	for _, end := range []struct {
		name string
		s    *rdma.Status
	}{{"client", &r.Client}, {"server", &r.ServerSide}} {
		if len(end.s.Counters) == 0 {
			continue // perftest tells of none
		}
		fmt.Fprintf(a.Stdout, "# %s: %s\n", end.name, countersText(end.s))
	}
}

// timeoutsText says why an average is far from the other figures: ends that waited for a timer sent nothing meanwhile.
func timeoutsText(r *rdma.Result) string {
	n := r.Client.Count(rdma.Timeouts) + r.ServerSide.Count(rdma.Timeouts)
	switch {
	case n == 0:
		return ""
	case r.Latency():
		return fmt.Sprintf("%s (%s) waited for in t_max, t_avg and t_stdev; t_typical is the median",
			call.Count(int(n), "timeout"), rdma.Timeouts)
	}
	return fmt.Sprintf("%s (%s) waited for in the average and the rate; the peak is of messages without one",
		call.Count(int(n), "timeout"), rdma.Timeouts)
}

func icrcText(whole bool) string {
	if whole {
		return "every bit of the ICRC verified"
	}
	return "ICRC verified but for the IP identification (root sees that too)"
}

// countersText is the counters that are not 0.
func countersText(s *rdma.Status) string {
	var words []string
	for _, c := range s.Counters {
		if c.Count != 0 {
			words = append(words, fmt.Sprintf("%s %d", c.Name, c.Count))
		}
	}
	return strings.Join(words, ", ")
}

func rdmaShowCommand(a *call.App) *cobra.Command {
	c := &rdmaCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:     "show SERVER",
		Short:   "List the queue pairs of a railyard rdma server, with their counters",
		Long:    `Lists the queue pairs that the railyard rdma server at an IP address has, and the last ones that it had.`,
		Example: "  railyard rdma show 127.0.0.1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("rdma show: %s, want the server's IP address", call.Count(len(args), "argument"))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.rdmaShow(cmd.Context(), args[0]) },
	}
	cmd.Flags().IntVar(&f.port, "port", rdma.Port, "TCP port of the server")
	cmd.Flags().BoolVar(&f.json, "json", false, "print them as JSON")
	return cmd
}

func (a *rdmaCall) rdmaShow(ctx context.Context, server string) error {
	const what = "rdma show"
	if err := a.f.tcp(what); err != nil {
		return err
	}
	at, err := rdmaServerAt(what, server, a.f.port)
	if err != nil {
		return err
	}
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	all, err := rdma.Show(ctx, at)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", what, at, err)
	}
	if a.f.json {
		return a.PrintJSON(all)
	}
	for i := range all {
		s := &all[i]
		fmt.Fprintf(a.Stdout, "queue pair 0x%06x to %s: %s, %s; %s\n", s.QPN, s.Peer, s.State, s.Op, countersText(s))
	}
	if len(all) == 0 {
		fmt.Fprintln(a.Stdout, "no queue pairs yet")
	}
	return nil
}

// parseMessage reads a message's size as railyard perf does.
func parseMessage(text string) (uint32, error) {
	b, err := perf.ParseSize(text)
	if err != nil || b < 1 || b > rdma.MaxSize {
		return 0, fmt.Errorf("%s: want 1 to %d bytes, such as 8, 64K or 1M", located.Shown(text), rdma.MaxSize)
	}
	return uint32(b), nil
}
