// Package topoform writes a network as other tools take it: Graphviz's DOT, Mermaid's flowchart,
// and JSON with everything that the graph knows.
//
// Invariants: the same graph gives the same bytes; every node and every link is there, links between the
// same two nodes as one line only where the form draws (DOT, Mermaid), with their number.
package topoform
