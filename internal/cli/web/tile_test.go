package web

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// value is what the rows say of a figure of a port in an interval.
func (d *drawn) value(figure, port string, interval int) (v float64) {
	for _, r := range d.series {
		k := int(int64(r.From) / int64(tick))
		if r.Port != port || k > interval {
			continue
		}
		switch {
		case r.Kind == result.SeriesQueue && figure == "queue":
			v = float64(r.Bytes) // until the next row of it
		case r.Kind == result.SeriesLink && k == interval && (figure == "use" || figure == "use_high"):
			v = r.Utilisation
		case r.Kind == result.SeriesLink && k == interval && figure == "paused":
			v = float64(r.Paused) / float64(tick)
		case r.Kind == result.SeriesLink && k == interval && figure == "marks":
			v = float64(r.Marks)
		}
	}
	return v
}

// decoded is a tile as the page takes it apart.
func decoded(t *testing.T, b []byte) (h tileHeader, at func(figure, bin, port int) float64) {
	t.Helper()
	n := binary.LittleEndian.Uint32(b)
	if err := json.Unmarshal(b[4:4+n], &h); err != nil || (4+n)%8 != 0 {
		t.Fatalf("%v, header of %d bytes", err, n)
	}
	return h, func(figure, bin, port int) float64 {
		i := (figure*h.Bins+bin)*h.Ports + port
		return math.Float64frombits(binary.LittleEndian.Uint64(b[4+int(n)+8*i:]))
	}
}

// Of 200 places, drawn, a tile of the finest level says what the rows say; one of a higher level what their greatest, their
// mean or their sum is.
func TestTilesAreTheRows(t *testing.T) {
	root := t.TempDir()
	d := draw(1500)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	var topo struct {
		Ports []portInfo
		Top   int `json:"top_level"`
	}
	x.get("api/topology?run=one", &topo)
	draws := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		level := 0
		if n%2 == 1 {
			level = draws.IntN(topo.Top + 1)
		}
		bins := (d.ends + 1<<level - 1) >> level
		bin, port, figure := draws.IntN(bins), draws.IntN(len(topo.Ports)), draws.IntN(len(tileFigures))
		code, b := x.ask(fmt.Sprintf("api/tiles?run=one&level=%d&index=%d", level, bin/tileBins))
		if code != 200 {
			t.Fatalf("%d %s", code, b)
		}
		h, at := decoded(t, b)
		got, name := at(figure, bin%tileBins, port), h.Figures[figure]
		var sum, most float64
		first, last := bin<<level, min((bin+1)<<level, d.ends)
		for k := first; k < last; k++ {
			v := d.value(name, topo.Ports[port].Port, k)
			sum, most = sum+v, max(most, v)
		}
		want := most
		switch name {
		case "use", "paused":
			want = sum / float64(last-first)
		case "marks", "drops":
			want = sum
		}
		if level == 0 && got != want || math.Abs(got-want) > 1e-5*math.Max(1, want) {
			t.Errorf("level %d, bin %d, %s of %s: %v, want %v", level, bin, name, topo.Ports[port].Port, got, want)
		}
	}
}

// What is read of a port from the rows is what they say, whoever asks besides, and of a port with very many rows, too.
func TestLinesFromTheRowsAreTheRows(t *testing.T) {
	root := t.TempDir()
	d, plain := draw(1500), draw(1500)
	for k := range 200 { // more rows of a port than are kept
		for n := range nearRows/200 + 1 {
			d.series = append(d.series, result.SeriesRow{From: unit.Time(k) * unit.Time(tick), Until: unit.Time(k+1) * unit.Time(tick),
				Kind: result.SeriesFlow, Class: -1, Port: "h9/s1", Name: fmt.Sprint("f", n), Rate: unit.Bitrate(1000*k + n)})
		}
	}
	slices.SortStableFunc(d.series, func(a, b result.SeriesRow) int { return cmp.Compare(a.From, b.From) })
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	show, err := x.s.show("one")
	if err != nil {
		t.Fatal(err)
	}
	<-show.gone
	tables, free := show.use()
	defer free()
	var all sync.WaitGroup
	for viewer := range 3 {
		all.Go(func() {
			draws := rand.New(rand.NewPCG(4, uint64(viewer)))
			for range 12 {
				kind, port, class, name := result.SeriesLink, d.links[draws.IntN(len(d.links))], int32(-1), ""
				switch draws.IntN(4) {
				case 0:
					kind, port, class = result.SeriesQueue, "s1/h1", 3
				case 1:
					kind, port, name = result.SeriesFlow, "h9/s1", fmt.Sprint("f", draws.IntN(100))
				}
				from := draws.IntN(1200)
				q := lineQuery{Kind: kind, Port: port, Class: class, Name: name, From: unit.Time(from) * unit.Time(tick),
					Until: unit.Time(from+1+draws.IntN(250)) * unit.Time(tick)}
				_, figures, err := tables.series.figures(&q)
				var out lines
				if err = cmp.Or(err, tables.series.exactLine(t.Context(), &out, &q, figures)); err != nil {
					t.Error(err)
					return
				}
				for b, v := range out.Figures[0].Mean {
					want := plain.value(map[string]string{result.SeriesQueue: "queue", result.SeriesLink: "use"}[kind], port, from+b)
					if kind == result.SeriesFlow {
						n := 0
						fmt.Sscanf(name, "f%d", &n)
						want = float64(1000*min(from+b, 199) + n)
					}
					if v != want {
						t.Errorf("%s %s %s, interval %d: %v, want %v", kind, port, name, from+b, v, want)
					}
				}
			}
		})
	}
	all.Wait()
}

