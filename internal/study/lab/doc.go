// Package lab runs labs: chapters of a book on training networks, worked. A lab is a folder of
// text that a teacher can write:
//
//	NN-name/README.md      what the reader reads, with places where measured numbers go
//	        expect.txt     inputs, predictions, what is measured, what is expected, errata
//	        scenario.yaml  what is run, if anything is; expect.txt may run it again with keys set
//
//	Parse(files) -> Lab -- Run --> Outcome --+--> WriteText   for a terminal
//	                 |                       |--> WritePage   HTML that reads like a textbook
//	                 +-- run.Run, benches    +--> JSON        for other programs
//	                                         +--> Site        the pages of several, which link to each other
//
// Where no scenario can show a number, such as the weighted sum of one neuron, a bench does: a
// pure function of package nn's arithmetic that an expect.txt calls by name.
//
// It is a user of runs: it knows a run by its directory alone, and an expectation by a name. What a
// run does is for package run, how a figure looks for chart and report.
//
// Invariants:
//   - a name is defined before it is used, so a prediction (formula) cannot know what is measured;
//   - a lab with a problem is not run: every problem of its three files is told at once, with its
//     place;
//   - a number of the text is a place that names a value, or marked as the book's or as one that
//     nothing changes, and sentences go by conditions: the text cannot say another number than the
//     one that came out;
//   - what a command to try promises is a condition that a test works out;
//   - nothing is judged once an input was changed: an expectation holds for the book's inputs alone.
package lab
