// Package dataset holds labelled images, grey or in colour: it reads MNIST's IDX
// files from a folder, or pictures from folders of classes, and it draws
// handwriting-like digits, or shapes in colour, into such a folder of IDX files
// when there is nothing to read.
//
//	Drawn.Ensure ───> dir/train-images-idx3-ubyte   big-endian header,
//	                      train-labels-idx1-ubyte   then bytes
//	                      t10k-images-idx3-ubyte    (idx4: in colour)
//	                      t10k-labels-idx1-ubyte
//	                      digits.json               what made them
//	Load(dir) ──────> Set{Train, Test Images}
//	Pictures.Load ──>   the same, of dir/train/CLASS/FILE and dir/test/CLASS/FILE
//
// It knows nothing of networks or training, and downloads nothing.
//
// An IDX file (format: Y. LeCun, C. Cortes, C. Burges, "The MNIST database",
// file format section) is
//
//	0        2         3       4          4+4d
//	| 0   0 | type 08 | dims d | size x d | bytes, last index fastest |
//
// with the sizes images, rows, columns or, in colour, images, 3 channels, rows,
// columns: no standard says so, it is the order of PyTorch's tensors.
//
// Pictures are PNG, PGM or PPM. JPEG is refused: its pixels depend on the version
// of what unpacks it. They are scaled only if asked.
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
// round pen of varying width. Shapes are signed distances from an outline, turned,
// stretched and put somewhere, in two colours that say nothing of the class.
package dataset
