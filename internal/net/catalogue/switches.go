package catalogue

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// A Switch is a model of a switch, or of the chip in it.
type Switch struct {
	Name       string
	About      string // maker and name
	Ports      int
	Rate       unit.Bitrate // the highest of a port
	Breakout   int          // equal ports that one may be split into; 0: not known
	Uplinks    int          // further ports, which only links upwards take
	UplinkRate unit.Bitrate // of those
	Cage       Cage
	Buffer     unit.Bytes // shared by all ports; 0: not known
	Power      unit.Power // the largest of the data sheet, which may count transceivers in; 0: not known
	Typical    unit.Power // without transceivers; 0: not known
	Height     int        // rack units; 0: not known
	Source     string
}

// Capacity is what all ports carry, in one direction.
func (s *Switch) Capacity() unit.Bitrate {
	return unit.Bitrate(s.Ports)*s.Rate + unit.Bitrate(s.Uplinks)*s.UplinkRate
}

// Meaning is the model in a line.
func (s *Switch) Meaning() string {
	return fmt.Sprintf("%s, %g Tb/s: %d ports of %s, %s", s.About, float64(s.Capacity())/float64(unit.TerabitPerSec),
		s.Ports, s.Rate.Human(), s.Buffer.Human())
}

const (
	gig = unit.GigabitPerSec
	mb  = unit.Megabyte
)

// Switches are the models, in the order in which they are listed.
var Switches = slices.Concat(chips, boxes)

// chips are those of which a run knows the buffer, and the boxes that networks beside the backend have unless a
// requirement says otherwise.
var chips = []Switch{
	{
		Name: "tomahawk3", About: "Broadcom Tomahawk 3", Ports: 32, Rate: 400 * gig, Buffer: 64 * mb,
		Source: "public data sheet of the chip; power and height are those of a box",
	},
	{
		Name: "tomahawk4", About: "Broadcom Tomahawk 4", Ports: 64, Rate: 400 * gig, Buffer: 113 * mb,
		Source: "public data sheet of the chip; power and height are those of a box",
	},
	{
		Name: "tomahawk5", About: "Broadcom Tomahawk 5", Ports: 64, Rate: 800 * gig, Breakout: 4, Buffer: 165 * mb,
		Source: "public data sheet of the chip: 64 x 800G or 128 x 400G; 256 x 200G: SONiC, SKU Arista-7060X6-64PE-256x200G; " +
			"power and height are those of a box",
	},
	{
		Name: "spectrum3", About: "NVIDIA Spectrum-3", Ports: 32, Rate: 400 * gig, Buffer: 64 * mb,
		Source: "public data sheet of the chip; power and height are those of a box",
	},
	{
		Name: "sn5600", About: "NVIDIA Spectrum-4 SN5600", Ports: 64, Rate: 800 * gig, Breakout: 4, Cage: OSFP,
		Buffer: 160 * mb, Height: 2, Typical: 940 * unit.Watt,
		Source: "NVIDIA SN5000 2U switch systems hardware user manual, Data Interfaces: 64 x 800, 128 x 400 or 256 x 200 GbE" + rackula,
	},
	{
		Name: "nexus-9348d-gx2a", About: "Cisco Nexus 9348D-GX2A", Ports: 48, Rate: 400 * gig, Buffer: 120 * mb,
		Height: 2, Source: "public data sheet; height: NetBox device type library, N9K-C9348D-GX2A",
	},
	{
		Name: "nexus-9364d-gx2a", About: "Cisco Nexus 9364D-GX2A", Ports: 64, Rate: 400 * gig, Buffer: 120 * mb,
		Height: 2, Source: "public data sheet; height: NetBox device type library, N9K-C9364D-GX2A",
	},
	{
		Name: "sn4600c", About: "NVIDIA Spectrum-3 SN4600C", Ports: 64, Rate: 100 * gig, Typical: 466 * unit.Watt, Height: 2,
		Source: "public data sheet: 64 QSFP28 ports of 100 GbE" + rackula + ", and height",
	},
	{
		Name: "sn2201", About: "NVIDIA Spectrum SN2201", Ports: 48, Rate: gig, Uplinks: 4, UplinkRate: 100 * gig,
		Typical: 98 * unit.Watt, Height: 1,
		Source: "public data sheet: 48 RJ45 ports of 1 GbE, 4 QSFP28 ports of 100 GbE, one rack unit" + rackula,
	},
}

// FindSwitch returns the model of a name, nil if there is none.
func FindSwitch(name string) *Switch {
	for i := range Switches {
		if Switches[i].Name == name {
			return &Switches[i]
		}
	}
	return nil
}
