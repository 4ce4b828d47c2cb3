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
// The form is that of NCCL's src/graph/xml.h and xml.cc (read and written down again, nothing copied):
// elements and attributes that mean nothing here are passed over, bus identifiers are words. Kinds of
// ways are those of NCCL's documentation (NCCL_P2P_LEVEL) and src/graph/topo.h, their rules those of
// src/graph/paths.cc.
//
// Invariants: a file is bounded in bytes, depth and elements; what is read, written and read again is the
// same board; rates that a file does not give are unknown, not guessed. That bridges of two levels of
// one Broadcom switch are one to NCCL is not followed.
package nccltopo
