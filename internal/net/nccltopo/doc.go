// Package nccltopo reads what NCCL writes of the inside of a host (NCCL_TOPO_DUMP_FILE, or a vendor's
// NCCL_TOPO_FILE) as a board, writes a board so, and says what NCCL calls the ways between its GPUs and
// NICs.
//
//	<system>              board.Board
//	  <cpu numaid>         CPU
//	    <pci busid>         PCIe switch, unless it holds the next
//	      <gpu dev>          GPU, with <nvlink target count> and <c2c>
//	      <nic><net/></nic>  NIC, one part for its ports
//
// The form is that of NCCL 2.30.7's src/graph/xml.h and xml.cc (read and written down again, nothing
// copied): elements and attributes that mean nothing here are passed over, bus identifiers are words.
// Kinds of ways are those of src/graph/topo.h, their rules and the rates by which NCCL prefers one way
// to another those of src/graph/paths.cc and topo.cc, as they are with no variable of NCCL's set.
// testdata/rules.txt has each rule with an example.
//
// Invariants: a file is bounded in bytes, depth and elements; no two parts have one name; what is read,
// written and read again is the same board; rates that a file does not give are unknown on the board, and
// what NCCL takes for them counts for ways only.
//
// Not followed: nets of one NIC are one part, all of the first one's rate; GPUs that share a device
// (MLOPart, several ranks) are one; GPUs without a rank are taken too; a file of several hosts is refused.
package nccltopo
