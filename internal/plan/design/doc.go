// Package design turns a requirement into networks: for each design that it names, the backend with its
// switches and cables, three networks beside it, racks, a bill of materials and a scenario that runs.
//
//	Requirement --Study--> Option for each design: sizing.Network, or why none closes
//	                          |
//	   Lay: graphs, ports (inventory), racks, lengths, media --> Cables, Bill, Racks, Findings
//	                          |
//	   Scenario: the file that package plan makes the same graph of
//
// It opens no files and runs nothing: the command line writes what it returns, and plays slices.
//
// Invariants:
//   - a figure that the catalogue does not know is unknown in every sum that it is part of, never guessed;
//   - cables and ports are those of the graph that is simulated, so bill, cabling and scenario agree;
//   - cables of hosts that are not there (a segment is not full) are not bought;
//   - the same requirement gives the same bytes.
package design
