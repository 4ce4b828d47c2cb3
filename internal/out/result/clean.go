package result

import "railyard/internal/base/shown"

// clean makes a text from a run directory safe to print: what a terminal obeys, or nobody sees, is
// an escape. It is applied once, where run.json and tables are read, so that columns are as wide as
// what is shown in them.
func clean(s string) string { return shown.Text(s) }

// cleanLines is clean for text of several lines.
func cleanLines(s string) string { return shown.Lines(s) }
