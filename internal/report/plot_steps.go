package report

import (
	"fmt"
	"math"
)

// point is a column of a decimated series: least, greatest and mean value of the
// numbers that fall in it.
type column struct {
	low, high, sum float64
	n              int
}

// decimate puts a series, by index, in at most n columns of equal width. Values that
// are no number are skipped.
func decimate(v []float64, n int) []column {
	n = min(n, len(v))
	out := make([]column, n)
	for i, x := range v {
		c := &out[i*n/len(v)]
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if c.n == 0 || x < c.low {
			c.low = x
		}
		if c.n == 0 || x > c.high {
			c.high = x
		}
		c.sum += x
		c.n++
	}
	return out
}

// drawSeries draws a decimated series over its index: band and mean.
func drawSeries(f *Frame, v []float64, c Colour) {
	cols := decimate(v, int(f.Right-f.Left))
	var upper, lower, mean []Point
	flush := func() {
		if len(mean) > 0 {
			for i := len(lower) - 1; i >= 0; i-- {
				upper = append(upper, lower[i])
			}
			if len(cols) < len(v) {
				f.d.Area(upper, c, 0.28)
			}
			if len(mean) == 1 {
				f.d.Circle(mean[0].X, mean[0].Y, 2, c, "")
			}
			f.d.Polyline(mean, 1.5, c)
		}
		upper, lower, mean = nil, nil, nil
	}
	for i, col := range cols {
		if col.n == 0 {
			flush()
			continue
		}
		x := f.X((float64(i)+0.5)*float64(len(v))/float64(len(cols)) - 0.5)
		upper, lower = append(upper, Point{x, f.Y(col.high)}), append(lower, Point{x, f.Y(col.low)})
		mean = append(mean, Point{x, f.Y(col.sum / float64(col.n))})
	}
	flush()
}

// stepAxis is the name of an axis of steps: they are numbered as in the tables.
const stepAxis = "step, counted from 0"

func seriesFrame(w, h float64, title, desc string, n int, high float64) *Frame {
	g := NewDrawing(w, h, title, desc)
	return &Frame{d: g, Left: 52, Right: w - 14, Top: 26, Bottom: h - 40, XHi: float64(max(n-1, 1)), YHi: high, Whole: true}
}

// lossFigure is the training loss by step.
func lossFigure(d *Data) []Figure {
	if d.Steps == nil {
		return nil
	}
	last, high, n := math.NaN(), 0.0, 0
	for _, v := range d.Steps.Loss {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			last, high = v, max(high, v)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	title := "Training loss"
	caption := "Mean over ranks of each step's micro-batch."
	if n > int(narrowFigure) {
		caption += " Line: mean over the steps of a pixel column; band: from the least to the greatest of them."
	}
	if bad := len(d.Steps.Loss) - n; bad > 0 {
		caption += fmt.Sprintf(" %s have no number as loss (the training diverged).", count(int64(bad), "step"))
	}
	return one(Figure{Name: "loss", Title: title, Caption: caption, Draw: func(w float64) *Drawing {
		f := seriesFrame(w, 270, title, fmt.Sprintf("%d steps, the last one at %.4g", len(d.Steps.Loss), last), len(d.Steps.Loss), high*1.05)
		f.YAxis("loss", quantity{"", 1})
		f.XAxis(stepAxis, quantity{"", 1})
		drawSeries(f, d.Steps.Loss, blue)
		return f.d
	}})
}

// stepTimeFigure is the time of each step.
func stepTimeFigure(d *Data) []Figure {
	s := d.Steps
	if s == nil || s.Whole < 2 {
		return nil
	}
	v := make([]float64, len(s.Time))
	for i, t := range s.Time {
		v[i] = float64(t)
		if t == 0 {
			v[i] = math.NaN()
		}
	}
	high := s.Ranked[s.Whole-1]
	title := "Time of each step's slowest rank"
	return one(Figure{Name: "step-time", Title: title,
		Caption: fmt.Sprintf("From its own start of a step to its end. Median %s, 99 %% of steps within %s, slowest %s (step %d). Virtual time per step is %s: ranks begin a step while others end the one before. Band: least to greatest of a pixel column; line: their mean.",
			s.Quantile(0.5).Human(), s.Quantile(0.99).Human(), high.Human(), s.Worst, s.PerStep.Human()),
		Draw: func(w float64) *Drawing {
			f := seriesFrame(w, 230, title, "time of each step", len(v), float64(high)*1.05)
			f.YAxis("slowest rank", timeUnit(high))
			f.XAxis(stepAxis, quantity{"", 1})
			drawSeries(f, v, orange)
			y := f.Y(float64(s.Quantile(0.5)))
			f.d.Line(f.Left, y, f.Right, y, 1, ink, "4 3", "median")
			return f.d
		}})
}
