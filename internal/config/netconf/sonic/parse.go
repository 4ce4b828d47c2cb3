package sonic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	file   string
	tables map[string]*node // the last one of a name counts, as in Redis
	ports  map[string]int   // index of an interface, by SONiC's name
	named  map[string]int   // the same, by its name in the model
	// Of DEVICE_METADATA, and maps that put a class that pauses where nothing does: each is reported once.
	metadataOf *node
	misplaced  map[*node]bool
	uses       map[string]bool // TABLE|NAME that a field names
}

// known are the tables and their fields.
var known = map[string][]string{
	"DEVICE_METADATA": {"hostname", "docker_routing_config_mode", "bgp_asn", "default_pfcwd_status"},
	vlans:             {"vlanid"},
	members:           {"tagging_mode"},
	loopbacks:         {},
	svis:              {},
	addressed:         {},
	mclag:             {"source_ip", "peer_ip", "peer_link"},
	"PORT": {"alias", "description", "mtu", "lanes", "index", "admin_status", "speed",
		"fec", "autoneg"},
	"PORTCHANNEL": nil,
	channels:      nil,
	channelled:    nil,
	speakers: {"asn", "name", "local_addr", "holdtime", "keepalive", "nhopself", "rrclient",
		"admin_status"},
	"BGP_PEER_RANGE":            nil,
	"DEVICE_NEIGHBOR":           {"name", "port"},
	"STATIC_ROUTE":              nil,
	"CABLE_LENGTH":              nil, // fields are ports
	"DSCP_TO_TC_MAP":            nil,
	"TC_TO_QUEUE_MAP":           nil,
	"TC_TO_PRIORITY_GROUP_MAP":  nil,
	"MAP_PFC_PRIORITY_TO_QUEUE": nil,
	"PORT_QOS_MAP": {"dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map", "pfc_enable",
		"pfcwd_sw_enable", "pfc_to_pg_map"},
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": nil,
	"SCHEDULER":                          {"type", "weight"},
	"WRED_PROFILE": {"ecn", "wred_green_enable", "wred_yellow_enable", "wred_red_enable",
		"green_min_threshold", "green_max_threshold", "green_drop_probability",
		"yellow_min_threshold", "yellow_max_threshold", "yellow_drop_probability",
		"red_min_threshold", "red_max_threshold", "red_drop_probability"},
	"QUEUE":          {"scheduler", "wred_profile"},
	"BUFFER_POOL":    {"type", "mode", "size", "xoff"},
	"BUFFER_PROFILE": {"pool", "size", "xon", "xoff", "xon_offset", "dynamic_th", "static_th"},
	"BUFFER_PG":      {"profile"},
	"PFC_WD":         {"POLL_INTERVAL", "action", "detection_time", "restoration_time"},
}

// Parse reads the files of a device.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{tables: map[string]*node{}, ports: map[string]int{}, named: map[string]int{}, misplaced: map[*node]bool{},
		uses: map[string]bool{}}
	r.Device, r.Places, r.Names = &netconf.Device{}, map[string]netconf.Place{}, map[string]string{}
	r.Defaults = defaults
	for _, f := range files {
		if isBGP(f) {
			r.bgp(f)
			continue
		}
		r.file = f.Name
		all, wrong := read(f.Name, f.Text)
		if wrong != nil {
			r.Problems = append(r.Problems, *wrong)
			continue
		}
		for _, t := range tablesOf(all) {
			r.tables[t.key] = t
			r.gather(t)
			r.look(t)
		}
	}
	r.interfaces()
	r.qos()
	r.routed()
	r.sessions()
	r.peer()
	r.loose()
	r.Device.Intern()
	r.Device.Sort()
	r.Problems = r.Problems.Sorted()
	return &r.Parsed
}

func (r *reader) wrong(n *node, format string, args ...any) {
	r.Problems = append(r.Problems, located.Problem{File: r.file, Line: n.line, Column: 1, Width: 1,
		Message: fmt.Sprintf(format, args...)})
}

func (r *reader) say(n *node, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: r.file, Line: n.line}
}

