package result

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// OpenMetrics is how a run's series become samples with timestamps.
type OpenMetrics struct {
	// Start is when the run began, for whoever reads the samples: seconds since 1970.
	// Stretch is how many seconds there one of the run takes: Prometheus keeps whole
	// milliseconds, in which a run may begin and end.
	Start   int64
	Stretch int64
}

// mostSamples bounds what is held: samples of a line have to stand together, and the table has them by time.
const mostSamples = 4_000_000

// family is a metric: its samples are of series rows of a kind.
type family struct {
	name, kind, unit, help string
	of                     string // kind of row
	labels                 func(r *SeriesRow) string
	value                  func(r *SeriesRow) (float64, bool) // of a counter what is added
}

func portLabels(r *SeriesRow) string { return label("port", r.Port) }
func queueLabels(r *SeriesRow) string {
	return portLabels(r) + "," + label("priority", strconv.Itoa(int(r.Class)))
}
func pairLabels(r *SeriesRow) string {
	return label("job", r.Job) + "," + label("queue_pair", r.Name) + "," + portLabels(r)
}

// label writes one, its value escaped (OpenMetrics 1.0, section 5.2).
func label(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}

func always(v float64) (float64, bool) { return v, true }

// families are the metrics, each in base units as the standard wants.
var families = []family{
	{"railyard_port_sending", "gauge", "", "share of the interval in which the port was sending", "link", portLabels,
		func(r *SeriesRow) (float64, bool) { return always(r.Utilisation) }},
	{"railyard_port_busy_seconds", "counter", "seconds", "time in which the port was sending", "link", portLabels,
		func(r *SeriesRow) (float64, bool) { return always(r.Busy.Seconds()) }},
	{"railyard_port_paused_seconds", "counter", "seconds", "time in which PFC held the port", "link", portLabels,
		func(r *SeriesRow) (float64, bool) { return always(r.Paused.Seconds()) }},
	{"railyard_port_ecn_marked_packets", "counter", "", "packets marked at the port", "link", portLabels,
		func(r *SeriesRow) (float64, bool) { return always(float64(r.Marks)) }},
	{"railyard_port_dropped_packets", "counter", "", "packets dropped at the port", "link", portLabels,
		func(r *SeriesRow) (float64, bool) { return always(float64(r.Drops)) }},
	{"railyard_queue_bytes", "gauge", "bytes", "bytes in an egress queue at the end of the interval", "queue", queueLabels,
		func(r *SeriesRow) (float64, bool) { return always(float64(r.Bytes)) }},
	{"railyard_queue_pair_acknowledged_bytes", "counter", "bytes", "bytes acknowledged to the queue pair", "flow", pairLabels,
		func(r *SeriesRow) (float64, bool) { return always(float64(r.Bytes)) }},
	{"railyard_queue_pair_cnps", "counter", "", "congestion notifications that came for the queue pair", "flow", pairLabels,
		func(r *SeriesRow) (float64, bool) { return always(float64(r.CNPs)) }},
	{"railyard_queue_pair_rate_bits_per_second", "gauge", "", "rate at which the controller lets the queue pair send", "flow", pairLabels,
		func(r *SeriesRow) (float64, bool) { return float64(r.Rate), r.Rate > 0 }},
	{"railyard_queue_pair_alpha", "gauge", "", "DCQCN's estimate of congestion, 0 to 1", "flow", pairLabels,
		func(r *SeriesRow) (float64, bool) { return r.Alpha, r.Rate > 0 }},
}

// sample is one, at the end of its interval.
type sample struct {
	at    unit.Time
	value float64
}

// WriteOpenMetrics writes series.parquet as OpenMetrics text (openmetrics.io, 1.0), with timestamps, as `promtool tsdb
// create-blocks-from openmetrics` takes it. The same run gives the same bytes.
func (r *Run) WriteOpenMetrics(w io.Writer, o OpenMetrics) error {
	lines := make([]map[string][]sample, len(families)) // by labels
	for i := range lines {
		lines[i] = map[string][]sample{}
	}
	n := 0
	for row, err := range r.Series() {
		if err != nil {
			return err
		}
		for i := range families {
			f := &families[i]
			if f.of != row.Kind {
				continue
			}
			value, known := f.value(&row)
			if !known {
				continue
			}
			if n++; n > mostSamples {
				return fmt.Errorf("series.parquet has more than %s samples, want a longer output.series_interval, or fewer ports",
					unit.Count(mostSamples))
			}
			key := f.labels(&row)
			before := lines[i][key]
			if f.kind == "counter" && len(before) > 0 {
				value += before[len(before)-1].value
			}
			lines[i][key] = append(before, sample{row.Until, value})
		}
	}
	b := bufio.NewWriter(w)
	for i := range families {
		f := &families[i]
		if len(lines[i]) == 0 {
			continue
		}
		fmt.Fprintf(b, "# TYPE %s %s\n", f.name, f.kind)
		if f.unit != "" {
			fmt.Fprintf(b, "# UNIT %s %s\n", f.name, f.unit)
		}
		fmt.Fprintf(b, "# HELP %s %s\n", f.name, f.help)
		suffix := ""
		if f.kind == "counter" {
			suffix = "_total"
		}
		for _, key := range slices.SortedFunc(maps.Keys(lines[i]), cmp.Compare[string]) {
			for _, s := range lines[i][key] {
				fmt.Fprintf(b, "%s%s{%s} %s %s\n", f.name, suffix, key, strconv.FormatFloat(s.value, 'g', -1, 64), o.at(s.at))
			}
		}
	}
	b.WriteString("# EOF\n")
	return b.Flush()
}

// at is an instant of the run in seconds since 1970, to the microsecond.
func (o *OpenMetrics) at(t unit.Time) string {
	micros := o.Start*1_000_000 + int64(t)/1_000_000*o.Stretch + int64(t)%1_000_000*o.Stretch/1_000_000
	return fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000)
}
