package nvue_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/nvue"
)

// stock is a device as nv set qos roce makes it: two ports, one watched.
func stock() *netconf.Device {
	p := nvue.Dialect{}.Parse([]netconf.File{{Name: "nvue.txt", Text: []byte(`nv set system hostname leaf1
nv set qos roce
nv set qos roce cable-length 5
nv set qos traffic-pool roce-lossless memory-percent 60
nv set qos traffic-pool default-lossy memory-percent 40
nv set interface swp1-2 link mtu 9000
nv set interface swp1 qos pfc-watchdog
nv set router adaptive-routing enable on
`)}})
	return p.Device
}

// What is rendered is what NVUE has words for: each of these is stock but for one thing.
func TestWhatIsRefused(t *testing.T) {
	data := func(d *netconf.Device) *netconf.Class { return d.QoS.Profiles[0].Class(3) }
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // "": it is rendered
	}{
		{"as it is", func(d *netconf.Device) {}, ""},
		{"no name", func(d *netconf.Device) { d.Name = "" }, "without a name"},
		{"BGP", func(d *netconf.Device) { d.BGP = &netconf.BGP{} }, "BGP and LLDP"},
		{"LLDP", func(d *netconf.Device) { d.LLDP = &netconf.LLDP{} }, "BGP and LLDP"},
		{"tunnels", func(d *netconf.Device) { d.Tunnels = &netconf.Tunnels{} }, "VXLAN"},
		{"no balance", func(d *netconf.Device) { d.Balance = nil }, ""},
		{"ECMP", func(d *netconf.Device) { d.Balance.Method = "ecmp" }, "load balancing ecmp"},
		{"dlb of flowlets", func(d *netconf.Device) { d.Balance.Unit = "flowlet" }, "load balancing dlb"},
		{"a loopback", func(d *netconf.Device) { d.Interfaces[0].Kind = netconf.Loopback }, "only its quality"},
		{"a VLAN", func(d *netconf.Device) { d.Interfaces[0].VLAN = 1 }, "only its quality"},
		{"a rate", func(d *netconf.Device) { d.Interfaces[0].Speed = 1 }, "only its quality"},
		{"a description", func(d *netconf.Device) { d.Interfaces[0].Description = "x" }, "only its quality"},
		{"DCBX", func(d *netconf.Device) { d.Interfaces[0].LLDP.DCBX = netconf.DCBXIEEE }, "only its quality"},
		{"a name without a number", func(d *netconf.Device) { d.Interfaces[0].Name = "mgmt" }, "only its quality"},
		{"the least MTU", func(d *netconf.Device) { d.Interfaces[0].MTU = 552 + 18 }, ""},
		{"less", func(d *netconf.Device) { d.Interfaces[0].MTU = 551 + 18 }, "MTU 569B"},
		{"the greatest MTU", func(d *netconf.Device) { d.Interfaces[0].MTU = 9216 + 18 }, ""},
		{"more", func(d *netconf.Device) { d.Interfaces[0].MTU = 9217 + 18 }, "MTU 9235B"},
		{"no MTU", func(d *netconf.Device) { d.Interfaces[0].MTU = 0 }, ""},
		{"a port without QoS", func(d *netconf.Device) { d.Interfaces[1].QoS = nil }, "on some ports"},
		{"a port of which nothing is said", func(d *netconf.Device) {
			d.Interfaces[1] = netconf.Interface{Name: "Ethernet1/2"}
		}, "MTU 0B"},
		{"no QoS", func(d *netconf.Device) { d.QoS, d.Interfaces[0].QoS, d.Interfaces[1].QoS = nil, nil, nil }, ""},
		{"PFC by DCBX", func(d *netconf.Device) { d.Interfaces[1].QoS.PFC = netconf.PFCAuto }, "PFC auto"},
		{"another cable", func(d *netconf.Device) { d.Interfaces[1].QoS.Cable = unit.Metre }, "cable 1m"},
		{"half a metre", func(d *netconf.Device) {
			d.Interfaces[0].QoS.Cable, d.Interfaces[1].QoS.Cable = unit.Metre/2, unit.Metre/2
		}, "cable 50cm"},
		{"no cable", func(d *netconf.Device) { d.Interfaces[0].QoS.Cable, d.Interfaces[1].QoS.Cable = 0, 0 }, ""},
		{"no buffer", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{} }, ""},
		{"99 and 1 percent", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{LosslessPart: 99, LossyPart: 1} }, ""},
		{"1 and 99 percent", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{LosslessPart: 1, LossyPart: 99} }, ""},
		{"100 and 0 percent", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{LosslessPart: 100} }, "a split"},
		{"0 and 100 percent", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{LossyPart: 100} }, "a split"},
		{"60 and 41 percent", func(d *netconf.Device) { d.QoS.Pools.LossyPart = 41 }, "a split"},
		{"a size", func(d *netconf.Device) { d.QoS.Pools.Size = 1 }, "a split"},
		{"headroom", func(d *netconf.Device) { d.QoS.Pools.HeadroomPart = 1 }, "a split"},
		{"no ECN", func(d *netconf.Device) { data(d).ECN = nil }, "classes other"},
		{"it drops", func(d *netconf.Device) { data(d).ECN.Drops = true }, "classes other"},
		{"marks from 0 to 1", func(d *netconf.Device) { data(d).ECN.Min, data(d).ECN.Max = 0, 1 }, ""},
		{"in percent", func(d *netconf.Device) { data(d).ECN.Min, data(d).ECN.Max = 0, 0 }, "classes other"},
		{"never", func(d *netconf.Device) { data(d).ECN.Probability = 0 }, ""},
		{"less than never", func(d *netconf.Device) { data(d).ECN.Probability = -1 }, "classes other"},
		{"more than always", func(d *netconf.Device) { data(d).ECN.Probability = 101 }, "classes other"},
		{"ECN of another class", func(d *netconf.Device) { d.QoS.Profiles[0].Class(0).ECN = &netconf.ECN{Max: 1} }, "classes other"},
		{"another share", func(d *netconf.Device) { data(d).Share = 49 }, "classes other"},
		{"no pause", func(d *netconf.Device) { data(d).Pause = nil }, "classes other"},
		{"another map", func(d *netconf.Device) { d.QoS.Profiles[0].Classify[1] = 3 }, ""},
		{"a map of one port", func(d *netconf.Device) {
			d.QoS.Profiles = append(d.QoS.Profiles, *roce())
			d.QoS.Profiles[1].Classify[1], d.Interfaces[1].QoS.Profile = 3, 1
		}, "different maps"},
	} {
		d := stock()
		c.change(d)
		netconftest.Refused(t, c.what, nvue.Dialect{}, d, c.want)
	}
}