// look reports tables and fields that are not understood.
func (r *reader) look(t *node) {
	unknown := func(n *node, what string) {
		r.NotUnderstood(netconf.Unread{Place: netconf.Place{File: r.file, Line: n.line}, Column: 1, Text: located.Cut(what)})
	}
	names, ok := known[t.key]
	switch {
	case ofNoMatter[t.key]:
		r.Lines.Known += 1 + t.count()
		return
	case !ok || t.plain:
		unknown(t, t.key)
		for _, o := range t.below {
			r.below(t.key, o)
		}
		return
	}
	r.Lines.Understood++
	if t.key == "PORT_QOS_MAP" { // the switch's own map beside those of ports is in no model
		t.below = slices.DeleteFunc(t.below, func(o *node) bool {
			if o.key == "global" {
				r.Lines.Known += 1 + o.count()
			}
			return o.key == "global"
		})
	}
	for _, o := range t.below {
		r.Lines.Understood++
		for _, f := range o.below {
			switch {
			case f.key == "NULL" || slices.Contains(fieldsOfNoMatter[t.key], f.key): // NULL is how Redis has an object without fields
				r.Lines.Known += 1 + f.count()
			case t.key == "BGP_PEER_RANGE" && f.isList():
				r.Lines.Understood++
			case names != nil && !slices.Contains(names, f.key) || !f.plain:
				u := netconf.Unread{Place: netconf.Place{File: r.file, Line: f.line}, Column: 1,
					Text: located.Cut(t.key + " " + f.key)}
				u.Port = r.portOf(o.key)
				r.NotUnderstood(u)
			default:
				r.Lines.Understood++
			}
		}
	}
}

// portOf is the neutral name of the port that an object is of; "": it is of none, or of several.
func (r *reader) portOf(key string) string {
	name, _, _ := strings.Cut(key, "|")
	number, err := strconv.ParseUint(strings.TrimPrefix(name, "Ethernet"), 10, 15)
	if err != nil || !strings.HasPrefix(name, "Ethernet") {
		return ""
	}
	if t := r.tables["PORT"]; t != nil {
		for _, o := range t.below {
			if _, _, ok := netconf.SplitPort(o.field("alias")); ok && o.key == name {
				return o.field("alias")
			}
		}
	}
	return netconf.JoinPort(int(number)+1, 0)
}

// below notes what a table that is not understood has in it.
func (r *reader) below(table string, o *node) {
	r.NotUnderstood(netconf.Unread{Place: netconf.Place{File: r.file, Line: o.line}, Column: 1,
		Text: located.Cut(table + " " + o.key)})
}

// isList reports whether a node is a list of texts.
func (n *node) isList() bool {
	return !n.plain && !slices.ContainsFunc(n.below, func(b *node) bool { return b.key != "" || !b.plain })
}

// count is how many values are below one.
func (n *node) count() (all int) {
	for _, b := range n.below {
		all += 1 + b.count()
	}
	return all
}

// objects visits a table's objects.
func (r *reader) objects(name string, visit func(o *node)) {
	if t := r.tables[name]; t != nil && !t.plain {
		for _, o := range t.below {
			visit(o)
		}
	}
}

// find returns an object by a reference, NAME or [TABLE|NAME]; nil: there is none.
func (r *reader) find(from *node, name, reference string) *node {
	if reference == "" {
		r.lacking(from, "%s: no %s is named", located.Shown(from.key), name)
		return nil
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(reference, "["+name+"|"), "]")
	var found *node
	r.objects(name, func(o *node) {
		if o.key == bare {
			found = o
		}
	})
	if found == nil {
		r.NoSuch(netconf.AboutQoS, r.tables[name] != nil, netconf.Place{File: r.file, Line: from.line}, "no %s %s", name,
			located.Shown(bare))
	}
	return found
}

// lacking reports what an object does not say.
func (r *reader) lacking(n *node, format string, args ...any) {
	r.Missing(netconf.AboutQoS, netconf.Place{File: r.file, Line: n.line}, "", format, args...)
}

