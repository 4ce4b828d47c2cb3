package sonic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/unit"
)

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	file   string
	tables map[string]*node // the last one of a name counts, as in Redis
	ports  map[string]int   // index of an interface, by SONiC's name
	named  map[string]int   // the same, by its name in the model
}

// known are the tables and their fields.
var known = map[string][]string{
	"DEVICE_METADATA":           {"hostname", "docker_routing_config_mode"},
	vlans:                       {"vlanid"},
	members:                     {"tagging_mode"},
	loopbacks:                   {},
	svis:                        {},
	addressed:                   {},
	mclag:                       {"source_ip", "peer_ip", "peer_link"},
	"PORT":                      {"alias", "description", "mtu", "lanes", "index", "admin_status"},
	"CABLE_LENGTH":              nil, // fields are ports
	"DSCP_TO_TC_MAP":            nil,
	"TC_TO_QUEUE_MAP":           nil,
	"TC_TO_PRIORITY_GROUP_MAP":  nil,
	"MAP_PFC_PRIORITY_TO_QUEUE": nil,
	"PORT_QOS_MAP": {"dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map", "pfc_enable",
		"pfcwd_sw_enable"},
	"SCHEDULER": {"type", "weight"},
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
	r := &reader{tables: map[string]*node{}, ports: map[string]int{}, named: map[string]int{}}
	r.Device, r.Places = &netconf.Device{}, map[string]netconf.Place{}
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
		for _, t := range all.below {
			r.tables[t.key] = t
			r.look(t)
		}
	}
	r.interfaces()
	r.qos()
	r.routed()
	r.peer()
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
		r.wrong(n, "%s: not understood", located.Shown(what))
		r.Problems[len(r.Problems)-1].Warning = true
	}
	names, ok := known[t.key]
	if !ok || t.plain {
		unknown(t, t.key)
		return
	}
	if t.key == "PORT_QOS_MAP" { // the switch's own map beside those of ports is in no model
		t.below = slices.DeleteFunc(t.below, func(o *node) bool {
			if o.key == "global" {
				unknown(o, t.key+" "+o.key)
			}
			return o.key == "global"
		})
	}
	for _, o := range t.below {
		for _, f := range o.below {
			if f.key == "admin_status" && f.text != "up" {
				unknown(f, t.key+" "+o.key+" "+f.key+" "+f.text)
			}
			if names != nil && !slices.Contains(names, f.key) || !f.plain {
				unknown(f, t.key+" "+o.key+" "+f.key)
			}
		}
	}
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
	bare := strings.TrimSuffix(strings.TrimPrefix(reference, "["+name+"|"), "]")
	var found *node
	r.objects(name, func(o *node) {
		if o.key == bare {
			found = o
		}
	})
	if found == nil {
		r.wrong(from, "no %s %s", name, located.Shown(bare))
	}
	return found
}

// whole reads a text as a number.
func (r *reader) whole(n *node, text string, least, most int64) (int64, bool) {
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
			if mode := o.field("docker_routing_config_mode"); d.BGP != nil && mode != keptBy {
				r.wrong(o, "docker_routing_config_mode %s: FRR's file is not kept, want %s", located.Shown(mode), keptBy)
			}
		}
	})
	r.objects("PORT", func(o *node) {
		i := r.port(o, o.key, o.field("alias"))
		if i == nil {
			return
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
				r.port(o, p, "")
			}
		})
	}
}

// port returns the interface that SONiC calls so; nil: it is no port.
func (r *reader) port(o *node, name, alias string) *netconf.Interface {
	if at, there := r.ports[name]; there {
		return &r.Device.Interfaces[at]
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(name, "Ethernet"), 10, 15)
	if err != nil || !strings.HasPrefix(name, "Ethernet") {
		r.wrong(o, "%s: want a port such as Ethernet0", located.Shown(name))
		return nil
	}
	neutral := alias
	_, taken := r.named[alias]
	if _, _, ok := netconf.SplitPort(alias); !ok || taken {
		neutral = netconf.JoinPort(int(number)+1, 0)
	}
	if _, taken := r.named[neutral]; taken {
		r.wrong(o, "%s: a second port %s", located.Shown(name), neutral)
		return nil
	}
	r.ports[name], r.named[neutral] = len(r.Device.Interfaces), len(r.Device.Interfaces)
	r.Device.Interfaces = append(r.Device.Interfaces, netconf.Interface{Name: neutral})
	r.say(o, "interface %s", neutral)
	return &r.Device.Interfaces[len(r.Device.Interfaces)-1]
}
