package dataset

import "slices"

// Images are examples of a training: nn.Examples.

// Len is the number of images.
func (im *Images) Len() int { return im.N }

// Width is the number of bytes of an image.
func (im *Images) Width() int { return max(im.Channels, Grey) * im.Rows * im.Cols }

// Targets is 1: an image has one label.
func (im *Images) Targets() int { return 1 }

// Classes is one more than the highest label.
func (im *Images) Classes() int {
	if len(im.Labels) == 0 {
		return 0
	}
	return int(slices.Max(im.Labels)) + 1
}

// ReadInputs fills x with the pixels of images, one after the other: see Inputs.
func (im *Images) ReadInputs(x []float32, rows []int) {
	width := im.Width()
	for i, row := range rows {
		Inputs(x[i*width:(i+1)*width], im.Pixels[row*width:(row+1)*width])
	}
}

// ReadLabels fills to with the images' labels.
func (im *Images) ReadLabels(to []int32, rows []int) {
	for i, row := range rows {
		to[i] = int32(im.Labels[row])
	}
}

// Inputs makes inputs of pixels: a byte b becomes b/255.
func Inputs(x []float32, pixels []byte) {
	x = x[:len(pixels)]
	for j, p := range pixels {
		x[j] = grey[p]
	}
}

// grey[p] is p/255, correctly rounded.
var grey = func() (g [256]float32) {
	for p := range g {
		g[p] = float32(float32(p) / 255)
	}
	return g
}()
