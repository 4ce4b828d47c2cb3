package web

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// zoomsOf is a run whose zooms are timed:
//
//	go test ./internal/cli/web -run '^$' -bench Zoom -benchtime 40x -zoom-run DIR
var zoomsOf = flag.String("zoom-run", "", "a run directory with a series and events")

// What the page asks for after a zoom: the tile of the finest level, and of a port its link, its queue and its log.
func BenchmarkZoom(b *testing.B) {
	if *zoomsOf == "" {
		b.Skip("no -zoom-run")
	}
	dir, id := filepath.Split(*zoomsOf)
	x := serve(b, dir)
	x.settled(id)
	var topo struct {
		Ports  []portInfo
		End    int64 `json:"end_ps"`
		Every  int64 `json:"interval_ps"`
		Source string
	}
	x.get("api/topology?run="+id, &topo)
	draws := rand.New(rand.NewPCG(3, 5))
	var all []time.Duration
	for b.Loop() {
		width := topo.End >> draws.IntN(9)
		from := draws.Int64N(topo.End - width + 1)
		port := topo.Ports[draws.IntN(len(topo.Ports))].Port
		begin := processorTime(b)
		span := fmt.Sprintf("run=%s&port=%s&from=%d&until=%d", id, url.QueryEscape(port), from, from+width)
		for _, ask := range []string{
			fmt.Sprintf("tiles?run=%s&level=0&index=%d", id, (from+width/2)/topo.Every/tileBins),
			"series?bins=400&kind=link&" + span, "series?bins=400&kind=queue&class=3&" + span,
			fmt.Sprintf("events?most=60&run=%s&port=%s&from=%d&until=%d", id, url.QueryEscape(port), from+width/2, from+width),
		} {
			if code, answer := x.ask("api/" + ask); code != 200 {
				b.Fatalf("%s: %d %s", ask, code, answer)
			}
		}
		all = append(all, processorTime(b)-begin)
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "ms/most")
}

// processorTime is what this process has taken so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
