// Package text draws figures of package chart in characters, for terminals.
//
//	Figure, width --> Draw --> lines of at most width columns
//
// It shows less than package svg: a map has fewer shades, a graph is a list of its
// busiest edges. Invariant: the same figure and width give the same lines.
package text
