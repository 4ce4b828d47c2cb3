package call

import (
	"strings"
	"testing"
	"time"

	"railyard/internal/base/shown"
	"railyard/internal/out/result"
)

var (
	start  = time.Unix(0, 0)
	screen = Terminal{Width: func() int { return 80 }, rewrites: true}
)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// On a terminal one line stands from the start, is drawn again in place and is gone at the end.
func TestProgressOnATerminal(t *testing.T) {
	var b strings.Builder
	p := newProgress(shown.NewWriter(&b, true), screen, "reading a.yaml", start)
	p.tick(at(0))
	p.updateAt(result.Progress{Phase: "training", Done: 0, Total: 100}, at(1))
	p.updateAt(result.Progress{Phase: "training", Done: 25, Total: 100, Loss: 0.5, HasLoss: true,
		Virtual: 50_900_000_000, PacketHops: 3_228_000}, at(2))
	p.tick(at(2))
	p.Stop()
	p.Stop()
	p.tick(at(3))
	want := "\rreading a.yaml\x1b[K" +
		"\rtraining 25/100  loss 0.5000  virtual 50.90 ms  3.228 M hops/s  ETA 0:03\x1b[K" +
		"\r\x1b[K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

// Elsewhere a line after a second, then one every five; a quick run prints nothing.
func TestProgressWithoutATerminal(t *testing.T) {
	var b strings.Builder
	p := newProgress(shown.NewWriter(&b, true), Terminal{}, "making data", start)
	for ms := 0; ms <= 12000; ms += 200 {
		p.updateAt(result.Progress{Phase: "making data", Done: int64(ms), Total: 20000}, at(float64(ms)/1000))
		p.tick(at(float64(ms) / 1000))
	}
	p.Stop()
	want := "making data 1,000/20,000  ETA 0:19\nmaking data 6,000/20,000  ETA 0:14\nmaking data 11,000/20,000  ETA " +
		"0:09\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p = newProgress(shown.NewWriter(&b, true), Terminal{}, "making data", start)
	p.tick(at(0.9))
	p.Stop()
	if b.String() != "" {
		t.Errorf("a quick run printed %q", b.String())
	}
}

// Rate and time to go are those of the phase, not of what was before it.
func TestProgressCountsFromTheStartOfThePhase(t *testing.T) {
	p := newProgress(nil, screen, "x", start)
	p.updateAt(result.Progress{Phase: "making data", Done: 10, Total: 10}, at(50))
	p.updateAt(result.Progress{Phase: "training", Done: 100, Total: 1000, PacketHops: 5000}, at(100))
	p.updateAt(result.Progress{Phase: "training", Done: 200, Total: 1000, PacketHops: 7000}, at(110))
	if got, want := p.line(at(110)), "training 200/1,000  200 hops/s  ETA 1:20"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The line is always shorter than the terminal; the time to go is the last thing to leave.
func TestProgressFitsTheTerminal(t *testing.T) {
	for width := 20; width < 120; width++ {
		p := newProgress(nil, Terminal{Width: func() int { return width }, rewrites: true}, "x", start)
		p.updateAt(result.Progress{Phase: "training"}, at(0))
		p.updateAt(result.Progress{Phase: "training", Done: 123_456, Total: 9_999_999, Loss: 12.3456, HasLoss: true,
			Virtual: 123_456_789_012, PacketHops: 99_999_999}, at(2.5))
		line := p.line(at(2.5))
		if len(line) >= width {
			t.Errorf("%d columns: %q", width, line)
		}
		if width >= 42 && !strings.Contains(line, "ETA 3:20") {
			t.Errorf("%d columns: %q has no time to go", width, line)
		}
	}
}
