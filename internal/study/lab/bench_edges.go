package lab

import (
	"fmt"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
	"railyard/internal/out/chart"
)

// edgesBench slides fixed 3x3 kernels over a small grey image.
var edgesBench = Bench{
	Meaning: "fixed 3x3 kernels over a grey image: positions, maps, pooling of each map, the image shifted by one",
	Params: []Param{
		{Name: "image", Meaning: "its pixels, row by row", Default: []float64(nil), Needed: true},
		{Name: "rows", Meaning: "rows of the image, 4 to 16", Default: 6.0},
		{Name: "kernels", Meaning: "prewitt or kirsch", Default: "prewitt"},
		{Name: "positions", Meaning: "positions of the kernel to show, from 1, row by row", Default: []float64{1}},
		{Name: "activation", Meaning: "what follows each map: identity or relu", Default: "identity"},
	},
	Run: runEdges,
}

// edgeKernels are the fixed kernels by name, with what each one finds.
var edgeKernels = map[string]struct {
	make  func() [][9]float32
	finds []string
}{
	"prewitt": {nn.Prewitt, []string{"vertical", "horizontal"}},
	"kirsch": {nn.Kirsch, []string{"north", "north_east", "east", "south_east", "south", "south_west", "west",
		"north_west"}},
}

// slide is a convolution of one image, and its pooling.
type slide struct {
	in, out, pooled nn.Volume
	finds           []string // by output channel
	kernels         [][9]float32
	conv, pool      nn.Layer
}

func runEdges(a Args) (*Shown, error) {
	pixels := a.List("image")
	rows, err := a.Whole("rows", 4, 16)
	if err != nil {
		return nil, err
	}
	if columns := len(pixels) / rows; len(pixels) != rows*columns || columns < 4 || columns > 16 {
		return nil, fmt.Errorf("%d pixels in %d rows, want rows of 4 to 16 pixels", len(pixels), rows)
	}
	act, err := nn.ParseActivation(a.Text("activation"))
	if err != nil {
		return nil, err
	}
	e, err := newSlide(nn.Volume{Channels: 1, Height: rows, Width: len(pixels) / rows}, a.Text("kernels"), act)
	if err != nil {
		return nil, err
	}
	image := float32s(pixels)
	maps, pooled := e.run(image)
	s := &Shown{}
	e.shapes(s, rows)
	if err := e.walk(s, image, maps, a.List("positions")); err != nil {
		return nil, err
	}
	e.shift(s, image, maps, pooled)
	s.Tables = append(s.Tables, e.grid("maps", "Each kernel's map", maps, e.out),
		e.grid("pooled", "Each map after max pooling, 2x2, stride 2", pooled, e.pooled))
	s.Figures = e.figures(image, maps)
	return s, nil
}

func newSlide(in nn.Volume, kernels string, act nn.Activation) (*slide, error) {
	of, known := edgeKernels[kernels]
	if !known {
		return nil, fmt.Errorf("kernels %q, want %s", kernels, located.OneOf(keys(edgeKernels)))
	}
	e := &slide{in: in, finds: of.finds, kernels: of.make()}
	var err error
	if e.conv, e.out, err = nn.FixedConv2D(in, e.kernels, 1, 0, act); err != nil {
		return nil, err
	}
	e.pool, e.pooled, err = nn.MaxPool(e.out, 2, 2)
	return e, err
}

// run makes maps and pooled maps of an image, by the network's own layers.
func (e *slide) run(image []float32) (maps, pooled []float32) {
	maps, pooled = make([]float32, e.conv.Out()), make([]float32, e.pool.Out())
	e.conv.Forward(maps, image, nil, 1, e.conv.NewSaved(1), &nn.Pass{})
	e.pool.Forward(pooled, maps, nil, 1, e.pool.NewSaved(1), &nn.Pass{})
	return maps, pooled
}

func (e *slide) shapes(s *Shown, rows int) {
	s.add("rows", float64(e.out.Height), fmt.Sprintf("(%d - 3)/1 + 1", rows), "rows of a map")
	s.add("columns", float64(e.out.Width), fmt.Sprintf("(%d - 3)/1 + 1", e.in.Width), "columns of a map")
	s.add("channels", float64(e.out.Channels), "", "maps: one for each kernel")
	s.add("pooled_rows", float64(e.pooled.Height), fmt.Sprintf("%d/2", e.out.Height), "rows of a pooled map")
	s.add("pooled_channels", float64(e.pooled.Channels), "", "pooled maps: pooling is done channel by channel")
}

