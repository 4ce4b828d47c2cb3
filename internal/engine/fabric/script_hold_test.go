package fabric

import (
	"fmt"

	"railyard/internal/base/unit"
)

// alone is a queue under PFC, with nothing around it, and its watchdog. `hold` makes one; `xoff` and `xon` are what
// comes to it, `time` asks whether a hold is over, `watch` has the watchdog look, at a queue with frames or an empty one.
type alone struct {
	hold
	dog *Watchdog
}

// holds does a command about a hold alone; false: it is none.
func (s *stage) holds(command string, args map[string]string) bool {
	s.t.Helper()
	h := &s.alone
	var now unit.Time
	if args["at"] != "" {
		now = unit.Time(0).Add(s.time(args["at"]))
	}
	number := func(key string) (n int64) {
		if args[key] != "" {
			n = s.number(args[key])
		}
		return n
	}
	what := ""
	switch command {
	case "hold":
		*h = alone{hold: hold{root: -1}}
		if args["detect"] != "" {
			h.dog = &Watchdog{Detect: s.time(args["detect"]), Restore: s.time(args["restore"])}
		}
		return true
	case "xoff":
		switch root := PortID(number("root")); {
		case h.dog != nil && !h.heeds(now):
			s.say(now, "not heeded")
			return true
		case !h.on:
			h.begin(now, root)
			what = "stops"
		case root != h.root:
			was := h.move(now, root)
			what = fmt.Sprintf("was held by %d for %v", was.Root, was.Time)
		default:
			what = "stays"
		}
		if until := h.lasts(now, 100*unit.GigabitPerSec, uint16(number("quanta"))); until != unit.Never {
			what += fmt.Sprintf(", until %v", until)
		}
	case "xon":
		was := h.end(now)
		what = fmt.Sprintf("goes on, was held by %d for %v", was.Root, was.Time)
	case "time":
		what = fmt.Sprintf("over: %v", h.over(now))
	case "watch":
		act, again := h.watch(now, h.dog, args["queue"] == "empty")
		what = [...]string{"waits", "relieves", "restores"}[act]
		if again != unit.Never {
			what += fmt.Sprintf(", looks again at %v", again)
		}
	default:
		return false
	}
	s.say(now, what)
	return true
}

func (s *stage) say(now unit.Time, what string) {
	fmt.Fprintf(&s.Log, "%7v  %s; held for %v in all\n", now, what, s.alone.by(now))
}
