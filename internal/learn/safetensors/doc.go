// Package safetensors turns named float32 tensors into bytes in the safetensors layout, which other
// tools read, and back. It knows no model, file or run.
//
//	+--------+------------------------------------------+---------------------------+
//	| 8 byte | header: JSON, padded with spaces to 8    | data: tensors one after   |
//	| length |                                          | the other, little-endian  |
//	+--------+------------------------------------------+---------------------------+
//	          {"__metadata__": {"sha256": "...", "step": "20"},
//	           "layers.1.weight": {"dtype": "F32", "shape": [128, 784], "data_offsets": [0, 401408]}, ...}
//
// The layout: https://huggingface.co/docs/safetensors, "Format". Rules of it that are held: the
// header begins with {, no key comes twice, metadata is text to text, tensors cover the data
// without a hole or an overlap, and are laid out row by row.
//
// The layout has no checksum, so the metadata has one: sha256 is that of the whole file, with 64
// zeros in place of its own digits. It tells a whole file from a damaged one; it is no signature.
//
// Invariants:
//   - the same File gives the same bytes;
//   - whatever Read takes has its checksum: any other bit of the file is found, and any end before
//     the last byte;
//   - memory in Read is bounded by the length of the file.
package safetensors
