package hostinfo

import (
	"net/netip"
	"strings"

	"railyard/internal/base/lazy"
)

// gidForm is an entry as ibv_devinfo prints it: GID[  3]:  ::ffff:10.0.0.1, RoCE v2
var gidForm = lazy.Regexp(`^GID\[\s*([0-9]{1,5})\]:\s+([0-9a-fA-F:.]{2,45})(?:, (RoCE v[12]|IB/RoCE v1|IB))?$`)

// devinfo reads ibv_devinfo, with -v or without.
func (r *reader) devinfo(lines []line) {
	var dev, port *RDMA
	for _, l := range lines {
		at, t := r.at(l), strings.TrimSpace(l.text)
		key, value, ok := pair(t)
		first, _, _ := strings.Cut(value, " ")
		switch {
		case key == "hca_id":
			if dev, port = nil, nil; word(value) {
				dev = r.h.rdmaAt(value)
				port = dev
			}
			r.count(dev != nil, l)
		case dev == nil:
			r.unread(l)
		case strings.HasPrefix(t, "GID["):
			m := gidForm().FindStringSubmatch(t)
			if m == nil {
				r.unread(l)
				continue
			}
			index, _ := number(m[1], 10, 0, 99999)
			a, err := netip.ParseAddr(m[2])
			if err == nil && !a.IsUnspecified() {
				g := port.gid(index, at)
				g.Address = a
				if kind := gidType(m[3]); kind != "" {
					g.Type = kind
				}
			}
			r.count(err == nil, l)
		case !ok:
			r.other()
		case key == "port":
			n, fine := number(value, 10, 1, 255)
			if fine && n > 1 {
				port = r.h.rdmaAt(dev.Name + "/" + value)
			} else if fine {
				port = dev
			}
			r.count(fine, l)
		case key == "fw_ver":
			say(&dev.Firmware, value, at)
			r.count(word(value), l)
		case key == "state":
			say(&port.State, strings.TrimPrefix(first, "PORT_"), at)
			r.count(strings.HasPrefix(first, "PORT_"), l)
		case key == "max_mtu", key == "active_mtu":
			n, fine := number(first, 10, 256, 16384)
			switch {
			case fine && key == "max_mtu":
				say(&port.MaxMTU, n, at)
			case fine:
				say(&port.MTU, n, at)
			}
			r.count(fine, l)
		case key == "link_layer":
			if word(value) {
				say(&port.Layer, value, at)
			}
			r.count(word(value), l)
		default:
			r.other()
		}
	}
}

// rdmaLink reads rdma link: link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0
func (r *reader) rdmaLink(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		dev := r.portNamed(words)
		if dev == nil {
			if l.text[0] == ' ' || l.text[0] == '\t' { // with -d: what follows of a port
				r.other()
			} else {
				r.unread(l)
			}
			continue
		}
		if state := field(words, "state"); state != "" {
			say(&dev.State, state, r.at(l))
		}
		if net := field(words, "netdev"); word(net) {
			say(&dev.Netdev, net, r.at(l))
		}
		r.took()
	}
}

// portNamed is the port of "link mlx5_0/1 ..."; nil: it is none.
func (r *reader) portNamed(words []string) *RDMA {
	if len(words) < 2 || words[0] != "link" {
		return nil
	}
	name, port, ok := strings.Cut(words[1], "/")
	if n, fine := number(port, 10, 1, 255); !ok || !fine || !word(name) {
		return nil
	} else if n > 1 {
		name += "/" + port
	}
	return r.h.rdmaAt(name)
}

// rdmaStat reads rdma statistic: link mlx5_0/1 rx_write_requests 0 ...
func (r *reader) rdmaStat(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		dev := r.portNamed(words)
		if dev == nil || len(words)%2 != 0 {
			r.unread(l)
			continue
		}
		ok := true
		for k := 2; k+1 < len(words); k += 2 {
			n, fine := count64(words[k+1])
			if ok = ok && fine; fine && word(words[k]) {
				sayIn(dev.Counters, words[k], n, r.at(l))
			}
		}
		r.count(ok, l)
	}
}

// showGids reads MLNX_OFED's show_gids: DEV PORT INDEX GID IPv4 VER DEV
func (r *reader) showGids(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		if words[0] == "DEV" || strings.HasPrefix(words[0], "---") || strings.HasPrefix(words[0], "n_gids_found") {
			r.other()
			continue
		}
		if len(words) < 6 || len(words) > 7 || !word(words[0]) {
			r.unread(l)
			continue
		}
		port, fine := number(words[1], 10, 1, 255)
		index, is := number(words[2], 10, 0, 65535)
		a, err := netip.ParseAddr(words[3])
		kind := gidType(words[len(words)-2])
		if !fine || !is || err != nil || kind == "" {
			r.unread(l)
			continue
		}
		name := words[0]
		if port > 1 {
			name += "/" + words[1]
		}
		dev := r.h.rdmaAt(name)
		g := dev.gid(index, r.at(l))
		g.Address, g.Type = a, kind
		say(&dev.Netdev, words[len(words)-1], r.at(l))
		r.took()
	}
}

// dev2net reads MLNX_OFED's ibdev2netdev: mlx5_0 port 1 ==> eth0 (Up)
func (r *reader) dev2net(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		for k, w := range words { // with -v there is more between
			if w == "port" && k > 0 && k+3 < len(words) && words[k+2] == "==>" && word(words[0]) && word(words[k+3]) {
				name := words[0]
				if strings.HasPrefix(name, "0000:") && k > 1 {
					name = words[1]
				}
				if words[k+1] != "1" {
					name += "/" + words[k+1]
				}
				say(&r.h.rdmaAt(name).Netdev, words[k+3], r.at(l))
				words = nil
				break
			}
		}
		r.count(words == nil, l)
	}
}
