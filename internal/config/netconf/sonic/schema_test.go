package sonic

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A leaf is what a model wants of a field.
type leaf struct {
	must bool
	kind string // uint, int, enum, match, ref, text
	arg  string
}

// models are the tables of testdata/schema.txt: fields, of which "*" stands for any.
func models(t *testing.T) (keys map[string]*regexp.Regexp, parts map[string][]string, leaves map[string]map[string]leaf) {
	t.Helper()
	text, err := os.ReadFile("testdata/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	keys, parts, leaves = map[string]*regexp.Regexp{}, map[string][]string{}, map[string]map[string]leaf{}
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) == 0 || w[0] == "#" || strings.HasPrefix(line, "#") {
			continue
		}
		if leaves[w[0]] == nil {
			leaves[w[0]] = map[string]leaf{}
		}
		if w[1] == "key" {
			keys[w[0]] = regexp.MustCompile("^(?:" + w[2] + ")$")
			continue
		}
		if w[1] == "parts" {
			parts[w[0]] = w[2:]
			continue
		}
		leaves[w[0]][strings.TrimSuffix(w[1], "!")] = leaf{strings.HasSuffix(w[1], "!"), w[2], strings.Join(w[3:], " ")}
	}
	return keys, parts, leaves
}

// wrong says what is wrong with a value; "": nothing is.
func (l leaf) wrong(v string, all map[string]map[string]map[string]any) string {
	switch l.kind {
	case "uint", "int":
		low, high, _ := strings.Cut(l.arg, "..")
		if l.kind == "int" {
			n, err := strconv.ParseInt(v, 10, 64)
			a, _ := strconv.ParseInt(low, 10, 64)
			b, _ := strconv.ParseInt(high, 10, 64)
			if err != nil || n < a || n > b {
				return "want " + l.arg
			}
			return ""
		}
		n, err := strconv.ParseUint(v, 10, 64)
		a, _ := strconv.ParseUint(low, 10, 64)
		b, _ := strconv.ParseUint(high, 10, 64)
		if err != nil || n < a || n > b {
			return "want " + l.arg
		}
	case "enum":
		if !slices.Contains(strings.Split(l.arg, "|"), v) {
			return "want " + l.arg
		}
	case "match":
		if !regexp.MustCompile("^(?:" + l.arg + ")$").MatchString(v) {
			return "want " + l.arg
		}
	case "ref":
		if _, there := all[l.arg][v]; !there {
			return "no " + l.arg + " of that name"
		}
	}
	return ""
}

// validate holds a config_db.json against the models.
func validate(t *testing.T, text []byte) (problems []string) {
	keys, parts, leaves := models(t)
	var all map[string]map[string]map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return []string{err.Error()}
	}
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, table := range slices.Sorted(maps.Keys(all)) {
		of := leaves[table]
		if of == nil {
			say("%s: no model", table)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(all[table])) {
			if !keys[table].MatchString(key) {
				say("%s %s: not a key", table, key)
			}
			for k, part := range strings.Split(key, "|") {
				if k < len(parts[table]) && parts[table][k] != "-" && all[parts[table][k]][part] == nil {
					say("%s %s: no %s %s", table, key, parts[table][k], part)
				}
			}
			o := all[table][key]
			for name, l := range of {
				if _, there := o[name]; l.must && !there {
					say("%s %s: no %s, which is mandatory", table, key, name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(o)) {
				l, known := of[name]
				if any, wild := of["*"]; !known && wild {
					l, known = any, true
				}
				v, isText := o[name].(string)
				switch {
				case !known:
					say("%s %s: no leaf %s", table, key, name)
				case !isText:
					say("%s %s: %s is no text", table, key, name)
				default:
					if why := l.wrong(v, all); why != "" {
						say("%s %s: %s %q: %s", table, key, name, v, why)
					}
				}
			}
		}
	}
	return problems
}

// What is rendered is what SONiC's YANG models take: a device with ports of every kind, addresses, quality of service,
// pools and a watchdog of any time that it may have.
//
// False if a mandatory leaf is not written, such as lanes or speed, or a name that nothing has.
func TestRenderedIsValid(t *testing.T) {
	for _, detect := range []unit.Duration{200 * unit.Millisecond, 400 * unit.Millisecond, 5 * unit.Second} {
		for _, pools := range []netconf.Pools{{}, {Size: 64 * unit.Megabyte, Headroom: unit.Megabyte}} {
			d := device(detect, pools)
			fitting, _ := Dialect{}.Fit(d)
			files, err := Dialect{}.Render(fitting)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range validate(t, files[0].Text) {
				t.Errorf("watchdog %v, pools %+v: %s", detect, pools, p)
			}
		}
	}
	bad := `{"PORT": {"Ethernet0": {"mtu": "70000", "colour": "red"}}, "QUEUE": {"Ethernet0|3": {"scheduler": "none"}}, "NONE": {}, ` +
		`"VLAN_MEMBER": {"Vlan101|Ethernet0": {"tagging_mode": "untagged"}}}`
	if n := len(validate(t, []byte(bad))); n != 7 {
		t.Errorf("%d problems of a wrong one: %q", n, validate(t, []byte(bad)))
	}
}

// device has all that is rendered.
func device(detect unit.Duration, pools netconf.Pools) *netconf.Device {
	p := netconf.Profile{Classes: []netconf.Class{
		{TC: 0, Queue: 0, Share: 50},
		{TC: 3, Queue: 3, Share: 50, ECN: &netconf.ECN{Min: 150 * unit.Kilobyte, Max: 1500 * unit.Kilobyte, Probability: 20},
			Pause: &netconf.Pause{Priority: 3, Buffer: &netconf.Buffer{Alpha: unit.Ratio{Num: 1, Den: 8}, Resume: 18 * unit.Kilobyte,
				Headroom: 70 * unit.Kilobyte}}},
		{TC: 6, Queue: 6, Strict: true},
	}}
	p.Classify[26], p.Classify[48] = 3, 6
	d := &netconf.Device{Name: "leaf1", QoS: &netconf.QoS{Profiles: []netconf.Profile{p}, Pools: pools,
		Watchdog: netconf.Watchdog{On: true, Poll: detect / 2, Detect: detect, Restore: detect, Action: "drop"}}}
	for n := range 4 {
		d.Interfaces = append(d.Interfaces, netconf.Interface{Name: netconf.JoinPort(n+1, 0), MTU: 9216, Description: "to host",
			Speed: 400 * unit.GigabitPerSec, QoS: &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true, Cable: 5 * unit.Metre}})
	}
	d.Interfaces[0].VLAN = 101
	d.Interfaces[1].Addresses = []netip.Prefix{netip.MustParsePrefix("172.16.0.0/31")}
	d.Interfaces = append(d.Interfaces, netconf.Interface{Name: "Vlan101", Kind: netconf.SVI, VLAN: 101,
		Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.1/24")}})
	d.Sort()
	return d
}
