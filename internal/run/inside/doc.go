// Package inside looks into a small network: what its layers make of one example, before a training and
// after it.
//
//	model, parameters before and after, an example --Look--> result.Inside
//
// For each of the two: the loss and what the network thinks, each layer's output, the gradients of
// this one example (their matrices, their lengths by layer and, back through time, by step), maps of
// attention, gates of LSTMs, the embedding in two dimensions.
//
// Invariants:
//   - nothing is dropped out: the network is looked at as it is used;
//   - what is larger than Side rows or columns is cut there, and says of what it is a part;
//   - both looks at an embedding have the same two directions: those in which the trained vectors
//     differ most (principal components: Pearson, 1901), so points can be compared;
//   - the same parameters give the same bytes on every machine.
package inside
