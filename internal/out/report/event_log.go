package report

import (
	"fmt"
	"io"
	"path"
	"slices"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// EventFilter says which events of a run are wanted. What it does not name is not looked at.
type EventFilter struct {
	Port     string // a port, or a pattern as of path.Match: rail1/*
	Flow     string // of a queue pair
	Job      string
	Kinds    []string
	From, To unit.Time // To 0: to the end
	Most     int       // rows that are kept
}

// takes reports whether an event is wanted.
func (f *EventFilter) takes(e *result.EventRow) bool {
	if f.Port != "" {
		if ok, _ := path.Match(f.Port, e.Port); !ok {
			return false
		}
	}
	return (f.Flow == "" || e.Name == f.Flow) && (f.Job == "" || e.Job == f.Job) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Kind)) &&
		e.Time >= f.From && (f.To == 0 || e.Time <= f.To)
}

// EventLog is what a filter takes of a run's events.
type EventLog struct {
	Run      string            `json:"run"`
	All      int64             `json:"all"`      // rows of the table
	Matching int64             `json:"matching"` // those that are wanted, with what the table leaves out of them
	LeftOut  int64             `json:"left_out"` // of Matching: what the table leaves out
	Kinds    []KindCount       `json:"kinds"`
	Events   []result.EventRow `json:"events"` // the first of them
}

// KindCount is how many of the events are of a kind.
type KindCount struct {
	Kind    string `json:"kind"`
	Count   int64  `json:"count"`
	Meaning string `json:"meaning"`
}

// ReadEvents reads the events of a run that a filter takes.
func ReadEvents(run *result.Run, f EventFilter) (*EventLog, error) {
	log := &EventLog{Run: run.Summary.Name, Kinds: []KindCount{}, Events: []result.EventRow{}}
	count := map[string]int64{}
	for e, err := range run.Events() {
		if err != nil {
			return nil, err
		}
		if log.All++; !f.takes(&e) {
			continue
		}
		n := max(1, e.LeftOut)
		log.Matching, log.LeftOut = log.Matching+n, log.LeftOut+e.LeftOut
		count[e.Kind] += n
		if len(log.Events) < f.Most {
			log.Events = append(log.Events, e)
		}
	}
	for _, k := range result.EventKindList() {
		if count[k.Name] > 0 {
			log.Kinds = append(log.Kinds, KindCount{k.Name, count[k.Name], k.Meaning})
		}
	}
	return log, nil
}

// WriteText prints the log: how many of each kind there are, then a line for each.
func (l *EventLog) WriteText(w io.Writer, width int) error {
	s := sheet.New(width)
	head := fmt.Sprintf("%s: %s", l.Run, unit.CountOf(l.Matching, "event"))
	if l.LeftOut > 0 {
		head += fmt.Sprintf(", of which the table leaves out %s (output.events_kept)", unit.Count(l.LeftOut))
	}
	s.Wrap("", head)
	if l.Matching == 0 {
		return s.Flush(w)
	}
	s.Blank()
	var kinds [][]string
	for _, k := range l.Kinds {
		kinds = append(kinds, []string{k.Kind, unit.Count(k.Count), k.Meaning})
	}
	s.Grid("lrw", kinds)
	s.Blank()
	rows := [][]string{{"time, us", "port", "what"}}
	for i := range l.Events {
		e := &l.Events[i]
		rows = append(rows, []string{microseconds(e.Time), e.Port, eventWords(e)})
	}
	s.Grid("rlw", rows)
	if more := l.All - int64(len(l.Events)); more > 0 && l.Matching-l.LeftOut > int64(len(l.Events)) {
		s.Blank()
		s.Wrap("", "These are the first. --port, --flow, --kind, --from and --to choose others, --most shows more.")
	}
	return s.Flush(w)
}

// microseconds prints a time to the nanosecond, so that what happens next to each other can be told apart.
func microseconds(t unit.Time) string {
	ns := int64(t) / int64(unit.Nanosecond)
	return unit.Count(ns/1000) + fmt.Sprintf(".%03d", ns%1000)
}

