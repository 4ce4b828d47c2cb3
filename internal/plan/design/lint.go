package design

import (
	"fmt"

	"railyard/internal/net/catalogue"
)

// lint reports transceivers that do not go into the ports that they are bought for (NVIDIA, LinkX
// cables and transceivers: Connectors and Cages).
func (l *Layout) lint() {
	for _, t := range l.Option.Backend().Tiers() {
		m := l.r.Switch(t.Switch.Model)
		if text := misplugged[catalogue.Plug(l.r.Optics.Switch)]; m.Cage == catalogue.OSFP && text != "" {
			l.wrong("optics.switch", fmt.Sprintf("%s: %s %s", l.r.Optics.Switch, m.Name, text), string(catalogue.TwinFinned))
			break
		}
	}
	if plug := catalogue.Plug(l.r.Optics.NIC); plug == catalogue.TwinFlat && l.r.NIC.Ports == 1 {
		l.wrong("optics.nic", fmt.Sprintf("%s: a card with one port (nic.ports) takes a single-port plug", plug),
			string(catalogue.SingleFlat))
	}
}

// misplugged says why a plug does not go into a twin-port cage of an air-cooled switch.
var misplugged = map[catalogue.Plug]string{
	catalogue.SingleFlat: "has twin-port OSFP cages, which a single-port plug does not fit",
	catalogue.TwinFlat:   "is air-cooled, and a flat top gets too hot in it",
}
