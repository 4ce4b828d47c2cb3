// Package svg draws figures of package chart at a width, for light and dark paper.
//
//	Figure, width --> Draw --> Drawing --+--> String  for a page: no background
//	                                     +--> File    a file of its own, with its title
//
// A mark carries its colour twice: as an attribute, which any program understands, and as
// a class, with which a page sets it anew for a dark background (DarkRules). Inks that
// colour alone cannot tell apart differ in hatching, too: lines in the colour of the paper.
//
// What a page's script relies on: the root has class "chart" and data-figure, the figure's
// name. The plot area of Lines is an inner <svg class="area"> whose viewBox it may change
// to zoom; the texts at the X axis are in <g class="ticks-x">. Lanes have such an area, too: there
// it moves the spans, whose rectangles have data-w, the width that they stand for, and data-hatch. The cells of a Map are in
// areas too, one for each group of rows, whose viewBox has a unit for each column and row;
// data-first and data-count say which rows. The colours of maps and graphs are a ramp.
//
// Invariants: the same figure and width give the same bytes; every mark and text lies
// within the drawing; nothing outside the drawing is asked for.
package svg
