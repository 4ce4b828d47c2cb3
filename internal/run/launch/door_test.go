//go:build unix

package launch

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// So many spares wait; one more is refused with the reason. Who waits keeps nobody from the door, and when its place is taken,
// or all is over, nothing goes on for it.
func TestSparesAreCounted(t *testing.T) {
	d := newDoor()
	var said atomic.Int32
	d.say = func(string) { said.Add(1) }
	come := func() net.Conn {
		ours, its := net.Pipe()
		go d.keep(&station{node: spareNode, host: "host", conn: &hearing{Conn: ours}})
		return its
	}
	for range mostSpares {
		its, ours := net.Pipe()
		t.Cleanup(func() { its.Close() })
		d.keep(&station{node: spareNode, host: "host", conn: &hearing{Conn: ours}}) // it returns at once
	}
	if len(d.spares) != mostSpares || said.Load() != mostSpares {
		t.Fatalf("%d wait, %d lines", len(d.spares), said.Load())
	}
	f, err := readFrame(come(), helloMost)
	if err != nil || f.kind != kindRefused || !strings.Contains(string(f.body), "64 spares wait already") {
		t.Fatalf("%v, %v %q", err, f.kind, f.body)
	}
	first := d.spares[0]
	if s := d.spare(); s != first.station {
		t.Error("not the one that came first")
	}
	<-first.waits
	last := d.spares[len(d.spares)-1]
	if !d.take(last) || d.take(last) || len(d.spares) != mostSpares-2 {
		t.Errorf("%d wait", len(d.spares))
	}
	<-last.waits
	d.shut = true
	if f, err := readFrame(come(), helloMost); err != nil || string(f.body) != "the job is over" {
		t.Errorf("%v, %q", err, f.body)
	}
}

// A node that was told to come again is lost when its connection has ended or is silent for as long as silence counts, not
// while it beats there, and not when it has come.
func TestNodesThatAreToComeAgain(t *testing.T) {
	d := newDoor()
	nodes := make([]*station, 4)
	for i := range nodes {
		ours, its := net.Pipe()
		defer its.Close()
		nodes[i] = &station{node: i, conn: &hearing{Conn: ours}}
		d.await(nodes[i])
	}
	nodes[1].gone.Store(true)
	d.find(2)
	now := time.Now()
	for at := time.Duration(0); at < silence; at += beatEvery {
		nodes[3].conn.signs.Add(1)
		d.look(now.Add(at))
	}
	if d.lost[0] || !d.lost[1] || d.lost[2] || d.lost[3] {
		t.Fatalf("lost before silence counts: %v", d.lost)
	}
	nodes[3].conn.signs.Add(1)
	d.look(now.Add(silence))
	if !d.lost[0] || d.lost[2] || d.lost[3] || len(d.before) != 1 {
		t.Fatalf("lost: %v, to come: %v", d.lost, d.before)
	}
	if _, err := nodes[2].conn.Write([]byte{0}); err == nil {
		t.Error("the connection by which a node was heard that has come stays open")
	}
}
