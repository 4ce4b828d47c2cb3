package lab

import (
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
)

// cnnBench counts a convolutional network, layer by layer.
var cnnBench = Bench{
	Meaning: "a convolutional network, layer by layer: shapes, weights, biases, multiply-adds",
	Params: []Param{
		{Name: "channels", Meaning: "of the image, 1 to 16", Default: 3.0},
		{Name: "side", Meaning: "its rows and columns, 8 to 512", Default: 28.0},
		{Name: "fixed", Meaning: "kernels of a first convolution that are not trained: prewitt, kirsch or none",
			Default: "none"},
		{Name: "filters", Meaning: "3x3 filters of each convolution, max pooling of 2x2 after each",
			Default: []float64{8}},
		{Name: "hidden", Meaning: "neurons of the dense layers before the last", Default: []float64{128}},
		{Name: "classes", Meaning: "neurons of the last, 2 to 1000", Default: 10.0},
	},
	Run: runCNN,
}

// counted is a network while its layers are counted.
type counted struct {
	s       *Shown
	t       Table
	shape   nn.Volume
	trained int // weights and biases that are trained
}

func runCNN(a Args) (*Shown, error) {
	var whole [3]int
	for i, of := range []struct {
		name        string
		least, most int
	}{{"channels", 1, 16}, {"side", 8, 512}, {"classes", 2, 1000}} {
		var err error
		if whole[i], err = a.Whole(of.name, of.least, of.most); err != nil {
			return nil, err
		}
	}
	c := &counted{s: &Shown{}, shape: nn.Volume{Channels: whole[0], Height: whole[1], Width: whole[1]},
		t: Table{Name: "layers", Title: "The network, layer by layer",
			Columns: []string{"layer", "output", "values", "filter", "weights", "biases", "multiply-adds"}}}
	c.s.add("inputs", float64(c.shape.Elems()), fmt.Sprintf("%d*%d*%d", whole[1], whole[1], whole[0]),
		"values of the image")
	c.row("image", 0, 0, 0, 0)
	if err := c.stages(a.Text("fixed"), a.List("filters")); err != nil {
		return nil, err
	}
	if err := c.dense(append(append([]float64{}, a.List("hidden")...), float64(whole[2]))); err != nil {
		return nil, err
	}
	c.s.add("trained", float64(c.trained), "", "parameters that are trained: weights and biases")
	c.s.addIn("B", "bytes", float64(4*c.trained), fmt.Sprintf("4*%d", c.trained), "their gradients in FP32")
	c.s.Tables = []Table{c.t}
	return c.s, nil
}

// row adds what a layer has.
func (c *counted) row(name string, filter, weights, biases int, macs float64) {
	dash := func(n int) string {
		if n == 0 {
			return ""
		}
		return short(float64(n))
	}
	c.t.Rows = append(c.t.Rows, []string{name, c.shape.String(), short(float64(c.shape.Elems())), dash(filter),
		dash(weights),
		dash(biases), dash(int(macs))})
}

func (c *counted) stages(fixed string, filters []float64) error {
	n := 0
	if of, known := edgeKernels[fixed]; known {
		l, out, err := nn.FixedConv2D(c.shape, of.make(), 1, 0, nn.ReLU)
		if err == nil {
			n++
			err = c.stage(l, out, n, nil)
		}
		if err != nil {
			return err
		}
	} else if fixed != "none" {
		return fmt.Errorf("fixed %q, want %s", fixed, located.OneOf(append([]string{"none"}, keys(edgeKernels)...)))
	}
	for _, f := range filters {
		if f != float64(int(f)) || f < 1 || f > 1024 {
			return fmt.Errorf("filters: %v, want whole numbers from 1 to 1024", f)
		}
		l, out, err := nn.Conv2D(c.shape, int(f), nn.Window{Size: 3, Stride: 1}, true, nn.ReLU)
		if err == nil {
			n++
			err = c.stage(l, out, n, make([]float32, l.Params()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stage counts a convolution, and the pooling after it.
func (c *counted) stage(l nn.Layer, out nn.Volume, n int, p []float32) error {
	w, filters, of, _ := nn.Filters(l, p)
	name, biases := fmt.Sprintf("conv%d", n), max(0, l.Params()-len(w))
	macs := len(w) * out.Height * out.Width
	c.trained += l.Params()
	c.shape = out
	c.row(fmt.Sprintf("conv %d", n), of.Elems(), len(w), biases, float64(macs))
	c.s.add(name+"_side", float64(out.Height), "", "rows of a map")
	c.s.add(name+"_filter", float64(of.Elems()), fmt.Sprintf("3*3*%d", of.Channels), "weights of a filter")
	c.s.add(name+"_weights", float64(len(w)), fmt.Sprintf("%d*%d", of.Elems(), filters), "weights of the layer")
	c.s.add(name+"_values", float64(out.Elems()), fmt.Sprintf("%d*%d*%d", out.Height, out.Width, filters),
		"values that it gives")
	c.s.add(name+"_macs", float64(macs), fmt.Sprintf("%d*%d*%d", len(w), out.Height, out.Width),
		"multiply-adds forward")
	_, pooled, err := nn.MaxPool(out, 2, 2)
	if err != nil {
		return err
	}
	c.shape = pooled
	c.row(fmt.Sprintf("pool %d", n), 0, 0, 0, 0)
	c.s.add(fmt.Sprintf("pool%d_side", n), float64(pooled.Height), fmt.Sprintf("floor(%d/2)", out.Height),
		"rows after pooling")
	c.s.add(fmt.Sprintf("pool%d_values", n), float64(pooled.Elems()), "", "values after pooling")
	return nil
}

// dense counts the dense layers.
func (c *counted) dense(sizes []float64) error {
	in, macs := c.shape.Elems(), 0
	c.s.add("flat", float64(in), fmt.Sprintf("%d*%d*%d", c.shape.Height, c.shape.Width, c.shape.Channels),
		"values, flattened")
	for i, size := range sizes {
		out := int(size)
		if float64(out) != size || out < 1 || out > 1<<20 {
			return fmt.Errorf("hidden: %v, want whole numbers from 1 to %d", size, 1<<20)
		}
		l := nn.Dense(in, out, nn.ReLU)
		c.shape = nn.Volume{Channels: out, Height: 1, Width: 1}
		c.trained += l.Params()
		macs += in * out
		c.row(fmt.Sprintf("dense %d", i+1), in, in*out, l.Params()-in*out, float64(in*out))
		c.s.add(fmt.Sprintf("dense%d_weights", i+1), float64(in*out), fmt.Sprintf("%d*%d", in, out),
			"weights of the layer")
		in = out
	}
	c.s.add("dense_macs", float64(macs), "", "multiply-adds of the dense layers forward")
	return nil
}
