package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// addMishaps gives the network what goes wrong in it, N being the switch's port to host N or the link there:
//
//	down=N:FROM:UNTIL  stuck=N:FROM:UNTIL  storm=N:FROM:UNTIL (of the host)  rate=N:FROM:UNTIL:GB/S  set=N:FROM:UNTIL:KEY:VALUE
//	reboot=AT  leak=FROM:UNTIL:BYTES
func (s *stage) addMishaps(g *topo.Graph, sw topo.NodeID) {
	if len(s.mishaps) == 0 {
		return
	}
	f := &Faults{}
	at := func(v string) unit.Time { return unit.Time(s.time(v)) }
	for _, m := range s.mishaps {
		port := func() PortID { return g.NICs[s.number(m[1])-1].Port ^ 1 }
		switch m[0] {
		case "down":
			f.Downs = append(f.Downs, Down{Link: g.Ports[port()].Link, From: at(m[2]), Until: at(m[3])})
		case "stuck":
			f.Storms = append(f.Storms, Storm{Port: port(), From: at(m[2]), Until: at(m[3])})
		case "storm":
			f.Storms = append(f.Storms, Storm{Port: port() ^ 1, From: at(m[2]), Until: at(m[3])})
		case "rate":
			f.Settings = append(f.Settings, Setting{Port: port(), While: While{at(m[2]), at(m[3])},
				Rate: unit.Bitrate(s.number(m[4])) * unit.GigabitPerSec})
		case "set":
			f.Settings = append(f.Settings, s.setting(port(), While{at(m[2]), at(m[3])}, m[4:]))
		case "reboot":
			f.Reboots = append(f.Reboots, Reboot{Switch: sw, At: at(m[1])})
		case "leak":
			f.Leaks = append(f.Leaks, Leak{Switch: sw, While: While{at(m[1]), at(m[2])}, Bytes: unit.Bytes(s.number(m[3]))})
		}
	}
	s.cfg.Faults = f
}

func (s *stage) setting(id PortID, w While, m []string) Setting {
	set := Setting{Port: id, While: w}
	switch m[0] {
	case "no-pfc":
		set.NoPFC = true
	case "no-ecn":
		set.NoECN = true
	case "mtu":
		set.MTU = unit.Bytes(s.number(m[1]))
	case "xoff":
		set.XOFF = unit.Bytes(s.number(m[1]))
	case "class": // whatever the DSCP
		set.ClassOf = new([codePoints]uint8)
		for i := range set.ClassOf {
			set.ClassOf[i] = s.classOf(m[1])
		}
	default:
		s.t.Fatalf("unknown setting %q", m[0])
	}
	return set
}
