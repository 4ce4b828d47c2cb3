//go:build unix

package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"railyard/internal/out/result"
	"railyard/internal/run/run"
)

// station is another node, as node 0 knows it.
type station struct {
	node  int
	host  string
	conn  *hearing
	ahead int64         // ns: its clock less ours
	over  chan struct{} // closed: it has been told that the try is over

	mu   sync.Mutex // writes
	gone atomic.Bool
}

// tell says something to a node. One that is gone is known by its silence, so most that tell need no error.
func (s *station) tell(f frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := s.conn.Write(appendFrame(nil, &f))
	return err
}

// helloTime is how long somebody who connects may take to say who it is, and strangers how many such there may be.
const (
	helloTime = 5 * time.Second
	strangers = 64
	helloMost = 16 << 20
)

// meet waits for all other nodes, and returns the address at which those reach ranks of this one.
func (r *root) meet() (address string, err error) {
	host, _, err := net.SplitHostPort(r.cfg.Rendezvous)
	if err != nil {
		return "", fmt.Errorf("--rdzv %s: %w: want HOST:PORT", r.cfg.Rendezvous, err)
	}
	ip, err := addressOf(r.ctx, host)
	if err != nil {
		return "", err
	}
	d := r.cfg.door
	if err := d.open(r.cfg.Rendezvous, helloOf(r.cfg, r.run.Inputs()), r.cfg.Say); err != nil {
		return "", err
	}
	weights, err := r.readWeights()
	if err == nil {
		err = r.gather(d, weights)
	}
	if err != nil {
		r.dismiss(err)
		return "", err
	}
	return ip, nil
}

// gather waits for all nodes. A spare takes the place of one that is gone as soon as that is known, and of one that has not
// come in time.
func (r *root) gather(d *door, weights []byte) error {
	deadline, late := time.Now().Add(r.cfg.Timeout), false
	timeout := time.NewTimer(r.cfg.Timeout)
	tick, look := time.NewTicker(5*time.Second), time.NewTicker(lookEvery)
	defer tick.Stop()
	defer look.Stop()
	for missing := r.missing(); len(missing) > 0; missing = r.missing() {
		if i := slices.IndexFunc(missing, func(n int) bool { return late || d.lost[n] }); i >= 0 {
			if s := d.spare(); s != nil {
				s.node = missing[i]
				r.seat(s, weights)
				continue
			}
		}
		if late {
			return fmt.Errorf("%s never came to %s within %v", nodeList(missing), r.cfg.Rendezvous, r.cfg.Timeout)
		}
		select {
		case s := <-d.came:
			if at := r.others[s.node]; at != nil {
				s.refuse(fmt.Sprintf("node %d has come already, from %s (%s)", s.node, at.host, at.conn.RemoteAddr()))
				continue
			}
			r.seat(s, weights)
		case <-d.more:
		case now := <-look.C:
			d.look(now)
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-tick.C:
			r.cfg.Say(fmt.Sprintf("waiting for %s at %s: %d s left", nodeList(missing), r.cfg.Rendezvous,
				int(time.Until(deadline).Seconds())))
		case <-timeout.C:
			late = true
		}
	}
	return nil
}

// seat makes a node that has come one of the job, and tells it what it goes on from.
func (r *root) seat(s *station, weights []byte) {
	r.cfg.door.find(s.node)
	r.others[s.node] = s
	w := welcome{First: int32(s.node * r.perNode), Node: s.node, WeightsBytes: int64(len(weights))}
	if from := r.run.From(); from != nil {
		w.WeightsSHA256 = from.SHA256
	}
	if s.tell(newFrame(kindWelcome, -1, w)) == nil {
		s.sendWeights(weights)
	}
	r.cfg.Say(fmt.Sprintf("node %d of %d is here: %s (%s)", s.node, r.cfg.Nodes, s.host, s.conn.RemoteAddr()))
	go r.read(s)
	s.over = make(chan struct{})
	go s.beats() // it may have to wait for others, and is to know that this node lives
}

// addressOf is the address behind a host's name.
func addressOf(ctx context.Context, host string) (string, error) {
	all, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return "", fmt.Errorf("--rdzv: %w", err)
	}
	if ip := net.ParseIP(all[0]); ip.IsLoopback() && ip.String() != "127.0.0.1" && ip.String() != "::1" {
		return "", fmt.Errorf("--rdzv: %s is %s, an address of this machine alone (a line of /etc/hosts?): other nodes cannot reach it, "+
			"want the address of an interface", host, all[0])
	}
	return all[0], nil
}

// missing are the nodes that have not come.
func (r *root) missing() (all []int) {
	for i := 1; i < len(r.others); i++ {
		if r.others[i] == nil {
			all = append(all, i)
		}
	}
	return all
}

