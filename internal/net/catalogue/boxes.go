package catalogue

import (
	"strings"

	"railyard/internal/base/unit"
)

// platform is where SONiC describes a box: its ports and into what each may be split.
func platform(path string) string {
	return "SONiC, sonic-buildimage, device/" + path + "/platform.json"
}

// ports400 and ports800 are a box whose ports all have one rate. They are split into four at most: more is listed
// for single ports, but chips bound the ports in all (no list of a Tomahawk 5 has more than 256).
func ports400(name, about string, ports, height int, source string) Switch {
	return Switch{Name: name, About: about, Ports: ports, Rate: 400 * gig, Breakout: 4, Height: height, Source: source}
}

func ports800(name, about string, ports, height int, source string) Switch {
	return Switch{Name: name, About: about, Ports: ports, Rate: 800 * gig, Breakout: 4, Height: height, Source: source}
}

const (
	netbox   = "; height: NetBox device type library, "
	nautobot = "; height: Nautobot device type library, "
	sn5000   = "; height: NVIDIA SN5000 2U switch systems hardware user manual"
)

// Where powers are from, none of which is a maker's own page. Rackula's notes cite NVIDIA's manuals, with passive cables;
// what the Network Power Zoo has was read out of Arista's data sheet for it by a language model. Its powers of Cisco's
// boxes are one box's for three and are left out.
const (
	rackula  = "; power: Rackula, spike 3287 on DGX BasePOD and SuperPOD, which cites NVIDIA's manual: typically, passive cables"
	powerZoo = "; power and height: Network Power Zoo (nsg-ethz), from Arista's 7060X5 data sheet, typically without " +
		"transceivers, whether the largest has them it does not say"
	cages      = "a public network plan of 2026 that lists it: 32 x 800G, 64 x 400G, 25.6 Tb/s"
	ipInfusion = "; power and height: IP Infusion, Tomahawk 5 switches, typically without transceivers"
)

// arista is a box of Arista's 7060X5 series, with its powers.
func arista(name string, ports, height int, typical, most unit.Power, source string) Switch {
	s := ports400(strings.ToLower(name), "Arista "+name, ports, height, source+powerZoo)
	s.Typical, s.Power = typical*unit.Watt, most*unit.Watt
	if source == cages {
		s.About, s.Breakout = s.About+", two ports in each of 32 cages", 0
	}
	return s
}

