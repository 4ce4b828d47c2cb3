package view

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
)

// InventoryText prints names and addresses.
func InventoryText(s *sheet.Sheet, p *plan.Plan, _ *plan.Job) error {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return err
	}
	s.Wrap("", "Names and addresses: no packet of a run depends on them. "+sessionsText(p))
	mtu := in.Options.MTU
	s.Wrap("", fmt.Sprintf("Largest frame %d B, IP packet %d B.", mtu, inventory.IPMTU(mtu)))
	notConfigured(s, p)
	title := func(text string, rows [][]string, align string) {
		if len(rows) > 1 {
			s.Title(text)
			s.Grid(align, rows)
		}
	}
	title("switches", switchRows(in), "llrlw")
	if in.Overlay() {
		title("rails: a VXLAN (its VNI) and a subnet on all switches, each of them its gateway", overlayRows(in), "rrrllw")
	} else {
		title("rails: a VLAN and a subnet on each switch", railRows(in), "lrrllw")
	}
	title("switches that share NICs: the same subnets and gateways", peerRows(in), "lw")
	title("pairs of them (MLAG): links between the two carry all VLANs, the NICs' are port channels on both", pairRows(in), "lrrlllw")
	title("links between switches, or between NICs", linkRows(in), "lllllw")
	title("groups of equal next hops", groupRows(in, p.Routes), "lrrw")
	title("NICs", nicRows(in), "llllw")
	return nil
}

// sessionsText says what switches speak, and what that does to faults.
func sessionsText(p *plan.Plan) string {
	r := &p.Scenario.Fabric.Routing
	if !r.Speaks() {
		return "Switches have no sessions."
	}
	watch := fmt.Sprintf("hold time %v", r.Hold)
	if r.BFD {
		watch = fmt.Sprintf("BFD %d x %v", r.BFDMultiplier, r.BFDInterval)
	}
	text := fmt.Sprintf("Switches speak %s with %s: after a failure all have other routes in %v, unless a fault says "+
		"otherwise.", r.Protocol, watch, r.Convergence())
	return text
}

// notConfigured says what no configuration has.
func notConfigured(s *sheet.Sheet, p *plan.Plan) {
	for i, text := range configs.NotConfigured(p) {
		if i == 0 {
			s.Wrap("", "Not configured:")
		}
		s.Hang("  - ", "    ", text)
	}
}

// cell prints an address of one family, "-" if there is none.
func cell(p netip.Prefix) string {
	if !p.IsValid() {
		return "-"
	}
	return p.String()
}

// bare prints an address without the length of its subnet.
func bare(p netip.Prefix) string {
	if !p.IsValid() {
		return "-"
	}
	return p.Addr().String()
}

// below adds a row of IPv6 addresses to one of IPv4 addresses, if there are any.
func below(rows [][]string, ipv6 bool, row ...string) [][]string {
	if !ipv6 {
		return rows
	}
	return append(rows, row)
}

func switchRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"switch", "role", "AS", "loopback", "block of its rails"}}
	for i := range in.Devices {
		d, n := &in.Devices[i], &in.Graph.Nodes[i]
		if n.Kind == topo.HostKind {
			continue
		}
		as := "-"
		if d.AS != 0 {
			as = strconv.FormatUint(uint64(d.AS), 10)
		}
		rows = append(rows, []string{d.Name, n.Kind.String(), as, bare(d.Loopback.V4), cell(d.Block.V4)})
		rows = below(rows, in.Options.IPv6, "", "", "", bare(d.Loopback.V6), cell(d.Block.V6))
	}
	return rows
}

func railRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"switch", "rail", "VLAN", "subnet", "gateway", "ports"}}
	for i := range in.Devices {
		d := &in.Devices[i]
		for _, r := range d.Rails {
			rows = append(rows, []string{d.Name, strconv.Itoa(r.Rail + 1), strconv.Itoa(r.VLAN), cell(r.Subnet.V4),
				bare(r.Gateway.V4), portsText(in, r.Ports)})
			rows = below(rows, in.Options.IPv6, "", "", "", cell(r.Subnet.V6), bare(r.Gateway.V6))
		}
	}
	return rows
}

// overlayRows lists the rails of each overlay once, with the ports of every switch in it.
func overlayRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"rail", "VLAN", "VNI", "subnet", "gateway", "ports"}}
	at := map[netip.Prefix]int{} // by subnet
	for i := range in.Devices {
		for _, r := range in.Devices[i].Rails {
			ports := in.Devices[i].Name + " " + portsText(in, r.Ports)
			if k, known := at[r.Subnet.V4]; known {
				rows[k][5] += ", " + ports
				continue
			}
			at[r.Subnet.V4] = len(rows)
			rows = append(rows, []string{strconv.Itoa(r.Rail + 1), strconv.Itoa(r.VLAN), strconv.Itoa(r.VNI), cell(r.Subnet.V4),
				bare(r.Gateway.V4), ports})
			rows = below(rows, in.Options.IPv6, "", "", "", cell(r.Subnet.V6), bare(r.Gateway.V6), "")
		}
	}
	return rows
}

