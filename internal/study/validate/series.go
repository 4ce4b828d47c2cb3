package validate

import (
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// Time series of the reference with the ps clock, one seed each.
//
//go:embed reference/*.csv
var seriesFiles embed.FS

// readSeries reads one of them.
func readSeries(name string) ([]point, error) {
	b, err := seriesFiles.ReadFile("reference/" + name)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []point
	for _, r := range rows[1:] {
		var v [7]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(r[i], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		out = append(out, point{at: unit.Time(v[0]) * unit.Time(unit.Nanosecond), queue: int64(v[1]),
			shared: int64(v[2]), rate: v[3] * 1e9, target: v[4] * 1e9, alpha: v[5], sum: v[6] * 1e9})
	}
	return out, nil
}

// markFrom is the queue above which the reference may mark: Kmin.
const markFrom = 400_000

// every is the interval of our series; the reference's points lie on it, 5 us apart at first and 20
// us later.
const every = 5 * unit.Microsecond

// index returns which point of our series lies at a time.
func index(at unit.Time) int { return int(at.Sub(unit.Time(500*unit.Nanosecond)) / every) }

// exactUntil counts the points up to the first that could have seen a mark, and those of them that
// agree with ours in queue, shared buffer and rates.
func exactUntil(ref, ours []point) (points, agree int) {
	for i, r := range ref {
		if i > 0 && ref[i-1].queue > markFrom {
			break
		}
		points++
		if k := index(r.at); k < len(ours) && ours[k].at == r.at && ours[k].queue == r.queue &&
			ours[k].shared == r.shared && ours[k].sum == r.sum {
			agree++
		}
	}
	return points, agree
}

// band counts the points of the reference that lie between the 5th and 95th percentile of our
// seeds, of one quantity. A series that has ended counts as 0.
func band(ref []point, ours [][]point, of func(point) float64) (points, inside int) {
	for _, r := range ref {
		x := make([]float64, len(ours))
		for i, o := range ours {
			if k := index(r.at); k < len(o) {
				x[i] = of(o[k])
			}
		}
		slices.Sort(x)
		low, high := x[len(x)*5/100], x[min(len(x)-1, len(x)*95/100)]
		points++
		if v := of(r); v >= low && v <= high {
			inside++
		}
	}
	return points, inside
}
