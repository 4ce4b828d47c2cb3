package prove

import (
	"context"

	"railyard/internal/config/lint"
)

// Proofs are those of findings. Findings of one rule about one device share one: its first has it.
type Proofs struct {
	All  []*Proof
	Of   map[int]*Proof // by finding
	Same map[int]*Proof // of the others: by finding, that of the first
}

// All proves findings, each rule once for a device.
func All(ctx context.Context, all []lint.Finding, devices []*lint.Device, design *lint.Design) (p Proofs, err error) {
	type subject struct{ rule, device string }
	seen := map[subject]*Proof{}
	p.Of, p.Same = map[int]*Proof{}, map[int]*Proof{}
	for i := range all {
		key := subject{all[i].Rule, all[i].Device}
		if p.Same[i] = seen[key]; p.Same[i] != nil {
			continue
		}
		if p.Of[i], err = Of(ctx, &all[i], devices, design); err != nil {
			return p, err
		}
		seen[key] = p.Of[i]
		p.All = append(p.All, p.Of[i])
	}
	return p, nil
}

// Shared are the proofs of findings of which each has one, or that of the first that is the same.
func Shared(each []*Proof, first []int) Proofs {
	p := Proofs{Of: map[int]*Proof{}, Same: map[int]*Proof{}}
	for i, x := range each {
		if first[i] != i {
			p.Same[i] = x
			continue
		}
		p.Of[i] = x
		p.All = append(p.All, x)
	}
	return p
}
