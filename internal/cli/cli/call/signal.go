package call

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP (the
// terminal is gone) ends. After it the signals have their usual effect again: the
// second one kills. A SIGHUP that nohup has switched off stays so.
func (a *App) Interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	wanted := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	signal.Notify(signals, wanted...)
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
			a.Tell("stopping at the next safe point; Ctrl-C again ends at once")
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
