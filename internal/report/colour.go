package report

import (
	"fmt"
	"strings"

	"railyard/internal/cause"
)

// Colour is an ink with one value for light and one for dark backgrounds.
type Colour struct{ name, light, dark string }

func (c Colour) fill() string   { return `class="f-` + c.name + `" fill="` + c.light + `"` }
func (c Colour) stroke() string { return `class="s-` + c.name + `" stroke="` + c.light + `"` }

// Inks of text, axes and paper.
var (
	ink   = Colour{"ink", "#1b1f24", "#e6e9ee"}
	muted = Colour{"muted", "#57606a", "#a3acb8"}
	grid  = Colour{"grid", "#d8dde3", "#353c46"}
	paper = Colour{"paper", "#ffffff", "#14181d"}
	pale  = Colour{"pale", "#ffffff", "#10141a"} // text on blue
	dark  = Colour{"dark", "#101010", "#101010"} // text on the other inks of data
	alarm = Colour{"alarm", "#b3261e", "#ff8a80"}
)

// Inks of data: Okabe and Ito, then Tol's muted scheme, lightened for dark paper.
var (
	blue   = Colour{"blue", "#0072b2", "#4fa8dd"}
	sky    = Colour{"sky", "#56b4e9", "#8ccdf2"}
	green  = Colour{"green", "#009e73", "#3cc79e"}
	yellow = Colour{"yellow", "#e3cf1d", "#f0e442"}
	orange = Colour{"orange", "#e69f00", "#f0b63c"}
	red    = Colour{"red", "#d55e00", "#f0853a"}
	purple = Colour{"purple", "#cc79a7", "#e09fc4"}
	wine   = Colour{"wine", "#882255", "#c95f93"}
	olive  = Colour{"olive", "#999933", "#bfbf5e"}
	teal   = Colour{"teal", "#44aa99", "#6fcbbc"}
	grey   = Colour{"grey", "#9aa1a9", "#7d8794"}
	azure  = Colour{"azure", "#88ccee", "#6fa8c9"}
	slate  = Colour{"slate", "#7b86c6", "#98a2e0"}
	stone  = Colour{"stone", "#c2c7cd", "#5f6873"}
	rose   = Colour{"rose", "#ee8866", "#f2a58c"}
)

// inkOn is the ink of words on a bar.
func inkOn(bar Colour) Colour {
	if bar == blue {
		return pale
	}
	return dark
}

// causeColours has an ink for every cause. The causes that say the network is in
// trouble are warm.
var causeColours = [cause.Count]Colour{
	cause.Compute: blue, cause.NVLink: sky, cause.PCIe: azure, cause.NIC: slate, cause.Dependency: grey, cause.Acknowledgement: stone,
	cause.RateLimit: orange, cause.Window: yellow, cause.Serialisation: green, cause.Propagation: olive, cause.SwitchLatency: teal,
	cause.OwnQueueing: rose, cause.Queueing: red, cause.Pause: purple, cause.Retransmission: wine,
}

// loadColours go from an idle link to a full one, dark enough at either end to be
// seen on white, after Viridis reversed.
var loadColours = []Colour{
	{"load0", "#c3c9d1", "#4a525d"}, {"load1", "#6ccd5a", "#48a84a"}, {"load2", "#1f9e89", "#2fbfa6"},
	{"load3", "#31688e", "#5a9fd0"}, {"load4", "#440154", "#d08bff"},
}

// loadSteps are the utilisations at which the next colour begins.
var loadSteps = []float64{0.01, 0.2, 0.5, 0.8}

func loadColour(utilisation float64) Colour {
	i := 0
	for i < len(loadSteps) && utilisation >= loadSteps[i] {
		i++
	}
	return loadColours[i]
}

func palette() []Colour {
	all := []Colour{ink, muted, grid, paper, pale, dark, alarm, blue, sky, green, yellow, orange, red, purple, wine, olive, teal, grey, azure, slate, stone, rose}
	return append(all, loadColours...)
}

// darkRules is the style sheet that recolours drawings on a dark page.
func darkRules() string {
	var b strings.Builder
	for _, c := range palette() {
		fmt.Fprintf(&b, ".f-%s{fill:%s}.s-%s{stroke:%s}\n", c.name, c.dark, c.name, c.dark)
	}
	return b.String()
}
