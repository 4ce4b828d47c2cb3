package sonic

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/net/inventory"
)

// Platform is what messages call it.
const Platform = "SONiC"

// Dialect is SONiC as package netconf takes it.
type Dialect struct{}

const fileName = "config_db.json"

// Fit cuts a device to what is rendered.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoDropThresholds(Platform)
	f.NoChannels(Platform)
	f.NoOverlay(Platform)
	f.NoSVIDetails(Platform)
	f.Peered(Platform, peered)
	f.MostPaths(Platform, frr.MostPaths)
	f.Shares(Platform)
	f.PFCOn(Platform)
	f.NoLLDP(Platform)
	f.NoBalance(Platform, func(*netconf.Balance) bool { return false })
	f.Buffers(Platform, "an alpha is a power of 2", func(b *netconf.Buffer) bool {
		_, ok := exponent(b.Alpha)
		return ok || b.XOFF > 0
	})
	q := f.Device.QoS
	if q == nil {
		return f.Device, f.Left
	}
	q.Pools = netconf.Pools{Size: q.Pools.Size, Headroom: q.Pools.Headroom}
	watched := false
	for i := range f.Device.Interfaces {
		if p := f.Device.Interfaces[i].QoS; p != nil {
			p.Watchdog = p.Watchdog && q.Watchdog.On
			watched = watched || p.Watchdog
		}
	}
	if !watched {
		q.Watchdog = netconf.Watchdog{}
	}
	f.WatchdogWithin(Platform, limits)
	f.Intern()
	return f.Device, f.Left
}

// limits are those of the command pfcwd: sonic-utilities, pfcwd/main.py.
var limits = netconf.WatchdogLimits{Step: unit.Millisecond, LeastPoll: 100 * unit.Millisecond,
	MostPoll:   unit.Second, // sonic-pfcwd.yang: POLL_INTERVAL
	MostDetect: 5 * unit.Second, MostRestore: 60 * unit.Second, Forwards: true}

// exponent is the n of 2^n.
func exponent(r unit.Ratio) (n int, ok bool) {
	if r.Num <= 0 || r.Den <= 0 || r.Num&(r.Num-1) != 0 || r.Den&(r.Den-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(uint64(r.Num)) - bits.TrailingZeros64(uint64(r.Den)), true
}

// power is 2^n.
func power(n int) unit.Ratio {
	if n < 0 {
		return unit.Ratio{Num: 1, Den: 1 << -n}
	}
	return unit.Ratio{Num: 1 << n, Den: 1}
}

// fields are an object's: names and values in turn.
type fields []string

// A table is objects in order.
type table struct {
	name    string
	keys    []string
	objects map[string]fields
}

// A writer collects tables.
type writer struct {
	netconf.Refusals
	d      *netconf.Device
	tables []*table
	mapped map[int]mapped // by profile
}

// set writes an object; the table and the object keep the order in which they first came.
func (w *writer) set(name, key string, values ...string) {
	i := slices.IndexFunc(w.tables, func(t *table) bool { return t.name == name })
	if i < 0 {
		i = len(w.tables)
		w.tables = append(w.tables, &table{name: name, objects: map[string]fields{}})
	}
	t := w.tables[i]
	if _, known := t.objects[key]; !known {
		t.keys = append(t.keys, key)
	}
	t.objects[key] = append(t.objects[key], values...)
}

// named returns the name of an object that has these fields: a new one, or the one of an equal object.
func (w *writer) named(name, base string, values ...string) string {
	for _, t := range w.tables {
		if t.name != name {
			continue
		}
		for _, k := range t.keys {
			if slices.Equal(t.objects[k], values) {
				return k
			}
		}
		base = fmt.Sprintf("%s_%d", base, len(t.keys)+1)
	}
	w.set(name, base, values...)
	return base
}

// text writes the tables as JSON.
func (w *writer) text() []byte {
	b := []byte("{\n")
	for i, t := range w.tables {
		b = append(quoted(append(b, ' '), t.name), ": {\n"...)
		for k, key := range t.keys {
			b = append(quoted(append(b, "  "...), key), ": {"...)
			values := t.objects[key]
			for n := 0; n < len(values); n += 2 {
				if n > 0 {
					b = append(b, ", "...)
				}
				b = quoted(append(quoted(b, values[n]), ": "...), values[n+1])
			}
			b = append(append(b, '}'), comma(k+1 < len(t.keys))...)
		}
		b = append(append(b, " }"...), comma(i+1 < len(w.tables))...)
	}
	return append(b, "}\n"...)
}

// quoted adds a text as JSON has it. Nearly all are plain.
func quoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			text, _ := json.Marshal(s) //nolint:errcheck // a string always can
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func comma(more bool) string {
	if more {
		return ",\n"
	}
	return "\n"
}

// Render writes a device.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	w := &writer{Refusals: netconf.Refusals{Platform: Platform}, d: d}
	w.check()
	if err := w.Err(); err != nil {
		return nil, err
	}
	w.metadata()
	for i := range d.Interfaces {
		if d.Interfaces[i].Kind == netconf.Physical {
			w.port(&d.Interfaces[i])
		}
	}
	w.routed()
	w.peer()
	if q := d.QoS; q != nil {
		w.pools(&q.Pools)
		for i := range d.Interfaces {
			if d.Interfaces[i].QoS != nil {
				w.qos(&d.Interfaces[i])
			}
		}
		w.watchdog(&q.Watchdog)
	}
	files := []netconf.File{{Name: fileName, Text: w.text()}}
	if d.BGP == nil {
		return files, nil
	}
	bgp, err := speak(d)
	return append(files, bgp), err
}

