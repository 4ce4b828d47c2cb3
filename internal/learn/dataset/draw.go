package dataset

// Side is the width and height of a drawn image, in pixels.
const Side = 28

// How much the drawing varies: standard deviations unless a range is given. They
// set the difficulty (see BenchmarkDifficulty).
const (
	jitter      = 2.6        // of a skeleton's points, in hundredths of its height
	height      = 19.0       // of a digit, pixels
	stretch     = 0.11       // of height and width, as a fraction
	rotation    = 0.16       // radians
	slant       = 0.20       // shear, x per y
	shift       = 1.3        // from the centre, pixels
	elastic     = 0.85       // displacement at a grid point, pixels
	thin, thick = 0.75, 1.55 // pen radius, pixels, range
	pressure    = 0.12       // change of the radius along a stroke, as a fraction
	largest     = 23.0       // the digit's longer side, pixels, at most
	margin      = 2.0        // kept free beside a shifted digit, pixels
	faintest    = 0.78       // ink, range up to 1
	grain       = 0.18       // ink lost at a pixel, range from 0
	speckChance = 6          // one image in so many has specks
	steps       = 7          // straight pieces per spline segment
	gridPoints  = 4          // of the elastic displacement, per axis
	gridSpacing = float64(Side) / (gridPoints - 1)
)

// A pen draws images one after the other; it is what a worker keeps to itself.
// Every product is rounded on its own (see package nn's doc for why).
type pen struct {
	path  []point // all strokes, sampled
	parts []int   // where each stroke ends in path
	ink   [Side * Side]float64
	bend  [gridPoints * gridPoints]point
}

// draw fills one image of Side x Side bytes and returns its label.
func (p *pen) draw(image []byte, s stream) (label byte) {
	digit := s.below(len(glyphs))
	styles := glyphs[digit]
	p.trace(styles[s.below(len(styles))], &s)
	p.affine(&s)
	p.warp(&s)
	p.settle(&s)
	p.stroke(&s)
	p.print(image, &s)
	return byte(digit)
}

// trace samples the glyph's splines, its points moved a little.
func (p *pen) trace(g glyph, s *stream) {
	p.path, p.parts = p.path[:0], p.parts[:0]
	var moved [16]point
	for _, line := range g {
		for i, at := range line {
			if i > 0 && at == line[i-1] {
				moved[i] = moved[i-1] // a corner stays one
				continue
			}
			moved[i] = point{at.x + s.normal(jitter), at.y + s.normal(jitter)}
		}
		last := len(line) - 1
		p.path = append(p.path, moved[0])
		for i := range last {
			a, b, c, d := moved[max(i-1, 0)], moved[i], moved[i+1], moved[min(i+2, last)]
			if b == c {
				continue
			}
			for k := 1; k <= steps; k++ {
				t := float64(float64(k) / steps)
				p.path = append(p.path, point{catmullRom(a.x, b.x, c.x, d.x, t), catmullRom(a.y, b.y, c.y, d.y, t)})
			}
		}
		p.parts = append(p.parts, len(p.path))
	}
}

// catmullRom goes from b at t = 0 to c at t = 1; a and d are the neighbours
// (Catmull, Rom 1974; uniform, tension 1/2).
func catmullRom(a, b, c, d, t float64) float64 {
	k3 := float64(3*(b-c)) + (d - a)
	k2 := float64(2*a) - float64(5*b) + float64(4*c) - d
	k1 := c - a
	cubic := float64((float64((float64(k3*t)+k2)*t) + k1) * t)
	return b + float64(cubic/2)
}

// affine turns, slants and scales the path, from the glyph's box to pixels, and
// centres it.
func (p *pen) affine(s *stream) {
	sin, cos := sinCos(s.normal(rotation))
	lean := s.normal(slant)
	sy := float64(height / 100 * (1 + s.normal(stretch)))
	sx := float64(sy * (1 + s.normal(stretch)))
	for i, q := range p.path {
		x := float64(sx * (q.x - float64(lean*q.y)))
		y := float64(sy * q.y)
		p.path[i] = point{float64(x*cos) - float64(y*sin), float64(x*sin) + float64(y*cos)}
	}
	lo, hi := p.bounds()
	mid := middle(lo, hi)
	for i, q := range p.path {
		p.path[i] = point{q.x - mid.x + Side/2, q.y - mid.y + Side/2}
	}
}

// bounds are the path's corners: least and greatest x and y.
func (p *pen) bounds() (lo, hi point) {
	lo, hi = p.path[0], p.path[0]
	for _, q := range p.path {
		lo = point{min(lo.x, q.x), min(lo.y, q.y)}
		hi = point{max(hi.x, q.x), max(hi.y, q.y)}
	}
	return lo, hi
}

func middle(lo, hi point) point { return blend(lo, hi, 0.5) }

// settle makes the path fit into the image, and shifts it a little.
func (p *pen) settle(s *stream) {
	lo, hi := p.bounds()
	fit := min(1, largest/max(hi.x-lo.x, hi.y-lo.y))
	x, y := place(float64(fit*(hi.x-lo.x)), s), place(float64(fit*(hi.y-lo.y)), s)
	mid := middle(lo, hi)
	for i, q := range p.path {
		p.path[i] = point{x + float64(fit*(q.x-mid.x)), y + float64(fit*(q.y-mid.y))}
	}
}

// place is where to put the middle of something so long: near the middle of the
// image, but not so far off that it would leave it.
func place(length float64, s *stream) float64 {
	room := max(Side/2-margin-float64(length/2), 0)
	return Side/2 + min(max(s.normal(shift), -room), room)
}

// sinCos is for the small angles of a rotation, |a| < 0.6: Taylor series to
// a^9 and a^8, within 1e-9. The standard library's differ between processors.
func sinCos(a float64) (sin, cos float64) {
	q := float64(a * a)
	sin = float64(q*(1./362880)) - 1./5040
	sin = float64(q*sin) + 1./120
	sin = float64(q*sin) - 1./6
	sin = float64(float64(q*sin)*a) + a
	cos = float64(q*(1./40320)) - 1./720
	cos = float64(q*cos) + 1./24
	cos = float64(q*cos) - 1./2
	cos = float64(q*cos) + 1
	return sin, cos
}

// warp displaces the path by a smooth random field: independent displacements
// on a coarse grid, blended with smoothstep in between.
func (p *pen) warp(s *stream) {
	for i := range p.bend {
		p.bend[i] = point{s.normal(elastic), s.normal(elastic)}
	}
	for i, q := range p.path {
		col, u := cell(q.x)
		row, v := cell(q.y)
		at := row*gridPoints + col
		top := blend(p.bend[at], p.bend[at+1], u)
		bottom := blend(p.bend[at+gridPoints], p.bend[at+gridPoints+1], u)
		d := blend(top, bottom, v)
		p.path[i] = point{q.x + d.x, q.y + d.y}
	}
}

// cell finds the grid cell of a coordinate and how far into it, eased.
func cell(x float64) (index int, weight float64) {
	x = min(max(float64(x/gridSpacing), 0), gridPoints-1)
	index = min(int(x), gridPoints-2)
	t := x - float64(index)
	return index, float64(float64(t*t) * (3 - float64(2*t)))
}

func blend(a, b point, t float64) point {
	return point{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y))}
}
