// Package live runs scenarios that somebody posts: it checks them, lets them wait in a line until there is room, starts each
// as a process of its own, hears how far it is, and ends it as Ctrl-C does.
//
//	scenario, files --post--> a folder of its own --railyard check --json--> problems, forecast
//	                                  |
//	                                  +--line--> railyard run --stream --out ROOT/NAME-N
//	                                               stdout: Line, Line, ...     how far it is
//	                                               stdin:  open while the server lives
//	                                               SIGINT: the end, with a whole directory
//
// A check is a process of its own, too: whatever a posted scenario does to the one that plans it, it does not do to the
// server.
//
// Invariants:
//   - what is posted is written into a new folder that nobody else knows, and the scenario names nothing outside of it
//     (--local);
//   - the forecasts of the runs that go on at once are within the bound of memory, unless one runs alone; who posts first
//     starts first;
//   - each run that is taken starts once at most, and is told of until the server ends;
//   - when the server ends, or is killed, standard input of its runs ends, and with it the runs, as after Ctrl-C;
//   - processor time, disk and number of runs have bounds: what is over them is refused, or stopped with the reason.
//
// What was posted is kept as long as its run goes on. What the run leaves is an ordinary run directory.
package live
