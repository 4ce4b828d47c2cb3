// Package hostboard makes of what a GPU server says about itself its board, as NCCL sees it, and says where NCCL's own file
// or the GPU driver have it otherwise.
//
//	hostinfo.Host --Text--> NCCL's file --nccltopo--> board.Board
//	                                                    |  Differ: NCCL's dump, nvidia-smi topo -m
//	                                                    '-- Mend: a GPU's NIC beside it
//
// The tree is that of lspci and sysfs: from each GPU and NIC up, of a switch its upstream port, the CPU by the NUMA node of what
// hangs on it. Links are as both ends can, which is what NCCL counts with; a link that came up slower is rule H10's. NVLinks are
// those of nvidia-smi topo -m.
//
// Invariants: what is not known is not there (a rate, an identifier); the same host gives the same text; the text is read by
// nccltopo, and its board is the one that is compared and simulated.
//
// Not here: whether a difference is wrong (package hostlint), what it costs (package prove).
//
// Source: NCCL 2.30.7, src/graph/xml.cc (ncclTopoGetXmlFromSys, ncclTopoGetXmlFromGpu; read and written down again, nothing
// copied).
package hostboard
