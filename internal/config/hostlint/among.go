package hostlint

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// among checks hosts against each other and against a design's: H15, H19, H26 to H28.
func among(all []*linter, design *Design) {
	drift(all)
	addresses(all)
	if design != nil {
		missing(all, design)
		return
	}
	rails(all)
}

// A trait is what hosts are to have alike.
type trait struct {
	rule, name string
	of         func(l *linter) (value string, at netconf.Place)
}

func said(name string, of func(h *hostinfo.Host) hostinfo.Said[string]) trait {
	return trait{"H26", name, func(l *linter) (string, netconf.Place) {
		s := of(l.h)
		return s.Value, s.At
	}}
}

// traits are those of the host as a whole and of its NICs.
func traits(all []*linter) (list []trait) {
	list = append(list, said("Linux", func(h *hostinfo.Host) hostinfo.Said[string] { return h.Kernel }),
		said("the GPU driver", func(h *hostinfo.Host) hostinfo.Said[string] { return h.Driver }),
		trait{"H26", "the number of NICs", func(l *linter) (string, netconf.Place) {
			if len(l.nics) == 0 || len(l.nics[0].GIDs) == 0 {
				return "", netconf.Place{}
			}
			return fmt.Sprint(len(l.nics)), l.nics[0].GIDs[0].At
		}},
		trait{"H26", "the number of GPUs", func(l *linter) (string, netconf.Place) {
			g := l.h.GPUAddresses()
			if len(g) == 0 || l.h.Device(g[0]) == nil {
				return "", netconf.Place{}
			}
			return fmt.Sprint(len(g)), l.h.Device(g[0]).At
		}},
		trait{"H26", "the MTU of NICs", nicTrait(func(n *nic) (string, netconf.Place) {
			if n.net == nil {
				return "", netconf.Place{}
			}
			return fmt.Sprint(n.net.MTU.Value), n.net.MTU.At
		})},
		trait{"H26", "PFC of NICs", nicTrait(func(n *nic) (string, netconf.Place) {
			if n.net == nil {
				return "", netconf.Place{}
			}
			return priorities(n.net.PFC.Value), n.net.PFC.At
		})},
		trait{"H19", "firmware of NICs", nicTrait(func(n *nic) (string, netconf.Place) {
			return n.Firmware.Value,
				n.Firmware.At
		})})
	names := map[string]bool{}
	for _, l := range all {
		for name := range l.h.NCCL {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, trait{"H26", name, func(l *linter) (string, netconf.Place) {
			s := l.h.NCCL[name]
			if !s.Known() && l.h.Complete(hostinfo.Environ) {
				return "nothing", l.h.AtOf(hostinfo.Environ)
			}
			return s.Value, s.At
		}})
	}
	return list
}

