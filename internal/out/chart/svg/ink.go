package svg

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/out/chart"
)

// colour is what an ink is drawn with: one value for light paper and one for dark, and a
// hatching where colours alone do not suffice.
type colour struct {
	name, light, dark string
	hatch             hatching
}

// hatching is lines over a filled mark.
type hatching int

const (
	solid    hatching = iota
	rising            // ///
	falling           // \\\
	upright           // |||
	outlined          // a pale box with an edge
)

func (c colour) fill() string   { return `class="f-` + c.name + `" fill="` + c.light + `"` }
func (c colour) stroke() string { return `class="s-` + c.name + `" stroke="` + c.light + `"` }

// edged is a mark filled with one colour and edged with another.
func edged(fill, edge colour) string {
	return `class="f-` + fill.name + ` s-` + edge.name + `" fill="` + fill.light + `" stroke="` + edge.light + `"`
}

// Colours of text, axes and paper.
var (
	ink   = colour{name: "ink", light: "#1b1f24", dark: "#e6e9ee"}
	muted = colour{name: "muted", light: "#57606a", dark: "#a3acb8"}
	grid  = colour{name: "grid", light: "#d8dde3", dark: "#353c46"}
	paper = colour{name: "paper", light: "#ffffff", dark: "#14181d"}
	soft  = colour{name: "soft", light: "#eef1f4", dark: "#242b33"}
)

// words are the colours of text on marks, by whether the mark is dark on light paper and
// on dark paper.
var words = map[[2]bool]colour{
	{true, true}:   {name: "on-dark", light: "#ffffff", dark: "#ffffff"},
	{true, false}:  {name: "on-dark-light", light: "#ffffff", dark: "#101010"},
	{false, true}:  {name: "on-light-dark", light: "#101010", dark: "#ffffff"},
	{false, false}: {name: "on-light", light: "#101010", dark: "#101010"},
}

// inks has the colours of inks, in families: inks of a family may stand in one figure.
// The colours of a family were searched for as those that the three kinds of colour
// blindness keep furthest apart, within bounds of contrast and hue (TestInks).
var inks = map[chart.Ink]colour{
	// What the time of a span went into: hosts blue, waiting grey, control brown, wires
	// green, trouble red to purple. Within a group hatching tells more.
	chart.InkOf(cause.Compute):         {light: "#2c3e77", dark: "#6083f2"},
	chart.InkOf(cause.NVLink):          {light: "#159aed", dark: "#66bbfd"},
	chart.InkOf(cause.PCIe):            {light: "#2c3e77", dark: "#6083f2", hatch: rising},
	chart.InkOf(cause.NIC):             {light: "#159aed", dark: "#66bbfd", hatch: falling},
	chart.InkOf(cause.Dependency):      {light: "#8f8f8f", dark: "#9e9e9e"},
	chart.InkOf(cause.Acknowledgement): {light: "#8f8f8f", dark: "#9e9e9e", hatch: rising},
	chart.InkOf(cause.RateLimit):       {light: "#cb8417", dark: "#f0ca19"},
	chart.InkOf(cause.Window):          {light: "#cb8417", dark: "#f0ca19", hatch: rising},
	chart.InkOf(cause.Serialisation):   {light: "#19735b", dark: "#3cf9c7"},
	chart.InkOf(cause.Propagation):     {light: "#19735b", dark: "#3cf9c7", hatch: rising},
	chart.InkOf(cause.SwitchLatency):   {light: "#19735b", dark: "#3cf9c7", hatch: falling},
	chart.InkOf(cause.OwnQueueing):     {light: "#d0030f", dark: "#f27422", hatch: rising},
	chart.InkOf(cause.Queueing):        {light: "#d0030f", dark: "#f27422"},
	chart.InkOf(cause.Pause):           {light: "#8309cd", dark: "#7d59a3"},
	chart.InkOf(cause.Retransmission):  {light: "#6a0e23", dark: "#b54152"},

	// Kinds of work.
	chart.Forward:   {light: "#514cca", dark: "#8b9bfb"},
	chart.Loss:      {light: "#ac921b", dark: "#fee73c"},
	chart.Backward:  {light: "#0fa1a8", dark: "#4cdbe3"},
	chart.AllReduce: {light: "#a24b02", dark: "#e28e5e"},
	chart.Update:    {light: "#67305d", dark: "#93547d"},
	chart.OtherWork: {light: "#7a828b", dark: "#a4abb4", hatch: falling},

	// What is sent has the colour of what it belongs to, hatched.
	chart.Activations:   {light: "#514cca", dark: "#8b9bfb", hatch: rising},
	chart.Deltas:        {light: "#0fa1a8", dark: "#4cdbe3", hatch: rising},
	chart.AllGather:     {light: "#a24b02", dark: "#e28e5e", hatch: falling},
	chart.ReduceScatter: {light: "#a24b02", dark: "#e28e5e", hatch: rising},

	// Everything else.
	chart.Subject:   {light: "#3959da", dark: "#4c6dda"},
	chart.Other:     {light: "#8b939f", dark: "#9b9b9b", hatch: outlined},
	chart.Reference: {light: "#2d323c", dark: "#c1cdd8"},
	chart.Alarm:     {light: "#bb301b", dark: "#d7180a"},
	chart.Marking:   {light: "#d1811b", dark: "#f2ab36"},
	chart.Pausing:   {light: "#834c7f", dark: "#93547f"},
	chart.Highlight: {light: "#0f0f0f", dark: "#ffffff"},
	chart.Outside:   {light: "#d8dde3", dark: "#353c46"},
}

