// Package report says what a run directory holds: why the run took as long as it
// did, in words, in a terminal, as plots, and as one page of HTML.
//
//	run directory --Load--> Data --+--> Answer      a sentence and three bullets
//	 run.json, *.parquet    bounded |--> Headline    the figures of package headline
//	summary --OfSummary-->          |--> Findings    causes, largest first
//	                                |--> WriteText   the terminal, at most 120 columns
//	                                |--> Figures     SVG, each at any width
//	                                |--> WritePage   figures and words in one file
//	                                +--> Compare, ExplainFlow
//
// It is not the simulator: it reads what a run left and computes no figure that the
// run could know better. It holds no table in memory, only what it draws from it:
// distributions as histograms, series as the least and greatest value of each of a
// fixed number of columns.
//
// Invariants:
//   - the same run directory gives the same bytes;
//   - a page asks for nothing outside itself and has no script: its content security
//     policy says so, and hovering texts are SVG titles;
//   - a sentence names only what a figure of the run shows; where a table is missing
//     the sentence is left out and the missing table is named;
//   - the causes of a comparison sum to the difference that it explains.
//
// Colours: Okabe and Ito, Color Universal Design (2008), and the muted scheme of Paul
// Tol, Colour Schemes (SRON/EPS/TN/09-002, 2021); load is coloured after Viridis.
// Ticks: multiples of 1, 2 and 5 (Heckbert, Nice Numbers for Graph Labels, Graphics
// Gems, 1990). Waterfalls divide a span as package cause does.
package report
