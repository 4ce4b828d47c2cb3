package svg

import (
	"fmt"
	"math"

	"railyard/internal/out/chart"
)

const (
	laneHeight = 13.0
	groupGap   = 6.0
	laneTitle  = 12.0 // of a label that stands above its lane
)

// drawLanes draws what went on when, lane by lane, and links between lanes over it.
func drawLanes(fig *chart.Figure, w float64) *Drawing {
	l := fig.Lanes
	keys := lanesLegend(fig)
	head := legend(nil, keys, 0, 12, w) + 8
	group, label, above := laneNames(l.Lanes, w)
	tops, height := laneTops(l.Lanes, above)
	h := head + height + 40
	about := fmt.Sprintf("%d lanes over %s", len(l.Lanes), l.X.Unit.Text(l.X.High-l.X.Low))
	d := newDrawing(fig.Name, w, h, fig.Title, about)
	legend(d, keys, 0, 12, w)
	f := &frame{d: d, left: group + label + 8, top: head, right: w - 14, bottom: h - 40, axisX: &l.X}
	f.d.open(`class="labels-x"`)
	f.uprights(f.top)
	f.d.close()
	c := coloursOf(fig)
	inner := frame{d: d, right: f.right - f.left, bottom: f.bottom - f.top, axisX: &l.X}
	for i := range l.Lanes {
		lane, y := &l.Lanes[i], head+tops[i]
		if i == 0 || l.Lanes[i-1].Group != lane.Group {
			d.text(group, y+10.5, smallSize, alignEnd, ink, fit(lane.Group, smallSize, group))
		}
		switch {
		case above:
			d.text(f.left, y-3, tinySize, alignStart, muted, fit(lane.Label, tinySize, f.right-f.left))
		case label > 0:
			d.text(group+label, y+10, tinySize, alignEnd, muted, fit(lane.Label, tinySize, label-6))
		}
	}
	d.openArea(f, inner.right, inner.bottom)
	for i := range l.Lanes {
		for k := range l.Lanes[i].Spans {
			inner.span(fig, &l.Lanes[i], &l.Lanes[i].Spans[k], tops[i], c, len(l.Links) == 0)
		}
	}
	inner.links(fig, func(lane int) float64 { return tops[lane] + laneHeight/2 }, c)
	d.closeArea()
	f.xAxis()
	return d
}

// laneTops places lanes below each other, with a gap between groups, and room for labels above them.
func laneTops(all []chart.Lane, above bool) (tops []float64, height float64) {
	for i := range all {
		if i == 0 || all[i].Group != all[i-1].Group || all[i].Group == "" {
			height += groupGap
		}
		if above {
			height += laneTitle
		}
		tops = append(tops, height)
		height += laneHeight
	}
	return tops, height + groupGap
}

// laneNames is the room for the names of groups and of lanes. Where the drawing is narrow, lanes of groups go without names,
// and those of lanes without groups stand above them.
func laneNames(all []chart.Lane, w float64) (group, label float64, above bool) {
	for i := range all {
		group = max(group, textWidth(all[i].Group, smallSize))
		label = max(label, textWidth(all[i].Label, tinySize)+8)
	}
	above = group == 0 && label > max(w*0.18, 120)
	if above || w < 560 && group > 0 {
		label = 0
	}
	return math.Ceil(min(group, w*0.22)), math.Ceil(min(label, max(w*0.18, 120))), above
}

func (f *frame) span(fig *chart.Figure, lane *chart.Lane, s *chart.Span, y float64, all colours, named bool) {
	x := f.x(s.From)
	wide := max(f.x(s.To)-x, 0.75)
	c, key := all[s.Key], keyOf(fig, s.Key)
	gap := 0.0
	if wide > 3 && key.Ink != chart.Outside {
		gap = 0.75
	}
	u := f.axisX.Unit
	what := s.Name
	if what == "" {
		what = key.Name
	}
	tip := fmt.Sprintf("%s: %s, %s to %s (%s)", laneName(lane), what, u.Text(s.From), u.Text(s.To), u.Text(s.To-s.From))
	f.d.spanRect(x, y+0.5, wide-gap, laneHeight-1, f.x(s.To)-x, c, tip)
	if named && s.Name != "" && textWidth(s.Name, 9.5) < wide-6 && c.hatch == solid {
		f.d.text(x+3, y+10, 9.5, alignStart, c.on(), s.Name)
	}
}

// spanRect is a rectangle whose width is not quite what it stands for, which is span.
func (d *Drawing) spanRect(x, y, w, h, span float64, c colour, tip string) {
	d.data = fmt.Sprintf(`data-w="%s" `, num(span))
	if name := hatchNames[c.hatch]; name != "" {
		d.data += fmt.Sprintf(`data-hatch="%s" `, name)
	}
	d.rect(x, y, w, h, c, tip)
	d.data = ""
}

// hatchNames are what a page's script knows hatchings by.
var hatchNames = map[hatching]string{rising: "rising", falling: "falling", upright: "upright"}

func laneName(l *chart.Lane) string {
	if l.Group == "" || l.Label == "" {
		return l.Group + l.Label
	}
	return l.Group + ", " + l.Label
}

// links draws links that follow each other as one line, over the lanes.
func (f *frame) links(fig *chart.Figure, middle func(lane int) float64, all colours) {
	var line []point
	var key string
	end := func() {
		if len(line) > 1 {
			f.d.polyline(line, 4.5, paper, "", "")
			f.d.polyline(line, 1.8, all[key].plain(), "", keyOf(fig, key).Name)
		}
		line = nil
	}
	links := fig.Lanes.Links
	for i := range links {
		k := &links[i]
		if i == 0 || links[i-1].To != k.From || links[i-1].Then != k.At || k.Key != key {
			end()
			key = k.Key
			line = append(line, point{f.x(k.At), middle(k.From)})
		}
		p := point{f.x(k.Then), middle(k.To)}
		if last := line[len(line)-1]; p.X-last.X > 0.2 || p.Y != last.Y {
			line = append(line, p)
		}
	}
	end()
}

func lanesLegend(fig *chart.Figure) (all []entry) {
	spans, links := map[string]bool{}, map[string]bool{}
	for i := range fig.Lanes.Lanes {
		for _, s := range fig.Lanes.Lanes[i].Spans {
			spans[s.Key] = true
		}
	}
	for _, k := range fig.Lanes.Links {
		links[k.Key] = true
	}
	for i := range fig.Keys {
		switch k := &fig.Keys[i]; {
		case spans[k.ID]:
			all = append(all, entry{key: k})
		case links[k.ID]:
			all = append(all, entry{key: k, look: stroke})
		}
	}
	return all
}
