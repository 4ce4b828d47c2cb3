// Package cli is the command line: it reads arguments, calls the packages that do
// the work, shows progress and prints results.
//
//	arguments ──> command ──> run, sweep, whatif, validate, report, ...
//	                 |              |
//	   stdout: results   progress ──> stderr, one line
//
// It is not where anything is computed, and it never exits the process: Main
// returns the exit code.
//
// Invariants:
//   - stdout carries results and nothing else; progress and errors go to stderr;
//   - exit codes: 0; 1 findings or a failed run; 2 misuse (unknown flag or
//     command, missing argument, unreadable file); 130 interrupted;
//   - every error is "railyard: what is wrong", on stderr, once;
//   - progress is one line, rewritten in place on a terminal; elsewhere a plain
//     line every five seconds. Colour is for terminals, not if NO_COLOR is set, and as --color says
//     (no-color.org).
package cli