// priorities names those that are on.
func priorities(on [8]bool) string {
	var names []string
	for k, x := range on {
		if x {
			names = append(names, fmt.Sprint(k))
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, " ")
}

// nicTrait is one that all NICs of a host have alike; those that differ among themselves have none here.
func nicTrait(of func(n *nic) (string, netconf.Place)) func(l *linter) (string, netconf.Place) {
	return func(l *linter) (value string, at netconf.Place) {
		for _, n := range l.nics {
			v, here := of(n)
			switch {
			case here.Line == 0 || v == "":
				return "", netconf.Place{}
			case at.Line == 0:
				value, at = v, here
			case v != value:
				return "", netconf.Place{}
			}
		}
		return value, at
	}
}

// leastHosts is of how many hosts a majority is one.
const leastHosts = 3

// drift checks H26, and H19 among hosts: a host that differs from what more than half of them have.
func drift(all []*linter) {
	for _, t := range traits(all) {
		count, n := map[string]int{}, 0
		for _, l := range all {
			if v, at := t.of(l); at.Line > 0 {
				count[v]++
				n++
			}
		}
		if n < leastHosts {
			continue
		}
		for most, c := range count { // more than half: one at most
			if 2*c <= n {
				continue
			}
			for _, l := range all {
				if v, at := t.of(l); at.Line > 0 && v != most {
					l.add(t.rule, lint.Warning, "", fmt.Sprintf("%s: %s, %d of %d hosts have %s", t.name, v, c, n, most), at)
				}
			}
		}
	}
}

// addresses checks H27: of the NICs that count.
func addresses(all []*linter) {
	type owner struct {
		l *linter
		n *nic
	}
	of := map[netip.Addr]owner{}
	for _, l := range all {
		for _, n := range l.nics {
			if n.net == nil {
				continue
			}
			for _, a := range n.net.Addresses {
				ip := a.Value.Addr()
				if ip.IsLinkLocalUnicast() || ip.IsLoopback() {
					continue
				}
				if first, twice := of[ip]; twice && (first.l != l || first.n.net != n.net) {
					l.add("H27", lint.Error, n.String(), fmt.Sprintf("%s: %v is of %s of %s too", n, ip, first.n,
						first.l.h.Name), a.At)
				} else {
					of[ip] = owner{l, n}
				}
			}
		}
	}
}

// rails checks H15 without a design: a leaf that hears NICs of one number, of more than half of its hosts, hears no other.
func rails(all []*linter) {
	type end struct {
		l *linter
		n *nic
	}
	heard := map[string]map[int][]end{} // by leaf and number
	for _, l := range all {
		for i, n := range l.nics {
			if leaf, _ := l.leafOf(n); leaf != "" {
				if heard[leaf] == nil {
					heard[leaf] = map[int][]end{}
				}
				heard[leaf][i] = append(heard[leaf][i], end{l, n})
			}
		}
	}
	for _, leaf := range slices.Sorted(maps.Keys(heard)) {
		total, most := 0, -1
		for i, ends := range heard[leaf] { // order does not matter: more than half is one
			total += len(ends)
			if most < 0 || len(ends) > len(heard[leaf][most]) || len(ends) == len(heard[leaf][most]) && i < most {
				most = i
			}
		}
		if total < leastHosts || 2*len(heard[leaf][most]) <= total {
			continue
		}
		for _, i := range slices.Sorted(maps.Keys(heard[leaf])) {
			if i == most {
				continue
			}
			for _, e := range heard[leaf][i] {
				e.l.add("H15", lint.Error, e.n.String(), fmt.Sprintf("%s is NIC %d and on %s, where %d of %d hosts "+
					"have NIC %d", e.n, i+1, leaf,
					len(heard[leaf][most]), total, most+1), e.l.h.HeardAt)
			}
		}
	}
}

// leafOf is the switch that a NIC hears, and its port.
func (l *linter) leafOf(n *nic) (system string, ports []string) {
	k := heardBy(l.h, n)
	if k < 0 {
		return "", nil
	}
	x := &l.h.Heard[k]
	name, _, _ := strings.Cut(x.System, ".")
	return name, []string{x.FarPort, x.FarPortSay}
}

// heardBy is which of a host's neighbours a NIC hears; -1: none.
func heardBy(h *hostinfo.Host, n *nic) int {
	for k := range h.Heard {
		if x := &h.Heard[k]; n.net != nil && x.Port == n.net.Name && x.System != "" {
			return k
		}
	}
	return -1
}

// missing checks H28 and, of each host, H15 against a design.
func missing(all []*linter, design *Design) {
	here := map[string]bool{}
	for _, l := range all {
		here[l.h.Name] = true
		meant := design.Hosts[l.h.Name]
		if meant == nil {
			l.add("H28", lint.Warning, "", "no host of the design has this name: cables and addresses were compared with nothing")
			continue
		}
		if len(meant.NICs) != len(l.nics) {
			l.add("H28", lint.Warning, "", fmt.Sprintf("%d NICs, the design has %d: cables and addresses were "+
				"compared with nothing", len(l.nics), len(meant.NICs)))
			continue
		}
		for i, n := range l.nics {
			if leaf, _ := l.leafOf(n); leaf != "" && leaf != meant.NICs[i].Leaf {
				l.add("H15", lint.Error, n.String(), fmt.Sprintf("%s is on %s, the design has it on %s", n, leaf,
					meant.NICs[i].Leaf), l.h.HeardAt)
			}
		}
	}
	var gone []string
	for name := range design.Hosts {
		if !here[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 && len(all) > 0 {
		slices.Sort(gone)
		all[0].add("H28", lint.Warning, "", fmt.Sprintf("not here: %s, of the design", lint.Some(gone)))
	}
}
