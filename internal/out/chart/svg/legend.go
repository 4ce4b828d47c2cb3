package svg

import (
	"fmt"

	"railyard/internal/out/chart"
)

// swatch is how a legend entry looks: as its marks do.
type swatch int

const (
	box    swatch = iota
	stroke        // a line
	dashed        // a rule
	dot           // a place
	veil          // a zone
)

// entry is one entry of a legend.
type entry struct {
	key  *chart.Key
	look swatch
	note string // said after the name, muted
}

// dashes is how rules are drawn.
const dashes = "5 3"

const legendRow = 18.0

// legend draws entries in rows from (x, y), the baseline of the first, to the right
// edge and returns the height used. With d nil it only measures.
func legend(d *Drawing, all []entry, x, y, right float64) float64 {
	if len(all) == 0 {
		return 0
	}
	at, top := x, y
	for _, e := range all {
		const mark = 19.0
		name := fit(e.key.Name, smallSize, right-x-mark)
		nameWidth := textWidth(name, smallSize)
		w := mark + nameWidth + 13
		note := fit(e.note, smallSize, right-x-w)
		if note != "" {
			w += textWidth(note, smallSize) + 5
		}
		if at+w-13 > right && at > x {
			at, y = x, y+legendRow
		}
		if d != nil {
			if e.key.Meaning != "" {
				d.b.WriteString("<g>")
			}
			e.draw(d, at, y)
			d.text(at+mark, y, smallSize, alignStart, ink, name)
			if note != "" {
				d.text(at+mark+nameWidth+5, y, smallSize, alignStart, muted, note)
			}
			if e.key.Meaning != "" {
				d.b.WriteString("<title>")
				d.escape(e.key.Name + ": " + e.key.Meaning)
				d.b.WriteString("</title></g>\n")
			}
		}
		at += w
	}
	return y - top + legendRow
}

func (e *entry) draw(d *Drawing, x, y float64) {
	c := colourOf(e.key.Ink)
	switch e.look {
	case box:
		d.rect(x, y-9, 13, 11, c, "")
	case stroke:
		d.polyline([]point{{x, y - 4}, {x + 14, y - 4}}, 2.2, c, c.dash(), "")
	case dashed:
		d.line(x, y-4, x+14, y-4, 1.6, c, dashes, "")
	case dot:
		d.circle(x+7, y-4, 3.2, c, "")
	case veil:
		d.veil(x, y-9, 13, 11, c, "")
		d.line(x, y+2, x+13, y+2, 1, c, "", "")
	}
}

// veil draws a zone: pale, so that lines over it stay clear. Its bounds are drawn where
// they lie inside the plot.
func (d *Drawing) veil(x, y, w, h float64, c colour, tip string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" fill-opacity="0.16" %s`,
		num(x), num(y), num(max(w, 0)), num(max(h, 0)), c.fill())
	d.end("rect", tip)
}
