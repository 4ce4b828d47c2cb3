package svg

import (
	"fmt"

	"railyard/internal/out/chart"
)

// Draw lays a figure out at a width of at least 300 pixels. A figure that chart.Check
// refuses makes it panic, or draw nonsense.
func Draw(f *chart.Figure, width float64) *Drawing {
	switch {
	case f.Lines != nil:
		return drawLines(f, width)
	case f.Bars != nil:
		return drawBars(f, width)
	case f.Lanes != nil:
		return drawLanes(f, width)
	case f.Map != nil:
		return drawMap(f, width)
	case f.Graph != nil:
		return drawGraph(f, width)
	}
	panic(fmt.Sprintf("chart/svg: figure %s has no plot", f.Name))
}

// colours finds what keys are drawn with.
type colours map[string]colour

func coloursOf(f *chart.Figure) colours {
	c := colours{}
	for _, k := range f.Keys {
		c[k.ID] = colourOf(k.Ink)
	}
	return c
}

// keyOf finds a legend entry.
func keyOf(f *chart.Figure, id string) *chart.Key {
	for i := range f.Keys {
		if f.Keys[i].ID == id {
			return &f.Keys[i]
		}
	}
	return &chart.Key{ID: id, Name: id, Ink: chart.Other}
}
