// Package netfile reads networks that are written down layer by layer.
//
//	# what a row is: image, vector or text, with its size or as the data have it
//	image 1x28x28
//	conv2d filters=8 kernel=3 activation=relu
//	max-pool size=2
//	flatten
//	out: dense units=10      # a name before the kind; without one it is dense.1
//	loss cross-entropy       # or mse
//	tie tokens head          # the weights of two layers are one
//
// The words of layers and their sizes are nn's table (nn.NetReference).
//
// Invariants: an error is located.Problems, with file, line, column, value and what would be accepted;
// all wrong words are found at once, and of layers that do not fit the first. It reads no files.
package netfile