// Of a queue pair that is idle for long the finest level has what its last row said.
func TestWhatIsHeldIsKnownAnywhere(t *testing.T) {
	s := newSeriesTable()
	s.begin(tick)
	row := result.SeriesRow{Kind: result.SeriesFlow, Name: "f", Port: "p", Class: -1, Rate: 123_456_789_012, Until: unit.Time(tick)}
	s.spans = []span{{}, {}}
	if err := s.row(&row, &s.spans[0]); err != nil {
		t.Fatal(err)
	}
	s.snapshot(1)
	before := s.beforeFlow.last(1)
	if got := before.of(flowName{"", "f", "p"})[0]; got != 123_456_789_012 {
		t.Errorf("rate %v before row group 1, want 123456789012", got)
	}
	bad := row
	bad.Until = 3 * unit.Time(tick)
	if err := s.row(&bad, &s.spans[1]); err != errIrregular {
		t.Errorf("an interval three times as long: %v", err)
	}
}

// Events before and after a time are found, and pauses have their ends and their roots.
func TestEventsAreFound(t *testing.T) {
	root := t.TempDir()
	d := draw(100)
	d.write(t, root, "one", result.Complete)
	x := serve(t, root)
	x.settled("one")
	for query, want := range map[string]int64{
		"kind=pause&from=3000008":              13*int64(tick) + 7,
		"kind=pause&until=3000007&back=true":   -1,
		"kind=pause&until=3000008&back=true":   3*int64(tick) + 7,
		"kind=resume&until=99000000&back=true": 93*int64(tick) + 400,
		"port=s1/h1":                           -1,
	} {
		var log eventLog
		x.get("api/events?run=one&most=1&"+query, &log)
		got := int64(-1)
		if len(log.Events) > 0 {
			got = int64(log.Events[0].Time)
		}
		if got != want {
			t.Errorf("%s: event at %d, want %d", query, got, want)
		}
	}
	var p struct{ Pauses []pauseSpan }
	x.get("api/pauses?run=one&from=3000000&until=3000500", &p)
	if len(p.Pauses) != 1 || p.Pauses[0] != (pauseSpan{"h2/s1", 3, "s1/h1", 3000007, 3000400}) {
		t.Errorf("pauses %v", p.Pauses)
	}
}

// Operations that are too many to be listed are shares of bins of time.
func TestStripsAreTheSumsOfOperations(t *testing.T) {
	s := newStrips()
	all := map[stripName]unit.Duration{}
	draws := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		name := stripName{Rank: int32(draws.IntN(300)), Compute: draws.IntN(2) == 0}
		from := unit.Time(draws.Int64N(1e9))
		until := from + unit.Time(draws.Int64N(1e7))
		s.add(name, from, until)
		all[name] += until.Sub(from)
	}
	if len(s.names)*s.bins > stripCells {
		t.Errorf("%d cells, want at most %d", len(s.names)*s.bins, stripCells)
	}
	for i, name := range s.names {
		sum := 0.0
		for _, b := range s.busy[i] {
			sum += float64(b)
		}
		if want := float64(all[name]); math.Abs(sum-want) > 1e-5*want {
			t.Errorf("%v: %v, want %v", name, sum, want)
		}
	}
}