// lanes is how many numbers a port takes.
const lanes = 8

// portName is a port's: Ethernet0, Ethernet8, ...
func portName(i *netconf.Interface) string {
	number, part, _ := netconf.SplitPort(i.Name)
	return "Ethernet" + strconv.Itoa((number-1)*lanes+max(part-1, 0))
}

// laneRate is that of a lane of 112 Gb/s (IEEE 802.3ck).
const laneRate = 100 * unit.GigabitPerSec

// lanesOf are the lanes of a port, counted from 1 by eights as its name: which they are on a board is in the platform's
// port_config.ini. A part of a port has as many as its rate takes.
func lanesOf(i *netconf.Interface) string {
	number, part, _ := netconf.SplitPort(i.Name)
	first, n := (number-1)*lanes+max(part-1, 0)+1, lanes
	if part > 0 {
		n = max(1, min(lanes-(part-1)%lanes, int((i.Speed+laneRate-1)/laneRate)))
	}
	var all []string
	for k := range n {
		all = append(all, strconv.Itoa(first+k))
	}
	return strings.Join(all, ",")
}

func (w *writer) port(i *netconf.Interface) {
	values := fields{"alias", i.Name}
	values = append(values, "lanes", lanesOf(i))
	if i.Speed > 0 {
		values = append(values, "speed", strconv.FormatInt(int64(i.Speed/unit.MegabitPerSec), 10))
	}
	if i.Description != "" {
		values = append(values, "description", i.Description)
	}
	if i.MTU > 0 {
		values = append(values, "mtu", strconv.FormatInt(int64(inventory.IPMTU(i.MTU)), 10))
	}
	w.set("PORT", portName(i), append(values, "admin_status", "up")...) // down is the models' default
	if i.QoS != nil && i.QoS.Cable > 0 {
		w.set("CABLE_LENGTH", mapName, portName(i), i.QoS.Cable.String())
	}
}

// mapName is what SONiC's stock configuration calls its maps.
const mapName = "AZURE"

const losslessPool = "ingress_lossless_pool"

func (w *writer) pools(p *netconf.Pools) {
	switch {
	case p.Size > 0:
		w.set("BUFFER_POOL", losslessPool, "type", "ingress", "mode", "dynamic", "size", number(p.Size), "xoff",
			number(p.Headroom))
	case slices.ContainsFunc(w.d.QoS.Profiles, func(p netconf.Profile) bool {
		return slices.ContainsFunc(p.Classes, func(c netconf.Class) bool { return c.Buffer() != nil })
	}): // profiles refer to it; its size is the platform's
		w.set("BUFFER_POOL", losslessPool, "type", "ingress", "mode", "dynamic")
	}
}

func number[T ~int | ~int64 | ~uint8](v T) string { return strconv.FormatInt(int64(v), 10) }

// A mapped is the maps that ports with a profile share.
type mapped struct {
	maps   fields
	pauses string  // priorities, with commas
	queues []queue // by class
}

// A queue is what the tables say of a class at each port: where, and what; "": nothing.
type queue struct {
	at, group             string // "|3"
	scheduling, buffering fields
}

