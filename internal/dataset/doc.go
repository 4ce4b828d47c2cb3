// Package dataset holds labelled grey images: it reads MNIST's IDX files from a
// folder, and it draws handwriting-like digits into such a folder when there is
// nothing to read.
//
//	Digits.Ensure ──> dir/train-images-idx3-ubyte   big-endian header,
//	                      train-labels-idx1-ubyte   then bytes
//	                      t10k-images-idx3-ubyte
//	                      t10k-labels-idx1-ubyte
//	                      digits.json               what made them
//	Load(dir) ──────> Set{Train, Test Images}
//
// It knows nothing of networks or training, and downloads nothing.
//
// An IDX file (format: Y. LeCun, C. Cortes, C. Burges, "The MNIST database",
// file format section) is
//
//	0        2         3       4          4+4d
//	| 0   0 | type 08 | dims d | size x d | bytes, last index fastest |
//
// Invariants:
//   - Load accepts exactly what the format allows: right magic, bounded sizes,
//     exact length, as many labels as images; which labels fit is the caller's to say;
//   - a generated image depends on (seed, split, index) and nothing else: not on
//     the number of cores, the processor, or how many other images there are;
//   - a folder appears complete or not at all.
//
// The drawing: stroke skeletons (splines through a few points, several styles
// per digit), moved by jitter, a random affine map and a smooth elastic
// displacement (Simard, Steinkraus, Platt, ICDAR 2003, section 2), drawn with a
// round pen of varying width.
package dataset
