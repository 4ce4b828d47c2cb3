package catalogue

import "railyard/internal/base/unit"

// A Cage is what a port takes.
type Cage string

// Cages. OSFP is the twin-port cage of air-cooled switches: 800 Gb/s, two engines of 400 in one plug.
const (
	AnyCage Cage = ""
	OSFP    Cage = "OSFP"
)

// A Plug is the top and the ports of a transceiver or of a cable's end.
type Plug string

// Plugs. NICs carry the heat sink on their cage, so what goes into one has a flat top; air-cooled switches
// want fins (NVIDIA, LinkX cables and transceivers: Connectors and Cages).
const (
	TwinFinned Plug = "twin-port-finned"
	TwinFlat   Plug = "twin-port-flat"
	SingleFlat Plug = "single-port-flat"
)

// A Medium is a kind of cable with what is at its ends.
type Medium struct {
	Name      string
	Least     unit.Bitrate // of a link
	Most      unit.Bitrate
	Reach     unit.Length
	Optics    bool       // its ends are transceivers, beside a cable of fibre
	SwitchEnd unit.Power // at most, of a switch's port of 800 Gb/s or, where links are slower, of one link; 0: not known
	NICEnd    unit.Power // of one link
	Source    string
}

const (
	linkX      = "NVIDIA, LinkX user guide for 400Gbps 100G-PAM4, product line overview"
	curriculum = "AI networking curriculum, build guide: DAC below 3 m, AOC below 30 m, then fibre"
)

// Media are the kinds, the first that reaches being taken.
var Media = []Medium{
	{Name: "Cat 6", Most: gig, Reach: 100 * unit.Metre, Source: "IEEE 802.3 clause 40, 1000BASE-T"},
	{Name: "DAC", Least: 400 * gig, Most: 800 * gig, Reach: 3 * unit.Metre, SwitchEnd: 100, NICEnd: 100, Source: linkX},
	{Name: "ACC", Least: 400 * gig, Most: 800 * gig, Reach: 5 * unit.Metre, SwitchEnd: 1500, NICEnd: 600, Source: linkX},
	{Name: "multimode", Least: 400 * gig, Most: 800 * gig, Reach: 50 * unit.Metre, Optics: true,
		SwitchEnd: 17 * unit.Watt, NICEnd: 9 * unit.Watt, Source: linkX},
	{Name: "single-mode", Least: 400 * gig, Most: 800 * gig, Reach: 500 * unit.Metre, Optics: true,
		SwitchEnd: 17 * unit.Watt, NICEnd: 9 * unit.Watt, Source: linkX + "; MMS4X00-NM: 500 m"},
	{Name: "DAC", Least: gig + 1, Most: 400*gig - 1, Reach: 3 * unit.Metre, Source: curriculum},
	{Name: "AOC", Least: gig + 1, Most: 400*gig - 1, Reach: 30 * unit.Metre, Source: curriculum},
	{Name: "single-mode", Least: gig + 1, Most: 400*gig - 1, Reach: 500 * unit.Metre, Optics: true,
		Source: "IEEE 802.3, 100GBASE-DR (clause 140) and 200GBASE-DR4 (clause 121)"},
}

// MediumFor returns the first kind that carries a rate so far, nil if there is none.
func MediumFor(rate unit.Bitrate, length unit.Length) *Medium {
	for i := range Media {
		if m := &Media[i]; m.Least <= rate && rate <= m.Most && length <= m.Reach {
			return m
		}
	}
	return nil
}

// Farthest is the longest reach of a rate, 0 if nothing carries it.
func Farthest(rate unit.Bitrate) (reach unit.Length) {
	for _, m := range Media {
		if m.Least <= rate && rate <= m.Most {
			reach = max(reach, m.Reach)
		}
	}
	return reach
}
