//go:build linux

package frr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"railyard/internal/config/rib"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// tunnels holds what FRR knows of other ends of VXLANs against a switch's table: their paths, and where frames to all of a
// VLAN go.
func (w *daemons) tunnels(n *rib.Network, device int) error {
	name := n.Devices[device].Name
	if n.Devices[device].BGP == nil || !n.Devices[device].Overlaid() {
		return nil
	}
	got, err := w.multicast(name)
	if err != nil {
		return err
	}
	var want []string
	remote := map[int][]string{} // by VNI
	for _, e := range n.Tables[device].Ends {
		for _, vni := range e.VNIs {
			for _, p := range e.Paths {
				via := "own"
				if p.Session >= 0 {
					via = n.Tables[device].Sessions[p.Session].Neighbour.String()
				}
				want = append(want, fmt.Sprintf("%v %s %v", e.Address, via, p.ASs))
			}
			if shared := slices.Contains(e.Shared, vni); shared && e.Paths[0].Session >= 0 {
				remote[vni] = append(remote[vni], e.Address.String())
			}
		}
	}
	slices.Sort(want)
	if diff := lineDiff(got, want); diff != "" || len(got) != len(want) {
		return fmt.Errorf("%s: EVPN: %d paths of %d%s", name, len(got), len(want), diff)
	}
	t := n.Devices[device].Tunnels
	if t == nil {
		return nil
	}
	for _, v := range t.VNIs {
		var answer struct{ NumRemoteVteps []string } // FRR's name for them
		if err := w.show(name, fmt.Sprintf("show evpn vni %d json", v.Number), &answer); err != nil {
			return err
		}
		ends := answer.NumRemoteVteps
		slices.Sort(ends)
		if !slices.Equal(ends, remote[v.Number]) {
			return fmt.Errorf("%s: VNI %d goes to %v, want %v", name, v.Number, ends, remote[v.Number])
		}
	}
	return nil
}

// multicast lists the paths of EVPN's routes of type 3: end, who told, ASs.
func (w *daemons) multicast(name string) (lines []string, err error) {
	var answer map[string]json.RawMessage // by route distinguisher, and two counts
	if err := w.show(name, "show bgp l2vpn evpn route type multicast json", &answer); err != nil {
		return nil, err
	}
	for key, of := range answer {
		var routes map[string]json.RawMessage
		if strings.HasPrefix(key, "num") {
			continue
		}
		if err := json.Unmarshal(of, &routes); err != nil {
			return nil, err
		}
		for route, text := range routes {
			var r struct {
				Paths [][]struct {
					Valid    bool
					IP       string
					PeerID   string `json:"peerId"`
					Path     string
					NextHops []struct{ IP string }
				}
			}
			if route == "rd" {
				continue
			}
			if err := json.Unmarshal(text, &r); err != nil {
				return nil, err
			}
			for _, p := range slices.Concat(r.Paths...) {
				via := "own"
				if p.PeerID != "(unspec)" {
					via = p.PeerID
				}
				if !p.Valid || len(p.NextHops) != 1 || p.NextHops[0].IP != p.IP {
					via += " by another next hop"
				}
				lines = append(lines, fmt.Sprintf("%s %s [%s]", p.IP, via, p.Path))
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// calling is set in a process that listens, or calls one that does: "listen ADDRESS", "call ADDRESS",
// or "call ADDRESS FROM".
const calling = "RAILYARD_FRR_CALL"

// word is what is said.
const word = "through"

func talk(call string) error {
	words := strings.Fields(call)
	switch {
	case words[0] == "listen":
		return listen(words[1])
	case len(words) > 2:
		return callBGP(words[1], words[2])
	}
	c, err := net.DialTimeout("tcp", words[1], 2*time.Second)
	if err != nil {
		return err
	}
	said := make([]byte, len(word))
	if _, err := c.Read(said); err != nil || string(said) != word {
		return fmt.Errorf("%q: %w", said, err)
	}
	return nil
}

func listen(at string) error {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		c.Write([]byte(word)) //nolint:errcheck // the caller sees
		c.Close()             //nolint:errcheck // as above
	}
}

// callBGP calls a BGP speaker from an address, hears its OPEN and hangs up.
func callBGP(at, from string) error {
	d := net.Dialer{Timeout: 2 * time.Second, LocalAddr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))}
	c, err := d.Dial("tcp", at)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // nothing was written
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 19)) // a header, RFC 4271 section 4.1
	return err
}

// callTwice has each end of a session of EVPN call the other one once more, as two daemons do that
// start at the same time. Without disable-connected-check bgpd before 9.0 loses the next hop for
// good by that.
func (w *daemons) callTwice() error {
	for i := range w.devices {
		for _, n := range w.devices[i].BGP.Neighbours {
			if !n.EVPN {
				continue
			}
			call := fmt.Sprintf("call %v %v", netip.AddrPortFrom(n.Address, 179), netip.AddrPortFrom(n.Source, 0))
			cmd := exec.Command("ip", "netns", "exec", w.devices[i].Name, os.Args[0])
			cmd.Env = append(os.Environ(), calling+"="+call)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s calls %v: %s", w.devices[i].Name, n.Address, out)
			}
		}
	}
	return nil
}

// reach has each NIC of the first host call each of the last one: in its rail, and in the other one.
func (w *daemons) reach(in *inventory.Inventory) error {
	g := in.Graph
	if !in.Overlay() {
		return nil
	}
	first, last := g.NICs[0].Host, g.NICs[len(g.NICs)-1].Host
	for n := range g.NICs {
		if g.NICs[n].Host != last {
			continue
		}
		at := netip.AddrPortFrom(in.Ports[g.NICs[n].Port].Address.V4.Addr(), 4791).String()
		listener := w.inside(g, topo.NICID(n), "listen "+at)
		if err := listener.Start(); err != nil {
			return err
		}
		defer listener.Process.Kill() //nolint:errcheck // it is gone
		for from := range g.NICs {
			if g.NICs[from].Host != first {
				continue
			}
			if err := wait(func() error {
				out, err := w.inside(g, topo.NICID(from), "call "+at).CombinedOutput()
				if err != nil {
					err = errors.New(string(out))
				}
				return err
			}); err != nil {
				return fmt.Errorf("%s to %s: %w", g.NICName(topo.NICID(from)), g.NICName(topo.NICID(n)), err)
			}
		}
	}
	return nil
}

// inside is this program at a NIC.
func (w *daemons) inside(g *topo.Graph, n topo.NICID, call string) *exec.Cmd {
	cmd := exec.Command("ip", "netns", "exec", fmt.Sprintf("h%d", g.Ports[g.NICs[n].Port].Link), os.Args[0])
	cmd.Env = append(os.Environ(), calling+"="+call)
	return cmd
}
