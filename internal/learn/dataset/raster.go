package dataset

import "math"

// stroke inks the path with a round pen whose radius changes along each stroke.
func (p *pen) stroke(s *stream) {
	p.ink = [Side * Side]float64{}
	radius := s.between(thin, thick)
	begin := 0
	for _, end := range p.parts {
		from := float64(radius * (1 + s.normal(pressure)))
		to := float64(radius * (1 + s.normal(pressure)))
		slope := (to - from) / float64(max(end-begin-2, 1))
		for i := begin; i+1 < end; i++ {
			p.segment(p.path[i], p.path[i+1], from+float64(float64(i-begin)*slope))
		}
		begin = end
	}
}

// segment inks the pixels within r of the segment a-b. The edge is a ramp one
// pixel and a bit wide around r: anti-aliasing, and a soft pen.
func (p *pen) segment(a, b point, r float64) {
	const soft = 0.6 // half of the ramp
	reach := r + soft
	x0, x1 := pixels(min(a.x, b.x)-reach, max(a.x, b.x)+reach)
	y0, y1 := pixels(min(a.y, b.y)-reach, max(a.y, b.y)+reach)
	d := point{b.x - a.x, b.y - a.y}
	length := float64(d.x*d.x) + float64(d.y*d.y)
	if length > 0 {
		length = 1 / length
	}
	reach2 := float64(reach * reach)
	for y := y0; y < y1; y++ {
		row := p.ink[y*Side : (y+1)*Side]
		py := float64(y) + 0.5 - a.y
		for x := x0; x < x1; x++ {
			px := float64(x) + 0.5 - a.x
			t := float64((float64(px*d.x) + float64(py*d.y)) * length)
			t = min(max(t, 0), 1)
			ex, ey := px-float64(t*d.x), py-float64(t*d.y)
			d2 := float64(ex*ex) + float64(ey*ey)
			if d2 >= reach2 {
				continue
			}
			if v := min(float64((reach-math.Sqrt(d2))/(2*soft)), 1); v > row[x] {
				row[x] = v
			}
		}
	}
}

// pixels are the indices of an interval's pixels, inside the image.
func pixels(lo, hi float64) (first, end int) {
	first = int(max(math.Floor(lo), 0))
	end = int(min(math.Floor(hi)+1, Side))
	return first, end
}

// print turns ink into bytes: uneven, and now and then with a few specks.
func (p *pen) print(image []byte, s *stream) {
	strength := float64(255 * s.between(faintest, 1))
	for i, v := range p.ink {
		if v == 0 {
			image[i] = 0 // most pixels: no random number needed
			continue
		}
		v = float64(v * (1 - s.between(0, grain)))
		image[i] = byte(math.Floor(float64(v*strength) + 0.5))
	}
	if s.below(speckChance) == 0 {
		for range 1 + s.below(4) {
			at := s.below(Side * Side)
			image[at] = max(image[at], byte(30+s.below(150)))
		}
	}
}
