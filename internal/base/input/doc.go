// Package input reads what a user or a scenario names: a regular file up to a bound, or standard
// input where the command line says "-". Whatever else a name may lead to (a FIFO, a device, a
// socket, a folder) is refused before it is read, for reading it could wait forever or never end.
// Every text of a user's goes through here, so that one place knows what may be opened.
//
// Not here: what the bytes mean, and how many of them a format takes: each reader has its own bound
// and gives it.
//
//	scenario, flows, topology, schedule, IDX, import --- Read, Open ---> regular file, at most so many bytes
//	run directory, sweep, lab: from somebody else    --- ReadIn, OpenIn -> the same, and no link leads out
//	railyard run -                                   --- Stream -------> standard input, the same
package input
