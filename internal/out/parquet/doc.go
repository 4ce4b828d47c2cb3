// Package parquet reads tables from Apache Parquet files that nobody vouches for.
//
//	file  PAR1 | column chunk, column chunk, ... | footer | its length | PAR1
//	                |
//	chunk           +-- [dictionary page] data page, data page, ...
//	                                          |
//	page            header | definition levels | values, compressed
//
//	Open ──> File: columns, row groups     NewReader ──> Next: 512 rows at a time
//	 footer, wholly checked                 a page per column, decoded when its turn comes
//
// It reads what package result writes and has written: flat columns of INT32, INT64,
// DOUBLE and BYTE_ARRAY, required or optional; PLAIN, DELTA_BINARY_PACKED,
// DELTA_BYTE_ARRAY and dictionaries; Zstandard or nothing. It is no general reader: what it
// does not know is an error, and so is what contradicts itself. It does not write.
//
// Why not the library that writes the tables: it sizes its buffers by what a file says, and
// decodes with code that leaves Go's bounds checks. A file of a few kB could take all memory
// or end the process, which no recover catches.
//
// Invariants, whatever the bytes:
//   - no panic; an error that says what is wrong;
//   - memory is bounded by the file's size and Limits, not by what the file claims: sizes are
//     compared with the file's, counts with the row group's, before anything is made for them;
//   - column chunks lie one after another without overlap, so that each byte is decoded once;
//   - a page whose checksum is wrong is not decoded.
//
// Format: parquet.apache.org/docs/file-format, and github.com/apache/parquet-format:
// parquet.thrift, Encodings.md; Thrift's compact protocol: thrift-compact-protocol.md.
package parquet
