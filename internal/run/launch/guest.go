//go:build unix

package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/run/run"
)

// Join runs the ranks of a node that is not the first, and those of each further try. It returns when node 0 says that all is
// done, or why it is not. A spare waits until it is one, and returns when there is nothing left to wait for.
func Join(ctx context.Context, cfg Config) error {
	if err := cfg.Deal(); err != nil {
		return err
	}
	if cfg.Spare {
		cfg.Node = spareNode
	}
	share, err := run.NewShare(ctx, cfg.Scenario, nil, nil, "", nil, cfg.Run.Progress)
	if err != nil {
		return err
	}
	var last *guest
	defer func() { last.leave() }()
	for {
		g, err := join(ctx, &cfg, share, last)
		last = g
		a, ok := err.(*again)
		if !ok {
			return err
		}
		cfg.Say(fmt.Sprintf("%s; node %d comes again to %s", a.why, cfg.Node, cfg.Rendezvous))
	}
}

// again ends a try: there is another.
type again struct{ why string }

func (a *again) Error() string { return a.why }

// join is a try. That of the one before is left when node 0 has this one.
func join(ctx context.Context, cfg *Config, share *run.Share, last *guest) (*guest, error) {
	defer last.leave()
	conn, err := callRoot(ctx, cfg)
	if err != nil {
		return nil, err
	}
	g := &guest{cfg: cfg, conn: &hearing{Conn: conn}, over: make(chan struct{})}
	w, err := g.greet(ctx, share.Inputs())
	last.leave()
	if err == nil && w != nil {
		err = g.take(ctx, share, w)
	}
	return g, err
}

// take takes the place in the job that node 0 has given, until the try is over.
func (g *guest) take(ctx context.Context, share *run.Share, w *welcome) error {
	cfg, conn := g.cfg, g.conn
	order := jobOrder{Name: cfg.Name, Scenario: string(cfg.Scenario.YAML()), World: share.Work.Ranks(), First: w.First,
		Ranks: cfg.PerNode, Transport: cfg.Transport, Faults: cfg.Faults, Capture: cfg.Capture, Images: share.Images()}
	order.Listen, _, _ = net.SplitHostPort(conn.LocalAddr().String())
	if w.WeightsBytes > 0 {
		path, remove, err := g.takeWeights(ctx, w)
		if err != nil {
			return err
		}
		defer remove()
		order.Weights, order.WeightsSHA256 = path, w.WeightsSHA256
	}
	g.steps, g.first, g.ended = share.Steps, w.First, make([]int64, cfg.PerNode)
	n, err := startNode(cfg, order, share.Work, func(f frame) {
		if f.kind == kindStep {
			g.progress(&f)
		}
		if !g.ends.Load() {
			g.say(f)
		}
	})
	if err != nil {
		return err
	}
	cfg.Say(fmt.Sprintf("node %d of %d: %s from %d run here, node 0 (%s) tells of them", cfg.Node, cfg.Nodes,
		unit.CountOf(int64(cfg.PerNode), "rank"), w.First, conn.RemoteAddr()))
	err = g.serve(ctx, n)
	g.ends.Store(true)
	if _, more := err.(*again); more { // and node 0 is to hear that this node lives
		_ = conn.SetWriteDeadline(time.Now().Add(writeTime))
		defer func() { _ = conn.SetWriteDeadline(time.Time{}) }()
	} else {
		_ = conn.SetWriteDeadline(time.Now()) // node 0 wants no more, and may read no more
	}
	n.quit(textOf(err), quitTime)
	return err
}

// leave ends its connection, by which node 0 knows that this node lives.
func (g *guest) leave() {
	if g != nil {
		g.left.Do(func() {
			close(g.over)
			g.conn.Close()
		})
	}
}

