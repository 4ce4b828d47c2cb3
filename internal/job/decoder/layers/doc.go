// Package layers makes of a decoder's shape what workload.Lower takes: layers with their kernels, parts and sizes.
//
//	decoder.Shape -> nn's layers, which hold no weights -> train.Lowered -> what frameworks do otherwise -> workload.Layer
//
// Kernels that are plain are job.train's, operation by operation. Fused, attention is flash attention or has its maps in
// memory, what is kept between forward and backward is what arXiv 2205.05198 counts, and backward may make it again.
//
// Invariants:
//   - nothing is allocated but lists of kernels: blocks that are alike share theirs;
//   - products, parameters and what ranks exchange are the same, plain and fused.
package layers
