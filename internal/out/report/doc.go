// Package report says what a run directory holds: why the run took as long as it
// did, in words, in a terminal, as plots, and as one page of HTML.
//
//	run directory --Load--> Data --+--> Answer      a sentence and three bullets
//	 run.json, *.parquet    bounded |--> Headline    the figures of package headline
//	summary --OfSummary-->          |--> Findings    causes, largest first
//	                                |--> WriteText   the terminal, at most 120 columns
//	                                |--> Charts      plots as values, which chart/svg draws
//	                                |--> Tables      all flows, ports, steps
//	                                |--> WritePage   all of it in one file of HTML
//	                                |--> DocumentOf  the same as JSON, without the tables
//	                                +--> ExplainFlow
//	several Data --Compare--> Comparison --> WriteText, Page, JSON
//
// Sentences about states (compute, queueing, pause) are in words.go, about what made them pass (a blame) in reason.go, about what
// an engineer calls that (a noun) in noun.go; the answer, which is made of them, in answer.go.
//
// A Page is what an HTML page shows as values: of a run, of a comparison, of a sweep
// (whose package makes its own, with Curve).
//
// It is not the simulator: it reads what a run left and computes no figure that the
// run could know better. It holds no table in memory, only what it draws from it:
// distributions as histograms, series as the least and greatest value of each of a
// fixed number of columns.
//
// Invariants:
//   - the same run directory gives the same bytes;
//   - a page asks for nothing outside itself and runs no script but its own, which its
//     content security policy names by hash; without script all of it reads, except
//     rows of long tables: the page says where those are;
//   - a page says each thing once and stays under 3 MB, however large the run: a table
//     has as many rows as fit in its bytes, and says how many are left out;
//   - a sentence names only what a figure of the run shows; where a table is missing
//     the sentence is left out and the missing table is named;
//   - the causes of a comparison sum to the difference that it explains.
package report