// callRoot connects to node 0, which may not be there yet.
func callRoot(ctx context.Context, cfg *Config) (net.Conn, error) {
	host, _, err := net.SplitHostPort(cfg.Rendezvous)
	if err != nil {
		return nil, fmt.Errorf("--rdzv %s: %w: want HOST:PORT", cfg.Rendezvous, err)
	}
	if _, err := addressOf(ctx, host); err != nil {
		return nil, err
	}
	deadline, said := time.Now().Add(cfg.Timeout), time.Now()
	for {
		d := net.Dialer{Timeout: time.Second}
		conn, err := d.DialContext(ctx, "tcp", cfg.Rendezvous)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, fmt.Errorf("node 0 never answered at %s within %v: %w", cfg.Rendezvous, cfg.Timeout, errors.Unwrap(err))
		}
		if time.Since(said) > 5*time.Second {
			said = time.Now()
			cfg.Say(fmt.Sprintf("waiting for node 0 at %s: %d s left", cfg.Rendezvous, int(left.Seconds())))
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// guest is the launcher of another node.
type guest struct {
	cfg  *Config
	conn *hearing
	mu   sync.Mutex    // writes
	over chan struct{} // closed: it is left
	left sync.Once
	ends atomic.Bool // node 0 wants no more of its ranks

	steps    int64 // of the job
	first    int32
	showing  sync.Mutex
	ended    []int64 // steps, by rank of the node
	reported time.Time
}

// progress shows how far the ranks of the node are, where they train: a rank has ended a step.
func (g *guest) progress(f *frame) {
	if g.cfg.Run.Progress == nil || g.steps <= 1 {
		return
	}
	d := decoder{b: f.body}
	step := d.i64()
	g.showing.Lock()
	defer g.showing.Unlock()
	g.ended[f.rank-g.first] = step + 1
	done := slices.Min(g.ended)
	if now := time.Now(); done == g.steps || now.Sub(g.reported) >= beatEvery {
		g.reported = now
		g.cfg.Run.Progress(result.Progress{Phase: "training", Done: done, Total: g.steps})
	}
}

func (g *guest) say(f frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = g.conn.Write(appendFrame(nil, &f)) // if node 0 is gone its silence says so
}

// next reads what node 0 says before the ranks run.
func (g *guest) next() (f frame, err error) {
	_ = g.conn.SetReadDeadline(time.Now().Add(g.cfg.Timeout + helloTime))
	defer func() { _ = g.conn.SetReadDeadline(time.Time{}) }()
	if f, err = readFrame(g.conn, smallBody); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) {
			err = errors.New("it closed the connection: it has given up, or is not railyard")
		}
		return f, fmt.Errorf("node 0 at %s: %w", g.cfg.Rendezvous, err)
	}
	return f, nil
}

// greet says who this is, and returns what node 0 answers; nil: all is done without it.
func (g *guest) greet(ctx context.Context, inputs []result.InputDigest) (*welcome, error) {
	g.say(newFrame(kindHello, -1, helloOf(g.cfg, inputs)))
	defer context.AfterFunc(ctx, func() { g.conn.Close() })() // a spare may wait for hours
	for {
		f, err := g.next()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		switch f.kind {
		case kindBeat:
		case kindPing:
			g.say(newFrame(kindPing, -1, ping{time.Now().UnixNano()}))
		case kindRefused:
			return nil, fmt.Errorf("node 0 at %s refused this node: %s", g.cfg.Rendezvous, f.body)
		case kindQuit:
			if len(f.body) > 0 {
				return nil, errors.New(string(f.body))
			}
			g.cfg.Say(fmt.Sprintf("the job of %s is done: this spare was not needed", g.cfg.Rendezvous))
			return nil, nil
		case kindWelcome:
			w := &welcome{}
			if err := f.decode(w); err != nil {
				return nil, err
			}
			if w.Node < 1 || w.Node >= g.cfg.Nodes || w.Node != g.cfg.Node && g.cfg.Node != spareNode {
				return nil, fmt.Errorf("node 0 at %s takes this node for node %d", g.cfg.Rendezvous, w.Node)
			}
			g.cfg.Node = w.Node
			return w, nil
		default:
			return nil, fmt.Errorf("node 0 at %s sent a control frame of kind %d", g.cfg.Rendezvous, f.kind)
		}
	}
}

// serve passes on what node 0 says to the ranks, until all is over.
func (g *guest) serve(ctx context.Context, n *node) error {
	said, over := make(chan frame, 16), make(chan struct{})
	defer close(over)
	go func() {
		defer close(said)
		for {
			f, err := readFrame(g.conn, smallBody)
			if err != nil {
				return
			}
			g.conn.hand(func() {
				select {
				case said <- f:
				case <-over:
				}
			})
		}
	}()
	go beats(g.over, func() { g.say(frame{kindBeat, -1, nil}) })
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if g.conn.quietFor(time.Now()) >= silence {
				return fmt.Errorf("node 0 (%s) has not answered for %v; a link may be cut", g.conn.RemoteAddr(), silence)
			}
		case f, ok := <-said:
			switch {
			case !ok:
				return fmt.Errorf("the launcher of node 0 (%s) has gone", g.conn.RemoteAddr())
			case f.kind == kindQuit && len(f.body) > 0:
				return errors.New(string(f.body))
			case f.kind == kindQuit:
				return nil
			case f.kind == kindAgain:
				return &again{string(f.body)}
			case f.kind == kindAsk:
				go g.say(newFrame(kindStanding, -1, n.standings())) // it may have to wait for a link
			case f.kind == kindPeers, f.kind == kindGo, f.kind == kindStop, f.kind == kindTell:
				n.tell(f)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
