package workload

import (
	"strconv"
	"strings"
)

// passWork are the kinds of work that are part of a pass, and whether it is a backward.
var passWork = map[string]bool{Forward: false, "norm": false, "attend": false, "project": false, "finish": false,
	"join": false, "route": false, "expert": false, "combine": false, Loss: false, lossSums: false, Backward: true,
	"backward-norm": true, "backward-attend": true, "backward-inner": true, "backward-combine": true, "backward-expert": true,
	"backward-route": true, Again: true, Again + "-norm": true, Again + "-attend": true, Again + "-project": true,
	Again + "-finish": true}

// Again is a forward that a backward runs again, for what was not kept.
const Again = "again"

// lossSums is the phase of a loss whose outputs lie in parts before these are put together.
const lossSums = "loss-sums"

// PassOf returns which micro-batch's forward or backward an operation of a step of a training computes
// a part of, and of which layer, both from 0, by its name; of the loss, which follows the last layer's
// forward, the layer is -1. Run directories keep names alone.
func PassOf(name string) (p Pass, layer int, ok bool) {
	parts := strings.Split(name, ".")
	work := parts[0]
	if name, n, numbered := strings.Cut(work, "-"); numbered && (name == Forward || name == Backward) {
		if _, err := strconv.ParseUint(n, 10, 16); err == nil { // one of several phases
			work = name
		}
	}
	p.Backward, ok = passWork[work]
	parts = parts[1:]
	if layer = -1; ok && work != Loss && work != lossSums {
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
