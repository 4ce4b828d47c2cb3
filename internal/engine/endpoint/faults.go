package endpoint

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/splitmix"
)

// Faults are what becomes of packets between an endpoint and its socket, by their number, counted from 0 in the order in
// which they are sent. nil: nothing.
type Faults struct {
	at    map[int64]fault
	every []regular
	n     int64
}

// regular is a fault of one packet in period: of the last of each period, or of those that a draw names. A packet that is sent
// again may meet the end of each period, but not all draws.
type regular struct {
	period int64
	fault  fault
	drawn  bool
	seed   uint64
}

func (r *regular) meets(n int64) bool {
	if r.drawn {
		return splitmix.Mix(r.seed+uint64(n)*splitmix.Gamma)%uint64(r.period) == 0
	}
	return (n+1)%r.period == 0
}

type fault uint8

const (
	pass fault = iota
	lose
	repeat
	hold
	mark
	spoil
)

var faultNames = map[string]fault{"lose": lose, "repeat": repeat, "late": hold, "mark": mark, "spoil": spoil}

// maxFaults of a script.
const maxFaults = 100_000

// ParseFaults reads a script of faults: words like lose:3 (packet 3), repeat:5, late:7 (it goes behind packet 8), mark:9
// (congestion experienced), spoil:11 (its ICRC is wrong), lose:/50 (each fiftieth), and lose:1/50 (one in fifty, drawn by the number:
// the same ones in each run), with commas or blanks between them.
func ParseFaults(text string) (*Faults, error) {
	f := &Faults{at: map[int64]fault{}}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	if len(words) > maxFaults {
		return nil, fmt.Errorf("%d faults, want at most %d", len(words), maxFaults)
	}
	for i, w := range words {
		name, at, _ := strings.Cut(w, ":")
		kind, ok := faultNames[name]
		number, regularly := strings.CutPrefix(at, "/")
		of, drawn := strings.CutPrefix(at, "1/")
		if drawn {
			number, regularly = of, true
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil || n < 0 || regularly && n == 0 {
			return nil, fmt.Errorf("fault %d: %q, want lose, repeat, late, mark or spoil with the number of a packet, like lose:3, or "+
				"lose:/50 for each fiftieth, or lose:1/50 for one in fifty, drawn", i+1, w)
		}
		if regularly {
			f.every = append(f.every, regular{period: n, fault: kind, drawn: drawn, seed: splitmix.Mix(uint64(i + 1))})
			continue
		}
		if was, twice := f.at[n]; twice && was != kind {
			return nil, fmt.Errorf("fault %d: %q: packet %d has one already", i+1, w, n)
		}
		f.at[n] = kind
	}
	return f, nil
}

// next returns the fault of the next packet.
func (f *Faults) next() fault {
	if f == nil {
		return pass
	}
	n := f.n
	f.n++
	if k, ok := f.at[n]; ok {
		return k
	}
	for i := range f.every {
		if r := &f.every[i]; r.meets(n) {
			return r.fault
		}
	}
	return pass
}
