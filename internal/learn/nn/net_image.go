package nn

import "fmt"

// CNN describes a convolutional network: stages of convolution and pooling, then dense layers.
type CNN struct {
	Image      Volume
	Stages     []ConvStage
	Hidden     []int // sizes of dense layers between the last stage and the classes
	Classes    int
	Activation Activation // after each convolution and hidden layer
	Loss       Loss
}

// ConvStage is a convolution, and pooling after it.
type ConvStage struct {
	Filters int
	Window  Window
	NoBias  bool
	Fixed   [][9]float32 // kernels that are not trained, in place of Filters; their window is 3x3
	Pool    int          // side of a window of pooling; 0: none
	Stride  int          // of pooling
	Average bool         // pooling takes the mean, not the largest
}

// NewCNN makes the model. Its layers are called conv.1, pool.1 and so on, flatten, dense.1 and so on.
func NewCNN(c CNN) (*Model, error) {
	if err := firstOf(within("classes", c.Classes), within("image channels", c.Image.Channels),
		within("image height", c.Image.Height), within("image width", c.Image.Width)); err != nil {
		return nil, err
	}
	var layers []Named
	shape := c.Image
	for i, s := range c.Stages {
		var err error
		if layers, shape, err = s.layers(layers, shape, c.Activation, i+1); err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
	}
	if len(c.Stages) > 0 {
		layers = append(layers, Named{"flatten", Flatten(shape)})
	}
	sizes := append(append([]int{shape.Elems()}, c.Hidden...), c.Classes)
	for i, n := range c.Hidden {
		if err := within(fmt.Sprintf("hidden layer %d", i+1), n); err != nil {
			return nil, err
		}
	}
	return NewModel(denseLayers(layers, "dense", sizes, c.Activation), c.Loss, 1)
}

func (s ConvStage) layers(to []Named, in Volume, a Activation, number int) ([]Named, Volume, error) {
	if err := firstOf(within("filters", max(s.Filters, len(s.Fixed))), atMost("window", s.Window.Size),
		atMost("stride", s.Window.Stride), atMost("pooling window", s.Pool),
		atMost("pooling stride", s.Stride)); err != nil {
		return nil, in, err
	}
	inside := a
	if !a.ByOutput() {
		inside = Identity
	}
	var l Layer
	var out Volume
	var err error
	if s.Fixed != nil {
		l, out, err = FixedConv2D(in, s.Fixed, s.Window.Stride, s.Window.Padding, inside)
	} else {
		l, out, err = Conv2D(in, s.Filters, s.Window, !s.NoBias, inside)
	}
	if err == nil {
		err = wholeRow(out.Elems())
	}
	if err != nil {
		return nil, in, err
	}
	name := fmt.Sprintf("conv.%d", number)
	to = append(to, Named{name, l})
	if a != inside {
		to = append(to, Named{name + "." + a.String(), Elementwise(out.Elems(), a)})
	}
	if s.Pool == 0 {
		return to, out, nil
	}
	pooled, err := newPool(out, Window{s.Pool, s.Stride, 0}, s.Average)
	if err != nil {
		return nil, in, err
	}
	return append(to, Named{fmt.Sprintf("pool.%d", number), pooled}), pooled.out, nil
}

// maxRow is how many elements of a row a layer may take or give.
const maxRow = 1 << 26

func wholeRow(elems int) error {
	if elems > maxRow {
		return tooLarge(fmt.Sprintf("%d elements of an example, want at most %d", elems, maxRow))
	}
	return nil
}

// within says what is wrong with a size.
func within(what string, n int) error {
	if n < 1 || n > maxWidth {
		return fmt.Errorf("%s: %d, want 1 to %d", what, n, maxWidth)
	}
	return nil
}

func atMost(what string, n int) error {
	if n > maxWidth {
		return fmt.Errorf("%s: %d, want at most %d", what, n, maxWidth)
	}
	return nil
}

func firstOf(problems ...error) error {
	for _, err := range problems {
		if err != nil {
			return err
		}
	}
	return nil
}
