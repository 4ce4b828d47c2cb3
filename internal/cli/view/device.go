package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/collected"
	"railyard/internal/config/netconf"
)

// DeviceText prints a device in no vendor's words, each thing with the line that says it.
func DeviceText(s *sheet.Sheet, c *collected.Device) {
	d := c.Device
	s.Wrap("", fmt.Sprintf("%s (%s): %s", orDash(d.Name), c.Dialect, unit.CountOf(int64(len(d.Interfaces)), "interface")))
	for i := range c.Files {
		if len(c.Files) > 1 {
			s.Wrap("  ", fmt.Sprintf("%s: %s", letter(i), c.Files[i].Name))
		}
	}
	if d.QoS != nil {
		for i := range d.QoS.Profiles {
			profileText(s, c, i)
		}
	}
	rows := [][]string{{"the device", "line", "says"}}
	names := neighbourNames(d)
	for _, f := range d.Facts() {
		if f.Port == "" {
			rows = append(rows, []string{f.What, lineOf(c, f.Place), f.Value + names[f.Place]})
		}
	}
	if len(rows) > 1 {
		s.Blank()
		s.Grid("lrw", rows)
	}
	stockText(s, c)
	if len(d.Interfaces) == 0 {
		return
	}
	s.Title("interfaces")
	rows = [][]string{{"interface", "line", "VLAN", "profile", "PFC", "frame", "more"}}
	for i := range d.Interfaces {
		rows = append(rows, interfaceRow(c, &d.Interfaces[i]))
	}
	s.Grid("lrrrlrw", rows)
}

// stockText prints the platform's defaults: what it does where the files say nothing.
func stockText(s *sheet.Sheet, c *collected.Device) {
	if len(c.Defaults.All) == 0 {
		return
	}
	s.Title("by default, where nothing is said")
	for _, x := range c.Defaults.All {
		release := ""
		if x.Release != "" {
			release = " of " + x.Release
		}
		s.Hang("  ", "    ", fmt.Sprintf("%s: %s%s (%s)", x.What, x.Value, release, x.Source))
	}
}

// neighbourNames is what neighbours are called, by the place of what is agreed with each.
func neighbourNames(d *netconf.Device) map[string]string {
	names := map[string]string{}
	if d.BGP == nil {
		return names
	}
	for i := range d.BGP.Neighbours {
		if n := &d.BGP.Neighbours[i]; n.Description != "" {
			names["neighbour "+n.Address.String()] = fmt.Sprintf(" (%s)", n.Description)
		}
	}
	return names
}

// lineOf is the number of the line that says a thing, of several files with the file's letter; "-": none does.
func lineOf(c *collected.Device, place string) string {
	p, known := c.Places[place]
	switch {
	case !known:
		return "-"
	case len(c.Files) > 1:
		return fmt.Sprintf("%s:%d", letter(slices.IndexFunc(c.Files, func(f netconf.File) bool { return f.Name == p.File })), p.Line)
	}
	return strconv.Itoa(p.Line)
}

// letter is what stands for the n-th of a device's files: a, b, ..., z, a1, ...
func letter(n int) string {
	const letters = 26
	text := string(rune('a' + n%letters))
	if n >= letters {
		text += strconv.Itoa(n / letters)
	}
	return text
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func interfaceRow(c *collected.Device, i *netconf.Interface) []string {
	row := []string{i.Name, lineOf(c, "interface "+i.Name), "-", "-", "-", "-", "-"}
	if i.VLAN > 0 {
		row[2] = strconv.Itoa(i.VLAN)
	}
	if i.MTU > 0 {
		row[5] = i.MTU.String()
	}
	var more []string
	for _, a := range i.Addresses {
		more = append(more, a.String())
	}
	if i.MAC != "" {
		more = append(more, "MAC "+i.MAC)
	}
	if i.Channel > 0 {
		more = append(more, fmt.Sprintf("port channel %d", i.Channel))
	}
	if i.Speed > 0 {
		more = append(more, i.Speed.String())
	}
	if q := i.QoS; q != nil {
		row[3], row[4] = strconv.Itoa(q.Profile+1), q.PFC.String()
		if q.Watchdog {
			more = append(more, "PFC watchdog")
		}
		if q.Cable > 0 {
			more = append(more, "cable "+q.Cable.String())
		}
	}
	switch {
	case i.LLDP.Silent:
		more = append(more, "no LLDP")
	case i.LLDP.DCBX != netconf.DCBXDefault:
		more = append(more, "DCBX "+i.LLDP.DCBX.String())
	}
	if i.Description != "" {
		more = append(more, i.Description)
	}
	row[6] = orDash(strings.Join(more, ", "))
	return row
}

// profileText prints how ports treat classes, with the lines of the first port that does so.
func profileText(s *sheet.Sheet, c *collected.Device, n int) {
	p := &c.Device.QoS.Profiles[n]
	s.Title(fmt.Sprintf("profile %d", n+1))
	rows := [][]string{{"class", "DSCP", "queue", "served", "WRED", "PFC"}}
	for i := range p.Classes {
		of := &p.Classes[i]
		row := []string{strconv.Itoa(int(of.TC)), dscpText(p, of.TC), strconv.Itoa(int(of.Queue)), of.Served(), "-", "-"}
		if of.ECN != nil {
			row[4] = of.ECN.String()
		}
		if of.Pause != nil {
			row[5] = pauseText(of.Pause)
		}
		rows = append(rows, row)
		if said := classLines(c, n, of.TC); said != "" {
			rows = append(rows, []string{said})
		}
	}
	s.Grid("rlrrlw", rows)
}

func pauseText(p *netconf.Pause) string {
	text := fmt.Sprintf("priority %d, ", p.Priority)
	b := p.Buffer
	if b == nil {
		return text + "platform's xOFF"
	}
	text += fmt.Sprintf("xOFF %s, xON %v below, headroom %v", b.XOFFText(), b.Resume, b.Headroom)
	if b.Reserve > 0 {
		text += fmt.Sprintf(", reserve %v", b.Reserve)
	}
	return text
}

// classLines lists where a class of a profile is said: "DSCP 16, queue 38".
func classLines(c *collected.Device, profile int, tc uint8) string {
	all := c.Device.Interfaces
	i := slices.IndexFunc(all, func(i netconf.Interface) bool { return i.QoS != nil && i.QoS.Profile == profile })
	if i < 0 {
		return ""
	}
	var parts []string
	for _, of := range []struct{ what, place string }{{"DSCP", "dscp"}, {"queue", "queue"}, {"WRED", "ecn"}, {"PFC", "pause"}} {
		place := fmt.Sprintf("interface %s tc %d %s", all[i].Name, tc, of.place)
		if _, known := c.Places[place]; known {
			parts = append(parts, of.what+" "+lineOf(c, place))
		}
	}
	if parts == nil {
		return ""
	}
	return "lines: " + strings.Join(parts, ", ")
}

// dscpText lists the DSCPs of a class, those that follow each other as a range.
func dscpText(p *netconf.Profile, tc uint8) string {
	all := p.DSCPs(tc)
	if tc == p.Default() && len(all) > netconf.CodePoints/2 {
		return "others"
	}
	return orDash(strings.Join(netconf.Ranges(all), " "))
}
