package svg

import (
	"math"
	"slices"

	"railyard/internal/out/chart"
)

// frame is the plot area of a drawing and its axes, in the drawing's pixels.
type frame struct {
	d                        *Drawing
	left, top, right, bottom float64
	axisX, axisY             *chart.Axis
}

// x places a value on the horizontal axis.
func (f *frame) x(v chart.Value) float64 { return f.left + f.axisX.At(v)*(f.right-f.left) }

// y places a value on the vertical axis.
func (f *frame) y(v chart.Value) float64 { return f.bottom - f.axisY.At(v)*(f.bottom-f.top) }

// yAxis draws grid lines and their texts, and the label above the axis, where it needs
// no turned text.
func (f *frame) yAxis() {
	t := f.axisY.Ticks(max(2, int((f.bottom-f.top)/42)))
	for i, v := range t.At {
		y := f.y(v)
		f.d.line(f.left, y, f.right, y, 1, grid, "", "")
		f.d.text(f.left-6, y+4, smallSize, alignEnd, muted, t.Texts[i])
	}
	f.d.text(4, f.top-10, smallSize, alignStart, muted, f.axisY.Name())
}

// xTicks are those whose texts have room. Of values that were tried the last has a text, too.
func (f *frame) xTicks() chart.Ticks {
	t := f.axisX.Ticks(max(3, int((f.right-f.left)/80)))
	last, kept, end := math.Inf(-1), 0, math.Inf(1)
	if n := len(f.axisX.Stops); n > 0 {
		x, half := f.tickPlace(t.At[n-1], t.Texts[n-1])
		end = x - half
	}
	for i, v := range t.At {
		x, half := f.tickPlace(v, t.Texts[i])
		if x-half <= last+6 || i+1 < len(t.At) && x+half >= end-6 {
			continue
		}
		last = x + half
		t.At[kept], t.Texts[kept] = v, t.Texts[i]
		kept++
	}
	t.At, t.Texts = t.At[:kept], t.Texts[:kept]
	return t
}

// tickPlace is the middle of a tick's text, inside the drawing, and half of its width.
func (f *frame) tickPlace(v chart.Value, text string) (x, half float64) {
	half = textWidth(text, smallSize) / 2
	return min(max(f.x(v), half), f.d.W-half), half
}

// xAxis draws ticks and their texts, and the label below.
func (f *frame) xAxis() {
	f.d.line(f.left, f.bottom, f.right, f.bottom, 1, muted, "", "")
	t := f.xTicks()
	f.d.open(`class="ticks-x"`)
	for _, v := range f.axisX.Stops {
		if !slices.Contains(t.At, v) { // no room for a text
			f.d.line(f.x(v), f.bottom, f.x(v), f.bottom+4, 1, muted, "", "")
		}
	}
	for i, v := range t.At {
		f.d.line(f.x(v), f.bottom, f.x(v), f.bottom+4, 1, muted, "", "")
		x, _ := f.tickPlace(v, t.Texts[i])
		f.d.text(x, f.bottom+16, smallSize, alignMiddle, muted, t.Texts[i])
	}
	f.d.close()
	label := fit(f.axisX.Name(), smallSize, f.right-f.left)
	f.d.text((f.left+f.right)/2, f.bottom+32, smallSize, alignMiddle, muted, label)
}

// uprights draws grid lines at the ticks of the horizontal axis, from top down.
func (f *frame) uprights(top float64) {
	for _, v := range f.xTicks().At {
		f.d.line(f.x(v), top, f.x(v), f.bottom, 1, grid, "", "")
	}
}

// labelRoom is what the texts of the vertical axis take.
func labelRoom(a *chart.Axis) float64 {
	w := 0.0
	for _, s := range a.Ticks(5).Texts {
		w = max(w, textWidth(s, smallSize))
	}
	return math.Ceil(max(w+10, 34))
}
