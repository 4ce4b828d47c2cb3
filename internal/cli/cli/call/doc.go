// Package call is one call of the program, as every command of the command line has it:
//
//	App         its streams, what they can show, pages and JSON on stdout, lines on stderr, files that are read
//	Progress    how far a command is, in one line
//	Exit        an error with an exit code; Misuse is how the program was called
//	OneFile, NoArguments, Complete, ...    checks of arguments, and what a shell offers for them
//	NewFolder, WholeFolder, Held           folders to write into
//
// It is not a command: those are above it, each topic in a package of its own, and package cli puts them together.
//
// Invariants: stdout carries results and nothing else; progress and errors go to stderr; only the signals of Interruptible end a
// context.
package call
