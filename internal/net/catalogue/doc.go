// Package catalogue holds what is known of equipment: models of switches, and the cables and
// transceivers between ports, each with where its figures come from.
//
// A zero figure is one that is not known. Nothing is guessed: who prints it says so, and who needs it
// asks for an entry of the user's own. What a network takes of these things is above it (package design).
//
// Invariants: names are unique and lower-case; each entry has a source; every rate up to the fastest port
// has a medium for any length up to its reach.
package catalogue
