package svg

import (
	"fmt"
	"html"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/sheet"
	"railyard/internal/base/shown"
)

// Drawing is an SVG in the making.
//
//	(0,0) ──────> x
//	  |   units: pixels of CSS at the drawing's own size
//	  v y
type Drawing struct {
	W, H              float64
	name, title, desc string
	b                 strings.Builder
	data              string // attributes for a script, of what is drawn next
}

// fonts is a generic stack: nothing is fetched.
const fonts = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

const (
	fontSize  = 12.0
	smallSize = 11.0
	tinySize  = 10.0
)

// newDrawing starts a drawing. Title and desc are what a screen reader says.
func newDrawing(name string, w, h float64, title, desc string) *Drawing {
	return &Drawing{W: w, H: h, name: name, title: title, desc: desc}
}

// text is foreign text in an SVG: escapes of what is hidden, then those of XML.
func text(s string) string { return html.EscapeString(shown.Text(s)) }

// num prints a coordinate: two decimals at most.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("chart/svg: coordinate %v", v))
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// point is a place in a drawing.
type point struct{ X, Y float64 }

// rect draws a rectangle in a colour, hatched as that is; tip is its hovering text, "" for none.
func (d *Drawing) rect(x, y, w, h float64, c colour, tip string) {
	w, h = max(w, 0), max(h, 0)
	if c.hatch == outlined {
		fmt.Fprintf(&d.b, `<rect %sx="%s" y="%s" width="%s" height="%s" stroke-width="1" %s`,
			d.data, num(x+0.5), num(y+0.5), num(max(w-1, 0)), num(max(h-1, 0)), edged(soft, c))
		d.end("rect", tip)
		return
	}
	fmt.Fprintf(&d.b, `<rect %sx="%s" y="%s" width="%s" height="%s" %s`, d.data, num(x), num(y), num(w), num(h), c.fill())
	d.end("rect", tip)
	d.hatch(x, y, w, h, c.hatch)
}

// hatchStep is how far the lines of a hatching are apart.
const hatchStep = 6.0

// hatch draws lines in the colour of the paper over a rectangle. The lines of rectangles
// side by side meet.
func (d *Drawing) hatch(x, y, w, h float64, style hatching) {
	if style == solid || style == outlined || w < 3 || h < 3 {
		return
	}
	var p strings.Builder
	stroke := func(x1, y1, x2, y2 float64) {
		p.WriteString("M" + num(x1) + " " + num(y1) + "L" + num(x2) + " " + num(y2))
	}
	switch style {
	case rising, falling: // along x + y = k, or y - x = k
		sign, lo, hi := 1.0, x+y, x+w+y+h
		if style == falling {
			sign, lo, hi = -1, y-x-w, y+h-x
		}
		for k := math.Ceil(lo/hatchStep) * hatchStep; k < hi; k += hatchStep {
			top, bottom := sign*(k-y), sign*(k-y-h) // x where the line meets either edge
			x1, x2 := max(x, min(top, bottom)), min(x+w, max(top, bottom))
			if x2-x1 > 0.5 {
				stroke(x1, k-sign*x1, x2, k-sign*x2)
			}
		}
	case upright:
		for k := math.Ceil(x/4+0.5) * 4; k < x+w-1; k += 4 {
			stroke(k, y, k, y+h)
		}
	}
	if p.Len() > 0 {
		fmt.Fprintf(&d.b, `<path pointer-events="none" stroke-width="1.4" %s d="%s"/>`+"\n", paper.stroke(), p.String())
	}
}

// line draws a line. Dash is an SVG dash pattern, "" for none.
func (d *Drawing) line(x1, y1, x2, y2, width float64, c colour, dash, tip string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke-width="%s" %s`,
		num(x1), num(y1), num(x2), num(y2), num(width), c.stroke())
	if dash != "" {
		fmt.Fprintf(&d.b, ` stroke-dasharray="%s"`, dash)
	}
	d.end("line", tip)
}

// circle draws a filled circle.
func (d *Drawing) circle(x, y, r float64, c colour, tip string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s" %s`, num(x), num(y), num(r), c.fill())
	d.end("circle", tip)
}

// polyline joins points by a line of a width in pixels. More is further attributes.
func (d *Drawing) polyline(points []point, width float64, c colour, more, tip string) {
	fmt.Fprintf(&d.b, `<polyline fill="none" stroke-linejoin="round" stroke-width="%s" %s%s points="%s"`,
		num(width), c.stroke(), more, coordinates(points))
	d.end("polyline", tip)
}

// area fills a polygon.
func (d *Drawing) area(points []point, c colour, opacity float64, tip string) {
	d.b.WriteString(`<polygon ` + c.fill() + ` fill-opacity="` + num(opacity) + `" points="` +
		coordinates(points) + `"`)
	d.end("polygon", tip)
}

