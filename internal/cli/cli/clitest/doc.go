// Package clitest plays scripts of the command line, for the tests of package cli and of the packages of commands:
//
//	TestMain ──> Main       the test's own binary is railyard when it is called so
//	TestScripts ──> Scripts each file of a folder (testscript: a command in a line, files below)
//
// The program is handed in, so this package lies below it. It is not for commands that a test calls within its own process.
//
// Invariants: a script has the same helper commands wherever it lies, listed at Scripts; railyard-fake is railyard with an engine
// that computes nothing and does what a scenario's name says (fake.go); RAILYARD_UPDATE=1 rewrites what scripts expect.
package clitest
