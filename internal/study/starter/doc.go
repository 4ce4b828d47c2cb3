// Package starter has the scenarios that one starts from: six questions, and a template for each kind.
//
//	Questions -> Answers -> template of the kind -> Text: a scenario with comments that can run
//
// Who asks, and where the text is written, is above it.
//
// Invariant: what Text returns is a scenario that can be planned; answers of which there is none are an error that names
// their flags.
package starter
