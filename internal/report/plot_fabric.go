package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// shownNodes is how many nodes of a tier are drawn.
const shownNodes = 40

// edge is all cables between two nodes, both directions.
type edge struct {
	low, high string // lower tier first
	up, down  float64
	cables    int
	held      bool // paused
}

// fabric is what the drawing shows.
type fabric struct {
	edges []edge
	rows  [len(tierNames)][]string // nodes by tier
	left  int                      // nodes that are not drawn
	lossy map[string]bool          // nodes that dropped packets
}

// fabricFigure draws the nodes in tiers and colours links by load.
func fabricFigure(d *Data) []Figure {
	f := fabricOf(d.Links)
	if len(f.edges) == 0 {
		return nil
	}
	title := "The fabric, links coloured by load"
	caption := "Colour: utilisation of the busier direction of the busiest cable between two nodes."
	if f.held() {
		caption += " Dashed: held by PFC at some time."
	}
	if len(f.lossy) > 0 {
		caption += " A frame marks a switch that dropped packets."
	}
	if f.left > 0 {
		caption += fmt.Sprintf(" %s left out: those with the least load.", count(int64(f.left), "node"))
	}
	return one(Figure{Name: "fabric", Title: title, Caption: caption, Draw: func(w float64) drawn { return f.draw(w, title) }})
}

func (f *fabric) held() bool {
	return slices.ContainsFunc(f.edges, func(e edge) bool { return e.held })
}

// fabricOf joins ports into edges and keeps the busiest nodes of each tier.
func fabricOf(links []result.LinkRow) *fabric {
	f := &fabric{lossy: map[string]bool{}}
	tier := tiersOf(links)
	if tier == nil {
		return f
	}
	index := map[[2]string]int{}
	load := map[string]float64{}
	for _, l := range links {
		a, b, up := l.From, l.To, true
		if cmp.Or(cmp.Compare(tier[a], tier[b]), byName(a, b)) > 0 {
			a, b, up = b, a, false
		}
		i, ok := index[[2]string{a, b}]
		if !ok {
			i = len(f.edges)
			index[[2]string{a, b}] = i
			f.edges = append(f.edges, edge{low: a, high: b})
		}
		e := &f.edges[i]
		if up {
			e.up = max(e.up, l.Utilisation)
			e.cables++
		} else {
			e.down = max(e.down, l.Utilisation)
		}
		e.held = e.held || l.Paused > 0
		if l.Drops > 0 {
			f.lossy[l.From] = true
		}
		for _, n := range []string{a, b} {
			load[n] = max(load[n], l.Utilisation)
		}
	}
	for n := range load {
		f.rows[tier[n]] = append(f.rows[tier[n]], n)
	}
	for t, row := range f.rows {
		slices.SortFunc(row, func(a, b string) int { return cmp.Or(cmp.Compare(load[b], load[a]), byName(a, b)) })
		if n := len(row); n > shownNodes {
			f.left += n - shownNodes
			row = row[:shownNodes]
		}
		slices.SortFunc(row, byName)
		f.rows[t] = row
	}
	return f
}

// tierHeight is how far the rows of two tiers are apart.
const tierHeight = 118.0

func (f *fabric) draw(w float64, title string) *Drawing {
	var keys []Key
	names := []string{"under 1 %", "1 to 20 %", "20 to 50 %", "50 to 80 %", "80 % and more"}
	for i, c := range loadColours {
		keys = append(keys, Key{Name: names[i], Colour: c, Dash: "-"})
	}
	if f.held() {
		keys = append(keys, Key{Name: "held by PFC", Colour: ink, Dash: "7 3"})
	}
	places, y := map[string]Point{}, Legend(nil, keys, 0, 12, w)+14
	var about []string
	for t := len(f.rows) - 1; t >= 0; t-- {
		row := f.rows[t]
		if len(row) == 0 {
			continue
		}
		about = append(about, fmt.Sprintf("%s: %d", tierNames[t], len(row)))
		for i, n := range row {
			places[n] = Point{w * (float64(i) + 0.5) / float64(len(row)), y}
		}
		y += tierHeight
	}
	g := NewDrawing(w, y-tierHeight+34, title, "nodes by tier: "+strings.Join(about, ", "))
	Legend(g, keys, 0, 12, w)
	ordered := slices.Clone(f.edges)
	slices.SortStableFunc(ordered, func(a, b edge) int { return cmp.Compare(max(a.up, a.down), max(b.up, b.down)) })
	for _, e := range ordered { // the busiest last, on top
		a, okA := places[e.low]
		b, okB := places[e.high]
		if okA && okB {
			e.draw(g, a, b)
		}
	}
	for t, row := range f.rows {
		f.drawRow(g, row, places, t == tierHost)
	}
	return g
}

func (e *edge) draw(g *Drawing, a, b Point) {
	load := max(e.up, e.down)
	dash := ""
	if e.held {
		dash = "7 3"
	}
	tip := fmt.Sprintf("%s to %s: up %s, down %s", e.low, e.high, unit.Percent(e.up), unit.Percent(e.down))
	if e.cables > 1 {
		tip += fmt.Sprintf(" (the busiest of %d cables)", e.cables)
	}
	g.Line(a.X, a.Y, b.X, b.Y, 1.4+2.6*load, loadColour(load), dash, tip)
}

// drawRow draws the nodes of a tier: by name, or by number where names are too long.
func (f *fabric) drawRow(g *Drawing, names []string, places map[string]Point, hosts bool) {
	room := g.W / float64(max(len(names), 1))
	short := slices.ContainsFunc(names, func(n string) bool { return textWidth(n, smallSize)+6 > room-4 })
	for _, n := range names {
		p := places[n]
		label, wide := n, min(textWidth(n, smallSize)+14, room-4)
		if short {
			label = fmt.Sprint(numberOf(n))
			wide = min(textWidth("00", smallSize)+8, max(room-2, 6))
		}
		if f.lossy[n] {
			g.Rect(p.X-wide/2-3, p.Y-14, wide+6, 28, alarm, n+" dropped packets")
		}
		g.Rect(p.X-wide/2-1, p.Y-12, wide+2, 24, paper, "")
		g.Rect(p.X-wide/2, p.Y-11, wide, 22, grid, n)
		if hosts {
			g.Line(p.X-wide/2, p.Y+11, p.X+wide/2, p.Y+11, 2, muted, "", "")
		}
		if textWidth(label, smallSize) <= wide+1 {
			g.Text(p.X, p.Y+4, smallSize, alignMiddle, ink, label)
		}
	}
	if short {
		g.Text(0, places[names[0]].Y+28, 10, alignStart, muted, wordOf(names[0])+"s, by number")
	}
}