// whole reads a text as a number.
func (r *reader) whole(n *node, text string, least, most int64) (int64, bool) {
	if text == "" {
		r.lacking(n, "%s: no number where one is wanted", located.Shown(n.key))
		return 0, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < least || v > most {
		r.wrong(n, "%s: %s: want a number from %d to %d", located.Shown(n.key), located.Shown(text), least, most)
		return 0, false
	}
	return v, true
}

// amount reads a field that counts bytes; 0 where it is absent or wrong.
func (r *reader) amount(o *node, name string) unit.Bytes {
	text := o.field(name)
	if text == "" {
		return 0
	}
	v, _ := r.whole(o, text, 0, 1<<40)
	return unit.Bytes(v)
}

// interfaces reads ports, those that only other tables name as well.
func (r *reader) interfaces() {
	d := r.Device
	r.objects("DEVICE_METADATA", func(o *node) {
		if o.key == "localhost" {
			d.Name = o.field("hostname")
			r.say(o, "hostname")
			r.metadataOf = o
			if mode := o.field("docker_routing_config_mode"); d.BGP != nil && mode != keptBy {
				r.wrong(o, "docker_routing_config_mode %s: FRR's file is not kept, want %s", located.Shown(mode),
					keptBy)
			}
		}
	})
	r.objects("PORT", func(o *node) {
		i := r.port(o, o.key, o.field("alias"))
		if i == nil {
			return
		}
		i.Down = o.field("admin_status") == "down"
		if v, ok := r.whole(o, cmp.Or(o.field("speed"), "0"), 0, 3_200_000); ok {
			i.Speed = unit.Bitrate(v) * unit.MegabitPerSec
		}
		i.Description = strings.Join(strings.Fields(o.field("description")), " ")
		if text := o.field("mtu"); text != "" {
			if v, ok := r.whole(o, text, leastMTU, 9216); ok {
				i.MTU = netconf.FrameOf(unit.Bytes(v))
				r.say(o, "interface %s mtu", i.Name)
			}
		}
	})
	for _, name := range []string{"PORT_QOS_MAP", "QUEUE", "BUFFER_PG"} {
		r.objects(name, func(o *node) {
			ports, _, _ := strings.Cut(o.key, "|")
			for p := range strings.SplitSeq(ports, ",") {
				if strings.HasPrefix(p, "Ethernet") || r.tables["PORT"] == nil {
					r.port(o, p, "")
				}
			}
		})
	}
	r.objects("DEVICE_NEIGHBOR", func(o *node) {
		if at, there := r.ports[o.key]; there && d.Interfaces[at].Description == "" && o.field("name") != "" {
			d.Interfaces[at].Description = strings.TrimSpace("to " + o.field("name") + " " + o.field("port"))
		}
	})
}

// inner reports whether a port is between the chips of one device, or that of its processor.
func inner(name string) bool {
	rest, ok := strings.CutPrefix(name, "Ethernet-")
	return ok && slices.ContainsFunc([]string{"BP", "IB", "Rec"}, func(kind string) bool { return strings.HasPrefix(rest, kind) })
}

// port returns the interface that SONiC calls so; nil: it is no port.
func (r *reader) port(o *node, name, alias string) *netconf.Interface {
	if at, there := r.ports[name]; there {
		return &r.Device.Interfaces[at]
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(name, "Ethernet"), 10, 15)
	if inner(name) {
		return nil
	}
	if err != nil || !strings.HasPrefix(name, "Ethernet") {
		r.wrong(o, "%s: want a port such as Ethernet0", located.Shown(name))
		return nil
	}
	neutral := alias
	_, taken := r.named[alias]
	if _, _, ok := netconf.SplitPort(alias); !ok || taken {
		neutral = netconf.JoinPort(int(number)+1, 0)
		switch {
		case taken:
			r.wrong(o, "%s: alias %s is that of %s too; it is called %s here", name, alias, r.Names[alias], neutral)
		case strings.HasPrefix(alias, "Ethernet1/"): // another is a maker's label: etp1, Ethernet2/1
			r.wrong(o, "%s: alias %s: want one such as %s or %s/1; it is called %s here", name, located.Shown(alias),
				neutral, neutral, neutral)
		}
	}
	if _, taken := r.named[neutral]; taken {
		r.wrong(o, "%s: a second port %s", located.Shown(name), neutral)
		return nil
	}
	r.ports[name], r.named[neutral] = len(r.Device.Interfaces), len(r.Device.Interfaces)
	if neutral != name {
		r.Names[neutral] = name
	}
	r.Device.Interfaces = append(r.Device.Interfaces, netconf.Interface{Name: neutral})
	r.say(o, "interface %s", neutral)
	return &r.Device.Interfaces[len(r.Device.Interfaces)-1]
}
