// Package sheet lays out text for terminals: lines, wrapped sentences, grids of aligned
// cells. It knows what a column is and nothing of what stands in it.
//
//	cause         mean   share                     Grid "lrrw": l and r are aligned,
//	compute   41.23 us  54.8 %  a cell of words    w holds words and is broken
//	                            goes on below      where the grid is too wide
//	  a row of one cell stands below the others
//
// Invariants:
//   - no line is longer than the sheet is wide, and none ends in blanks;
//   - words are never lost: what is too long goes on in the next line;
//   - a column is one cell wide in all rows of a grid.
package sheet
