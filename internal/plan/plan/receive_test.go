package plan

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

const receiving = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s, receive_buffer: SIZE}}
fabric: {design: single-switch, qos: {pfc: {enabled: PFC}}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`

// A NIC's xOFF leaves headroom for what is on its way; without PFC all of the buffer is for packets, however small it is.
func TestReceiveBuffer(t *testing.T) {
	planned := func(size, pfc string) (*Plan, error) {
		text := strings.NewReplacer("SIZE", size, "PFC", pfc).Replace(receiving)
		sc, err := scenario.Parse("test.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return New(sc, Files{}, nil)
	}
	p, err := planned("256KiB", "true")
	if err != nil {
		t.Fatal(err)
	}
	r := p.ReceiveBuffer()
	if headroom := r.Size - r.XOFF; !r.Pauses || r.XON+2*p.Scenario.Fabric.MTU != r.XOFF || headroom < 20_000 || headroom > 100_000 {
		t.Errorf("%+v", r)
	}
	least := r.Size - r.XOFF + 4*p.Scenario.Fabric.MTU // that two packets come between xON and xOFF
	for size, ok := range map[unit.Bytes]bool{least: true, least - 1: false} {
		if _, err = planned(fmt.Sprintf("%dB", size), "true"); (err == nil) != ok {
			t.Errorf("%v: %v", size, err)
		}
	}
	if p, err = planned("16KiB", "false"); err != nil || p.ReceiveBuffer().Pauses || p.FabricConfig().HostsPause {
		t.Errorf("without PFC: %+v, %v", p.ReceiveBuffer(), err)
	}
	if p, err = planned("none", "true"); err != nil || p.ReceiveBuffer() != nil {
		t.Errorf("none: %+v, %v", p.ReceiveBuffer(), err)
	}
	const want = "test.yaml:2:76: cluster.nic.receive_buffer: 16KiB: too small, want at least"
	if _, err = planned("16KiB", "true"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
