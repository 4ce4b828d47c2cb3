// Package kernel is the inner loops of package nn: products of matrices,
// functions of elements, blocks and windows of images. It works on memory that
// others own, knows no layers, and starts no goroutine.
//
// A product C = A B, or C += A B with Add, comes in three forms, by how A and B
// lie in memory; all matrices are row-major, with the distance from one row to
// the next (the leading dimension, LD) given for each:
//
//	      A       B       C
//	NN  M x K   K x N   M x N    C = A B
//	NT  M x K   N x K   M x N    C = A Bᵀ    a layer forward: y = x wᵀ
//	TN  K x M   K x N   M x N    C = Aᵀ B    a layer's weights: gw = dᵀ x
//
// How a product is computed: B is packed, a block of rows and columns at a
// time, into panels as wide as what a processor holds in its registers; a panel
// goes along all rows of A.
//
//	B  | panel 0 | panel 1 | ...      panel: row by row of the block, blockK rows,
//	   |         |         |                 the last one filled up with zeros
//
// Invariants:
//   - each element of C is one chain: it starts from +0 (with Add from what C
//     holds) and takes its K terms in ascending order. So nothing depends on
//     the shape around it, on panels, blocks or threads.
//   - portable: each product is rounded before it is added.
//
// Blocks and panels: Goto, van de Geijn, Anatomy of High-Performance Matrix
// Multiplication, ACM TOMS 34(3), 2008.
package kernel
