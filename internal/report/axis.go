package report

import (
	"math"
	"strconv"

	"railyard/internal/unit"
)

// ticks returns multiples of 1, 2 or 5 times a power of ten in [lo, hi], about n of them.
func ticks(lo, hi float64, n int) []float64 {
	if !(hi > lo) || n < 1 {
		return []float64{lo}
	}
	step := niceStep((hi - lo) / float64(n))
	var out []float64
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		out = append(out, k*step+0) // -0 becomes 0
	}
	return out
}

// niceStep rounds to the nearest of 1, 2, 5 and 10 times a power of ten.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	switch f := raw / power; {
	case f < 1.5:
		return power
	case f < 3:
		return 2 * power
	case f < 7:
		return 5 * power
	}
	return 10 * power
}

// quantity is a unit in which an axis counts.
type quantity struct {
	name string
	size float64
}

func pickUnit(v float64, units []quantity) quantity {
	best := units[0]
	for _, u := range units {
		if v >= u.size*0.9995 {
			best = u
		}
	}
	return best
}

func timeUnit(d unit.Duration) quantity {
	return pickUnit(float64(d), []quantity{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}})
}

func byteUnit(b unit.Bytes) quantity {
	return pickUnit(float64(b), []quantity{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}})
}

// tickText prints a tick of a series with a given distance between ticks.
func tickText(v, step float64) string {
	decimals := 0
	for s := step; decimals < 6 && math.Abs(s-math.Round(s)) > 1e-6*math.Abs(s); s *= 10 {
		decimals++
	}
	if math.Abs(v) < step*1e-9 {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Frame is the plot area of a chart with its two axes.
type Frame struct {
	d                        *Drawing
	Left, Top, Right, Bottom float64
	XLo, XHi, YLo, YHi       float64
	LogX                     bool
	Whole                    bool // X counts things: ticks at whole numbers
}

// X places a value on the horizontal axis.
func (f *Frame) X(v float64) float64 {
	lo, hi := f.XLo, f.XHi
	if f.LogX {
		lo, hi, v = math.Log10(lo), math.Log10(hi), math.Log10(v)
	}
	if hi <= lo {
		return f.Left
	}
	return f.Left + (v-lo)/(hi-lo)*(f.Right-f.Left)
}

// Y places a value on the vertical axis.
func (f *Frame) Y(v float64) float64 {
	if f.YHi <= f.YLo {
		return f.Bottom
	}
	return f.Bottom - (v-f.YLo)/(f.YHi-f.YLo)*(f.Bottom-f.Top)
}

// YAxis draws grid lines and figures in a unit, and the label above the axis, where
// it needs no turned text.
func (f *Frame) YAxis(label string, q quantity) {
	all := ticks(f.YLo/q.size, f.YHi/q.size, max(2, int((f.Bottom-f.Top)/42)))
	for _, v := range all {
		y := f.Y(v * q.size)
		f.d.Line(f.Left, y, f.Right, y, 1, grid, "", "")
		f.d.Text(f.Left-6, y+4, smallSize, alignEnd, muted, tickText(v, stepOf(all)))
	}
	f.d.Text(4, f.Top-10, smallSize, alignStart, muted, withUnit(label, q.name))
}

// XAxis draws ticks and figures in a unit, and the label below.
func (f *Frame) XAxis(label string, q quantity) {
	f.d.Line(f.Left, f.Bottom, f.Right, f.Bottom, 1, muted, "", "")
	all := f.xTicks(q)
	last := math.Inf(-1)
	for _, v := range all {
		x := f.X(v * q.size)
		f.d.Line(x, f.Bottom, x, f.Bottom+4, 1, muted, "", "")
		s := tickText(v, stepOf(all))
		if f.LogX {
			s = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if half := textWidth(s, smallSize) / 2; x-half > last+4 {
			f.d.Text(x, f.Bottom+16, smallSize, alignMiddle, muted, s)
			last = x + half
		}
	}
	f.d.Text((f.Left+f.Right)/2, f.Bottom+32, smallSize, alignMiddle, muted, withUnit(label, q.name))
}

func (f *Frame) xTickCount() int { return max(3, int((f.Right-f.Left)/80)) }

func (f *Frame) xTicks(q quantity) []float64 {
	lo, hi := f.XLo/q.size, f.XHi/q.size
	n := f.xTickCount()
	if f.Whole {
		n = min(n, max(1, int(hi-lo)))
	}
	if !f.LogX {
		return ticks(lo, hi, n)
	}
	var out []float64
	for p := math.Pow(10, math.Floor(math.Log10(lo))); p <= hi; p *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := p * m; v >= lo*0.9999 && v <= hi*1.0001 {
				out = append(out, v)
			}
		}
	}
	return out
}

func stepOf(all []float64) float64 {
	if len(all) < 2 {
		if len(all) == 1 && all[0] != 0 {
			return math.Abs(all[0])
		}
		return 1
	}
	return all[1] - all[0]
}

func withUnit(label, name string) string {
	if name == "" {
		return label
	}
	return label + " (" + name + ")"
}

// Key is one entry of a legend.
type Key struct {
	Name   string
	Colour Colour
	Dash   string // a line with this pattern instead of a box; "-" for a plain one
	Plain  bool   // words only
}

// Legend draws entries in rows from (x, y) to the right edge and returns the height
// used. With d nil it only measures.
func Legend(d *Drawing, keys []Key, x, y, right float64) float64 {
	const row = 18.0
	at, top := x, y
	for _, k := range keys {
		mark := 19.0
		if k.Plain {
			mark = 0
		}
		w := mark + textWidth(k.Name, smallSize) + 13
		if at+w-13 > right && at > x {
			at, y = x, y+row
		}
		if d != nil {
			if k.Dash == "" && !k.Plain {
				d.Rect(at, y-9, 12, 10, k.Colour, "")
			} else if !k.Plain {
				dash := k.Dash
				if dash == "-" {
					dash = ""
				}
				d.Line(at, y-4, at+14, y-4, 2, k.Colour, dash, "")
			}
			d.Text(at+mark, y, smallSize, alignStart, ink, k.Name)
		}
		at += w
	}
	return y - top + row
}
