package view

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
	"railyard/internal/plan/plan"
)

// RibText prints what a device of a network learns, takes and tells its neighbours.
func RibText(s *sheet.Sheet, p *plan.Plan, n *rib.Network, at int) {
	d, t := &n.Devices[at], &n.Tables[at]
	if d.BGP == nil {
		s.Wrap("", d.Name+" has no sessions")
	} else {
		s.Wrap("", fmt.Sprintf("%s: AS %d, router identifier %v, at most %s", d.Name, d.BGP.AS, d.BGP.RouterID,
			unit.CountOf(int64(d.BGP.MaximumPaths), "equal path")))
	}
	notConfigured(s, p)
	section := func(title string, rows [][]string, align string) {
		if len(rows) > 1 {
			s.Title(title)
			s.Grid(align, rows)
		}
	}
	section("connected", connectedRows(t), "lw")
	section("sessions", sessionRows(n, at), "lrllw")
	section("BGP routes; * packets take this path", routeRows(n, at), "lllw")
	section("ends of tunnels, by EVPN; packets to one take the routes to it above", endRows(n, at), "lllrw")
	section("originated: networks of the switch, and aggregates while something inside them is there", originRows(n, at), "lw")
	section(advertTitle(d.BGP), advertRows(n, at), "llw")
}

// advertTitle says who is told what, and who refuses it.
func advertTitle(b *netconf.BGP) string {
	if b != nil && slices.ContainsFunc(b.Neighbours, func(n netconf.Neighbour) bool { return n.AS == b.AS }) {
		return "advertised, with the next hop of each session; refused by whom it came from or has passed, not told whom this " +
			"switch does not reflect to"
	}
	return "advertised to every neighbour, with the next hop of its session; whose AS is in the path refuses it"
}

func connectedRows(t *rib.Table) [][]string {
	rows := [][]string{{"subnet", "interface"}}
	for _, c := range t.Connected {
		rows = append(rows, []string{c.Prefix.String(), c.Interface})
	}
	return rows
}

func sessionRows(n *rib.Network, at int) [][]string {
	rows := [][]string{{"neighbour", "AS", "next hop told", "by", "who"}}
	b := n.Devices[at].BGP
	for k, e := range n.Tables[at].Sessions {
		who := b.Neighbours[k].Description
		if e.Why != "" {
			who += ", down: " + e.Why
		}
		told := e.Own.String()
		if b.Neighbours[k].EVPN {
			who, told = who+", EVPN", "each end"
		}
		rows = append(rows, []string{e.Neighbour.String(), strconv.FormatUint(uint64(b.Neighbours[k].AS), 10), told, e.Local,
			who})
	}
	return rows
}

func routeRows(n *rib.Network, at int) [][]string {
	rows := [][]string{{"prefix", "", "next hop", "AS path"}}
	for _, r := range n.Tables[at].Routes {
		prefix := r.Prefix.String()
		for _, p := range r.Paths {
			mark := ""
			if p.Shares {
				mark = "*"
			}
			if p.Session < 0 {
				rows = append(rows, []string{prefix, mark, "-", "its own"})
			} else {
				rows = append(rows, []string{prefix, mark, p.NextHop.String(), wayText(&p)})
			}
			prefix = ""
		}
	}
	return rows
}

// endRows lists ends of tunnels with what EVPN tells of them: the VNIs, who has told, and how many next hops packets to
// them have.
func endRows(n *rib.Network, at int) [][]string {
	rows := [][]string{{"end", "VNIs", "told by", "next hops", "AS path"}}
	t := &n.Tables[at]
	for _, e := range t.Ends {
		end, vnis, hops := e.Address.String(), strings.Join(netconf.Ranges(e.VNIs), " "), strconv.Itoa(e.Hops)
		for i := range e.Paths {
			p := &e.Paths[i]
			if p.Session < 0 {
				rows = append(rows, []string{end, vnis, "-", "-", "its own"})
			} else {
				rows = append(rows, []string{end, vnis, n.Devices[t.Sessions[p.Session].Device].Name, hops, wayText(p)})
			}
			end, vnis, hops = "", "", ""
		}
	}
	return rows
}

func pathText(ases []uint32) string { return strings.Trim(fmt.Sprint(ases), "[]") }

// wayText says how a route has come: its ASs and, inside an AS, who brought it in and reflected it.
func wayText(p *rib.Path) string {
	text := pathText(p.ASs)
	if !p.Originator.IsValid() {
		return text
	}
	text = strings.TrimSpace(fmt.Sprintf("%s from %v", text, p.Originator))
	if len(p.Clusters) > 0 {
		text += " by " + strings.Trim(fmt.Sprint(p.Clusters), "[]")
	}
	return text
}

func originRows(n *rib.Network, at int) [][]string {
	rows := [][]string{{"prefix", "what it is"}}
	for _, r := range n.Tables[at].Routes {
		if r.Paths[0].Session >= 0 {
			continue
		}
		what := "network"
		if r.Aggregate {
			what = "aggregate"
		}
		if r.Suppressed {
			what += ", not advertised: inside an aggregate that is"
		}
		rows = append(rows, []string{r.Prefix.String(), what})
	}
	return rows
}

// An advertised route is the same for all neighbours of a family, but that some refuse it.
type advertised struct {
	Prefix  netip.Prefix `json:"prefix"`
	ASs     []uint32     `json:"as_path"`
	Refused []string     `json:"refused_by,omitempty"` // who is in the path
	NotTold []string     `json:"not_told,omitempty"`   // neighbours in the same AS that it is not reflected to
}

