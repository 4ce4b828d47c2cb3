// Package nccltests reads and writes the table that nccl-tests prints.
//
//	#       size         count      type   redop    root     time   algbw   busbw  #wrong     time ...
//	#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us) ...
//	       32768          8192     float     sum      -1    17.92    1.83    3.20       0    17.90 ...
//
// Read takes the text that the program prints, of versions 2.9 to 2.19, and what its option -J
// writes (JSON, versions 1 to 3). Around the table a log may say what it likes: the launcher, NCCL
// itself. In the table it must be understood: a row that is not whole is a problem with its place,
// never left out.
//
// It does not run a test, and does not say whether its figures are right.
//
// Source: NVIDIA/nccl-tests, version 2.19.6 (src/util.cu: what is printed and written;
// src/common.cu, doc/PERFORMANCE.md: what it means) and the tags down to 2.9.0. Facts were taken,
// no text.
//
// Invariants:
//   - Read of WriteText of a table is the table, where its figures have the digits that are
//     printed;
//   - figures are exact: picoseconds and bits per second, as the decimals say.
package nccltests
