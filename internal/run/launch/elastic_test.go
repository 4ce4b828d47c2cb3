//go:build unix

package launch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"railyard/internal/out/result"
	"railyard/internal/run/launch"
)

const elastic = `    layers: [784, 16, 10]
    batch: 8
    epochs: 1000000
    steps: 900
    optimiser: adam
    checkpoint: {every: 30, keep: 2}
  parallel: {dp: 2, pp: 2, micro_batches: 2, zero: 2}
`

// party is launchers of one job on this machine: nodes, the first of them with restarts, and spares.
type party struct {
	t        *testing.T
	text     string
	restarts int
	timeout  time.Duration
	spares   int
	at       func(p result.Progress, try int) // training goes on, told by node 0
	other    func(line string)                // is said by node 1
	leaves   context.CancelFunc               // has node 1 leave

	mu   sync.Mutex
	said []string // by node 0
	errs []error  // of node 1 and of spares
}

// run runs it, and returns what node 0 leaves.
func (p *party) run() (sum *result.Summary, err error) {
	p.t.Helper()
	at, folder, try := port(p.t), p.t.TempDir(), 0
	var joined sync.WaitGroup
	p.errs = make([]error, 1+p.spares)
	ctx, leaves := context.WithCancel(context.Background())
	defer leaves()
	p.leaves = leaves
	for i := range p.errs {
		cfg := config(parse(p.t, p.text))
		cfg.Nodes, cfg.Node, cfg.Rendezvous, cfg.Spare = 2, 1, at, i > 0
		as := ctx
		if i > 0 {
			as = context.Background()
		} else if p.other != nil {
			cfg.Say = p.other
		}
		joined.Go(func() { p.errs[i] = launch.Join(as, cfg) })
	}
	cfg := config(parse(p.t, p.text))
	cfg.Nodes, cfg.Rendezvous, cfg.Timeout = 2, at, p.timeout
	cfg.Say = func(line string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.said = append(p.said, line)
	}
	cfg.Run.Progress = func(now result.Progress) {
		if now.Phase == "training" && p.at != nil {
			p.at(now, try)
		}
	}
	limit, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	_, sum, err = launch.Again(limit, cfg, p.restarts, func(n int) (*result.Dir, error) {
		try = n
		return result.Create(filepath.Join(folder, fmt.Sprint(n)))
	})
	joined.Wait()
	if left := children(p.t); len(left) > 0 {
		p.t.Errorf("processes %v are left", left)
	}
	return sum, err
}

func (p *party) heard() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

func procs(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
}

// A job of two nodes, of which ranks are killed, starts again on both from the newest checkpoint, which only node 0 has, and ends
// with the weights of one that nobody disturbed. A spare that is not needed is told so.
func TestNodesStartAgain(t *testing.T) {
	procs(t)
	text := training(2, 2, elastic)
	want := simulated(t, text)
	killed := map[int]bool{}
	p := &party{t: t, text: text, restarts: 9, timeout: 30 * time.Second, spares: 1}
	p.at = func(now result.Progress, try int) {
		if pids := children(t); now.Done >= 50 && !killed[try] && try < 2 && len(pids) == 4 {
			killed[try] = true
			_ = syscall.Kill(pids[3*try], syscall.SIGKILL)
		}
	}
	sum, err := p.run()
	if err := errors.Join(append(p.errs, err)...); err != nil {
		t.Fatalf("%v; node 0 said\n%s", err, p.heard())
	}
	if sum.WeightsSHA256 != want.WeightsSHA256 || sum.Resumed == nil || len(killed) != 2 ||
		!strings.Contains(p.heard(), "(restart 2 of 9)") || !strings.Contains(p.heard(), ", after step ") {
		t.Errorf("weights %s, want %s; killed %v, node 0 said\n%s", sum.WeightsSHA256, want.WeightsSHA256, killed, p.heard())
	}
}

