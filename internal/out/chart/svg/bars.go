package svg

import (
	"math"

	"railyard/internal/out/chart"
)

// barSheet is the layout of Bars.
//
//	group
//	label  [=====part=====|==part==|=]  note
//	label  [==part==|=part=]  note
//	       0 ------------- axis
type barSheet struct {
	frame
	fig     *chart.Figure
	colours colours
	thick   float64 // of a bar
	row     float64 // from bar to bar
	above   bool    // labels stand above their bars: a narrow drawing
}

// groupRow is what the name of a group takes.
const groupRow = 22.0

func drawBars(fig *chart.Figure, w float64) *Drawing {
	b := fig.Bars
	s := layBars(fig, w)
	keys := s.legend()
	head := legend(nil, keys, 0, 12, w) + 6
	h := head + s.height() + 40
	s.d = newDrawing(fig.Name, w, h, fig.Title, s.about())
	s.top, s.bottom = head, h-40
	legend(s.d, keys, 0, 12, w)
	s.uprights(s.top)
	y, group := s.top, ""
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Group != group {
			group = r.Group
			s.d.rect(0, y, w, groupRow, paper, "")
			s.d.bold(0, y+15, smallSize, alignStart, ink, fit(group, smallSize*boldWidth, w))
			y += groupRow
		}
		s.bar(r, y)
		y += s.row
	}
	s.xAxis()
	return s.d
}

func layBars(fig *chart.Figure, w float64) *barSheet {
	b := fig.Bars
	s := &barSheet{fig: fig, colours: coloursOf(fig), thick: 20, above: w < 480}
	if len(b.Rows) > 14 {
		s.thick = 13
	}
	s.row = s.thick + 6
	label := 0.0
	for i := range b.Rows {
		label = max(label, textWidth(b.Rows[i].Label, smallSize))
	}
	s.left = math.Ceil(min(label+10, w*0.34))
	if s.above {
		s.left, s.row = 4, s.row+14
	}
	s.right = w - 14
	for i := range b.Rows { // as far as what is said after each bar lets it
		r := &b.Rows[i]
		if end := b.X.At(reached(r)); r.Note != "" && end > 0 {
			room := w - s.left - textWidth(r.Note, tinySize) - 7
			s.right = min(s.right, s.left+room/end)
		}
	}
	s.right = math.Floor(max(s.right, w*0.5))
	s.axisX = &b.X
	return s
}

func (s *barSheet) height() float64 {
	h, group := 0.0, ""
	for i := range s.fig.Bars.Rows {
		if g := s.fig.Bars.Rows[i].Group; g != group {
			group = g
			h += groupRow
		}
		h += s.row
	}
	return h
}

func (s *barSheet) bar(r *chart.Bar, y float64) {
	if s.above {
		s.d.text(0, y+11, smallSize, alignStart, ink, fit(r.Label, smallSize, s.d.W))
		y += 14
	} else {
		s.d.text(s.left-8, y+s.thick/2+6, smallSize, alignEnd, ink, fit(r.Label, smallSize, s.left-8))
	}
	at, whole := chart.Value(0), r.Whole()
	for i := range r.Parts {
		p := &r.Parts[i]
		x, end := s.x(at), s.x(at+p.Value)
		c, wide := s.colours[p.Key], max(end-x, 0.75)
		gap := 0.0
		if wide > 4 {
			gap = 1
		}
		s.d.rect(x, y+2, wide-gap, s.thick, c, s.words(r, p, whole))
		shares := len(r.Parts) > 1 || r.Reach != nil && s.axisX.Unit == chart.Fraction
		if label := s.inside(p, whole); label != "" && shares {
			if c.hatch != solid && c.hatch != outlined { // no lines under words
				w := textWidth(label, tinySize) + 4
				s.d.rect((x+end-gap-w)/2, y+3, w, s.thick-2, c.plain(), "")
			}
			s.d.text((x+end-gap)/2, y+s.thick/2+5.5, tinySize, alignMiddle, c.on(), label)
		}
		at += p.Value
	}
	end := s.x(at)
	if r.Reach != nil {
		end = max(end, s.reach(r, end, y+2+s.thick/2))
	}
	if note := fit(r.Note, tinySize, s.d.W-end-5); note != "" {
		s.d.text(end+5, y+s.thick/2+5.5, tinySize, alignStart, muted, note)
	}
}

