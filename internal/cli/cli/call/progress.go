package call

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"railyard/internal/base/shown"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// When a line is printed.
const (
	RedrawEvery = 200 * time.Millisecond // on a terminal
	PlainFirst  = time.Second            // elsewhere: quick runs stay silent
	plainEvery  = 5 * time.Second
)

// Progress shows how far a run is: the newest value it was given, printed by a
// goroutine of its own, so that update costs little and a run that is silent for
// a while is seen to live. A nil progress shows nothing.
type Progress struct {
	w    *shown.Writer
	term Terminal

	mu      sync.Mutex
	now     result.Progress
	first   result.Progress // of this phase
	began   time.Time       // of this phase
	next    time.Time       // when a line is due
	drawn   bool            // a line stands on the terminal
	stopped bool
	done    chan struct{}
}

// StartProgress shows the phase at once on a terminal, elsewhere when it lasts.
func (a *App) StartProgress(quiet bool, phase string) *Progress {
	return a.startProgressAt(a.Start, quiet, phase)
}

// StartNext is StartProgress for one of many things that are done one after the other: from now on.
func (a *App) StartNext(quiet bool, phase string) *Progress {
	return a.startProgressAt(time.Now(), quiet, phase)
}

func (a *App) startProgressAt(start time.Time, quiet bool, phase string) *Progress {
	if quiet {
		return nil
	}
	p := newProgress(a.screen(), a.ErrTerm, phase, start)
	p.tick(time.Now())
	go func() {
		t := time.NewTicker(RedrawEvery)
		defer t.Stop()
		for {
			select {
			case now := <-t.C:
				p.tick(now)
			case <-p.done:
				return
			}
		}
	}()
	return p
}

func newProgress(w *shown.Writer, term Terminal, phase string, start time.Time) *Progress {
	p := &Progress{w: w, term: term, began: start, next: start, done: make(chan struct{})}
	p.now.Phase, p.first.Phase = phase, phase
	if !term.rewrites {
		p.next = start.Add(PlainFirst)
	}
	return p
}

// Update takes a newer value. Any goroutine may call it, as often as it likes.
func (p *Progress) Update(v result.Progress) { p.updateAt(v, time.Now()) }

func (p *Progress) updateAt(v result.Progress, now time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.Phase != p.now.Phase {
		p.first, p.began = v, now
	}
	p.now = v
}

// tick prints a line if one is due.
func (p *Progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || now.Before(p.next) {
		return
	}
	line := p.line(now)
	if p.term.rewrites {
		p.next = now.Add(RedrawEvery / 2) // the ticker sets the pace
		p.drawn = true
		p.w.Redraw(line)
		return
	}
	p.next = now.Add(plainEvery)
	fmt.Fprintln(p.w, line)
}

// Stop ends the display and clears its line. Further calls do nothing.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.done)
	if p.drawn {
		p.w.Erase()
	}
}

// line is the newest value in one line that fits the terminal: what matters least
// goes first where it is narrow.
//
//	training 1,234/2,814  loss 0.0841  virtual 50.9 ms  3.228 M hops/s  ETA 0:12
func (p *Progress) line(now time.Time) string {
	v, elapsed := p.now, now.Sub(p.began).Seconds()
	what := v.Phase
	switch {
	case v.Phase == "flows":
		what += " " + unit.Bytes(v.Done).Human() + "/" + unit.Bytes(v.Total).Human()
	case v.Total > 0:
		what += " " + unit.Count(v.Done) + "/" + unit.Count(v.Total)
	case v.Done > 0:
		what += " " + unit.Count(v.Done)
	}
	var loss, virtual, hops, eta string
	if v.HasLoss {
		loss = fmt.Sprintf("loss %.4f", v.Loss)
	}
	if v.Virtual > 0 {
		virtual = "virtual " + unit.Duration(v.Virtual).Human()
	}
	if n := v.PacketHops - p.first.PacketHops; n > 0 && elapsed > 0 {
		hops = unit.Rate(float64(n)/elapsed) + " hops/s"
	}
	if n := v.Part - p.first.Part; n > 0 && elapsed > 0 {
		eta = "ETA " + clock(elapsed*(1-v.Part)/n)
	} else if n := v.Done - p.first.Done; n > 0 && v.Part == 0 && v.Total >= v.Done && elapsed > 0 {
		eta = "ETA " + clock(elapsed*float64(v.Total-v.Done)/float64(n))
	}
	parts := []string{what, loss, virtual, hops, eta}
	for _, least := range []int{2, 3, 1, 4} {
		if s := join(parts); utf8.RuneCountInString(s) < p.term.Columns() {
			return s
		}
		parts[least] = ""
	}
	r := []rune(join(parts))
	return string(r[:min(len(r), p.term.Columns()-1)])
}

func join(parts []string) string {
	var there []string
	for _, s := range parts {
		if s != "" {
			there = append(there, s)
		}
	}
	return strings.Join(there, "  ")
}

// clock prints seconds as 0:12, 3:20 or 2:05:00.
func clock(seconds float64) string {
	if seconds > 360000 {
		return "over 100 h"
	}
	n := int64(seconds + 0.5)
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n%3600/60, n%60)
}
