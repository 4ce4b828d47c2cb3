package workload

import (
	"strconv"
	"strings"
)

// passWork are the kinds of work that are part of a pass, and whether it is a backward.
var passWork = map[string]bool{Forward: false, Finish: false, Join: false, Loss: false, Backward: true}

// PassOf returns which micro-batch's forward or backward an operation of a step of a training computes
// a part of, and of which layer, both from 0, by its name; of the loss, which follows the last layer's
// forward, the layer is -1. Run directories keep names alone.
func PassOf(name string) (p Pass, layer int, ok bool) {
	parts := strings.Split(name, ".")
	p.Backward, ok = passWork[parts[0]]
	parts = parts[1:]
	if layer = -1; ok && !(name == Loss || strings.HasPrefix(name, Loss+".")) {
		if len(parts) == 0 {
			return Pass{}, 0, false
		}
		n, err := strconv.Atoi(parts[0])
		if err != nil || n < 1 {
			return Pass{}, 0, false
		}
		layer, parts = n-1, parts[1:]
	}
	switch {
	case !ok || len(parts) > 1:
		return Pass{}, 0, false
	case len(parts) == 0: // there is one
		return p, layer, true
	}
	number, numbered := strings.CutPrefix(parts[0], "m")
	n, err := strconv.Atoi(number)
	if !numbered || err != nil || n < 1 {
		return Pass{}, 0, false
	}
	p.Micro = n - 1
	return p, layer, true
}
