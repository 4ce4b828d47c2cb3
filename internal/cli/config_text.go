package cli

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/netconf"
	"railyard/internal/sheet"
)

// deviceText prints a device in no vendor's words.
func deviceText(s *sheet.Sheet, c *configured) {
	d := c.Device
	s.Wrap("", fmt.Sprintf("%s (%s): %s", orDash(d.Name), c.dialect, count(len(d.Interfaces), "interface")))
	if d.QoS != nil {
		for i := range d.QoS.Profiles {
			profileText(s, i, &d.QoS.Profiles[i])
		}
		s.Wrap("", "PFC watchdog: "+d.QoS.Watchdog.String())
	}
	if d.LLDP != nil {
		s.Wrap("", fmt.Sprintf("LLDP: %s, DCBX %s", onOff(d.LLDP.On), d.LLDP.DCBX))
	}
	if d.Balance != nil {
		s.Wrap("", "load balancing: "+d.Balance.String())
	}
	s.Title("interfaces")
	rows := [][]string{{"interface", "line", "profile", "frame", "PFC", "more"}}
	for i := range d.Interfaces {
		rows = append(rows, interfaceRow(c, &d.Interfaces[i]))
	}
	s.Grid("lrrrlw", rows)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func interfaceRow(c *configured, i *netconf.Interface) []string {
	row := []string{i.Name, "-", "-", "-", "-", "-"}
	if p, known := c.Places["interface "+i.Name]; known {
		row[1] = strconv.Itoa(p.Line)
	}
	if i.MTU > 0 {
		row[3] = i.MTU.String()
	}
	var more []string
	if q := i.QoS; q != nil {
		row[2], row[4] = strconv.Itoa(q.Profile+1), q.PFC.String()
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
	row[5] = orDash(strings.Join(more, ", "))
	return row
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func profileText(s *sheet.Sheet, n int, p *netconf.Profile) {
	s.Title(fmt.Sprintf("profile %d", n+1))
	rows := [][]string{{"class", "DSCP", "queue", "served", "WRED", "PFC"}}
	for i := range p.Classes {
		c := &p.Classes[i]
		row := []string{strconv.Itoa(int(c.TC)), dscpText(p, c.TC), strconv.Itoa(int(c.Queue)), c.Served(), "-", "-"}
		if c.ECN != nil {
			row[4] = c.ECN.String()
		}
		if c.Pause != nil {
			row[5] = fmt.Sprintf("priority %d, platform's xOFF", c.Pause.Priority)
			if b := c.Pause.Buffer; b != nil {
				row[5] = fmt.Sprintf("priority %d, xOFF %s, xON %v below, headroom %v", c.Pause.Priority,
					b.XOFFText(), b.Resume,
					b.Headroom)
			}
		}
		rows = append(rows, row)
	}
	s.Grid("rlrrlw", rows)
}

// dscpText lists the DSCPs of a class, those that follow each other as a range.
func dscpText(p *netconf.Profile, tc uint8) string {
	all := p.DSCPs(tc)
	if tc == p.Default() && len(all) > netconf.CodePoints/2 {
		return "others"
	}
	return orDash(strings.Join(netconf.Ranges(all), " "))
}
