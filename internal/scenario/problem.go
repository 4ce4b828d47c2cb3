package scenario

import "railyard/internal/located"

// Problem is one thing that is wrong with a scenario, or with a file that it names.
type Problem = located.Problem

// Problems is everything that is wrong with a scenario. It is an error.
type Problems = located.Problems

// problem makes a problem at a place of a file. What stands at the place of a change is about the
// change.
func (at span) problem(file, path, message, hint string) Problem {
	if at == settled {
		return Problem{File: file, Path: path, Message: message, Hint: hint, Set: true}
	}
	return Problem{File: file, Line: at.line, Column: at.column, Width: at.width, Path: path,
		Message: message, Hint: hint}
}

// How messages show what stands in the file.
var shown, cut, bare = located.Shown, located.Cut, located.Bare
