package netconf

import (
	"cmp"

	"railyard/internal/base/unit"
)

// longestPoll is how often a platform looks at most: NX-OS's poll timer, Cumulus' and Junos' default.
const longestPoll = 100 * unit.Millisecond

// NewWatchdog is a watchdog that is on and looks as often as it must to act in time: twice in the
// shorter of both times (EOS's rule), and every 100 ms at least.
func NewWatchdog(detect, restore unit.Duration, action string) Watchdog {
	poll := min(longestPoll, detect/2, restore/2)
	return Watchdog{On: true, Poll: poll, Detect: detect, Restore: restore, Action: action}
}

// WatchdogLimits are the times that a platform takes.
type WatchdogLimits struct {
	Step                    unit.Duration // they are whole numbers of this
	LeastPoll               unit.Duration // it acts and gives back after twice that at least
	MostPoll                unit.Duration // 0: any
	MostDetect, MostRestore unit.Duration
	Forwards                bool // there is another action than drop
}

// WatchdogWithin brings a watchdog's times to those that a platform takes: no sooner than they were,
// if it can be. What is 0 or empty stays the platform's.
func (f *Fitting) WatchdogWithin(platform string, l WatchdogLimits) {
	q := f.Device.QoS
	if q == nil || !q.Watchdog.On {
		return
	}
	w := &q.Watchdog
	if !l.Forwards && w.Action != "" && w.Action != "drop" {
		f.Say("watchdog: %s: %s has drop alone on record, so it drops", w.Action, platform)
		w.Action = "drop"
	}
	detect, restore := l.within(w.Detect, l.MostDetect), l.within(w.Restore, l.MostRestore)
	if detect != w.Detect || restore != w.Restore {
		f.Say("watchdog: acts after %v, gives back after %v: with what %s takes after %v and %v", w.Detect, w.Restore,
			platform, detect, restore)
		w.Detect, w.Restore = detect, restore
	}
	shorter := min(w.Detect, cmp.Or(w.Restore, w.Detect))
	if w.Poll > 0 && (w.Poll < l.LeastPoll || l.MostPoll > 0 && w.Poll > l.MostPoll || w.Poll > shorter/2 || w.Poll%l.Step != 0) {
		w.Poll = NewWatchdog(w.Detect, shorter, "").Poll / l.Step * l.Step
	}
}

// within rounds up to a whole number of steps.
func (l *WatchdogLimits) within(d, most unit.Duration) unit.Duration {
	if d == 0 {
		return 0
	}
	return min(max((d+l.Step-1)/l.Step*l.Step, 2*l.LeastPoll), most)
}

// WatchdogTimes keeps of the watchdog whether it is on.
func (f *Fitting) WatchdogTimes(platform string) {
	q := f.Device.QoS
	if q == nil {
		return
	}
	bare := Watchdog{On: q.Watchdog.On}
	if q.Watchdog != bare {
		does := ""
		if q.Watchdog.Action != "" {
			does = ", " + q.Watchdog.Action
		}
		f.Say("watchdog: acts after %v, gives back after %v%s: no command of %s is on record, so all is its own",
			q.Watchdog.Detect, q.Watchdog.Restore, does, platform)
	}
	q.Watchdog = bare
}
