package tune

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
)

// Facts is what a formula needs to know of a network and its traffic.
type Facts struct {
	Rate    unit.Bitrate  // of the links of hosts
	RTT     unit.Duration // of a frame and its acknowledgement, the longest that there is, with nothing in the way
	Senders int           // that send to one port at once
	Frame   unit.Bytes    // of data
	// Of the algorithm: whether it looks at marks; at how many of them (DCTCP), or that there are some;
	// of DCQCN its constants.
	Reacts, Counts bool
	DCQCN          *cc.DCQCN
	Pauses         bool // PFC is on
	Fixed          bool // xOFF is a length, not a part of what is free
	// Policy and Sites are what switches do now, and where; Class is that of RoCE data. A switch with a
	// policy of its own keeps it.
	Policy qos.Policy
	Sites  []qos.Site
	Class  int
}

// A Reason says why a value of the formula is what it is.
type Reason struct {
	Key   string `json:"key"` // "WRED min"
	Value string `json:"value"`
	Why   string `json:"why"`
}

// A formula at work.
type formula struct {
	Facts
	Point
	why []Reason
	cut bool // the curve was lowered
}

// Formula returns the thresholds that the facts give, and why. It fails where the buffer is too small
// for the headroom that no drop takes.
func Formula(f Facts) (Point, []Reason, error) {
	w := formula{Facts: f}
	if f.Reacts {
		w.curve()
	}
	if f.Pauses {
		if err := w.pausing(); err != nil {
			return Point{}, nil, err
		}
	}
	if f.Reacts {
		w.sayCurve()
	}
	return w.Point, w.why, nil
}

func (w *formula) say(key, value, format string, args ...any) {
	w.why = append(w.why, Reason{key, value, fmt.Sprintf(format, args...)})
}

// onTheWay is what a link carries in a round trip.
func (f *Facts) onTheWay() unit.Bytes { return f.Rate.BytesIn(f.RTT) }

// recovery is what a port would not send while one of its senders, which has halved its rate, recovers: of
// DCQCN's fast recovery each step of the increase timer makes up for half of what is missing (SIGCOMM'15, section
// 3.3), so C/2N (1 + 1/2 + 1/4 ...) of that time.
func (f *Facts) recovery() unit.Bytes {
	if f.DCQCN == nil {
		return 0
	}
	return f.Rate.BytesIn(f.DCQCN.IncreaseTimer) / unit.Bytes(max(f.Senders, 2))
}

// curve sets the marking curve. Its begin keeps the port busy while senders that were marked come back; from
// there to its end is what all senders send at line rate before any hears of it.
func (w *formula) curve() {
	trip := max(w.onTheWay(), w.Frame)
	if w.Counts {
		k := max(whole(qos.Round(trip/7)), whole(2*w.Frame), grain)
		w.Min, w.Max, w.Probability = k, k, unit.Ratio{Num: 1, Den: 1}
		return
	}
	w.Min = max(whole(qos.Round(max(trip, w.recovery()))), grain)
	w.Max = max(whole(qos.Round(w.Min+trip*unit.Bytes(max(w.Senders, 2)))), 2*w.Min)
	w.Probability = w.settling()
}

// settling is the probability with which as many senders as there are settle in the middle of the curve.
func (w *formula) settling() unit.Ratio {
	if !w.settles() {
		return qos.DefaultECN.Probability
	}
	e := cc.FixedPoint(*w.DCQCN, max(w.Senders, 2), w.Rate, w.Frame, cc.RED{Min: w.Min, Max: w.Max,
		P: unit.Ratio{Num: 1, Den: 1}})
	percent := int64(200*e.Mark) + 1
	return unit.Ratio{Num: min(percent, 100), Den: 100}
}

// settles reports whether there is a fixed point to compute: cuts take a time.
func (f *Facts) settles() bool {
	return f.DCQCN != nil && (f.DCQCN.DecreaseInterval > 0 || f.DCQCN.CNPInterval > 0)
}

func (w *formula) sayCurve() {
	trip := w.onTheWay().Human()
	if w.Counts {
		w.say("WRED min, max", w.Min.Human(), "a seventh of the %s that a link carries in a round trip of %s, and at least "+
			"two frames (DCTCP, SIGCOMM'10, section 3.4)", trip, w.RTT.Human())
		return
	}
	senders := unit.CountOf(int64(w.Senders), "sender")
	why := fmt.Sprintf("the %s that a link carries in a round trip of %s", trip, w.RTT.Human())
	if r := w.recovery(); r > w.onTheWay() {
		why = fmt.Sprintf("the %s that a port would not send while one of %s that has halved its rate recovers, more than the "+
			"%s of a round trip (DCQCN, SIGCOMM'15, section 3.3)", r.Human(), senders, trip)
	}
	w.say("WRED min", w.Min.Human(), "%s: a port stays busy%s", why, w.lowered())
	w.say("WRED max", w.Max.Human(), "min, and what %s send at line rate before any of them hears of it%s", senders, w.lowered())
	if !w.settles() {
		w.say("WRED probability", unit.Percent(w.Probability.Float()), "that of the default curve: senders that cut at every "+
			"mark have no fixed point to compute")
		return
	}
	w.say("WRED probability", unit.Percent(w.Probability.Float()), "twice that at which DCQCN settles with as many senders: "+
		"the queue rests in the middle of the curve (ECN or Delay, CoNEXT'16, section 3)")
}

