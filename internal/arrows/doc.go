// Package arrows holds no code. Its tests hold what no compiler checks: which
// package may import which, what the pure packages must not touch, how packages
// are named and documented, and that no file speaks of one person's machine.
//
//	cmd/railyard > cli > run > scenario, train, nic, result
//	                            |       |     |
//	                            |       |     +-> exec, roce, cc, fabric, wire
//	                            |       |                          |
//	                            |       +-> nn, exec > workload > coll
//	                            +-> unit              fabric > sim, topo
//
// An arrow that a test refuses is not a mistake of style: each entry of the tables
// says what would break. To add a package, add a line to the table in
// arrows_test.go with what it is for; to add an arrow, change the line and the
// picture in ARCHITECTURE.md with it.
package arrows
