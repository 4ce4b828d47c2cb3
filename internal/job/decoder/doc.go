// Package decoder is a decoder-only language model as a shape: numbers from which everything that is counted of it follows,
// and no weights.
//
//	preset or numbers -> Shape -> parameters, block by block; FLOP of a token; bytes of gradients
//
// It is not where layers are lowered to operations (package decoder/layers), nor where anything is computed.
//
// Invariants:
//   - a count is exact: whole numbers, of the model as its authors published it;
//   - a shape that is no model is refused with the name of each size that is wrong, before anything is counted;
//   - sizes are bounded, so that no count overflows.
package decoder
