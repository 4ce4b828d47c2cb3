package svg

import (
	"math"
	"slices"

	"railyard/internal/out/chart"
)

// ramp is the colours of a value, from little to much: evenly spaced in lightness, from
// green-blue to violet on light paper, the other way on dark, so that much always
// stands out (OKLCH; Ottosson, A perceptual color space for image processing, 2020).
// Zero is drawn as soft.
var ramp = [...]colour{
	{name: "ramp-0", light: "#c2ede9", dark: "#2c325d"},
	{name: "ramp-1", light: "#a1dadc", dark: "#314574"},
	{name: "ramp-2", light: "#7fc7d0", dark: "#34588b"},
	{name: "ramp-3", light: "#5db3c6", dark: "#326da0"},
	{name: "ramp-4", light: "#3a9fbd", dark: "#2c83b5"},
	{name: "ramp-5", light: "#1189b5", dark: "#1f9ac7"},
	{name: "ramp-6", light: "#1272a9", dark: "#40afce"},
	{name: "ramp-7", light: "#1b5a9a", dark: "#60c4d5"},
	{name: "ramp-8", light: "#224389", dark: "#81d7dc"},
	{name: "ramp-9", light: "#252b76", dark: "#a2eae5"},
	{name: "ramp-10", light: "#251161", dark: "#c3fcf0"},
}

// under is the same below zero, about as light at each step: orange to red on light paper, brown to
// yellow on dark.
var under = [len(ramp)]colour{
	{name: "under-0", light: "#ffddaf", dark: "#552e02"},
	{name: "under-1", light: "#ffc074", dark: "#693d01"},
	{name: "under-2", light: "#fda130", dark: "#7c4d01"},
	{name: "under-3", light: "#ea8a1a", dark: "#8f5e03"},
	{name: "under-4", light: "#d77304", dark: "#a27007"},
	{name: "under-5", light: "#c05f03", dark: "#b68304"},
	{name: "under-6", light: "#ab4b00", dark: "#c99702"},
	{name: "under-7", light: "#943800", dark: "#dcac05"},
	{name: "under-8", light: "#7d2600", dark: "#ebc229"},
	{name: "under-9", light: "#661401", dark: "#f9d948"},
	{name: "under-10", light: "#4f0200", dark: "#ffef91"},
}

// lineRamp is the part of the ramp that a line needs to be seen on the paper.
var lineRamp = ramp[4:]

// rampStep is the place of a value in a ramp of n colours; empty: there is none, or zero.
func rampStep(a *chart.Axis, v chart.Value, n int) int {
	if v.None() || v <= 0 {
		return empty
	}
	t := a.At(v)
	if a.Signed() {
		t = float64(v / a.High)
	}
	if a.Log {
		return min(max(int(t*float64(n)), 0), n-1)
	}
	return min(max(int(math.Ceil(t*float64(n)))-1, 0), n-1)
}

// scaleRow is the height of the legend of a ramp.
const scaleRow = 20.0

// scale draws the legend of a ramp from (x, y), the baseline of its texts, and returns
// its width. With d nil it only measures.
func scale(d *Drawing, a *chart.Axis, colours []colour, x, y float64) float64 {
	box, at := 11.0, x
	if a.Signed() {
		box /= 2 // there are twice as many
	}
	say := func(s string, c colour) {
		if d != nil {
			d.text(at, y, smallSize, alignStart, c, s)
		}
		at += textWidth(s, smallSize) + 6
	}
	say(a.Label, ink)
	low := a.Unit.Text(a.Low)
	if a.Low == 0 {
		low = "0"
	}
	say(low, muted)
	if a.Signed() {
		colours = append(append(slices.Clone(under[:]), soft), colours...)
		slices.Reverse(colours[:len(under)])
	}
	if d != nil {
		for i, c := range colours {
			d.rect(at+box*float64(i), y-10, box+0.3, 12, c, "")
		}
	}
	at += box*float64(len(colours)) + 6
	say(a.Unit.Text(a.High), muted)
	if a.Log {
		say("log scale", muted)
	}
	return at - x
}
