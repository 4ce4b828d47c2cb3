// Package objects reads lists of JSON that strangers wrote, without room for more than stands in them.
//
//	[{...}, {...}, 7, [], ...]    List ends at the 7
//
// Invariants: what is read is what encoding/json reads; an element that is none of the list's ends it, before those behind it
// have any room.
package objects