// eventWords says what happened.
func eventWords(e *result.EventRow) string {
	if e.LeftOut > 0 {
		text := fmt.Sprintf("%s: %s more until then, left out", e.Kind, unit.Count(e.LeftOut))
		if e.Name != "" {
			text = whoseEvent(e) + ": " + text
		}
		return text
	}
	switch e.Kind {
	case result.EventMark:
		return fmt.Sprintf("marked: packet %d of %s; %s wait", e.PSN, whoseEvent(e), e.Bytes.Human())
	case result.EventXOFF:
		with := "" // a NIC's xOFF is of no frame
		if e.Frame != "" {
			with = fmt.Sprintf(", with %s %d of %s", e.Frame, e.PSN, whoseEvent(e))
		}
		return fmt.Sprintf("xOFF: the far end holds %s from here, over %s%s; because of %s", e.Bytes.Human(),
			e.Threshold.Human(), with, e.Root)
	case result.EventXON:
		return fmt.Sprintf("xON: the far end holds %s from here, under %s", e.Bytes.Human(), e.Threshold.Human())
	case result.EventPause:
		return fmt.Sprintf("stops: priority %d, because of %s%s", e.Class, e.Root, waiting(e))
	case result.EventResume:
		return fmt.Sprintf("goes on: priority %d%s", e.Class, waiting(e))
	case result.EventOverMin:
		return fmt.Sprintf("queue over %s, marking begins: %s", e.Threshold.Human(), e.Bytes.Human())
	case result.EventOverMax:
		return fmt.Sprintf("queue over %s, every packet is marked: %s", e.Threshold.Human(), e.Bytes.Human())
	case result.EventUnderMax:
		return fmt.Sprintf("queue under %s, not every packet is marked: %s", e.Threshold.Human(), e.Bytes.Human())
	case result.EventUnderMin:
		return fmt.Sprintf("queue under %s, marking ends: %s", e.Threshold.Human(), e.Bytes.Human())
	case result.EventPath:
		return fmt.Sprintf("%s takes this path now (%s), before that %s", whoseEvent(e), e.Frame, e.Root)
	case result.EventWatchdog:
		return fmt.Sprintf("watchdog: priority %d was held for too long, because of %s%s", e.Class, e.Root, waiting(e))
	case result.EventRestored:
		return fmt.Sprintf("watchdog: priority %d is under PFC again", e.Class)
	case result.EventGaveUp:
		return fmt.Sprintf("the tail of %s is given up: %s that waited for it pass out of order", whoseEvent(e), e.Bytes.Human())
	case result.EventDrop, result.EventLoss:
		return lostWords(e)
	case result.EventLinkDown:
		return "the link goes down"
	case result.EventLinkUp:
		return "the link is up"
	case result.EventCNPSent:
		return "CNP sent for " + whoseEvent(e)
	case result.EventCNPReceived:
		return "CNP received for " + whoseEvent(e)
	case result.EventNAKSent:
		return fmt.Sprintf("NAK sent for %s: packet %d is expected", whoseEvent(e), e.PSN)
	case result.EventNAKReceived:
		return fmt.Sprintf("NAK received for %s: packet %d is expected", whoseEvent(e), e.PSN)
	case result.EventMoved:
		return fmt.Sprintf("%s sends by this port now, before by %s", whoseEvent(e), e.Root)
	case result.EventTimeout:
		return fmt.Sprintf("timeout of %s: packet %d is not acknowledged", whoseEvent(e), e.PSN)
	}
	return rateWords(e)
}

// waiting says what waits in a switch's queue; a NIC queues in memory.
func waiting(e *result.EventRow) string {
	if e.Bytes == 0 {
		return ""
	}
	return "; " + e.Bytes.Human() + " wait"
}

func lostWords(e *result.EventRow) string {
	what := e.Frame
	if e.PSN >= 0 {
		what += fmt.Sprintf(" %d", e.PSN)
	}
	if e.Kind == result.EventDrop {
		return fmt.Sprintf("dropped: %s of %s, no room in the buffer", what, whoseEvent(e))
	}
	if words, ok := lostIn[e.Why]; ok {
		return fmt.Sprintf("%s: %s of %s, %s", words[0], what, whoseEvent(e), words[1])
	}
	return fmt.Sprintf("lost on the link: %s of %s", what, whoseEvent(e))
}

// lostIn says how a frame was lost otherwise than on a link or for want of buffer, and why.
var lostIn = map[string][2]string{
	result.LostWithoutRoute: {"lost", "the switch has no route"},
	result.LostInNIC:        {"dropped", "the receiver's reorder buffer is full"},
	result.LostOversize:     {"dropped", "longer than the port takes"},
	result.LostInReboot:     {"lost", "the switch went down"},
	result.LostBeforePCIe:   {"dropped", "the NIC has no room, its PCIe is too slow"},
	result.LostAtThreshold:  {"dropped", "the queue is as long as its drop threshold"},
	result.LostByWatchdog:   {"dropped", "the watchdog emptied the queue"},
}

func rateWords(e *result.EventRow) string {
	text := fmt.Sprintf("rate of %s %s, before %s", whoseEvent(e), e.Rate.Human(), e.Before.Human())
	if e.Target > 0 {
		text += fmt.Sprintf("; target %s", e.Target.Human())
	}
	if e.Window > 0 {
		text += fmt.Sprintf("; window %s", e.Window.Human())
	}
	if e.Alpha > 0 {
		text += fmt.Sprintf("; alpha %.3g", e.Alpha)
	}
	return text + "; noticed on " + article(e.Why)
}

// article is what a sender had received, in a sentence.
func article(why string) string {
	switch why {
	case "ACK":
		return "an ACK"
	case "":
		return "nothing"
	}
	return "a " + why
}

// whoseEvent names the queue pair of an event.
func whoseEvent(e *result.EventRow) string {
	if e.Name == "" {
		return "no queue pair"
	}
	return e.Name
}
