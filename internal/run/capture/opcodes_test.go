package capture

import (
	"fmt"
	"testing"

	"railyard/internal/engine/fabric"
	"railyard/internal/net/wire"
)

// Packages fabric and wire each have the opcodes, for the packet engine knows no headers. They are the
// same numbers: a capture writes those of data packets as they are. What the engine alone has lies in
// the manufacturers' range, where IBTA vol. 1, 9.2.1 has none.
func TestOpcodesAreThoseOfTheHeader(t *testing.T) {
	same := map[fabric.Opcode]wire.Opcode{
		fabric.WriteFirst: wire.WriteFirst, fabric.WriteMiddle: wire.WriteMiddle, fabric.WriteLast: wire.WriteLast,
		fabric.WriteLastImm: wire.WriteLastImm, fabric.WriteOnly: wire.WriteOnly, fabric.WriteOnlyImm: wire.WriteOnlyImm,
		fabric.OpAck: wire.Acknowledge, fabric.OpCNP: wire.CNPOpcode,
	}
	for a, b := range same {
		if uint8(a) != uint8(b) {
			t.Errorf("%s is 0x%02x in fabric, 0x%02x in wire", b, uint8(a), uint8(b))
		}
	}
	for _, own := range []fabric.Opcode{fabric.OpNak, fabric.OpCTS, fabric.OpCredit, fabric.OpCreditAck, fabric.OpCMRequest,
		fabric.OpCMReply, fabric.OpCMReady, fabric.OpCMLeave, fabric.OpCMLeft} {
		if o := wire.Opcode(own); own < 0xC0 || o.String() != fmt.Sprintf("opcode 0x%02x", uint8(own)) {
			t.Errorf("0x%02x of fabric is %s in wire", uint8(own), o)
		}
	}
}
