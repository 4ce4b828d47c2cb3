package text

import (
	"fmt"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

// Draw adds a figure to a sheet: its plot and its legend, without title and caption. A
// figure that chart.Check refuses makes it panic, or draw nonsense.
func Draw(s *sheet.Sheet, f *chart.Figure) {
	c := &canvas{fig: f, Sheet: s, letters: lettersOf(f)}
	switch {
	case f.Bars != nil:
		c.bars(f.Bars)
	case f.Lines != nil:
		c.lines(f.Lines)
	case f.Lanes != nil:
		c.lanes(f.Lanes)
	case f.Map != nil:
		drawMap(s, f)
	case f.Graph != nil:
		drawGraph(s, f)
	default:
		panic(fmt.Sprintf("chart/text: figure %s has no plot", f.Name))
	}
}

// canvas is a drawing in the making.
type canvas struct {
	*sheet.Sheet
	fig     *chart.Figure
	letters map[string]byte // by key
}

// letters of inks. Those of causes differ from each other, those of kinds of work, too.
var letters = map[chart.Ink]byte{
	chart.InkOf(cause.Compute): 'c', chart.InkOf(cause.NVLink): 'N', chart.InkOf(cause.PCIe): 'P',
	chart.InkOf(cause.NIC):        'I',
	chart.InkOf(cause.Dependency): 'd', chart.InkOf(cause.Acknowledgement): 'a', chart.InkOf(cause.RateLimit): 'r',
	chart.InkOf(cause.Window): 'w', chart.InkOf(cause.Serialisation): 's', chart.InkOf(cause.Propagation): 'p',
	chart.InkOf(cause.SwitchLatency): 'l', chart.InkOf(cause.OwnQueueing): 'o', chart.InkOf(cause.Queueing): 'q',
	chart.InkOf(cause.Pause): 'x', chart.InkOf(cause.Retransmission): 't',

	chart.Forward: 'f', chart.Loss: 'l', chart.Backward: 'b', chart.AllReduce: 'A', chart.Update: 'u',
	chart.OtherWork: 'o', chart.Activations: 'a', chart.Deltas: 'g', chart.AllGather: 'G', chart.ReduceScatter: 'R',
	chart.Outside: ' ', chart.Other: '~', chart.Subject: '#', chart.Alarm: '!', chart.Highlight: '@',
}

// lettersOf gives each key a character of its own.
func lettersOf(f *chart.Figure) map[string]byte {
	out, taken := map[string]byte{}, map[byte]bool{'.': true}
	for _, k := range f.Keys {
		if c, ok := letters[k.Ink]; ok && !taken[c] {
			out[k.ID], taken[c] = c, true
		}
	}
	next := byte('a')
	for _, k := range f.Keys {
		if _, ok := out[k.ID]; ok {
			continue
		}
		for taken[next] {
			next++
		}
		out[k.ID], taken[next] = next, true
	}
	return out
}

// legend says what letters stand for; notes, by key, are said after the names. A key
// without a note is left out if only is set.
func (c *canvas) legend(notes map[string]string, only bool, more ...string) {
	var all []string
	for _, k := range c.fig.Keys {
		note, said := notes[k.ID]
		if only && !said {
			continue
		}
		letter := string(c.letters[k.ID])
		if letter == " " {
			letter = "blank"
		}
		all = append(all, strings.TrimSpace(letter+" "+k.Name+" "+note))
	}
	if all = append(all, more...); len(all) > 0 {
		c.Wrap("  ", strings.Join(all, ", "))
	}
}

// columns cuts an axis into n columns and says which of the marks over it fills most of
// each.
type columns struct {
	cell []byte
	most []float64
}

// newColumns begins with a background. A mark has to fill more than least of a column to
// be seen over it.
func newColumns(n int, background byte, least float64) *columns {
	c := &columns{cell: []byte(strings.Repeat(string(background), n)), most: make([]float64, n)}
	for i := range c.most {
		c.most[i] = least
	}
	return c
}

// mark fills from one place to another, as parts of the whole axis.
func (c *columns) mark(from, to float64, letter byte) {
	n := float64(len(c.cell))
	for i := max(0, int(from*n)); i < len(c.cell) && float64(i) < to*n; i++ {
		part := min(to*n, float64(i+1)) - max(from*n, float64(i))
		if part > c.most[i] {
			c.cell[i], c.most[i] = letter, part
		}
	}
}

func (c *columns) String() string { return string(c.cell) }
