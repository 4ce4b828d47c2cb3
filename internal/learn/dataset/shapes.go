package dataset

import "math"

// How much shapes vary: standard deviations unless a range is given; lengths as fractions of an
// image's side.
const (
	shapeOff      = 0.10 // from the middle
	shapeSmall    = 0.20 // radius, range
	shapeLarge    = 0.34
	shapeTurn     = 0.15 // radians
	shapeStretch  = 0.08
	shapeNoise    = 12.0 // of a channel's 255, range both ways
	shapeShade    = 40.0 // of the background from edge to edge, range both ways
	shapeContrast = 200  // of the three channels together, at least
)

// outlines are signed distances from the edge of each class's shape, below 0 inside, in units of its
// radius. They are exact or, at corners, a little less.
var outlines = [...]func(u, v float64) float64{
	0: func(u, v float64) float64 { return round(u, v) - 1 },                        // a disc
	1: func(u, v float64) float64 { return math.Abs(round(u, v)-0.8) - 0.2 },        // a ring
	2: func(u, v float64) float64 { return box(u, v, 0.85, 0.85) },                  // a square
	3: func(u, v float64) float64 { return math.Abs(box(u, v, 0.75, 0.75)) - 0.17 }, // its frame
	4: triangle,
	5: func(u, v float64) float64 { return float64(0.857*math.Abs(u)) + float64(0.514*math.Abs(v)) - 0.514 }, // a rhombus
	6: func(u, v float64) float64 { return min(box(u, v, 1, 0.3), box(u, v, 0.3, 1)) },                       // a plus
	7: func(u, v float64) float64 { return box(u, v, 1, 0.3) },                                               // a bar
	8: func(u, v float64) float64 { return max(round(u, v)-1, v-0.15) },                                      // half a disc
	9: func(u, v float64) float64 { return min(round(u-0.58, v), round(u+0.58, v)) - 0.4 },                   // two dots
}

func round(u, v float64) float64 { return math.Sqrt(float64(u*u) + float64(v*v)) }

func box(u, v, wide, high float64) float64 { return max(math.Abs(u)-wide, math.Abs(v)-high) }

// triangle has its point up: v grows downwards.
func triangle(u, v float64) float64 {
	return max(v-0.6, float64(0.866*math.Abs(u))-float64(0.5*v)-0.5)
}

// A canvas draws shapes in colour: one a picture, on a shaded and noisy ground. What colours they
// have says nothing of the class.
type canvas struct{ side int }

func (c *canvas) label() uint64 { return 0x7368617065730000 } // "shapes\0\0"

// colours are a shape's and its ground's.
type colours struct{ shape, ground [Colour]float64 }

func (c *canvas) paint(image []byte, s stream) (label byte) {
	class := s.below(len(outlines))
	paint := mix(&s)
	side := float64(c.side)
	middle := point{float64(side/2) + float64(side*s.normal(shapeOff)), float64(side/2) + float64(side*s.normal(shapeOff))}
	radius := float64(side * s.between(shapeSmall, shapeLarge))
	middle = point{inside(middle.x, radius, side), inside(middle.y, radius, side)}
	sin, cos := sinCos(s.normal(shapeTurn))
	wide, high := float64(radius*(1+s.normal(shapeStretch))), float64(radius*(1+s.normal(shapeStretch)))
	across, down := s.between(-shapeShade, shapeShade), s.between(-shapeShade, shapeShade)
	plane := c.side * c.side
	for y := range c.side {
		for x := range c.side {
			px, py := float64(x)+0.5-middle.x, float64(y)+0.5-middle.y
			u := (float64(px*cos) + float64(py*sin)) / wide
			v := (float64(py*cos) - float64(px*sin)) / high
			covered := min(max(0.5-float64(outlines[class](u, v)*radius), 0), 1)
			shade := float64(across*(float64(float64(x)/side)-0.5)) + float64(down*(float64(float64(y)/side)-0.5))
			for ch := range Colour {
				ground := paint.ground[ch] + shade
				ink := ground + float64(covered*(paint.shape[ch]-ground)) + s.between(-shapeNoise, shapeNoise)
				image[ch*plane+y*c.side+x] = byte(math.Floor(min(max(ink, 0), 255) + 0.5))
			}
		}
	}
	return byte(class)
}

// mix draws two colours that differ enough.
func mix(s *stream) (c colours) {
	differ := 0.0
	for ch := range Colour {
		c.shape[ch], c.ground[ch] = s.between(0, 256), s.between(0, 256)
		differ += math.Abs(c.shape[ch] - c.ground[ch])
	}
	if differ >= shapeContrast {
		return c
	}
	for ch := range Colour { // each at the far end from the other: at least 127 apart
		c.shape[ch] = 0
		if c.ground[ch] < 128 {
			c.shape[ch] = 255
		}
	}
	return c
}

// inside keeps a shape's middle so far from the edges that most of it is in the picture.
func inside(at, radius, side float64) float64 { return min(max(at, radius), side-radius) }
