package svg

import (
	"cmp"
	"slices"
)

// Colour is a colour of drawings, on light and on dark paper, as #rrggbb. Hatched says that lines over it tell it from
// another that looks like it to some.
type Colour struct {
	Name    string `json:"name"` // of an ink; ramp-0 to ramp-10, from little to much
	Light   string `json:"light"`
	Dark    string `json:"dark"`
	Hatched bool   `json:"hatched"`
}

// Palette lists the colours of all inks by name, and after them those of the ramp, for what draws without this package.
func Palette() (all []Colour) {
	for ink, c := range inks {
		all = append(all, Colour{string(ink), c.light, c.dark, c.hatch != 0})
	}
	slices.SortFunc(all, func(a, b Colour) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range ramp {
		all = append(all, Colour{Name: c.name, Light: c.light, Dark: c.dark})
	}
	return all
}
