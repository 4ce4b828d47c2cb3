// Package reference writes docs/scenario.md, every key of a scenario file, from the table of
// fields. Its test compares the two, and writes the file with -update. The program does not use it.
//
// Invariant: the same table gives the same bytes.
package reference
