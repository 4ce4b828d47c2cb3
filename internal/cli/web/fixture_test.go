package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

const tick = 1000 * unit.Nanosecond

// drawn is the rows of a small run: an incast at s1/h1 that is felt at the senders, by formula.
type drawn struct {
	series []result.SeriesRow
	events []result.EventRow
	ops    []result.OperationRow
	links  []string
	ends   int // intervals
}

func draw(intervals int) (d drawn) {
	d.ends = intervals
	for h := 1; h <= 4; h++ {
		host := "h" + string(rune('0'+h))
		d.links = append(d.links, host+"/s1", "s1/"+host)
	}
	for k := range intervals {
		from := unit.Time(k) * unit.Time(tick)
		until := from.Add(tick)
		row := func(kind, port string) result.SeriesRow {
			return result.SeriesRow{From: from, Until: until, Kind: kind, Port: port, Class: -1}
		}
		for i, port := range d.links {
			if (k+i)%3 == 0 {
				r := row(result.SeriesLink, port)
				r.Busy = tick * unit.Duration(1+(k*7+i)%10) / 10
				r.Utilisation = float64(r.Busy) / float64(tick)
				if i == 2 {
					r.Paused, r.Marks = tick/4, int64(k%5)
				}
				d.series = append(d.series, r)
			}
		}
		if k%4 == 1 {
			r := row(result.SeriesQueue, "s1/h1")
			r.Class, r.Bytes = 3, unit.Bytes(1000*(k%50)+1)
			d.series = append(d.series, r)
		}
		if k%6 == 0 {
			r := row(result.SeriesFlow, "h2/s1")
			r.Name, r.Rate, r.Target, r.Alpha = "flow1", unit.Bitrate(100_000_000_001-int64(k)), 100_000_000_000, 0.5
			d.series = append(d.series, r)
		}
		if k%10 == 3 {
			d.events = append(d.events,
				result.EventRow{Time: from + 7, Kind: result.EventPause, Port: "h2/s1", Class: 3, PSN: -1, Root: "s1/h1"},
				result.EventRow{Time: from + 400, Kind: result.EventResume, Port: "h2/s1", Class: 3, PSN: -1})
		}
		d.ops = append(d.ops, result.OperationRow{Rank: int32(k % 2), Step: int32(k / 2), Name: "forward 1", Stream: "compute",
			Start: from, End: until, ReleasedBy: -1})
	}
	return d
}

// write writes a run directory; state Running leaves it as a run that was killed does.
func (d *drawn) write(t testing.TB, root, name string, state result.State) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: name, Scenario: json.RawMessage(`{"output":{"series":true,"events":true,"operations":true}}`)}
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	for _, r := range d.series {
		dir.Series().Add(r)
	}
	for _, r := range d.events {
		dir.Events().Add(r)
	}
	for _, r := range d.ops {
		dir.Operations().Add(r)
	}
	for _, port := range d.links {
		from, to, _ := strings.Cut(port, "/")
		tier := result.TierHost
		if from == "s1" {
			tier = result.TierLeaf
		}
		dir.Links().Add(result.LinkRow{Port: port, From: from, To: to, Tier: tier, Rate: 100e9})
	}
	if state == result.Running {
		if err := dir.Keep(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s.State, s.VirtualTime = state, unit.Time(d.ends)*unit.Time(tick)
	s.StepsPlanned, s.Steps = int64(d.ends), int64(d.ends)
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	return path
}

// served is a server of a folder that is answering.
type served struct {
	t   testing.TB
	url string
	s   *Server
	end func() error
}

func serve(t testing.TB, root string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	x := &served{t: t, s: New(Options{Dir: root, Schema: []byte("{}")})}
	ready, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- x.s.Serve(ctx, netip.MustParseAddrPort("127.0.0.1:0"), func(url string) { ready <- url })
	}()
	select {
	case x.url = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	var err error
	through := false
	x.end = func() error {
		if !through {
			through = true
			cancel()
			err = <-ended
		}
		return err
	}
	t.Cleanup(func() {
		if err := x.end(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// ask returns the answer to a request below the token.
func (x *served) ask(path string) (code int, body []byte) {
	x.t.Helper()
	r, err := http.Get(x.url + path)
	if err != nil {
		x.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return r.StatusCode, body
}

// get decodes an answer that is to be there.
func (x *served) get(path string, v any) {
	x.t.Helper()
	code, body := x.ask(path)
	if code != http.StatusOK {
		x.t.Fatalf("%s: %d %s", path, code, body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		x.t.Fatalf("%s: %v", path, err)
	}
}

// settled waits until the tables of a run were read.
func (x *served) settled(id string) {
	x.t.Helper()
	show, err := x.s.show(id)
	if err != nil {
		x.t.Fatal(err)
	}
	for {
		p, changed := show.watch()
		show.mu.Lock()
		done := show.now != nil && p.Reading == "" && (show.now.operations != nil || len(p.Notes) > 0)
		show.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-show.gone:
			return
		}
	}
}
