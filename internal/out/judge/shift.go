package judge

import (
	"railyard/internal/net/telemetry"
)

// Who is sent what may differ from a run in order to the next without a fault, as where a router of experts decides otherwise.

// elsewhere is the port to a host that sends the most less than in order, if NICs have not sent half of what another port sends more:
// somebody else's bytes are sent besides those of the job, while a job whose router decides otherwise sends as many as in order.
func (v *view) elsewhere(more int64) (at *port) {
	sent, least := int64(0), int64(0)
	for i := range v.ports {
		p := &v.ports[i]
		if p.was == nil {
			continue
		}
		n := rose(p.Series, telemetry.TxBytes) - rose(p.was, telemetry.TxBytes)
		if p.Kind == telemetry.NIC {
			sent += n
		} else if v.toHost(p) && n < least {
			at, least = p, n
		}
	}
	if 2*sent >= more {
		return nil
	}
	return at
}

// dealtOtherwise is the port to a host whose bytes differ most from those in order, by a tenth or more, and how many bytes more ports to
// hosts send than in order, all together: where a router of experts decides otherwise, links between switches are full for that.
func (v *view) dealtOtherwise() (at *port, more int64) {
	most := int64(0)
	for i := range v.ports {
		p := &v.ports[i]
		if p.was == nil || p.Kind != telemetry.Port || !v.toHost(p) {
			continue
		}
		was := rose(p.was, telemetry.TxBytes)
		n := rose(p.Series, telemetry.TxBytes) - was
		more += max(0, n)
		if n = max(n, -n); 10*n > was && n > most {
			at, most = p, n
		}
	}
	return at, more
}

// newSenders are the NICs that send more than in order, by a part of what a port sends more, but for that of the port.
func (v *view) newSenders(to *port) (names []string) {
	least := (rose(to.Series, telemetry.TxBytes) - rose(to.was, telemetry.TxBytes)) / 20
	for i := range v.ports {
		p := &v.ports[i]
		if sent, was := rose(p.Series, telemetry.TxBytes), rose(p.was, telemetry.TxBytes); p.Kind == telemetry.NIC &&
			p.was != nil && sent > was+was/10+least && v.toward(p) != to.Port {
			names = append(names, p.Port)
		}
	}
	return names
}
