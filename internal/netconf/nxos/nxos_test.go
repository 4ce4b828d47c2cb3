package nxos_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/netconf"
	"railyard/internal/netconf/nxos"
	"railyard/internal/netconf/qostest"
	"railyard/internal/unit"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216, 4200}, QueueIsTC: true, SamePause: true, Static: true,
	DCBX: []netconf.DCBX{netconf.DCBXDefault, netconf.DCBXIEEE, netconf.DCBXCEE}, PFC: qostest.Modes,
	Balance: func(t *rapid.T) *netconf.Balance {
		return rapid.SampledFrom([]*netconf.Balance{
			nil, {Method: "ecmp"}, {Method: "ecmp", Seed: 7}, {Method: "dlb", Unit: "packet", MAC: "aa:bb:cc:dd:ee:ff"},
			{Method: "dlb", Unit: "flowlet", Gap: 500 * unit.Microsecond, Ports: []string{"Ethernet1/1", "Ethernet1/2"}},
		}).Draw(t, "balance")
	},
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, nxos.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	book, err := os.ReadFile("testdata/book.cfg")
	if err != nil {
		f.Fatal(err)
	}
	qostest.Fuzz(f, nxos.Dialect{}, string(book), "interface e1\n priority-flow-control mode on\n", "system qos\n x\n")
}
