// Package times reads files of operators that were measured on a GPU: what job.model.times names.
//
//	operator,shape,microseconds
//	matmul,8192x1536x4096,214.7          M x N x K; 64x2048x2048x128: so many products in one kernel
//	matmul-add,1536x4096x8192,230        added to what is there: gradients of the second micro-batch and later ones
//	attention,64x2048x2048x128,187       heads of all sequences x queries x keys x elements of a head
//	attention-backward,64x2048x2048x128,512
//	memory,100663296,52.1                bytes that a kernel reads and writes, whatever it computes
//
// Invariants:
//   - each operator stands once;
//   - a file that is none of these shows none of its words: it may be any file of the reader's.
package times