// mapsOf writes the maps of a profile, once.
func (w *writer) mapsOf(profile int) mapped {
	if m, known := w.mapped[profile]; known {
		return m
	}
	p := &w.d.QoS.Profiles[profile]
	var dscp, queue, group, priority fields
	var pauses []string
	for d, tc := range p.Classify {
		dscp = append(dscp, number(d), number(tc))
	}
	for k := range p.Classes {
		c := &p.Classes[k]
		queue = append(queue, number(c.TC), number(c.Queue))
		if c.Pause == nil {
			group = append(group, number(c.TC), "0")
			continue
		}
		group = append(group, number(c.TC), number(c.Pause.Priority))
		priority = append(priority, number(c.Pause.Priority), number(c.Queue))
		pauses = append(pauses, number(c.Pause.Priority))
	}
	m := mapped{pauses: strings.Join(pauses, ",")}
	m.maps = fields{
		"dscp_to_tc_map", w.named("DSCP_TO_TC_MAP", mapName, dscp...),
		"tc_to_queue_map", w.named("TC_TO_QUEUE_MAP", mapName, queue...),
		"tc_to_pg_map", w.named("TC_TO_PRIORITY_GROUP_MAP", mapName, group...),
	}
	if len(priority) > 0 {
		m.maps = append(m.maps, "pfc_to_queue_map", w.named("MAP_PFC_PRIORITY_TO_QUEUE", mapName, priority...))
	}
	if w.mapped == nil {
		w.mapped = map[int]mapped{}
	}
	w.mapped[profile] = m
	return m
}

// qos writes a port's maps and queues.
func (w *writer) qos(i *netconf.Interface) {
	p, port, m := w.d.ProfileOf(i), portName(i), w.mapsOf(i.QoS.Profile)
	maps := slices.Clone(m.maps)
	if m.pauses != "" && i.QoS.PFC == netconf.PFCOn {
		maps = append(maps, "pfc_enable", m.pauses)
	}
	if m.pauses != "" && i.QoS.Watchdog {
		maps = append(maps, "pfcwd_sw_enable", m.pauses)
	}
	w.set("PORT_QOS_MAP", port, maps...)
	for k := range p.Classes {
		if k == len(m.queues) {
			m.queues = append(m.queues, w.queue(port, &p.Classes[k]))
			continue
		}
		if q := &m.queues[k]; len(q.scheduling) > 0 {
			w.set("QUEUE", port+q.at, q.scheduling...)
		}
		if q := &m.queues[k]; len(q.buffering) > 0 {
			w.set("BUFFER_PG", port+q.group, q.buffering...)
		}
	}
	w.mapped[i.QoS.Profile] = m
}

// queue writes what a port does with a class, and returns what others that do the same write.
func (w *writer) queue(port string, c *netconf.Class) (q queue) {
	var values fields
	switch {
	case c.Strict:
		values = fields{"scheduler", w.named("SCHEDULER", "strict", "type", "STRICT")}
	case c.Share > 0:
		values = fields{"scheduler", w.named("SCHEDULER", "dwrr", "type", "DWRR", "weight", number(c.Share))}
	}
	if e := c.ECN; e != nil {
		all := fields{"ecn", "ecn_all"}
		for _, colour := range []string{"green", "yellow", "red"} {
			all = append(all, "wred_"+colour+"_enable", "true", colour+"_min_threshold", number(e.Min),
				colour+"_max_threshold", number(e.Max), colour+"_drop_probability", number(e.Probability))
		}
		values = append(values, "wred_profile", w.named("WRED_PROFILE", "AZURE_LOSSLESS", all...))
	}
	q.at, q.scheduling = "|"+number(c.Queue), values
	if len(values) > 0 {
		w.set("QUEUE", port+q.at, values...)
	}
	if c.Pause == nil || c.Pause.Buffer == nil {
		return q
	}
	b := c.Pause.Buffer
	all := fields{"pool", losslessPool, "size", number(b.Reserve), "xon", "0", "xoff", number(b.Headroom),
		"xon_offset", number(b.Resume)}
	if b.XOFF > 0 {
		all = append(all, "static_th", number(b.XOFF))
	} else {
		n, _ := exponent(b.Alpha)
		all = append(all, "dynamic_th", number(n))
	}
	q.group = "|" + number(c.Pause.Priority)
	q.buffering = fields{"profile", w.named("BUFFER_PROFILE", "pg_lossless_profile", all...)}
	w.set("BUFFER_PG", port+q.group, q.buffering...)
	return q
}

func (w *writer) watchdog(d *netconf.Watchdog) {
	if !d.On {
		return
	}
	ms := func(d unit.Duration) string { return number(d / unit.Millisecond) }
	w.set("PFC_WD", "GLOBAL", "POLL_INTERVAL", ms(d.Poll))
	for i := range w.d.Interfaces {
		if p := w.d.Interfaces[i].QoS; p != nil && p.Watchdog {
			w.set("PFC_WD", portName(&w.d.Interfaces[i]), "action", d.Action, "detection_time", ms(d.Detect),
				"restoration_time", ms(d.Restore))
		}
	}
}
