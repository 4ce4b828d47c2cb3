//go:build linux

package launch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
	"railyard/internal/out/result"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// Messages that are longer than the ring, over packets that are lost: all elements are right. A Paired.room that heeds what was
// acknowledged alone writes over what the peer has not read.
func TestLongMessagesOverRoCE(t *testing.T) {
	cfg := config(parse(t, `name: t
cluster: {hosts: 1, host: {gpus: 3}}
job:
  collectives:
    - {op: all-reduce, bytes: 4MiB, iterations: 3}
    - {op: all-to-all, bytes: 3MiB, iterations: 3}
`))
	cfg.Transport, cfg.Faults = launch.RoCE, "lose:1/501 late:1/97"
	sum, err := launch.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range sum.Collectives {
		if c.Wrong == nil || *c.Wrong != 0 {
			t.Errorf("row %d: %+v", i, c)
		}
	}
}

// Over queue pairs that lose, repeat and reorder packets, and mark some, a training has the simulator's weights.
func TestWeightsOverRoCEWithLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom([]string{"{dp: 4}", "{dp: 2, pp: 2, micro_batches: 2}", "{tp: 2, dp: 2, zero: 2}"}).Draw(t, "layout")
		text := training(2, 2, "    layers: [784, 48, 24, 10]\n    batch: 8\n    epochs: 1\n    steps: 4\n  parallel: "+layout+"\n")
		sc, err := scenarioOf(text)
		if err != nil {
			t.Fatal(err, text)
		}
		want, err := run.Run(context.Background(), sc, run.Options{})
		if err != nil {
			t.Fatal(err, text)
		}
		cfg := config(sc)
		cfg.Transport = launch.RoCE
		cfg.Faults = fmt.Sprintf("lose:1/%d mark:1/7 repeat:1/11 late:1/%d", rapid.IntRange(29, 97).Draw(t, "lose"),
			rapid.IntRange(13, 41).Draw(t, "late"))
		sum, err := launch.Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err, cfg.Faults)
		}
		if sum.WeightsSHA256 != want.WeightsSHA256 || want.WeightsSHA256 == "" {
			t.Fatalf("weights %s, want %s: %s with %s", sum.WeightsSHA256, want.WeightsSHA256, layout, cfg.Faults)
		}
	})
}

// A rank that stands still for less than silence takes is waited for: its queue pairs do not give up before its launcher does.
func TestPausedRankOverRoCE(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds and more")
	}
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	cfg := config(parse(t, training(1, 4, long)))
	cfg.Transport, cfg.Run.Dir = launch.RoCE, newDir(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var paused, after atomic.Bool
	var once sync.Once
	cfg.Run.Progress = func(p result.Progress) {
		if p.Phase != "training" || p.Done < 3 {
			return
		}
		once.Do(func() {
			pid := children(t)[1]
			go func() {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
				time.Sleep(2 * time.Second)
				paused.Store(true)
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}()
		})
		if paused.Load() && after.Swap(true) {
			cancel()
		}
	}
	sum, err := launch.Run(ctx, cfg)
	if !errors.Is(err, context.Canceled) || sum.State != result.Interrupted || !after.Load() {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Each rank's packets are in a file of its own, with those that were lost: WRITEs with immediate of one and of several packets,
// and their acknowledgements, both ways.
func TestCapturesOfRanks(t *testing.T) {
	text := training(1, 2, strings.Replace(plain, "epochs: 1", "epochs: 1\n    steps: 2", 1))
	cfg := config(parse(t, text))
	cfg.Transport, cfg.Capture = launch.RoCE, filepath.Join(t.TempDir(), "x.pcapng")
	if _, err := launch.Run(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	for rank := range int32(2) {
		f, err := os.Open(launch.CaptureOf(cfg.Capture, rank))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		seen := map[string]int{}
		r, err := pcapng.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for {
			p, err := r.Next()
			if err == io.EOF {
				break
			}
			var q wire.Packet
			if err == nil {
				err = q.Decode(p.Data[wire.EthernetBytes:])
			}
			if err != nil {
				t.Fatal(err)
			}
			seen[fmt.Sprint(p.Direction, " ", q.RoCE.BTH.Opcode)]++
		}
		for _, way := range []pcapng.Direction{pcapng.Inbound, pcapng.Outbound} {
			for _, o := range []wire.Opcode{wire.WriteFirst, wire.WriteLastImm, wire.WriteOnlyImm, wire.Acknowledge} {
				if seen[fmt.Sprint(way, " ", o)] == 0 {
					t.Errorf("rank %d: no %v, direction %v", rank, o, way)
				}
			}
		}
	}
}