func adverts(n *rib.Network, at int) (all []advertised) {
	index := map[netip.Prefix]int{}
	for k, e := range n.Tables[at].Sessions {
		for _, a := range n.Advertised(at, k) {
			i, known := index[a.Prefix]
			if !known {
				i = len(all)
				index[a.Prefix] = i
				all = append(all, advertised{Prefix: a.Prefix, ASs: a.ASs})
			}
			if a.Refused {
				all[i].Refused = append(all[i].Refused, n.Devices[e.Device].Name)
			}
		}
	}
	for k, e := range n.Tables[at].Sessions {
		if e.Why != "" || n.Devices[at].BGP.Neighbours[k].EVPN {
			continue
		}
		told := map[netip.Prefix]bool{}
		for _, a := range n.Advertised(at, k) {
			told[a.Prefix] = true
		}
		for i := range all {
			if all[i].Prefix.Addr().Is6() == e.Neighbour.Is6() && !told[all[i].Prefix] {
				all[i].NotTold = append(all[i].NotTold, n.Devices[e.Device].Name)
			}
		}
	}
	slices.SortFunc(all, func(a, b advertised) int { return rib.ComparePrefixes(a.Prefix, b.Prefix) })
	return all
}

func advertRows(n *rib.Network, at int) [][]string {
	rows := [][]string{{"prefix", "AS path", "refused by, or not told"}}
	for _, a := range adverts(n, at) {
		text := someOf(a.Refused)
		if len(a.NotTold) > 0 {
			text = strings.TrimSpace(text + " not told: " + someOf(a.NotTold))
		}
		rows = append(rows, []string{a.Prefix.String(), pathText(a.ASs), text})
	}
	return rows
}

// someOf names a few switches.
func someOf(names []string) string {
	names = slices.Compact(names)
	if len(names) > 4 {
		return fmt.Sprintf("%s and %d others", names[0], len(names)-1)
	}
	return strings.Join(names, " ")
}

type ribPath struct {
	Neighbour string   `json:"neighbour,omitempty"` // absent: its own
	NextHop   string   `json:"next_hop,omitempty"`
	ASs       []uint32 `json:"as_path"`
	Used      bool     `json:"used"`

	Originator *netip.Addr  `json:"originator,omitempty"`
	Reflected  []netip.Addr `json:"reflected_by,omitempty"`
}

type ribRoute struct {
	Prefix     netip.Prefix `json:"prefix"`
	Aggregate  bool         `json:"aggregate,omitempty"`
	Suppressed bool         `json:"suppressed,omitempty"`
	Paths      []ribPath    `json:"paths"`
}

// A ribEnd is one of tunnels, that EVPN tells of.
type ribEnd struct {
	Address netip.Addr `json:"address"`
	VNIs    []int      `json:"vnis"`
	Hops    int        `json:"next_hops"` // of unicast routes to it; 0: the switch itself
	Paths   []ribPath  `json:"paths"`
}

type ribSession struct {
	Address   netip.Addr `json:"address"`
	AS        uint32     `json:"as"`
	Neighbour string     `json:"neighbour,omitempty"`
	Own       netip.Addr `json:"next_hop_told"`
	Interface string     `json:"interface"`
	Client    bool       `json:"reflector_client,omitempty"`
	EVPN      bool       `json:"evpn,omitempty"`
	Down      string     `json:"down,omitempty"`
}

type ribConnected struct {
	Prefix    netip.Prefix `json:"prefix"`
	Interface string       `json:"interface"`
}

// RibData is a switch's routes as data.
func RibData(n *rib.Network, at int) any {
	d, t := &n.Devices[at], &n.Tables[at]
	out := struct {
		Switch     string         `json:"switch"`
		AS         uint32         `json:"as,omitempty"`
		Connected  []ribConnected `json:"connected"`
		Sessions   []ribSession   `json:"sessions"`
		Routes     []ribRoute     `json:"routes"`
		Ends       []ribEnd       `json:"tunnel_ends,omitempty"`
		Advertised []advertised   `json:"advertised"`
	}{Switch: d.Name, Connected: []ribConnected{}, Sessions: []ribSession{}, Routes: []ribRoute{},
		Advertised: append([]advertised{}, adverts(n, at)...)}
	if d.BGP != nil {
		out.AS = d.BGP.AS
	}
	for _, c := range t.Connected {
		out.Connected = append(out.Connected, ribConnected(c))
	}
	for k, e := range t.Sessions {
		s := ribSession{Address: e.Neighbour, AS: d.BGP.Neighbours[k].AS, Own: e.Own, Interface: e.Local, Down: e.Why}
		if e.Device >= 0 {
			s.Neighbour = n.Devices[e.Device].Name
		}
		s.Client, s.EVPN = d.BGP.Neighbours[k].Client, d.BGP.Neighbours[k].EVPN
		out.Sessions = append(out.Sessions, s)
	}
	for _, r := range t.Routes {
		out.Routes = append(out.Routes, ribRoute{Prefix: r.Prefix, Aggregate: r.Aggregate, Suppressed: r.Suppressed,
			Paths: ribPaths(n, at, r.Paths)})
	}
	for _, e := range t.Ends {
		out.Ends = append(out.Ends, ribEnd{e.Address, e.VNIs, e.Hops, ribPaths(n, at, e.Paths)})
	}
	return out
}

func ribPaths(n *rib.Network, at int, all []rib.Path) (out []ribPath) {
	for _, p := range all {
		path := ribPath{ASs: append([]uint32{}, p.ASs...), Used: p.Shares}
		if p.Session >= 0 {
			path.Neighbour = n.Devices[n.Tables[at].Sessions[p.Session].Device].Name
			path.NextHop = p.NextHop.String()
		}
		if p.Originator.IsValid() {
			path.Originator, path.Reflected = &p.Originator, p.Clusters
		}
		out = append(out, path)
	}
	return out
}