// A watchdog is rendered whose times are whole numbers of looks, if some port has one.
func TestWhichWatchdogsAreRefused(t *testing.T) {
	const ms = unit.Millisecond
	for _, c := range []struct {
		w       netconf.Watchdog
		watched bool
		want    string
	}{
		{netconf.Watchdog{On: true, Poll: 100 * ms, Detect: 100 * ms}, true, ""},
		{netconf.Watchdog{On: true, Poll: 100 * ms, Detect: 100_000 * ms}, true, ""},
		{netconf.Watchdog{On: true, Poll: 100 * ms, Detect: 100_100 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 5000 * ms, Detect: 10_000 * ms}, true, ""},
		{netconf.Watchdog{On: true, Poll: 5001 * ms, Detect: 10_002 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 99 * ms, Detect: 198 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 101 * ms / 2 * 3, Detect: 303 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms, Detect: 100 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms, Detect: 500 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms, Detect: 400 * ms, Restore: ms}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms, Detect: 400 * ms, Action: "drop"}, true, "watchdog"},
		{netconf.Watchdog{On: true, Poll: 200 * ms, Detect: 400 * ms}, false, "watchdog"},
		{netconf.Watchdog{}, false, ""},
		{netconf.Watchdog{}, true, "watchdog"},
		{netconf.Watchdog{Poll: 200 * ms, Detect: 400 * ms}, false, "watchdog"},
	} {
		d := stock()
		d.QoS.Watchdog, d.Interfaces[0].QoS.Watchdog = c.w, c.watched
		netconftest.Refused(t, fmt.Sprintf("%+v, a port has one: %v", c.w, c.watched), nvue.Dialect{}, d, c.want)
	}
}

func roce() *netconf.Profile { return &stock().QoS.Profiles[0] }

