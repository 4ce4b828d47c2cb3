package cli

import (
	"context"
	"slices"
	"strings"

	"railyard/internal/lint"
	"railyard/internal/prove"
	"railyard/internal/sheet"
)

// proofs are those of findings. Findings of one rule about one device share one: its first has it.
type proofs struct {
	all  []*prove.Proof
	of   map[int]*prove.Proof // by finding
	same map[int]*prove.Proof // of the others: by finding, that of the first
}

// proveAll proves findings, each rule once for a device.
func proveAll(ctx context.Context, all []lint.Finding, devices []*lint.Device, design *lint.Design) (p proofs, err error) {
	type subject struct{ rule, device string }
	seen := map[subject]*prove.Proof{}
	p.of, p.same = map[int]*prove.Proof{}, map[int]*prove.Proof{}
	for i := range all {
		key := subject{all[i].Rule, all[i].Device}
		if p.same[i] = seen[key]; p.same[i] != nil {
			continue
		}
		if p.of[i], err = prove.Of(ctx, &all[i], devices, design); err != nil {
			return p, err
		}
		seen[key] = p.of[i]
		p.all = append(p.all, p.of[i])
	}
	return p, nil
}

// print writes what a finding was seen to do, below it.
func (p *proofs) print(s *sheet.Sheet, finding int) {
	x := p.of[finding]
	switch {
	case p.of == nil:
		return
	case x == nil && p.same[finding].Why != "":
		return // the first says why there is none
	case x == nil:
		s.Hang("  proof: ", "         ", "as for the first that is the same")
		return
	case x.Why != "":
		s.Hang("  no proof: ", "            ", x.Why)
		return
	case x.Shown || x.Unmoved:
		s.Hang("  proof: ", "         ", x.Claim)
	case slices.Contains(x.Pays, x.Figures[0].Name):
		s.Hang("  no proof: ", "            ", "mended alone this network does worse, by "+strings.Join(x.Pays, ", ")+
			": the finding may follow from another one, which has to be mended first")
	default:
		s.Hang("  no proof: ", "            ", "this network shows no difference where one was looked for: "+x.Figures[0].Name)
	}
	s.Hang("         ", "         ", x.Network)
	rows := [][]string{{"", "as it is", "mended: " + x.Mended}}
	for i := range x.Figures {
		f := &x.Figures[i]
		rows = append(rows, []string{"         " + f.Name, f.Text(f.Broken), f.Text(f.Mended)})
	}
	s.Grid("lrw", rows)
	if x.Shown && len(x.Pays) > 0 {
		s.Hang("         ", "         ", "pays for it: "+strings.Join(x.Pays, ", ")+"; better: "+strings.Join(x.Better, ", "))
	}
}
