//go:build linux

package frr_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strings"

	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
)

// text lists the paths of a table: prefix, next hop, ASs, and * where packets take them.
func text(n *rib.Network, device int) (lines []string) {
	for _, r := range n.Tables[device].Routes {
		for _, p := range r.Paths {
			mark, via := "", "own"
			if p.Shares {
				mark = "*"
			}
			if p.Session >= 0 {
				via = p.NextHop.String()
			}
			lines = append(lines, fmt.Sprintf("%v %s %v%s", r.Prefix, via, p.ASs, mark))
		}
	}
	slices.Sort(lines)
	return lines
}

// paths asks for the same. IPv6 paths have a link-local next hop as well, so they are named by who told them.
func (w *daemons) paths(name string) (lines []string, err error) {
	for _, family := range []string{"ipv4", "ipv6"} {
		var answer struct {
			Routes map[string][]struct {
				Valid, Bestpath, Multipath bool
				PeerID                     string `json:"peerId"`
				Path                       string
			} `json:"routes"`
		}
		if err := w.show(name, "show bgp "+family+" unicast json", &answer); err != nil {
			return nil, err
		}
		for prefix, paths := range answer.Routes {
			for _, p := range paths {
				mark, via := "", "own"
				if p.Bestpath || p.Multipath {
					mark = "*"
				}
				if p.PeerID != "(unspec)" {
					via = p.PeerID
				}
				lines = append(lines, fmt.Sprintf("%s %s [%s]%s", prefix, via, p.Path, mark))
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// kernel counts the next hops of BGP's routes in a switch's kernel.
func (w *daemons) kernel(name string) (map[netip.Prefix]int, error) {
	hops := map[netip.Prefix]int{}
	for _, family := range []string{"-4", "-6"} {
		out, err := exec.Command("ip", family, "-n", name, "-j", "route", "show", "proto", "bgp").CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		var routes []struct {
			Dst      string
			Type     string
			NextHops []struct{} `json:"nexthops"`
		}
		if err := json.Unmarshal(out, &routes); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		for _, r := range routes {
			p, err := netip.ParsePrefix(r.Dst)
			if err != nil {
				a, _ := netip.ParseAddr(r.Dst) // of a host
				p = netip.PrefixFrom(a, a.BitLen())
			}
			if r.Type != "blackhole" { // an aggregate's own
				hops[p] = max(len(r.NextHops), 1)
			}
		}
	}
	return hops, nil
}

// advertised holds what a leaf and a spine tell a neighbour against what rib says that they do.
func (w *daemons) advertised() error {
	n := rib.New(w.devices, nil)
	for i := range w.devices {
		first := slices.IndexFunc(w.devices[i].BGP.Neighbours, func(n netconf.Neighbour) bool { return !n.EVPN })
		to := n.Tables[i].Sessions[first].Neighbour
		var answer struct {
			AdvertisedRoutes map[string]struct{ Path string } `json:"advertisedRoutes"`
		}
		if err := w.show(w.devices[i].Name, fmt.Sprintf("show bgp ipv4 neighbors %v advertised-routes json", to), &answer); err != nil {
			return err
		}
		var got, want []string
		for prefix, route := range answer.AdvertisedRoutes {
			got = append(got, strings.TrimSpace(prefix+" "+route.Path))
		}
		for _, a := range n.Advertised(i, first) {
			ases := a.ASs
			if len(ases) > 0 && ases[0] == w.devices[i].BGP.AS {
				ases = ases[1:] // FRR prints the path before its own AS is put in front
			}
			want = append(want, strings.TrimSpace(fmt.Sprint(a.Prefix, " ", strings.Trim(fmt.Sprint(ases), "[]"))))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := lineDiff(got, want); diff != "" {
			return fmt.Errorf("%s tells %v: %s", w.devices[i].Name, to, diff)
		}
	}
	return nil
}

// lineDiff lists what only one of two sorted lists has.
func lineDiff(got, want []string) string {
	var b strings.Builder
	for _, l := range got {
		if !slices.Contains(want, l) {
			b.WriteString("\n  not expected: " + l)
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			b.WriteString("\n  missing: " + l)
		}
	}
	return b.String()
}
