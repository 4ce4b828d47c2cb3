// Package located is what is wrong with a text and where: the one form in which scenarios, files of
// flows, topologies, schedules and files of another simulator are refused.
//
//	net.txt:12:12: 400G: unknown unit "G", want bits (Gb/s) or bytes (GB/s)
//	   12 | link h1 s1 400G 20m
//	      |            ^^^^
//
// It does not read files and does not know what a text means: a parser makes problems, the command
// line prints them with the text.
//
// Invariants: lines and columns count from 1, columns in characters; a problem is one line,
// whatever the text holds; a list is sorted by place and bounded by Most.
package located
