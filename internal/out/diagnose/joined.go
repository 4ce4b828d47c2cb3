package diagnose

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// joined puts findings together that are called the same at the same place, or after one setting of a switch, another job,
// or the way that the job's messages take.
func joined(d *Diagnosis, all []Finding) (out []Finding) {
	for _, f := range all {
		at := slices.IndexFunc(out, func(o Finding) bool {
			return o.Noun == f.Noun && f.Place.Name != "" && (o.Place.Name == f.Place.Name ||
				f.Noun == noun.AnotherJob && slices.Equal(o.Culprits, f.Culprits) || f.Noun == noun.CrossRail ||
				f.By != "" && o.By == f.By && slices.Contains(odd, f.By) && sender(o.Place.Name) == sender(f.Place.Name))
		})
		if at < 0 {
			out = append(out, f)
			continue
		}
		o := &out[at]
		switch {
		case (f.Noun == noun.AnotherJob || f.Noun == noun.CrossRail) && o.Place.Name != f.Place.Name: // one thing, wherever it is met
			if o.Place.Ports == nil {
				o.Place.Ports = []string{o.Place.Name}
			}
			o.Place.Ports = append(o.Place.Ports, f.Place.Name)
		case f.Noun == noun.BlackHole:
			o.Place.Ports = append(o.Place.Ports, f.Place.Ports...)
		case o.Place.Name != f.Place.Name:
			if o.Place.Kind != noun.Switch {
				o.Place = noun.Place{Kind: noun.Switch, Name: sender(o.Place.Name), Ports: []string{o.Place.Name}}
			}
			o.Place.Ports = append(o.Place.Ports, f.Place.Name)
		}
		o.Blames, o.Time = append(o.Blames, f.Blames...), o.Time+f.Time
		o.Share = unit.Share(o.Time, d.Whole)
		o.timer += f.timer
		if len(o.Culprits) == 0 {
			o.Culprits, o.Others = f.Culprits, f.Others
		}
	}
	return out
}