// walk shows what each kernel gives at some positions.
func (e *slide) walk(s *Shown, image, maps []float32, positions []float64) error {
	places := e.out.Height * e.out.Width
	t := Table{Name: "positions", Title: "The kernels at some of their positions",
		Columns: []string{"position", "row", "column", "window", "kernel", "sum"}}
	for _, p := range positions {
		at := int(p) - 1
		if float64(at+1) != p || at < 0 || at >= places {
			return fmt.Errorf("position %v, want a whole number from 1 to %d", p, places)
		}
		y, x := at/e.out.Width, at%e.out.Width
		var window []float32
		for row := range 3 {
			from := (y+row)*e.in.Width + x
			window = append(window, image[from:from+3]...)
		}
		for k, name := range e.finds {
			v := float64(maps[k*places+at])
			s.add(fmt.Sprintf("%s[%d]", name, at+1), v, "", fmt.Sprintf("%s kernel at position %d: row %d, column %d",
				spaced(name), at+1, y+1, x+1))
			t.Rows = append(t.Rows, []string{fmt.Sprint(at + 1), fmt.Sprint(y + 1), fmt.Sprint(x + 1), three(window),
				spaced(name),
				short(v)})
		}
	}
	s.Tables = append(s.Tables, t)
	return nil
}

// spaced is a name in words.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// three writes a 3x3 window, row by row.
func three(w []float32) string {
	var rows []string
	for row := range 3 {
		var v []string
		for _, x := range w[3*row : 3*row+3] {
			v = append(v, short(float64(x)))
		}
		rows = append(rows, strings.Join(v, " "))
	}
	return strings.Join(rows, " / ")
}

// shift moves the image one column to the right, its first column twice, and looks at what moves along.
func (e *slide) shift(s *Shown, image, maps, pooled []float32) {
	moved := make([]float32, len(image))
	for y := range e.in.Height {
		row := moved[y*e.in.Width : (y+1)*e.in.Width]
		copy(row[1:], image[y*e.in.Width:])
		row[0] = image[y*e.in.Width]
	}
	after, afterPooled := e.run(moved)
	same, of := 0, 0
	for i := range maps {
		if i%e.out.Width > 0 {
			of++
			same += btoi(after[i] == maps[i-1])
		}
	}
	kept := 0
	for i, v := range pooled {
		kept += btoi(afterPooled[i] == v)
	}
	s.add("moved_along", float64(same), "", "elements of the shifted image's maps that are those of the column before")
	s.add("moved_of", float64(of), "", "of so many")
	s.add("pooled_same", float64(kept), "", "elements of the pooled maps that the shift leaves as they are")
	s.add("pooled_of", float64(len(pooled)), "", "of so many")
}

// grid is all maps as a table, a row of a map in each row.
func (e *slide) grid(name, title string, maps []float32, of nn.Volume) Table {
	t := Table{Name: name, Title: title, Columns: []string{"map", "row"}}
	for x := range of.Width {
		t.Columns = append(t.Columns, fmt.Sprint(x+1))
	}
	for i := range of.Channels * of.Height {
		row := []string{spaced(e.finds[i/of.Height]), fmt.Sprint(i%of.Height + 1)}
		for _, v := range maps[i*of.Width : (i+1)*of.Width] {
			row = append(row, short(float64(v)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// figures draw the image and the first two maps.
func (e *slide) figures(image, maps []float32) []chart.Figure {
	all := []chart.Figure{cellsFigure("image", "The image", "Each cell is a pixel.", "pixel", image,
		e.in)}
	for k, name := range e.finds[:2] {
		part := maps[k*e.out.Height*e.out.Width:]
		all = append(all, cellsFigure(strings.ReplaceAll(name, "_", "-"), "The map of the "+spaced(name)+" kernel",
			"Each cell is a position of the kernel.", "sum", part, e.out))
	}
	return all
}

// cellsFigure draws one channel as a map.
func cellsFigure(name, title, caption, what string, v []float32, of nn.Volume) chart.Figure {
	m := chart.Map{Value: chart.Axis{Label: what, Unit: chart.Plain, High: 1}, RowName: "row", ColName: "column"}
	for x := range of.Width {
		m.Columns = append(m.Columns, fmt.Sprint(x+1))
	}
	for y := range of.Height {
		m.Rows = append(m.Rows, fmt.Sprint(y+1))
		cells := make([]chart.Value, of.Width)
		for x, value := range v[y*of.Width : (y+1)*of.Width] {
			cells[x] = chart.Value(value)
			m.Value.Low, m.Value.High = min(m.Value.Low, cells[x]), max(m.Value.High, cells[x])
		}
		m.Cells = append(m.Cells, cells)
	}
	symmetric(&m.Value)
	return chart.Figure{Name: name, Title: title, Caption: caption, Map: &m}
}

// symmetric makes an axis that begins below zero reach as far above it.
func symmetric(a *chart.Axis) {
	if a.Low < 0 {
		a.High = max(a.High, -a.Low)
		a.Low = -a.High
	}
}
