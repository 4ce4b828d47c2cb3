// Package checkpoint is a training's state with what it belongs to, as a file of tensors: the
// weights that a run leaves, and that another run goes on from.
//
//	layers.1.weight               [out, in]   row by row, as torch.nn.Linear has it
//	layers.1.bias                 [out]
//	layers.2.weight ...
//	optimizer.velocity.layers.1.weight ...    with momentum
//
// The model is whole and in one rank's order: how many ranks it was spread over is not in it. The
// metadata say after which step it is, of which model, images, seed and global batch; docs/format/weights.md
// lists them.
//
// Continue says from where another training goes on. Within an epoch it must take the images that
// are left, in their order: so seed, images and global batch must be the same there. At the border
// of an epoch seed and global batch are free.
//
// Invariants:
//   - Read(Write(c)) is c, bit for bit;
//   - a file that Read takes has all tensors of its model and no other, and only numbers in them.
//
// It knows no files and no run directory.
package checkpoint
