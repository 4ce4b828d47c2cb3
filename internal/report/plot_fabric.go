package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/result"
)

// shownNodes is how many nodes of a tier are drawn.
const shownNodes = 40

// edge is all cables between two nodes, both directions.
type edge struct {
	low, high string // lower tier first
	up, down  float64
	cables    int
	busiest   result.LinkRow
	lossy     bool // drops
	held      bool // paused
}

// fabricFigure draws the nodes in tiers and colours links by load.
func fabricFigure(d *Data) []Figure {
	edges, tiers, left := fabricOf(d.Links)
	if len(edges) == 0 {
		return nil
	}
	title := "The fabric, links coloured by load"
	caption := "Colour: utilisation of the busier direction of the busiest cable between two nodes."
	if slices.ContainsFunc(edges, func(e edge) bool { return e.held }) {
		caption += " Dashed: held by PFC at some time."
	}
	if slices.ContainsFunc(edges, func(e edge) bool { return e.lossy }) {
		caption += " A frame marks a switch that dropped packets."
	}
	if left > 0 {
		caption += fmt.Sprintf(" %s left out: those with the least load.", count(int64(left), "node"))
	}
	return one(Figure{Name: "fabric", Title: title, Caption: caption, Draw: func(w float64) *Drawing { return drawFabric(w, title, edges, tiers) }})
}

// fabricOf joins ports into edges and keeps the busiest nodes of each tier.
func fabricOf(links []result.LinkRow) (edges []edge, tiers [3][]string, left int) {
	index := map[[2]string]int{}
	load := map[string]float64{}
	for _, l := range links {
		a, b, up := l.From, l.To, true
		if tierOf(a) > tierOf(b) || tierOf(a) == tierOf(b) && byName(a, b) > 0 {
			a, b, up = b, a, false
		}
		i, ok := index[[2]string{a, b}]
		if !ok {
			i = len(edges)
			index[[2]string{a, b}] = i
			edges = append(edges, edge{low: a, high: b})
		}
		e := &edges[i]
		if up {
			e.up = max(e.up, l.Utilisation)
			e.cables++
		} else {
			e.down = max(e.down, l.Utilisation)
		}
		if l.Utilisation > e.busiest.Utilisation || e.busiest.Port == "" {
			e.busiest = l
		}
		e.lossy, e.held = e.lossy || l.Drops > 0, e.held || l.Paused > 0
		for _, n := range []string{a, b} {
			if old, ok := load[n]; !ok || l.Utilisation > old {
				load[n] = l.Utilisation
			}
		}
	}
	for n := range load {
		tiers[tierOf(n)] = append(tiers[tierOf(n)], n)
	}
	for t := range tiers {
		slices.SortFunc(tiers[t], func(a, b string) int { return cmp.Or(cmp.Compare(load[b], load[a]), byName(a, b)) })
		if n := len(tiers[t]); n > shownNodes {
			left += n - shownNodes
			tiers[t] = tiers[t][:shownNodes]
		}
		slices.SortFunc(tiers[t], byName)
	}
	return edges, tiers, left
}

func drawFabric(w float64, title string, edges []edge, tiers [3][]string) *Drawing {
	var keys []Key
	names := []string{"under 1 %", "1 to 20 %", "20 to 50 %", "50 to 80 %", "80 % and more"}
	for i, c := range loadColours {
		keys = append(keys, Key{Name: names[i], Colour: c, Dash: "-"})
	}
	if slices.ContainsFunc(edges, func(e edge) bool { return e.held }) {
		keys = append(keys, Key{Name: "held by PFC", Colour: ink, Dash: "7 3"})
	}
	head := Legend(nil, keys, 0, 12, w)
	places, y := map[string]Point{}, head+14
	lossy := map[string]bool{}
	for t := tierSpine; t >= tierHost; t-- {
		if len(tiers[t]) == 0 {
			continue
		}
		for i, n := range tiers[t] {
			places[n] = Point{w * (float64(i) + 0.5) / float64(len(tiers[t])), y}
		}
		y += 118
	}
	y -= 118
	g := NewDrawing(w, y+34, title, fmt.Sprintf("%d spines, %d rail or leaf switches, %d hosts", len(tiers[tierSpine]), len(tiers[tierLeaf]), len(tiers[tierHost])))
	Legend(g, keys, 0, 12, w)
	ordered := slices.Clone(edges)
	slices.SortStableFunc(ordered, func(a, b edge) int { return cmp.Compare(max(a.up, a.down), max(b.up, b.down)) })
	for _, e := range ordered { // the busiest last, on top
		a, okA := places[e.low]
		b, okB := places[e.high]
		if tierOf(e.busiest.From) != tierHost && e.lossy {
			lossy[e.busiest.From] = true
		}
		if !okA || !okB {
			continue
		}
		load := max(e.up, e.down)
		dash := ""
		if e.held {
			dash = "7 3"
		}
		tip := fmt.Sprintf("%s to %s: up %s, down %s", e.low, e.high, result.FormatPercent(e.up), result.FormatPercent(e.down))
		if e.cables > 1 {
			tip += fmt.Sprintf(" (the busiest of %d cables)", e.cables)
		}
		g.Line(a.X, a.Y, b.X, b.Y, 1.4+2.6*load, loadColour(load), dash, tip)
	}
	drawNodes(g, w, tiers, places, lossy)
	return g
}

func drawNodes(g *Drawing, w float64, tiers [3][]string, places map[string]Point, lossy map[string]bool) {
	for t, names := range tiers {
		room := w / float64(max(len(names), 1))
		short := slices.ContainsFunc(names, func(n string) bool { return textWidth(n, smallSize)+6 > room-4 })
		for _, n := range names {
			p := places[n]
			label, wide := n, min(textWidth(n, smallSize)+14, room-4)
			if short {
				label = fmt.Sprint(numberOf(n))
				wide = min(textWidth("00", smallSize)+8, max(room-2, 6))
			}
			if lossy[n] {
				g.Rect(p.X-wide/2-3, p.Y-14, wide+6, 28, alarm, n+" dropped packets")
			}
			g.Rect(p.X-wide/2-1, p.Y-12, wide+2, 24, paper, "")
			g.Rect(p.X-wide/2, p.Y-11, wide, 22, grid, n)
			if t == tierHost {
				g.Line(p.X-wide/2, p.Y+11, p.X+wide/2, p.Y+11, 2, muted, "", "")
			}
			if textWidth(label, smallSize) <= wide+1 {
				g.Text(p.X, p.Y+4, smallSize, alignMiddle, ink, label)
			}
		}
		if short {
			kind := []string{"hosts", "rail or leaf switches", "spines"}[t]
			g.Text(0, places[names[0]].Y+28, 10, alignStart, muted, fmt.Sprintf("%s, by number", kind))
		}
	}
}
