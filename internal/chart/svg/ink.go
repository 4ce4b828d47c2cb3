package svg

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/chart"
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
	chart.Backward:  {light: "#0fa1a8", dark: "#20fcff"},
	chart.AllReduce: {light: "#a24b02", dark: "#e28e5e"},
	chart.Update:    {light: "#67305d", dark: "#93547d"},
	chart.OtherWork: {light: "#7a828b", dark: "#a4abb4", hatch: rising},

	// Everything else.
	chart.Subject:   {light: "#1f5fbf", dark: "#6aa5f5"},
	chart.Other:     {light: "#6a737d", dark: "#8b95a1", hatch: outlined},
	chart.Reference: {light: "#3a424c", dark: "#c3cad3"},
	chart.Alarm:     {light: "#b3261e", dark: "#ff8a80"},
	chart.Marking:   {light: "#9a6b00", dark: "#e5b53c"},
	chart.Pausing:   {light: "#8a2f8f", dark: "#d98be0"},
	chart.Highlight: {light: "#101418", dark: "#ffffff"},
	chart.Outside:   {light: "#d8dde3", dark: "#353c46"},
}

// colourOf is what an ink is drawn with; a run's number above those there are, and an
// unknown ink, look like Other.
func colourOf(i chart.Ink) colour {
	c, ok := inks[i]
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
	for i := range inks {
		all = append(all, colourOf(i))
	}
	slices.SortFunc(all, func(a, b colour) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", c.name, c.dark, c.name, c.dark)
	}
	return b.String()
}