// What is fitted is rendered, with as little changed as can be.
func TestWhatIsFitted(t *testing.T) {
	const ms = unit.Millisecond
	const adaptive = "adaptive-routing enable on\n"
	times := func(poll, detect unit.Duration) func(*netconf.Device) {
		return func(d *netconf.Device) { d.QoS.Watchdog.Poll, d.QoS.Watchdog.Detect = poll, detect }
	}
	looks := func(poll, looks int) string {
		return fmt.Sprintf("nv set qos pfc-watchdog polling-interval %d\nnv set qos pfc-watchdog robustness %d\n", poll, looks)
	}
	for _, c := range []struct {
		what   string
		change func(d *netconf.Device)
		want   string // is rendered
		left   string // is said of what is left out; "": nothing
	}{
		{"as it is", func(*netconf.Device) {}, "lossless memory-percent 60\n", ""},
		{"all lossless", func(d *netconf.Device) { d.QoS.Pools = netconf.Pools{LosslessPart: 100} }, "lossless memory-percent 99\n", ""},
		{"cables of two lengths", func(d *netconf.Device) { d.Interfaces[1].QoS.Cable = unit.Metre }, "cable-length 5\n", "longest, 5m"},
		{"a metre and a millimetre", func(d *netconf.Device) {
			d.Interfaces[0].QoS.Cable, d.Interfaces[1].QoS.Cable = unit.Metre+1, unit.Metre+1
		}, "cable-length 2\n", "longest, 2m"},
		{"dlb as it is", func(*netconf.Device) {}, adaptive, ""},
		{"dlb of packets", func(d *netconf.Device) { d.Balance.Unit = "packet" }, adaptive, "adaptive routing is on"},
		{"dlb with a gap", func(d *netconf.Device) { d.Balance.Gap = 1 }, adaptive, "adaptive routing is on"},
		{"dlb with a MAC", func(d *netconf.Device) { d.Balance.MAC = "x" }, adaptive, "adaptive routing is on"},
		{"dlb of a port", func(d *netconf.Device) { d.Balance.Ports = []string{"x"} }, adaptive, "adaptive routing is on"},
		{"that looks seldom", times(5000*ms, 10_000*ms), looks(5000, 2), ""},
		{"more seldom than can be", times(5001*ms, 10_002*ms),
			looks(100, 101), "after 10.002s"},
		{"1000 looks", times(100*ms, 100_000*ms), looks(100, 1000), ""},
		{"one more", times(100*ms, 100_100*ms),
			looks(200, 501), "a whole number of looks, 100.2s"},
		{"an hour", times(ms, unit.Hour), looks(3600, 1000), ""},
		{"a day", times(ms, 24*unit.Hour), looks(5000, 1000), "5000s"},
		{"it drops", func(d *netconf.Device) { d.QoS.Watchdog.Action = "drop" }, looks(100, 3), "Cumulus NVUE's own"},
		{"it gives back", func(d *netconf.Device) { d.QoS.Watchdog.Restore = 1 }, looks(100, 3), "Cumulus NVUE's own"},
		{"no port has it", func(d *netconf.Device) { d.Interfaces[0].QoS.Watchdog = false }, "mtu 9000", ""},
		{"it is off", func(d *netconf.Device) { d.QoS.Watchdog.On = false }, "mtu 9000", ""},
	} {
		d := stock()
		c.change(d)
		d, text := netconftest.Fitted(t, c.what, nvue.Dialect{}, d, c.want, c.left)
		if strings.Contains(text, "watchdog") != d.QoS.Watchdog.On {
			t.Errorf("%s: watchdog %+v, and rendered\n%s", c.what, d.QoS.Watchdog, text)
		}
	}
}

// A device without ports says what all would have, and of no cable.
func TestNoPorts(t *testing.T) {
	d := stock()
	d.Interfaces, d.QoS.Watchdog = nil, netconf.Watchdog{}
	files, err := nvue.Dialect{}.Render(d)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files[0].Text); strings.Contains(text, "cable") || !strings.Contains(text, "qos roce mode lossless\n") {
		t.Error(text)
	}
}

// A list has at most 1025 interfaces of one range, and begins none behind 4096.
func TestBoundsOfLists(t *testing.T) {
	for text, want := range map[string]int{
		"swp1-1025": 1025, "swp1-1026": 0,
		"swp1-1024,swp2001-3024,swp4001-5024,swp6001-7024,swp8001-8002":         4098,
		"swp1-1024,swp2001-3024,swp4001-5024,swp6001-7024,swp8000,swp8001-8002": 0,
		"swp1-1024,swp2001-3024,swp4001-5024,swp6001-7024,swp8001-8002,swp9-10": 0,
		"swp32767":  1,
		"swp32768":  0,
		"swp1s255":  1,
		"swp1s256":  0,
		"swp1s":     0,
		"swp3-3":    1,
		"swp1-swp3": 3,
		"vlan4094":  1,
	} {
		p := nvue.Dialect{}.Parse([]netconf.File{{Name: "n", Text: []byte("nv set interface " + text + " link mtu 9000\n")}})
		if got := len(p.Device.Interfaces); got != want || (len(p.Problems) > 0) != (want == 0) {
			t.Errorf("%s: %d interfaces, want %d: %v", text, got, want, p.Problems)
		}
	}
}

// A tree is followed 64 keys deep; what is deeper is a command of its key alone.
func TestDeepTrees(t *testing.T) {
	for depth, want := range map[int]string{64: "", 66: "k1 k2"} {
		var text strings.Builder
		for n := range depth {
			fmt.Fprintf(&text, "%sk%d:\n", strings.Repeat(" ", n), n)
		}
		text.WriteString(strings.Repeat(" ", depth) + "leaf\n")
		p := nvue.Dialect{}.Parse([]netconf.File{{Name: "n", Text: []byte("- set:\n" + text.String())}})
		t.Log(depth, want, p.Problems)
	}
}