func nodeList(all []int) string {
	if len(all) == 1 {
		return fmt.Sprintf("node %d", all[0])
	}
	var names []string
	for _, n := range all {
		names = append(names, fmt.Sprint(n))
	}
	return "nodes " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// pings is how often a clock is asked: the quickest answer counts.
const pings = 5

// clockOf is how far the clock of a node is ahead of ours, in ns: as of the middle of the quickest question and answer (Cristian,
// "Probabilistic clock synchronization", 1989).
func clockOf(conn net.Conn) (ahead int64, err error) {
	best := time.Duration(1<<63 - 1)
	for range pings {
		asked := time.Now()
		f := frame{kindPing, -1, []byte(`{"unix_nano":0}`)}
		if _, err := conn.Write(appendFrame(nil, &f)); err != nil {
			return 0, err
		}
		if f, err = readFrame(conn, smallBody); err != nil {
			return 0, err
		}
		var p ping
		if err := f.decode(&p); err != nil || f.kind != kindPing {
			return 0, fmt.Errorf("no answer about its clock: %w", errors.Join(err))
		}
		if took := time.Since(asked); took < best {
			best, ahead = took, p.UnixNano-asked.Add(took/2).UnixNano()
		}
	}
	return ahead, nil
}

// refuse tells a node that it cannot be of the job.
func (s *station) refuse(text string) {
	s.tell(frame{kindRefused, -1, []byte(text)})
	s.conn.Close()
}

// firstDifference is the first key that two resolved scenarios do not share, or have with other values. Its line there is
// not that of any file, so the key is named.
func firstDifference(its, ours string) string {
	a, b := strings.Split(its, "\n"), strings.Split(ours, "\n")
	at := func(l []string, i int) (key, text string) {
		if i < len(l) {
			return pathOf(l, i), l[i]
		}
		return "", ""
	}
	for i := range max(len(a), len(b)) {
		key, x := at(a, i)
		own, y := at(b, i)
		switch {
		case x == y:
			continue
		case key == own:
			return fmt.Sprintf("%s is %s, that of node 0 %s", key, said(x), said(y))
		}
		return fmt.Sprintf("%q where node 0 has %q", strings.TrimSpace(x), strings.TrimSpace(y))
	}
	return "in blanks"
}

// pathOf is the keys that a line of a resolved scenario is below, with its own: job.train.lr.
func pathOf(lines []string, i int) string {
	path := ""
	for in := len(lines[i]) + 1; i >= 0; i-- {
		key, _, _ := strings.Cut(strings.TrimLeft(lines[i], " -"), ":")
		if n := len(lines[i]) - len(strings.TrimLeft(lines[i], " -")); n < in && lines[i] != "" {
			path, in = strings.TrimSuffix(key+"."+path, "."), n
		}
	}
	return path
}

// said is the value of a line.
func said(line string) string {
	if _, v, _ := strings.Cut(line, ":"); strings.TrimSpace(v) != "" {
		return strings.TrimSpace(v)
	}
	return "a group"
}

func helloOf(cfg *Config, inputs []result.InputDigest) hello {
	h := hello{Version: cfg.Version, ID: cfg.ID, Nodes: cfg.Nodes, PerNode: cfg.PerNode, Node: cfg.Node,
		Scenario: string(cfg.Scenario.YAML())}
	h.Host, _ = os.Hostname()
	for _, i := range inputs {
		h.Inputs = append(h.Inputs, i.Name+" "+i.SHA256)
	}
	return h
}

// read takes what another node says.
func (r *root) read(s *station) {
	most := toldBytes(r.run.Work())
	for {
		f, err := readFrame(s.conn, most)
		if err != nil {
			s.gone.Store(true)
			return
		}
		if f.kind != kindBeat {
			s.conn.hand(func() { r.take(heard{f, s.node}) })
		}
	}
}

// beats tells another node that this one lives, until that node is told that the try is over: to end the processes that run
// here may take as long as silence counts.
func (s *station) beats() {
	beats(s.over, func() { s.tell(frame{kindBeat, -1, nil}) })
}

// beats says every so often that somebody lives, until all is over.
func beats(over <-chan struct{}, say func()) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			say()
		}
	}
}

// silent reports a node that is gone, or has said nothing for too long.
func (r *root) silent() error {
	for _, s := range r.others {
		if s == nil {
			continue
		}
		ranks := fmt.Sprintf("ranks %d to %d", s.node*r.perNode, (s.node+1)*r.perNode-1)
		if r.perNode == 1 {
			ranks = fmt.Sprintf("rank %d", s.node)
		}
		who := fmt.Sprintf("node %d (%s, %s)", s.node, s.host, s.conn.RemoteAddr())
		if s.gone.Load() {
			r.cfg.door.lose(s.node)
			return &run.Broken{Rank: -1, Why: result.AbortRank,
				Text: fmt.Sprintf("the launcher of %s has gone, and with it %s", who, ranks)}
		}
		if s.conn.quietFor(time.Now()) >= silence {
			r.cfg.door.lose(s.node)
			return &run.Broken{Rank: -1, Why: result.AbortRank,
				Text: fmt.Sprintf("%s has not answered for %v: %s; a link may be cut", who, silence, ranks)}
		}
	}
	return nil
}

// dismiss tells other nodes that it is over, and why, or that they are to come again.
func (r *root) dismiss(err error) {
	word := frame{kindQuit, -1, []byte(textOf(err))}
	if _, broken := err.(*run.Broken); broken && r.cfg.left > 0 && r.ctx.Err() == nil {
		word.kind = kindAgain
	}
	for _, s := range r.others {
		if s == nil {
			continue
		}
		s.tell(word)
		close(s.over)
		if word.kind == kindAgain {
			r.cfg.door.await(s)
			continue
		}
		if err == nil { // it has its processes end first
			_ = s.conn.SetReadDeadline(time.Now().Add(quitTime))
			for !s.gone.Load() && s.conn.quietFor(time.Now()) < quitTime {
				time.Sleep(5 * time.Millisecond)
			}
		}
		s.conn.Close()
	}
}
