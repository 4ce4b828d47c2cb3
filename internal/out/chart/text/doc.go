// Package text draws figures of package chart in characters, for terminals.
//
//	critical path  cccccNNNNPdddddqqqqqqqqqqqqqqqqx  151.7 us
//	mean           ccccNdddddddddddddddddddq         146 us
//	q queueing 58.42 us (38.5 %), c compute 35.16 us (23.2 %), ...
//
// It shows less than package svg: a column has one character, that of what fills most of
// it; a map has fewer shades; a graph is a list of its busiest edges. An ink has the same
// character in all figures, and the legend says what each stands for.
//
// Invariants: no line is wider than the sheet; the same figure and width give the same lines.
package text
