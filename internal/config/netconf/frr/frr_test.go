package frr_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/config/netconf/netconftest"
)

var equal = cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
var same = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

// What is rendered is read back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _ := frr.Dialect{}.Fit(netconftest.Draw(t))
		files, err := frr.Dialect{}.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		p := frr.Dialect{}.Parse(files)
		if len(p.Problems) > 0 {
			t.Fatal(p.Problems.Error())
		}
		if diff := cmp.Diff(d, p.Device, equal, same, emptyIsNil); diff != "" {
			t.Fatal(diff)
		}
	})
}

// emptyIsNil: a list without entries is none.
var emptyIsNil = cmp.FilterValues(func(a, b []netip.Prefix) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())

// Whatever files hold, reading ends, and a line is either in the device or in a problem.
func FuzzParse(f *testing.F) {
	f.Add([]byte("router bgp 65001\n neighbor 10.0.0.1 remote-as 65002\n neighbor 10.0.0.1 bfd\n"), []byte("iface swp1\nmtu 9000\n"))
	f.Add([]byte("interface swp1\nip address 10.0.0.1/24\n\xff\ninterface vlan0\n"), []byte("iface bridge\nbridge-ports swp1 swp2\n"))
	f.Add([]byte("router bgp 0\naddress-family ipv6 unicast\nneighbor 10.0.0.1 activate\nexit-address-family\nexit\nexit\n"),
		[]byte("iface vlan5\nvlan-id 6\nbridge-access 7\n"))
	f.Fuzz(func(t *testing.T, conf, interfaces []byte) {
		p := frr.Dialect{}.Parse([]netconf.File{{Name: "frr.conf", Text: conf}, {Name: "interfaces", Text: interfaces}})
		if len(p.Problems) > 0 {
			return
		}
		files, err := frr.Dialect{}.Render(p.Device)
		if err != nil {
			return
		}
		again := frr.Dialect{}.Parse(files)
		if diff := cmp.Diff(p.Device, again.Device, equal, same, emptyIsNil); diff != "" {
			t.Fatal(diff)
		}
	})
}

// stage reads a configuration and renders what it came to.
type stage struct {
	scripttest.Log
	conf, interfaces bytes.Buffer
}

// Do adds a line: "conf TEXT", "iface TEXT"; or "read".
func (s *stage) Do(command []string) {
	switch rest := strings.Join(command[1:], " ") + "\n"; command[0] {
	case "conf":
		s.conf.WriteString(rest)
	case "iface":
		s.interfaces.WriteString(rest)
	case "read":
		s.read()
	}
}

func (s *stage) read() {
	p := frr.Dialect{}.Parse([]netconf.File{{Name: "frr.conf", Text: s.conf.Bytes()},
		{Name: "interfaces", Text: s.interfaces.Bytes()}})
	for _, problem := range p.Problems {
		s.WriteString(problem.String() + "\n")
	}
	s.conf.Reset()
	s.interfaces.Reset()
	if len(p.Problems) > 0 {
		return
	}
	files, err := frr.Dialect{}.Render(p.Device)
	if err != nil {
		s.WriteString(err.Error() + "\n")
		return
	}
	for _, f := range files {
		s.WriteString("== " + f.Name + "\n")
		for line := range strings.Lines(string(f.Text)) {
			if strings.TrimSpace(line) != "" { // an empty line would end the outcome
				s.WriteString(line)
			}
		}
	}
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}

// Ports as Linux calls them.
func TestPortsOfLinux(t *testing.T) {
	if got := frr.PortName("Ethernet1/24/2"); got != "swp24s1" {
		t.Errorf("%s", got)
	}
}