// A spare takes the place of a node whose launcher has gone, and goes on from a checkpoint that it never had.
func TestASpareTakesAPlace(t *testing.T) {
	procs(t)
	text := training(2, 2, elastic)
	want := simulated(t, text)
	p := &party{t: t, text: text, restarts: 1, timeout: 30 * time.Second, spares: 1}
	p.at = func(now result.Progress, try int) {
		if now.Done >= 50 && try == 0 && strings.Contains(p.heard(), "a spare is here: ") {
			p.leaves()
		}
	}
	sum, err := p.run()
	if err := errors.Join(p.errs[1], err); err != nil || !errors.Is(p.errs[0], context.Canceled) {
		t.Fatalf("%v, %v; node 0 said\n%s", err, p.errs[0], p.heard())
	}
	if sum.WeightsSHA256 != want.WeightsSHA256 || strings.Count(p.heard(), "node 1 of 2 is here: ") != 2 {
		t.Errorf("weights %s, want %s; node 0 said\n%s", sum.WeightsSHA256, want.WeightsSHA256, p.heard())
	}
}

// A node whose rank is killed is told to come again, and goes instead. A spare takes its place all the same, however long
// node 0 would wait for it.
//
// It fails if node 0 knows of a node that is gone only when it has heard so before the try was over.
func TestASpareTakesThePlaceOfANodeThatWasToComeAgain(t *testing.T) {
	procs(t)
	text := training(2, 2, elastic)
	want := simulated(t, text)
	p := &party{t: t, text: text, restarts: 2, timeout: 10 * time.Minute, spares: 1}
	p.at = func(now result.Progress, try int) {
		pids := children(t)
		if now.Done >= 50 && try == 0 && strings.Contains(p.heard(), "a spare is here: ") && len(pids) == 4 {
			_ = syscall.Kill(pids[0], syscall.SIGKILL)
		}
	}
	p.other = func(line string) {
		if strings.Contains(line, "comes again to") {
			p.leaves()
		}
	}
	sum, err := p.run()
	if err := errors.Join(p.errs[1], err); err != nil || !errors.Is(p.errs[0], context.Canceled) {
		t.Fatalf("%v, %v; node 0 said\n%s", err, p.errs[0], p.heard())
	}
	if sum.WeightsSHA256 != want.WeightsSHA256 || strings.Count(p.heard(), "it starts again from ") != 1 {
		t.Errorf("weights %s, want %s; node 0 said\n%s", sum.WeightsSHA256, want.WeightsSHA256, p.heard())
	}
}

// Without a spare the place of a node that has gone is waited for, and then the job ends and says so. Whether node 0 hears
// first of the launcher or of one of its ranks is left to the network.
func TestAPlaceThatNobodyTakes(t *testing.T) {
	procs(t)
	p := &party{t: t, text: training(2, 2, elastic), restarts: 3, timeout: 2 * time.Second}
	p.at = func(now result.Progress, try int) {
		if now.Done >= 50 {
			p.leaves()
		}
	}
	_, err := p.run()
	if err == nil || !strings.Contains(err.Error(), "node 1 never came to ") || !strings.Contains(p.heard(), "it starts again from ") {
		t.Errorf("%v; node 0 said\n%s", err, p.heard())
	}
}

// A node that has come knows that node 0 lives while it waits for another, however long that takes to come.
func TestNodesThatWaitForAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than the time after which silence counts")
	}
	text, at := training(2, 2, plain), port(t)
	want := simulated(t, text)
	errs := make([]error, 4)
	var sum *result.Summary
	var all sync.WaitGroup
	for i := range errs {
		cfg := config(parse(t, text))
		cfg.Nodes, cfg.Node, cfg.Rendezvous = len(errs), i, at
		all.Go(func() {
			switch i {
			case 0:
				sum, errs[i] = launch.Run(context.Background(), cfg)
			case 3:
				time.Sleep(7 * time.Second)
				fallthrough
			default:
				errs[i] = launch.Join(context.Background(), cfg)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	same(t, sum, want)
}