// portsText names ports of a switch, those that follow each other as a range.
func portsText(in *inventory.Inventory, ports []topo.PortID) string {
	var texts []string
	for i := 0; i < len(ports); {
		first, last := in.Ports[ports[i]].Name, i
		for last+1 < len(ports) && in.Ports[ports[last+1]].Name == (inventory.PortName{
			Number: first.Number + last + 1 - i, NIC: -1,
		}) {
			last++
		}
		text := first.String()
		if last > i {
			text += "-" + strconv.Itoa(first.Number+last-i)
		}
		texts, i = append(texts, text), last+1
	}
	return strings.Join(texts, " ")
}

// peerRows lists switches that NICs are bonded over.
func peerRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"switch", "shares its NICs with"}}
	for i := range in.Devices {
		var names []string
		for _, n := range in.Devices[i].Peers {
			names = append(names, in.Devices[n].Name)
		}
		if len(names) > 0 {
			rows = append(rows, []string{in.Devices[i].Name, strings.Join(names, " ")})
		}
	}
	return rows
}

// pairRows lists the ends of pairs, and how each hears the other.
func pairRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"switch", "domain", "VLAN", "address", "peer", "port channel", "of NICs"}}
	for i := range in.Devices {
		d := &in.Devices[i]
		p := d.Pair
		if p == nil {
			continue
		}
		first, last := 0, 0
		for _, port := range in.Graph.Nodes[i].Ports {
			if c := in.Ports[port].Channel; c != 0 && c != p.Channel {
				last = max(last, c)
				if first == 0 || c < first {
					first = c
				}
			}
		}
		rows = append(rows, []string{d.Name, strconv.Itoa(p.Domain), strconv.Itoa(p.VLAN), cell(p.Address.V4),
			in.Devices[p.Peer].Name, strconv.Itoa(p.Channel), fmt.Sprintf("%d-%d", first, last)})
		rows = below(rows, in.Options.IPv6, "", "", "", cell(p.Address.V6), "", "", "")
	}
	return rows
}

func linkRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"from", "port", "address", "to", "port", "address"}}
	g := in.Graph
	for l := range g.Links {
		a, b := topo.PortID(2*l), topo.PortID(2*l+1)
		if in.Ports[a].VLAN+in.Ports[b].VLAN != 0 { // a host's
			continue
		}
		if in.Ports[a].Channel != 0 {
			port := "port channel " + strconv.Itoa(in.Ports[a].Channel)
			rows = append(rows, []string{g.Nodes[g.Ports[a].Node].Name, in.Ports[a].Name.String(), port,
				g.Nodes[g.Ports[b].Node].Name, in.Ports[b].Name.String(), port})
			continue
		}
		from, to := in.Ports[a].Address, in.Ports[b].Address
		rows = append(rows, []string{g.Nodes[g.Ports[a].Node].Name, in.Ports[a].Name.String(), cell(from.V4),
			g.Nodes[g.Ports[b].Node].Name, in.Ports[b].Name.String(), cell(to.V4)})
		rows = below(rows, in.Options.IPv6, "", "", cell(from.V6), "", "", cell(to.V6))
	}
	return rows
}

func groupRows(in *inventory.Inventory, r *topo.Routes) [][]string {
	rows := [][]string{{"switch", "next hops", "switches with NICs", "ports"}}
	for i := range in.Devices {
		if in.Graph.Nodes[i].Kind == topo.HostKind {
			continue
		}
		for _, group := range in.Groups(r, topo.NodeID(i)) {
			rows = append(rows, []string{in.Devices[i].Name, strconv.Itoa(len(group.Ports)), strconv.Itoa(group.Switches),
				portsText(in, group.Ports)})
		}
	}
	return rows
}

