// Package ns3 reads the text files of the HPCC authors' ns-3 simulator and of SimAI, which descends
// from it: configuration, topology, flows. It turns them into a scenario, a topology and a CSV of
// flows in Railyard's own forms.
//
// It is not the simulator: it runs nothing, and what the files say of output, traces and monitors
// is named in a note and left out. It does not read workloads; a SimAI topology comes over with the
// flows that a flow file lists.
//
//	config.txt   KEY value ...               \
//	topology.txt nodes, switches, links       >--> scenario.yaml + topology.txt + flows.csv + notes
//	flow.txt     src dst group port bytes at /
//
// Invariants:
//   - a key that is not known, a value that is no number, a node that is not there: each is an
//     error with file, line and column. Nothing is dropped without a note;
//   - hosts are host1, host2, ... in order of their node numbers, switches are switchN with the
//     number of the node; names of flows hold the numbers of both ends; the topology says which
//     node each host was;
//   - virtual time 0 is the start of the first flow;
//   - no input makes it panic.
//
// Sources: alibaba-edu/High-Precision-Congestion-Control, simulation/mix/config_doc.txt and
// simulation/scratch/third.cc; aliyun/SimAI, astra-sim-alibabacloud/inputs. Facts about formats
// only.
package ns3
