package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/sheet"
)

// Drawing is an SVG in the making. Every mark carries its colour twice: as an
// attribute, which any program understands, and as a class, with which a page sets
// it anew for a dark background.
//
//	(0,0) ──────> x
//	  |   units: pixels of CSS at the drawing's own size
//	  v y
type Drawing struct {
	W, H        float64
	title, desc string
	b           strings.Builder
}

// fonts is a generic stack: nothing is fetched.
const fonts = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

const (
	fontSize  = 12.0
	smallSize = 11.0
)

// NewDrawing starts a drawing. Title and desc are what a screen reader says.
func NewDrawing(w, h float64, title, desc string) *Drawing {
	return &Drawing{W: w, H: h, title: title, desc: desc}
}

// num prints a coordinate: two decimals at most.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("report: coordinate %v", v))
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// Rect draws a filled rectangle; tip is its hovering text, "" for none.
func (d *Drawing) Rect(x, y, w, h float64, c Colour, tip string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" %s`, num(x), num(y), num(max(w, 0)), num(max(h, 0)), c.fill())
	d.end("rect", tip)
}

// Line draws a line. Dash is an SVG dash pattern, "" for none.
func (d *Drawing) Line(x1, y1, x2, y2, width float64, c Colour, dash, tip string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke-width="%s" %s`, num(x1), num(y1), num(x2), num(y2), num(width), c.stroke())
	if dash != "" {
		fmt.Fprintf(&d.b, ` stroke-dasharray="%s"`, dash)
	}
	d.end("line", tip)
}

// Circle draws a filled circle.
func (d *Drawing) Circle(x, y, r float64, c Colour, tip string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s" %s`, num(x), num(y), num(r), c.fill())
	d.end("circle", tip)
}

// Polyline joins points by a line of a width in pixels.
func (d *Drawing) Polyline(points []Point, width float64, c Colour) {
	d.b.WriteString(`<polyline fill="none" stroke-linejoin="round" stroke-width="` + num(width) + `" ` + c.stroke() + ` points="`)
	d.points(points)
	d.b.WriteString("\"/>\n")
}

// Area fills a polygon.
func (d *Drawing) Area(points []Point, c Colour, opacity float64) {
	d.b.WriteString(`<polygon ` + c.fill() + ` fill-opacity="` + num(opacity) + `" points="`)
	d.points(points)
	d.b.WriteString("\"/>\n")
}

// Point is a place in a drawing.
type Point struct{ X, Y float64 }

func (d *Drawing) points(points []Point) {
	for i, p := range points {
		if i > 0 {
			d.b.WriteByte(' ')
		}
		d.b.WriteString(num(p.X) + "," + num(p.Y))
	}
}

func (d *Drawing) end(element, tip string) {
	if tip == "" {
		d.b.WriteString("/>\n")
		return
	}
	d.b.WriteString("><title>" + html.EscapeString(tip) + "</title></" + element + ">\n")
}

// The ways to place text against its point.
const (
	alignStart  = "start"
	alignMiddle = "middle"
	alignEnd    = "end"
)

// Text writes s with its baseline at y.
func (d *Drawing) Text(x, y, size float64, align string, c Colour, s string) {
	d.text(x, y, size, align, c, s, "")
}

// Bold is Text in a heavier weight.
func (d *Drawing) Bold(x, y, size float64, align string, c Colour, s string) {
	d.text(x, y, size, align, c, s, ` font-weight="600"`)
}

// Turned is Text turned by degrees, clockwise, about its point.
func (d *Drawing) Turned(x, y, size, degrees float64, align string, c Colour, s string) {
	d.text(x, y, size, align, c, s, fmt.Sprintf(` transform="rotate(%s %s %s)"`, num(degrees), num(x), num(y)))
}

func (d *Drawing) text(x, y, size float64, align string, c Colour, s, more string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" font-size="%s" %s`, num(x), num(y), num(size), c.fill())
	if align != alignStart {
		fmt.Fprintf(&d.b, ` text-anchor="%s"`, align)
	}
	d.b.WriteString(more + ">" + html.EscapeString(s) + "</text>\n")
}

// textWidth estimates how wide s is in a wide sans-serif: on the safe side for most.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijltfI.,:;'| ()/", r):
			w += 0.37
		case strings.ContainsRune("mwMW%#>", r):
			w += 0.9
		default:
			w += 0.64
		}
	}
	return w * size
}

// fit cuts s to a width, or drops it where not even a few letters fit.
func fit(s string, size, width float64) string {
	for n := utf8.RuneCountInString(s); n >= 4; n-- {
		if short := sheet.Shorten(s, n); textWidth(short, size) <= width {
			return short
		}
	}
	if textWidth(s, size) <= width {
		return s
	}
	return ""
}

// File returns the drawing as a file of its own: its title above it, on white.
func (d *Drawing) File() string {
	const top, side = 34.0, 12.0
	w, h := d.W+2*side, d.H+top+side
	f := Drawing{W: w, H: h, title: d.title, desc: d.desc}
	f.b.WriteString(`<rect width="` + num(w) + `" height="` + num(h) + `" fill="#ffffff"/>` + "\n")
	f.Bold(side, 22, 15, alignStart, ink, d.title)
	f.b.WriteString(`<g transform="translate(` + num(side) + " " + num(top) + `)">` + "\n" + d.b.String() + "</g>\n")
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + f.String()
}

// String returns the drawing for a page: no title of its own, no background.
func (d *Drawing) String() string {
	w, h := num(d.W), num(d.H)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="%s">`+"\n<title>%s</title>\n<desc>%s</desc>\n%s</svg>\n",
		w, h, w, h, fonts, html.EscapeString(d.title), html.EscapeString(d.desc), d.b.String())
}