// lowered says that a length is less than its formula gives.
func (w *formula) lowered() string {
	if w.cut {
		return "; less here, for PFC would act first"
	}
	return ""
}

// least returns the smallest of a figure of the ports that pause, with the point's xOFF.
func (w *formula) least(figure func(*qos.Row) unit.Bytes) (unit.Bytes, error) {
	p := w.Policy
	p.PFC.Threshold, p.PFC.AlphaRate = w.XOFF, 0
	if w.XOFF == 0 {
		p.PFC.Alpha = w.Alpha
	}
	p.PFC.Headroom = qos.FormulaHeadroom(p.MTU, p.Pipeline)
	rows, err := p.Rows(w.Sites, w.Class, w.Reacts)
	if err != nil {
		return 0, err
	}
	b := unit.Bytes(-1)
	for i := range rows {
		if rows[i].Lossless() && rows[i].Match == "" && (b < 0 || figure(&rows[i]) < b) {
			b = figure(&rows[i])
		}
	}
	return max(b, 0), nil
}

func firstPause(r *qos.Row) unit.Bytes { return r.PFC.FirstPause }
func safeMark(r *qos.Row) unit.Bytes   { return r.PFC.SafeMark }
func safeFixed(r *qos.Row) unit.Bytes  { return r.PFC.SafeStatic }

// pausing sets xOFF so that marks come before pauses, and lowers the curve where they cannot.
func (w *formula) pausing() error {
	if w.Fixed {
		return w.fixedXOFF()
	}
	if !w.Reacts {
		w.Alpha = unit.Ratio{Num: 1, Den: 1}
		w.say("alpha", w.Alpha.String(), "the most that leaves room for others: senders look at no marks, so ports pause late")
		_, err := w.least(firstPause)
		return err
	}
	// From less to more: the more one port may hold, the less is left for others.
	for w.Alpha = (unit.Ratio{Num: 1, Den: 64}); w.Alpha.Num < w.Alpha.Den; w.Alpha = times2(w.Alpha) {
		first, err := w.least(firstPause)
		if err != nil {
			return err
		}
		safe, err := w.least(safeMark)
		if err != nil {
			return err
		}
		if w.Min <= safe && w.Max <= first {
			break
		}
	}
	first, err := w.least(firstPause)
	if err != nil {
		return err
	}
	safe, err := w.least(safeMark)
	if err != nil {
		return err
	}
	why := "the least power of two with which marking begins before any port pauses, whatever the traffic, and is complete " +
		"before a sender that is alone is paused (DCQCN, SIGCOMM'15, section 4)"
	if w.Min > safe || w.Max > first {
		why = "the most that leaves room for others; with many senders PFC can still act before ECN: marking would have to " +
			"begin below " + safe.Human()
	}
	w.lower(first)
	w.say("alpha", w.Alpha.String(), "%s", why)
	return nil
}

// fixedXOFF sets the largest xOFF with which the shared part cannot run out.
func (w *formula) fixedXOFF() error {
	w.XOFF = grain // the bound does not depend on it
	safe, err := w.least(safeFixed)
	if err != nil {
		return err
	}
	w.XOFF = max(whole(qos.Round(safe)), grain)
	first, err := w.least(firstPause)
	if err != nil {
		return err
	}
	w.lower(first)
	w.say("xOFF", w.XOFF.Human(), "the largest with which the shared buffer cannot run out (DCQCN, SIGCOMM'15, section 4)")
	return nil
}

// lower ends the curve where one sender alone is paused.
func (w *formula) lower(first unit.Bytes) {
	if !w.Reacts || w.Max <= first {
		return
	}
	w.cut = true
	w.Max = max(whole(qos.Round(first)), grain)
	if w.Min > w.Max/2 && !w.Counts {
		w.Min = max(whole(w.Max/2), grain)
	}
	w.Min = min(w.Min, w.Max)
	w.Probability = unit.Ratio{Num: 1, Den: 1}
	if !w.Counts {
		w.Probability = w.settling()
	}
}
