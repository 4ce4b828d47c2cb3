package hostlint

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// A Design is what is meant; nil: nobody says.
type Design struct {
	DSCP, CNPDSCP, Priority int
	MTU                     unit.Bytes // of RDMA
	Packet                  unit.Bytes // the largest IP packet of RDMA: MTU and headers
	Hosts                   map[string]*Meant
}

// Meant is what a host is to have: its NICs in order of rails.
type Meant struct{ NICs []MeantNIC }

// A MeantNIC is where one is plugged in.
type MeantNIC struct {
	Leaf, Port string // of the switch
	Address    netip.Addr
	Cable      unit.Duration // as signals take through it
}

// A linter gathers findings.
type linter struct {
	h        *hostinfo.Host
	design   *Design
	nics     []*nic
	findings []lint.Finding
	at       map[string]int // of findings that several things have in common
}

// A nic is one that counts.
type nic struct {
	*hostinfo.RDMA
	net *hostinfo.Netdev // nil: not known
	// ports are what is set up and counts: the interface, and those that it bonds.
	ports []*hostinfo.Netdev
}

// called is what people call one of its ports.
func (n *nic) called(port *hostinfo.Netdev) string {
	if port == n.net {
		return n.String()
	}
	return port.Name
}

// Name is what people call it: its interface, with the RDMA device.
func (n *nic) String() string {
	if n.net == nil {
		return n.RDMA.Name
	}
	return n.net.Name
}

// Check returns what is wrong with hosts.
func Check(hosts []*hostinfo.Host, design *Design) (all []lint.Finding) {
	var each []*linter
	for _, h := range hosts {
		l := &linter{h: h, design: design, nics: nicsOf(h), at: map[string]int{}}
		l.rdma()
		l.quality()
		l.routing()
		l.pcie()
		l.boards()
		l.system()
		l.lines()
		each = append(each, l)
	}
	among(each, design)
	for _, l := range each {
		slices.SortStableFunc(l.findings, func(a, b lint.Finding) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
				cmp.Compare(a.Text, b.Text))
		})
		all = append(all, l.findings...)
	}
	return all
}

// nicsOf are the RDMA ports that count.
func nicsOf(h *hostinfo.Host) (all []*nic) {
	list := h.NCCL["NCCL_IB_HCA"].Value
	for _, r := range h.RDMA {
		if r.State.Known() && r.State.Value != "ACTIVE" && list == "" || !chosen(list, r.Name) {
			continue
		}
		n := &nic{RDMA: r, net: h.NetdevOf(r)}
		if n.net != nil {
			n.ports = append(n.ports, n.net)
			for _, d := range h.Netdevs {
				if d != n.net && d.Master.Value == n.net.Name {
					n.ports = append(n.ports, d)
				}
			}
		}
		all = append(all, n)
	}
	return all
}

// chosen reports whether NCCL_IB_HCA takes a device: a list of beginnings, after = of whole names, after ^ of others. A port
// may stand behind a colon.
func chosen(list, name string) bool {
	if list == "" {
		return true
	}
	rest, except := strings.CutPrefix(list, "^")
	rest, whole := strings.CutPrefix(rest, "=")
	found := false
	for item := range strings.SplitSeq(rest, ",") {
		item, _, _ = strings.Cut(item, ":")
		found = found || item != "" && (item == name || !whole && strings.HasPrefix(name, item))
	}
	return found != except
}

// roce reports whether a NIC speaks RoCE.
func (n *nic) roce() bool { return n.Layer.Value != "InfiniBand" }

// place is the first of some that is known, else the host's first section.
func (l *linter) place(places []netconf.Place) netconf.Place {
	for _, p := range places {
		if p.Line > 0 {
			return p
		}
	}
	if len(l.h.Sections) > 0 {
		return netconf.Place{File: l.h.Sections[0].At.File}
	}
	return netconf.Place{File: l.h.Name}
}

// add notes a finding of the host at the first of places that is known.
func (l *linter) add(rule string, s lint.Severity, port, text string, places ...netconf.Place) {
	r := RuleOf(rule)
	l.findings = append(l.findings, lint.Finding{Rule: rule, Severity: s, Device: l.h.Name, Port: port,
		Place: l.place(places), Text: text,
		Reason: r.Reason, Fix: r.Fix})
}

// sure is the severity and the text of what rests on the absence of something in the output of some kinds of commands: where
// lines of theirs are not understood, they may say it.
func (l *linter) sure(s lint.Severity, text string, kinds ...hostinfo.Kind) (lint.Severity, string) {
	if n := l.h.UnreadOf(kinds...); n > 0 {
		return lint.Unknown, fmt.Sprintf("%s, unless it is in one of the lines that are not understood", text)
	}
	return s, text
}