func coordinates(points []point) string {
	var b strings.Builder
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(num(p.X) + "," + num(p.Y))
	}
	return b.String()
}

// open begins a group with attributes, close ends it.
func (d *Drawing) open(attributes string) { d.b.WriteString("<g " + attributes + ">\n") }
func (d *Drawing) close()                 { d.b.WriteString("</g>\n") }

// openArea begins the plot area of a frame, which a page's script may zoom: what is drawn until closeArea is placed from its corner.
func (d *Drawing) openArea(f *frame, w, h float64) {
	fmt.Fprintf(&d.b, `<svg class="area" x="%s" y="%s" width="%s" height="%s" viewBox="0 0 %s %s" `+
		`preserveAspectRatio="none">`+"\n", num(f.left), num(f.top), num(w), num(h), num(w), num(h))
}

func (d *Drawing) closeArea() { d.b.WriteString("</svg>\n") }

// escape writes text.
func (d *Drawing) escape(s string) { d.b.WriteString(text(s)) }

func (d *Drawing) end(element, tip string) {
	if tip == "" {
		d.b.WriteString("/>\n")
		return
	}
	d.b.WriteString("><title>" + text(tip) + "</title></" + element + ">\n")
}

// The ways to place text against its point.
const (
	alignStart  = "start"
	alignMiddle = "middle"
	alignEnd    = "end"
)

// text writes s with its baseline at y.
func (d *Drawing) text(x, y, size float64, align string, c colour, s string) {
	d.write(x, y, size, align, c.fill(), s, "")
}

// boldWidth is how much wider bold text is.
const boldWidth = 1.1

// bold is text in a heavier weight.
func (d *Drawing) bold(x, y, size float64, align string, c colour, s string) {
	d.write(x, y, size, align, c.fill(), s, ` font-weight="600"`)
}

// label is text over marks: the colour of the paper lies around it.
func (d *Drawing) label(x, y, size float64, align string, c colour, s string) {
	d.write(x, y, size, align, edged(c, paper), s, ` stroke-width="3" stroke-linejoin="round" paint-order="stroke"`)
}

// turned is text turned by degrees, clockwise, about its point.
func (d *Drawing) turned(x, y, size, degrees float64, align string, c colour, s string) {
	d.write(x, y, size, align, c.fill(), s, fmt.Sprintf(` transform="rotate(%s %s %s)"`, num(degrees), num(x), num(y)))
}

func (d *Drawing) write(x, y, size float64, align, ink, s, more string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" font-size="%s" %s`, num(x), num(y), num(size), ink)
	if align != alignStart {
		fmt.Fprintf(&d.b, ` text-anchor="%s"`, align)
	}
	d.b.WriteString(more + ">" + text(s) + "</text>\n")
}

// textWidth estimates how wide s is in a wide sans-serif: on the safe side for most.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range shown.Text(s) {
		switch {
		case strings.ContainsRune("ijltfI.,:;'| ()/", r):
			w += narrowest
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
	s = shown.Text(s)
	if textWidth(s, size) <= width {
		return s
	}
	// Each step leaves the letters of the one before and adds one, so the widest that fits is found by
	// halves. No letter is narrower than narrowest.
	most := min(utf8.RuneCountInString(s)-1, int(max(width, 0)/(narrowest*size))+1)
	n := sort.Search(max(most-leastLetters+1, 0), func(i int) bool {
		return textWidth(sheet.Shorten(s, most-i), size) <= width
	})
	if most-n < leastLetters {
		return ""
	}
	return sheet.Shorten(s, most-n)
}

const (
	narrowest    = 0.37 // of textWidth
	leastLetters = 4    // fewer say nothing
)

// File returns the drawing as a file of its own: its title above it, on white.
func (d *Drawing) File() string {
	const top, side = 34.0, 12.0
	w, h := d.W+2*side, d.H+top+side
	f := Drawing{W: w, H: h, name: d.name, title: d.title, desc: d.desc}
	f.b.WriteString(`<rect width="` + num(w) + `" height="` + num(h) + `" fill="#ffffff"/>` + "\n")
	f.bold(side, 22, 15, alignStart, ink, fit(d.title, 15*boldWidth, d.W))
	f.b.WriteString(`<g transform="translate(` + num(side) + " " + num(top) + `)">` + "\n" + d.b.String() + "</g>\n")
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + f.String()
}

// String returns the drawing for a page: no title of its own, no background.
func (d *Drawing) String() string {
	w, h := num(d.W), num(d.H)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-figure="%s" `+
		`width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s" font-family="%s">`+
		"\n<desc>%s</desc>\n%s</svg>\n",
		text(d.name), w, h, w, h, text(d.title), fonts,
		text(d.desc), d.b.String())
}
