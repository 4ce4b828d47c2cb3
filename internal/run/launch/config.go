package launch

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// The ways in which ranks of one node are linked; those of two by TCP, or by RoCE where that is chosen.
const (
	Shared = "shm" // memory that both have
	TCP    = "tcp"
	RoCE   = "roce" // queue pairs: package endpoint
)

// Transports returns them all.
func Transports() []string { return []string{Shared, TCP, RoCE} }

// Config is a launch.
type Config struct {
	Scenario   *scenario.Scenario
	Name       string   // of its file
	Program    string   // of which each rank is a process
	Args       []string // with which it calls Rank; the first is its own name
	Transport  string   // one of Transports
	Faults     string   // with RoCE: what becomes of packets that a rank sends, see endpoint.ParseFaults
	Capture    string   // with RoCE: file of a rank's packets, see CaptureOf; "": none
	Nodes      int      // 1: this one alone
	PerNode    int      // ranks of a node; 0: as many as there are on one
	Node       int      // which this is, from 0
	Spare      bool     // it is none yet: it waits for the place of one that is gone
	Rendezvous string   // host:port of node 0, of several nodes
	ID         string   // of the job, the same on all nodes
	Timeout    time.Duration
	Version    string            // of the program
	Say        func(line string) // a line for who watches
	Run        run.Options       // of node 0

	door *door // of several nodes, at node 0
	left int   // how often it may start again
}

// watchdog is how long a rank may be in a collective, 0: for ever.
func (c *Config) watchdog() time.Duration {
	w := c.Scenario.Jobs[0].Watchdog
	if !w.Set {
		return 0
	}
	return max(time.Duration(w.Value/unit.Nanosecond), 1)
}

// Deal gives each node its number of ranks, where that was left open, or says that they do not make those of the job.
func (c *Config) Deal() error {
	world := c.Scenario.RankCount(&c.Scenario.Jobs[0])
	if c.PerNode == 0 {
		c.PerNode = max(world/c.Nodes, 1)
	}
	if got := c.Nodes * c.PerNode; got != world {
		each := "1 process"
		if c.PerNode > 1 {
			each = fmt.Sprintf("%d processes", c.PerNode)
		}
		return fmt.Errorf("%s of %s make %s, the job of %s has %d", unit.CountOf(int64(c.Nodes), "node"), each,
			unit.CountOf(int64(got), "rank"), c.Scenario.Name, world)
	}
	if c.Transport == RoCE && c.Nodes > 1 && c.PerNode > 1 {
		return fmt.Errorf("%d processes on each of %d nodes over RoCE: a host has one address, and UDP port %d there is one rank's; "+
			"want 1 process on each", c.PerNode, c.Nodes, wire.RoCEv2Port)
	}
	return nil
}

// CaptureOf is the file of a rank's packets: x.pcapng is x-rank3.pcapng of rank 3.
func CaptureOf(file string, rank int32) string {
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s-rank%d%s", strings.TrimSuffix(file, ext), rank, ext)
}