// boxes are switches of 12.8 to 102.4 Tb/s, by maker.
var boxes = []Switch{
	ports400("sn4700", "NVIDIA Spectrum-3 SN4700", 32, 1, platform("mellanox/x86_64-mlnx_msn4700-r0")+nautobot+"SN4700"),
	ports400("sn5400", "NVIDIA Spectrum-4 SN5400", 64, 2, platform("mellanox/x86_64-nvidia_sn5400-r0")+sn5000),
	ports800("sn5610n", "NVIDIA Spectrum-4 SN5610N", 64, 0, platform("mellanox/x86_64-nvidia_sn5610n-r0")),
	{
		Name: "sn5610", About: "NVIDIA Spectrum-4 SN5610", Ports: 64, Rate: 800 * gig, Breakout: 4, Cage: OSFP, Height: 2,
		Typical: 900 * unit.Watt, Power: 2080 * unit.Watt,
		Source: "NVIDIA SN5000 2U switch systems hardware user manual, which names it; ports and height as power" + rackula +
			", the largest with 64 optical modules",
	},
	// Cages of 800 Gb/s and 1.6 Tb/s whose fastest links are two of half the rate.
	ports400("sn5640", "NVIDIA SN5640, two ports in each of 64 cages", 128, 0, platform("mellanox/x86_64-nvidia_sn5640-r0")),
	ports800("sn6600-ld", "NVIDIA SN6600-LD, two ports in each of 64 cages", 128, 0,
		platform("mellanox/x86_64-nvidia_sn6600_ld-r0")),
	ports800("sn6810-ld", "NVIDIA SN6810-LD", 128, 0, platform("mellanox/x86_64-nvidia_sn6810_ld-r0")),
	{
		Name: "qm9700", About: "NVIDIA Quantum-2 QM9700, InfiniBand NDR", Ports: 64, Rate: 400 * gig, Breakout: 2, Cage: OSFP,
		Height: 1, Typical: 747 * unit.Watt, Power: 1720 * unit.Watt,
		Source: "NVIDIA QM97XX 1U NDR 400Gb/s InfiniBand switch systems user manual, Interfaces: two ports in each " +
			"OSFP cage; naddod.com, What is NDR OSFP: 64 x 400 or 128 x 200 Gb/s" + rackula + ", the largest with active ones",
	},
	{
		Name: "q3400-ra", About: "NVIDIA Quantum-X800 Q3400-RA, InfiniBand XDR, two ports in each of 72 cages", Ports: 144,
		Rate: 800 * gig, Cage: OSFP, Height: 4, Source: "NetBox device type library, Q3400-RA",
	},
	ports400("7060dx4-32", "Arista 7060DX4-32", 32, 1, platform("arista/x86_64-arista_7060dx4_32")+nautobot+"DCS-7060DX4-32"),
	ports400("7060px4-32", "Arista 7060PX4-32", 32, 1, platform("arista/x86_64-arista_7060px4_32")+nautobot+"DCS-7060PX4-32"),
	arista("7060DX5-32", 32, 1, 289, 799, platform("arista/x86_64-arista_7060dx5_32")),
	arista("7060DX5-64S", 64, 2, 489, 1716, platform("arista/x86_64-arista_7060dx5_64s")),
	arista("7060DX5-64E", 64, 1, 548, 1247, cages),
	arista("7060PX5-64E", 64, 1, 596, 1387, cages),
	ports800("7060x6-32pe", "Arista 7060X6-32PE", 32, 0, platform("arista/x86_64-arista_7060x6_32pe")),
	ports800("7060x6-64de", "Arista 7060X6-64DE", 64, 0, platform("arista/x86_64-arista_7060x6_64de")),
	ports800("7060x6-64pe", "Arista 7060X6-64PE", 64, 2,
		platform("arista/x86_64-arista_7060x6_64pe")+netbox+"DCS-7060X6-64PE"),
	ports400("z9332f", "Dell PowerSwitch Z9332F-ON", 32, 0, platform("dell/x86_64-dellemc_z9332f_d1508-r0")),
	ports800("z9864f", "Dell PowerSwitch Z9864F-ON", 64, 0, platform("dell/x86_64-dell_z9864f-r0")),
	ports400("as9516-32d", "Edgecore AS9516-32D", 32, 0, platform("barefoot/x86_64-accton_as9516_32d-r0")),
	{
		Name: "as9817-64d", About: "Edgecore (Accton) 64 x QSFP-DD800, Tomahawk 5", Ports: 64, Rate: 800 * gig, Height: 2,
		Source: "OpenNetworkLinux, pull request 977 of Accton: 64 QSFP-DD ports, 51.2 Tb/s; height: IP Infusion, Tomahawk 5 switches",
	},
	ports400("s9300-32d", "UfiSpace S9300-32D", 32, 0, platform("ufispace/x86_64-ufispace_s9300_32d-r0")),
	ports400("s9301-32d", "UfiSpace S9301-32D", 32, 0, platform("ufispace/x86_64-ufispace_s9301_32d-r0")),
	ports400("s9311-64d", "UfiSpace S9311-64D", 64, 0, platform("ufispace/x86_64-ufispace_s9311_64d-r0")),
	{
		Name: "s9321-64e", About: "UfiSpace S9321-64E", Ports: 64, Rate: 800 * gig, Breakout: 4, Typical: 913 * unit.Watt,
		Height: 2, Source: platform("ufispace/x86_64-ufispace_s9321_64e-r0") + ipInfusion,
	},
	ports800("s9321-64eo", "UfiSpace S9321-64EO", 64, 2,
		platform("ufispace/x86_64-ufispace_s9321_64eo-r0")+"; height: IP Infusion, Tomahawk 5 switches"),
	{
		Name: "qfx5241-64od", About: "Juniper QFX5241-64OD", Ports: 64, Rate: 800 * gig, Cage: OSFP,
		Source: "Juniper QFX5241-64OD and QFX5241-64QD hardware guide, ports panel: 64 OSFP ports of 800 GbE",
	},
	{
		Name: "qfx5241-32od", About: "Juniper QFX5241-32OD", Ports: 32, Rate: 800 * gig, Cage: OSFP,
		Source: "Juniper QFX5241-32OD hardware guide, port panel: 32 OSFP ports of 800 GbE",
	},
	ports400("ixr-7220-h4", "Nokia 7220 IXR-H4", 64, 0, platform("nokia/x86_64-nokia_ixr7220_h4-r0")),
	ports800("ixr-7220-h5-64d", "Nokia 7220 IXR-H5-64D", 64, 0, platform("nokia/x86_64-nokia_ixr7220_h5_64d-r0")),
	ports800("ixr-7220-h6-128", "Nokia 7220 IXR-H6-128", 128, 0, platform("nokia/x86_64-nokia_ixr7220_h6_128-r0")),
	{
		Name: "ixr-7220-h6-64", About: "Nokia 7220 IXR-H6-64", Ports: 64, Rate: 1600 * gig, Breakout: 4,
		Source: platform("nokia/x86_64-nokia_ixr7220_h6_64-r0"),
	},
	ports400("m2-w6940-128qc", "Micas M2-W6940-128QC, two splits of a port", 128, 0,
		platform("micas/x86_64-micas_m2-w6940-128qc-r0")),
	ports800("m2-w6940-64oc", "Micas M2-W6940-64OC", 64, 0, platform("micas/x86_64-micas_m2-w6940-64oc-r0")),
	ports800("sse-t8164", "Supermicro SSE-T8164", 64, 0, platform("supermicro/x86_64-supermicro_sse_t8164-r0")),
}