// runs are the colours of runs that are compared, the ones furthest apart first. Further
// runs have them again, hatched or dashed.
var runs = []colour{
	{light: "#2a80fc", dark: "#52ccc3"}, {light: "#e97218", dark: "#ea983b"}, {light: "#4f2bc6", dark: "#ac80fc"},
	{light: "#bb1a01", dark: "#dc2e11"}, {light: "#af84a6", dark: "#fae166"}, {light: "#2d1373", dark: "#36898c"},
	{light: "#7c5179", dark: "#903ed3"}, {light: "#590811", dark: "#acfef4"},
}

// colourOf is what an ink is drawn with; an unknown one looks like Other.
func colourOf(i chart.Ink) colour {
	c, ok := inks[i]
	for n := 0; n < 26 && !ok; n++ {
		if ok = i == chart.InkOfRun(n); ok {
			c = runs[n%len(runs)]
			c.hatch = hatching(n / len(runs)) // solid, rising, falling, upright
		}
	}
	if !ok {
		return colourOf(chart.Other)
	}
	c.name = string(i)
	return c
}

// plain is the colour without its hatching.
func (c colour) plain() colour {
	c.hatch = solid
	return c
}

// dash is the pattern of a line: what hatching is to an area.
func (c colour) dash() string {
	switch c.hatch {
	case rising:
		return ` stroke-dasharray="8 3"`
	case falling:
		return ` stroke-dasharray="2 3"`
	case upright:
		return ` stroke-dasharray="8 3 2 3"`
	}
	return ""
}

// on is the colour of words on a mark.
func (c colour) on() colour {
	if c.hatch == outlined {
		return ink
	}
	return words[[2]bool{luminance(c.light) < 0.18, luminance(c.dark) < 0.18}]
}

// luminance is the relative luminance of WCAG 2.2 of a colour "#rrggbb": 0 is black, 1 white.
func luminance(hex string) float64 {
	c := linear(hex)
	return float64(0.2126*c[0]) + float64(0.7152*c[1]) + float64(0.0722*c[2])
}

// linear is the light of each of red, green and blue (IEC 61966-2-1).
func linear(hex string) (light [3]float64) {
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		panic("chart/svg: colour " + hex)
	}
	for i := range light {
		v := float64(n>>(16-8*i)&0xff) / 255
		if light[i] = v / 12.92; v > 0.04045 {
			light[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return light
}

// DarkRules is the style sheet that recolours drawings on a dark page.
func DarkRules() string {
	all := append([]colour{ink, muted, grid, paper, soft}, slices.Collect(maps.Values(words))...)
	all = append(append(all, ramp[:]...), under[:]...)
	for i := range inks {
		all = append(all, colourOf(i))
	}
	for n := range 26 {
		all = append(all, colourOf(chart.InkOfRun(n)))
	}
	slices.SortFunc(all, func(a, b colour) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", c.name, c.dark, c.name, c.dark)
	}
	return b.String()
}
