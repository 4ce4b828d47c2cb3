package configs

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/netconf"
	"railyard/internal/plan/plan"
)

// A script says keys of the fabric and then others, one a line, and looks at what the switches are told. A switch is named
// again to see what it is told after more keys; anew forgets them.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	scripttest.Log
	t    *testing.T
	keys []string
}

func (s *stage) Do(command []string) {
	rest := strings.Join(command[1:], " ")
	switch command[0] {
	case "anew":
		s.keys = nil
	case "fabric":
		s.keys = append(s.keys, "  "+rest)
	case "also": // after all of the fabric
		s.keys = append(s.keys, rest)
	case "switch":
		all, err := Devices(s.plan())
		if err != nil {
			fmt.Fprintln(s, err)
			return
		}
		for i := range all {
			if all[i].Name == rest {
				s.device(&all[i])
			}
		}
	case "chooses":
		all, err := Devices(s.plan())
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range all {
			if b := all[i].Balance; all[i].Name == rest && b != nil {
				fmt.Fprintf(s, "%s: %+v\n", rest, *b)
			} else if all[i].Name == rest {
				fmt.Fprintf(s, "%s: nothing\n", rest)
			}
		}
	case "names":
		in, all, err := Routers(s.plan())
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range all {
			fmt.Fprintf(s, "%s: %d interfaces, QoS %v; of %d nodes\n", all[i].Name, len(all[i].Interfaces), all[i].QoS != nil,
				len(in.Devices))
		}
	case "without":
		for _, text := range NotConfigured(s.plan()) {
			fmt.Fprintf(s, "%.40s\n", text)
		}
	default:
		s.t.Fatalf("unknown command %v", command)
	}
}

func (s *stage) plan() *plan.Plan { return planned(s.t, strings.Join(s.keys, "\n")) }

// device says what a switch is told of classes and buffers.
func (s *stage) device(d *netconf.Device) {
	q := d.QoS
	for i := range q.Profiles {
		p := &q.Profiles[i]
		for _, c := range p.Classes {
			fmt.Fprintf(s, "profile %d class %d: DSCP %s, queue %d, %s", i, c.TC,
				strings.Join(netconf.Ranges(p.DSCPs(c.TC)), " "), c.Queue, c.Served())
			if c.ECN != nil {
				fmt.Fprintf(s, ", %s", c.ECN)
			}
			if c.Pause != nil {
				fmt.Fprintf(s, ", pauses at %s, resumes %v below, headroom %v, reserve %v", c.Pause.Buffer.XOFFText(),
					c.Pause.Buffer.Resume, c.Pause.Buffer.Headroom, c.Pause.Buffer.Reserve)
			}
			if p := c.Pause; p != nil && p.Buffer.XOFF > 0 && p.Buffer.Alpha.Num > 0 {
				s.WriteString(", or at " + p.Buffer.Alpha.String())
			}
			if c.Drop > 0 {
				fmt.Fprintf(s, ", drops from %v", c.Drop)
			}
			s.WriteString("\n")
		}
	}
	for i := range d.Interfaces {
		p := &d.Interfaces[i]
		if p.QoS != nil {
			fmt.Fprintf(s, "%s: frames of %v, profile %d, PFC %v, watchdog %v, cable %v\n", p.Name, p.MTU,
				p.QoS.Profile, p.QoS.PFC, p.QoS.Watchdog, p.QoS.Cable)
		}
	}
	pools := &q.Pools
	fmt.Fprintf(s, "buffer %v, headroom %v; lossless %d%%, headroom %d%%, lossy %d%%\n", pools.Size, pools.Headroom,
		pools.LosslessPart, pools.HeadroomPart, pools.LossyPart)
	fmt.Fprintf(s, "watchdog %v\n", q.Watchdog)
}
