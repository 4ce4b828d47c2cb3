// Package clue says of a plan what may be to blame where a run waited:
//
//	Equal, Choosers, HashAlike, Cut   a port: among which equal ones it was chosen, by whom, and whether their hashes agree
//	OddAt                             a switch that is configured unlike most of its tier, or as its port's neighbour is not
//	Suspects, Degraded, Storms, ...   faults of the scenario that touch a link, a port or a host
//	PlaceName, PlaceRate, Inside      names and rates of places: ports, and links inside hosts
//
// It observes nothing and judges nothing: package record asks it where waiting was seen, package diagnose judges.
//
// Invariant: a function of the plan alone; the scenario's words are read for what switches do, never for what was planted.
package clue
