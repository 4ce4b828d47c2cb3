package diagnose

import "railyard/internal/base/unit"

// Load is what a port had sent by a time, and how long it had been paused; in order of time, 0 at time 0.
type Load struct {
	At   unit.Time
	Sent unit.Bytes
	Held unit.Duration
}

// at returns what a port had sent by a time: between two points as if evenly, after the last nothing more.
func at(load []Load, t unit.Time) float64 {
	var before Load
	for _, p := range load {
		if p.At >= t {
			if p.At == before.At {
				return float64(p.Sent)
			}
			part := float64(t-before.At) / float64(p.At-before.At)
			return float64(before.Sent) + part*float64(p.Sent-before.Sent)
		}
		before = p
	}
	return float64(before.Sent)
}

const (
	// uneven is how many times the mean of its equals a port must send to be called uneven: below it is what
	// chance leaves of packets that are spread, and of flows that end.
	uneven = 1.25
	// looks is in how many parts the time in which a port sent is looked at.
	looks = 16
	// full is the part of its time from which on a port that sends is called full, ahead how much more of it that is than what
	// its equals send in the mean: then the choice is uneven, too, however little it is beyond the mean.
	full, ahead = 0.9, 0.1
)

// use is what a port did beside its equals.
type use struct {
	uneven float64       // part of its bytes that went beyond the mean of its equals, and that others had room for
	full   float64       // part of what all of them could have sent, weighed by what the port sent
	times  float64       // what it sent over its share by rate of what all of them sent, in the whole run
	from   unit.Time     // the first frame of any of them
	whole  unit.Duration // until the last
}

// fair is how many times its share of the whole run a port must have sent for a choice to be uneven that is made anew for each
// packet, or once for messages that are under way for a lasting part of the run: what ports sent in shorter times is not the choice's.
const fair, lasting = 1.1, 0.3

// use compares a port with its equals over time. Where all of them together have so little to send that none would be full, all
// that waits at one that is full does so for the choice; where they are full anyhow, what it has beyond the mean. Only time
// counts in which the port sends; what others have no room for, as they are slow or full, is nobody's choice.
func (e *Evidence) use(port int32, equal []int32) (u use) {
	load := e.Ports[port].Load
	if len(load) < 2 {
		return u
	}
	from, until := unit.Time(0), load[len(load)-1].At
	if load[0].Sent == 0 {
		from = load[0].At
	}
	whole, beyond, used := 0.0, 0.0, 0.0
	for k := range looks {
		a := from + (until-from)/looks*unit.Time(k)
		b := a + (until-from)/looks
		own := at(load, b) - at(load, a)
		if own <= 0 || b <= a {
			continue
		}
		sum, room, could := 0.0, 0.0, 0.0
		for _, q := range equal {
			most := float64(e.Ports[q].Rate) / 8 * b.Sub(a).Seconds()
			sent := own
			if q != port {
				sent = at(e.Ports[q].Load, b) - at(e.Ports[q].Load, a)
				room += max(0, most-sent)
			}
			sum, could = sum+sent, could+most
		}
		whole += own
		used += own * min(1, sum/could)
		mean, most := sum/float64(len(equal)), float64(e.Ports[port].Rate)/8*b.Sub(a).Seconds()
		switch late := own > full*most && own/most > sum/could+ahead; {
		case !late && own <= uneven*mean:
		case late && sum < filled*could: // spread evenly, none of it would have waited
			beyond += own
		default:
			beyond += min(own-mean, room)
		}
	}
	if whole == 0 {
		return u
	}
	u = use{uneven: beyond / whole, full: used / whole}
	e.overall(&u, port, equal)
	return u
}

// overall compares a port with its equals in the whole run.
func (e *Evidence) overall(u *use, port int32, equal []int32) {
	var until unit.Time
	u.from = unit.Time(1<<63 - 1)
	for _, q := range equal {
		if load := e.Ports[q].Load; len(load) > 0 {
			u.from, until = min(u.from, load[0].At), max(until, load[len(load)-1].At)
		}
	}
	u.whole = until.Sub(u.from)
	u.times = e.times(port, equal, until)
}

// times is what a port sent by a time over its share by rate of what all its equals sent.
func (e *Evidence) times(port int32, equal []int32, until unit.Time) float64 {
	sum, rates := 0.0, 0.0
	for _, q := range equal {
		sum, rates = sum+at(e.Ports[q].Load, until), rates+float64(e.Ports[q].Rate)
	}
	return at(e.Ports[port].Load, until) / (sum * float64(e.Ports[port].Rate) / rates)
}