// reach draws the line on from the end of a bar, at height y, and returns where it ends.
func (s *barSheet) reach(r *chart.Bar, from, y float64) float64 {
	to, c := s.x(r.Reach.Value), s.colours[r.Reach.Key].plain()
	tip := r.Label + ": " + keyOf(s.fig, r.Reach.Key).Name + " " + s.axisX.Unit.Text(r.Reach.Value)
	if r.Reach.Note != "" {
		tip += "; " + r.Reach.Note
	}
	s.d.line(from, y, to, y, 2, c, "", tip)
	s.d.line(to, y-s.thick/3, to, y+s.thick/3, 2, c, "", tip)
	return to
}

// reached is the largest value of a bar.
func reached(r *chart.Bar) chart.Value {
	if r.Reach != nil {
		return max(r.Sum(), r.Reach.Value)
	}
	return r.Sum()
}

// share is what part of the whole a part is; values that are shares themselves stay.
func (s *barSheet) share(v, whole chart.Value) string {
	switch {
	case s.axisX.Unit == chart.Fraction:
		return chart.Fraction.Text(v)
	case whole <= 0:
		return chart.Fraction.Text(0)
	}
	return chart.Fraction.Text(v / whole)
}

// inside is what a part has room for: its name and share, or its share, or nothing.
func (s *barSheet) inside(p *chart.Part, whole chart.Value) string {
	room := s.x(p.Value) - s.x(0) - 8
	if s.thick < 16 || room < 24 {
		return ""
	}
	short := s.share(p.Value, whole)
	if long := keyOf(s.fig, p.Key).Name + " " + short; textWidth(long, tinySize) <= room {
		return long
	}
	if textWidth(short, tinySize) <= room {
		return short
	}
	return ""
}

func (s *barSheet) words(r *chart.Bar, p *chart.Part, whole chart.Value) string {
	out := r.Label + ": " + keyOf(s.fig, p.Key).Name + " " + s.axisX.Unit.Text(p.Value)
	if s.axisX.Unit != chart.Fraction {
		out += " (" + s.share(p.Value, whole) + ")"
	}
	if p.Note != "" {
		out += "; " + p.Note
	}
	return out
}

// legend has the keys of all parts; those for whose words the first bar that has them has
// no room say here how much they are.
func (s *barSheet) legend() (all []entry) {
	rows := s.fig.Bars.Rows
	for i := range s.fig.Keys {
		e := entry{key: &s.fig.Keys[i]}
		row, part := first(rows, e.key.ID)
		if part == nil {
			continue
		}
		if part == row.Reach {
			e.look = stroke
		} else if whole := row.Whole(); !s.fig.Bars.Peers && s.shares(row) && s.inside(part, whole) == "" {
			e.note = s.axisX.Unit.Text(part.Value) + ", " + s.share(part.Value, whole)
		}
		all = append(all, e)
	}
	if len(all) == 1 {
		return nil
	}
	return all
}

// shares reports whether the parts of a row are told as shares of it.
func (s *barSheet) shares(r *chart.Bar) bool {
	return s.axisX.Unit != chart.Fraction && s.thick > 16 && len(r.Parts) > 1
}

// first finds the first part of a key.
func first(rows []chart.Bar, key string) (*chart.Bar, *chart.Part) {
	for i := range rows {
		for k := range rows[i].Parts {
			if rows[i].Parts[k].Key == key {
				return &rows[i], &rows[i].Parts[k]
			}
		}
		if r := rows[i].Reach; r != nil && r.Key == key {
			return &rows[i], r
		}
	}
	return nil, nil
}

// about reads the first bars out for those who do not see them.
func (b *barSheet) about() string {
	fig, s := b.fig, ""
	for i := range fig.Bars.Rows[:min(len(fig.Bars.Rows), 3)] {
		r := &fig.Bars.Rows[i]
		if i > 0 {
			s += ". "
		}
		s += r.Label + ", " + fig.Bars.X.Unit.Text(r.Sum()) + ":"
		for k := range r.Parts {
			s += " " + keyOf(fig, r.Parts[k].Key).Name + " " + b.share(r.Parts[k].Value, r.Whole())
		}
	}
	return s
}
