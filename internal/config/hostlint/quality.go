package hostlint

import (
	"fmt"
	"strconv"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
)

// quality checks quality of service: H03 to H07, H21.
func (l *linter) quality() {
	l.trafficClass()
	for _, n := range l.nics {
		if !n.roce() {
			continue
		}
		l.forced(n)
		for _, port := range n.ports {
			l.pausing(n, port)
			l.notification(n, port)
			if on := port.RxPause; on.Known() && on.Value {
				l.alike("H07", lint.Error, n.called(port), "takes pauses of the whole port", on.At)
			}
			if on := port.TxPause; on.Known() && on.Value {
				l.alike("H07", lint.Error, n.called(port), "pauses the whole port", on.At)
			}
		}
	}
	l.cables()
}

// Codes of ECN (RFC 3168, section 5).
const (
	notECT = 0
	ce     = 3
)

// class says what is wrong with a traffic class: DSCP and ECN of packets; "": nothing.
func (l *linter) class(v int) string {
	switch ecn := v & 3; {
	case l.design != nil && v>>2 != l.design.DSCP:
		return fmt.Sprintf("is DSCP %d, the design's is %d: want %d", v>>2, l.design.DSCP, l.design.DSCP<<2|2)
	case ecn == notECT:
		return fmt.Sprintf("is DSCP %d without ECT: want %d", v>>2, v|2)
	case ecn == ce:
		return fmt.Sprintf("says that all packets have met congestion: want %d", v&^1)
	}
	return ""
}

// trafficClass checks H04 of the environment. Where NICs force one, NCCL's is of no effect.
func (l *linter) trafficClass() {
	forced, roce := 0, 0
	for _, n := range l.nics {
		if n.roce() {
			roce++
			if n.Class.Known() && n.Class.Value > 0 {
				forced++
			}
		}
	}
	if roce == 0 || forced == roce {
		return
	}
	tc := l.h.NCCL["NCCL_IB_TC"]
	if !tc.Known() {
		if l.design != nil && l.design.DSCP > 0 {
			l.add("H04", lint.Unknown, "", fmt.Sprintf("NCCL_IB_TC is not set where the script ran, and not forced: "+
				"DSCP %d is not known to be written",
				l.design.DSCP), l.h.AtOf("environment"))
		}
		return
	}
	v, err := strconv.Atoi(tc.Value)
	if err != nil || v < 0 || v > 255 {
		l.add("H04", lint.Error, "", fmt.Sprintf("NCCL_IB_TC=%q: want 0 to 255", tc.Value), tc.At)
		return
	}
	if wrong := l.class(v); wrong != "" {
		severity, text := l.sure(lint.Error, fmt.Sprintf("NCCL_IB_TC=%d %s", v, wrong), hostinfo.Sysfs) // a NIC may force its own
		l.add("H04", severity, "", text, tc.At)
	}
}

// forced checks H04 of a class that the NIC forces on all.
func (l *linter) forced(n *nic) {
	if n.Class.Known() && n.Class.Value > 0 {
		if wrong := l.class(n.Class.Value); wrong != "" {
			l.alike("H04", lint.Error, n.String(), fmt.Sprintf("traffic class %d, forced, %s", n.Class.Value, wrong), n.Class.At)
		}
	}
}

// pausing checks H03 of a port.
func (l *linter) pausing(n *nic, port *hostinfo.Netdev) {
	if t := port.Trust; t.Known() && t.Value != "dscp" {
		l.alike("H03", lint.Error, n.called(port), "trusts "+t.Value+", not DSCP", t.At)
	}
	dscp, _ := l.data(n)
	if !port.PFC.Known() || dscp < 0 {
		return
	}
	p := priorityOf(port, dscp)
	want := p
	if l.design != nil {
		want = l.design.Priority
	}
	on, text := port.PFC.Value, ""
	switch {
	case p != want:
		text = fmt.Sprintf("DSCP %d is in priority %d, the switch's is %d", dscp, p, want)
	case !on[p]:
		text = fmt.Sprintf("PFC is off for priority %d, that of RoCE data", p)
	}
	severity := lint.Error
	if text != "" && !port.Priority[dscp].Known() { // the priority is that of a table that is not there
		severity, text = l.sure(severity, text, hostinfo.MlnxQoS, hostinfo.DCB)
	}
	switch {
	case p != want:
		l.alike("H03", severity, n.called(port), text, port.Priority[dscp].At, port.PFC.At)
	case !on[p]:
		l.alike("H03", severity, n.called(port), text, port.PFC.At)
	default:
		for k, x := range on {
			if x && k != want && l.design != nil {
				l.alike("H03", lint.Warning, n.called(port), fmt.Sprintf("PFC is on for priority %d, which the switch "+
					"does not pause", k), port.PFC.At)
			}
		}
	}
}

// usualCNP is the DSCP of CNPs where no design says (vendors' guides).
const usualCNP = 48

// notification checks H05 and H06 of a port.
func (l *linter) notification(n *nic, port *hostinfo.Netdev) {
	want, severity := usualCNP, lint.Warning
	if l.design != nil {
		want, severity = l.design.CNPDSCP, lint.Error
	}
	if c := port.CNPDSCP; c.Known() && c.Value != want {
		l.alike("H05", severity, n.called(port), fmt.Sprintf("CNPs have DSCP %d, want %d", c.Value, want), c.At)
	}
	dscp, _ := l.data(n)
	if dscp < 0 {
		return
	}
	p := priorityOf(port, dscp)
	if on := port.NotifyOn[p]; on.Known() && !on.Value {
		l.alike("H06", lint.Error, n.called(port), fmt.Sprintf("sends no CNPs for priority %d", p), on.At)
	}
	if on := port.ReactOn[p]; on.Known() && !on.Value {
		l.alike("H06", lint.Error, n.called(port), fmt.Sprintf("does not slow down on CNPs of priority %d", p), on.At)
	}
}

// signal is how far a signal goes in a metre of cable, in picoseconds (IEEE 802.3, 5 ns/m).
const signal = 5000

// cables checks H21: half a metre more is none.
func (l *linter) cables() {
	if l.design == nil || l.design.Hosts[l.h.Name] == nil {
		return
	}
	meant := l.design.Hosts[l.h.Name].NICs
	for i, n := range l.nics {
		if n.net == nil || !n.net.Cable.Known() || i >= len(meant) || len(l.nics) != len(meant) || meant[i].Cable <= 0 {
			continue
		}
		decimetres := int(int64(meant[i].Cable) * 10 / signal)
		if n.net.Cable.Value > decimetres+5 {
			l.alike("H21", lint.Error, n.String(), fmt.Sprintf("the cable has %d.%d m, the design's %d.%d m",
				n.net.Cable.Value/10, n.net.Cable.Value%10,
				decimetres/10, decimetres%10), n.net.Cable.At)
		}
	}
}