func nicRows(in *inventory.Inventory) [][]string {
	rows := [][]string{{"NIC", "address", "gateway", "switch", "port"}}
	g := in.Graph
	for n := range g.NICs {
		ports, a := g.NICs[n].Ports, in.Ports[g.NICs[n].Port].Address
		gateway, _ := in.Gateway(topo.NICID(n))
		addresses := [][2]string{{cell(a.V4), bare(gateway.V4)}}
		if in.Options.IPv6 {
			addresses = append(addresses, [2]string{cell(a.V6), bare(gateway.V6)})
		}
		for i := range max(len(ports), len(addresses)) {
			row := make([]string, 5)
			if i == 0 {
				row[0] = g.NICName(topo.NICID(n))
			}
			if i < len(addresses) {
				row[1], row[2] = addresses[i][0], addresses[i][1]
			}
			if i < len(ports) {
				far := g.Peer(ports[i])
				row[3], row[4] = g.Nodes[g.Ports[far].Node].Name, in.Ports[far].Name.String()
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// An addressJSON is an address in both families; absent where there is none.
type addressJSON struct {
	V4 *netip.Prefix `json:"ipv4,omitempty"`
	V6 *netip.Prefix `json:"ipv6,omitempty"`
}

func addressData(a inventory.Address) (out addressJSON) {
	if a.V4.IsValid() {
		out.V4 = &a.V4
	}
	if a.V6.IsValid() {
		out.V6 = &a.V6
	}
	return out
}

type subnetJSON struct {
	Rail    int         `json:"rail"`
	VLAN    int         `json:"vlan"`
	VNI     int         `json:"vni,omitempty"`
	Subnet  addressJSON `json:"subnet"`
	Gateway addressJSON `json:"gateway"`
}

type hopsJSON struct {
	Ports    []string `json:"ports"`
	Switches int      `json:"switches_with_nics"`
}

type plugJSON struct {
	Port    string       `json:"port"`
	Address addressJSON  `json:"address"`
	VLAN    int          `json:"vlan,omitempty"`
	Channel int          `json:"port_channel,omitempty"`
	Rate    unit.Bitrate `json:"rate_bps"`
	Peer    string       `json:"peer"`
	At      string       `json:"peer_port"`
}

type peerJSON struct {
	Domain  int         `json:"domain"`
	Peer    string      `json:"peer"`
	Channel int         `json:"port_channel"`
	VLAN    int         `json:"vlan"`
	Address addressJSON `json:"address"`
}

type deviceJSON struct {
	Name     string       `json:"name"`
	Role     string       `json:"role"`
	Model    string       `json:"model,omitempty"`
	AS       uint32       `json:"as,omitempty"`
	Loopback addressJSON  `json:"loopback"`
	Block    addressJSON  `json:"block"`
	Peers    []string     `json:"shares_nics_with,omitempty"`
	Pair     *peerJSON    `json:"pair,omitempty"` // with the one of these that it has links to
	Rails    []subnetJSON `json:"rails,omitempty"`
	Away     []subnetJSON `json:"rails_without_nics,omitempty"` // that it is a gateway of too
	Groups   []hopsJSON   `json:"equal_next_hops,omitempty"`
	Ports    []plugJSON   `json:"ports"`
}

// InventoryData is names and addresses as data.
func InventoryData(p *plan.Plan, _ *plan.Job) (any, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	r := &in.Options.Routing
	out := struct {
		Protocol    inventory.Protocol `json:"protocol"`
		Detection   unit.Duration      `json:"detection_ps"`
		Convergence unit.Duration      `json:"convergence_ps"`
		MTU         unit.Bytes         `json:"largest_frame_bytes"`
		Without     []string           `json:"not_configured"`
		Devices     []deviceJSON       `json:"devices"`
	}{r.Protocol, r.Detection(), p.Scenario.Fabric.Routing.Convergence(), in.Options.MTU,
		append([]string{}, configs.NotConfigured(p)...), nil}
	for i := range in.Devices {
		out.Devices = append(out.Devices, deviceData(p, in, topo.NodeID(i)))
	}
	return out, nil
}

func subnetData(all []inventory.Rail) (out []subnetJSON) {
	for _, r := range all {
		out = append(out, subnetJSON{r.Rail + 1, r.VLAN, r.VNI, addressData(r.Subnet), addressData(r.Gateway)})
	}
	return out
}

func deviceData(p *plan.Plan, in *inventory.Inventory, at topo.NodeID) deviceJSON {
	g, d, n := in.Graph, &in.Devices[at], &in.Graph.Nodes[at]
	out := deviceJSON{Name: d.Name, Role: n.Kind.String(), Model: n.Model, AS: d.AS, Loopback: addressData(d.Loopback),
		Block: addressData(d.Block)}
	for _, n := range d.Peers {
		out.Peers = append(out.Peers, in.Devices[n].Name)
	}
	if q := d.Pair; q != nil {
		out.Pair = &peerJSON{q.Domain, in.Devices[q.Peer].Name, q.Channel, q.VLAN, addressData(q.Address)}
	}
	out.Rails, out.Away = subnetData(d.Rails), subnetData(d.Away)
	if n.Kind != topo.HostKind {
		for _, group := range in.Groups(p.Routes, at) {
			j := hopsJSON{Switches: group.Switches}
			for _, port := range group.Ports {
				j.Ports = append(j.Ports, in.Ports[port].Name.String())
			}
			out.Groups = append(out.Groups, j)
		}
	}
	for _, port := range n.Ports {
		far, here := g.Peer(port), &in.Ports[port]
		out.Ports = append(out.Ports, plugJSON{here.Name.String(), addressData(here.Address), here.VLAN, here.Channel, g.Ports[port].Rate,
			g.Nodes[g.Ports[far].Node].Name, in.Ports[far].Name.String()})
	}
	return out
}
