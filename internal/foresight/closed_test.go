package foresight

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/scenario"
	"railyard/internal/unit"
)

// Where closed forms stand for what ranks send, the keys of what they are made of change them, in the direction of the key; keys
// of messages have no meaning.
func TestProtocolKeysOfClosedForms(t *testing.T) {
	const text = `
cluster: {hosts: 2, host: {preset: hgx-h100}%s}
run: {network: formula}
job:
  model: {layers: 4, hidden: 1024, ffn: 4096, heads: 16, vocabulary: 32000, sequence: 1024, batch: 16}
  parallel: {tp: %d, dp: %d}
`
	takes := func(keys string, tp int) unit.Duration {
		p := largePlan(t, fmt.Sprintf(text, keys, tp, 16/tp))
		_, all := phaseTimes(p, &p.Jobs[0])
		return all
	}
	for _, c := range []struct {
		keys   string
		tp     int
		longer bool
	}{
		{"simple: {nvlink_ring: 1ms}, ll: {nvlink_ring: 1ms, nvlink_tree: 1ms}, ll128: {nvlink_ring: 1ms}, nvls: {launch: 1ms}", 8, true},
		{"nvls: {launch: 5us}", 8, false}, {"nvls: {efficiency: 40%}", 8, true},
		{"simple: {net_ring: 1ms, net_tree: 1ms}, ll128: {net_ring: 1ms, net_tree: 1ms}, nvls: {launch: 1ms}", 16, true},
		{"speed: 2", 8, false}, {"speed: 1/2", 16, true},
	} {
		if before, after := takes("", c.tp), takes(", protocols: {"+c.keys+"}", c.tp); after == before || after > before != c.longer {
			t.Errorf("tp %d, %s: %v, and without %v", c.tp, c.keys, after, before)
		}
	}
	for key, want := range map[string]string{"simple: {slice: 1}": "no collective's schedule is cut", "simple: {buffer: 1MiB}": "no " +
		"collective's schedule is cut", "ll: {rate: 1GB/s}": "there are no messages"} {
		_, err := scenario.Parse("closed.yaml", fmt.Appendf(nil, text, ", protocols: {"+key+"}", 8, 2))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