// alike is add for what several things may have in common: one finding names them all, %s in its text.
func (l *linter) alike(rule string, s lint.Severity, name, text string, places ...netconf.Place) {
	key := rule + "\x00" + string(s) + "\x00" + text
	k, known := l.at[key]
	if !known {
		k = len(l.findings)
		l.at[key] = k
		l.add(rule, s, name, name+": "+text, places...)
		l.findings[k].Lines = []int{l.findings[k].Line}
		return
	}
	f := &l.findings[k]
	f.Lines = append(f.Lines, l.place(places).Line)
	first, _, _ := strings.Cut(strings.TrimSuffix(f.Text, ": "+text), " and ")
	f.Text = fmt.Sprintf("%s and %d more: %s", first, len(f.Lines)-1, text)
}

// data is the DSCP of RoCE data, and the line that says it; -1: nothing does.
func (l *linter) data(n *nic) (dscp int, at netconf.Place) {
	if n.Class.Known() && n.Class.Value > 0 {
		return n.Class.Value >> 2, n.Class.At
	}
	if tc := l.h.NCCL["NCCL_IB_TC"]; tc.Known() {
		if v, err := strconv.Atoi(tc.Value); err == nil && v >= 0 && v <= 255 {
			return v >> 2, tc.At
		}
	}
	if l.design != nil {
		return l.design.DSCP, netconf.Place{}
	}
	return -1, netconf.Place{}
}

// DataDSCP is the DSCP of RoCE data as hosts write it, and the line that says it; false: none says it, or they differ.
func DataDSCP(hosts []*hostinfo.Host) (dscp int, at netconf.Place, ok bool) {
	return agreed(hosts, func(l *linter, n *nic) (int, netconf.Place) { return l.data(n) })
}

// CNPDSCP is that of CNPs.
func CNPDSCP(hosts []*hostinfo.Host) (dscp int, at netconf.Place, ok bool) {
	return agreed(hosts, func(_ *linter, n *nic) (int, netconf.Place) {
		if n.net == nil || !n.net.CNPDSCP.Known() {
			return -1, netconf.Place{}
		}
		return n.net.CNPDSCP.Value, n.net.CNPDSCP.At
	})
}

// Cards are the NICs that hear a switch and of which it is known what they pause: of RoCE alone.
func Cards(hosts []*hostinfo.Host) (all []lint.Card) {
	for _, h := range hosts {
		for _, n := range nicsOf(h) {
			if !n.roce() || n.net == nil || !n.net.PFC.Known() {
				continue
			}
			k := heardBy(h, n)
			if k < 0 {
				continue
			}
			c := lint.Card{Name: h.Name + " " + n.net.Name, Hears: h.Heard[k], At: n.net.PFC.At, By: n.net.DCBX.At}
			for p, on := range n.net.PFC.Value {
				if on {
					c.PFC |= 1 << p
				}
			}
			c.Host = n.net.DCBX.Known() && n.net.DCBX.Value == "os"
			all = append(all, c)
		}
	}
	return all
}

// agreed is a value that all NICs which have it have alike.
func agreed(hosts []*hostinfo.Host, of func(*linter, *nic) (int, netconf.Place)) (value int, at netconf.Place, ok bool) {
	value = -1
	for _, h := range hosts {
		l := &linter{h: h}
		for _, n := range nicsOf(h) {
			if !n.roce() {
				continue
			}
			v, here := of(l, n)
			switch {
			case v < 0 || here.Line == 0:
			case value < 0:
				value, at = v, here
			case v != value:
				return 0, netconf.Place{}, false
			}
		}
	}
	return value, at, value >= 0
}

// priorityOf is the priority of a DSCP at a NIC: as it says, else the first three bits, as mlnx_qos and 802.1Q have it from
// the start.
func priorityOf(n *hostinfo.Netdev, dscp int) int {
	if n != nil {
		if p := n.Priority[dscp]; p.Known() {
			return p.Value
		}
	}
	return dscp >> 3
}

// lines lists what is not understood.
func (l *linter) lines() {
	kinds := map[string]int{}
	for i := range l.h.Unread {
		u := &l.h.Unread[i]
		key := u.File + " " + u.Kind()
		k, known := kinds[key]
		if !known {
			k = len(l.findings)
			kinds[key] = k
			l.add("H25", lint.Warning, "", fmt.Sprintf("%q: not understood", u.Text), u.Place)
		}
		f := &l.findings[k]
		f.Lines = append(f.Lines, u.Line)
		if n := len(f.Lines); n > 1 {
			f.Text = fmt.Sprintf("%q: not understood, %d times", u.Kind(), n)
		}
	}
	if more := l.h.Lines.Unread - len(l.h.Unread); more > 0 {
		l.add("H25", lint.Warning, "", fmt.Sprintf("%d more lines are not understood", more))
	}
}
