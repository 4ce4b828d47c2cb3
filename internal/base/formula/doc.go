// Package formula reads arithmetic that stands in files: expressions, conditions, and ranges of values. Labs expect by
// it, and sweeps choose by it.
//
//	text --Tokens--> []Token --Cursor--> Expr --Eval(value of a name)--> number
//	                                     Condition --Holds--> true or false
//	2..64 log 6 --ParseRange--> Range --Values--> 2 4 8 16 32 64
//
// What a name stands for is the caller's: so are the names that there are. With units a number may have one, and Check
// refuses a time beside bytes before anything is worked out.
//
// Invariants:
//   - an error has the token that it is at;
//   - nothing is rounded in silence: an expression whose value is no number is an error;
//   - depth is bounded, and no input makes it panic.
package formula
