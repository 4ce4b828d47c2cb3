// Fleet tries `railyard sweep --nats` and `railyard worker` where things go wrong: three nats-server processes, workers and
// the sweep, each in a network namespace of this machine, over TLS.
//
//	go run ./tools/fleet                     chaos: 10,000 runs, 8 workers
//	go run ./tools/fleet -runs 100 -times 20 twenty small ones, each with other draws
//	go run ./tools/fleet -runs 1000 -share   the share of CPU time that is spent in runs
//
// In chaos a worker is killed (SIGKILL) every two seconds and another one comes, a server is killed and comes again, and
// for 20 seconds a third of the servers and half of the workers see nothing of the rest; the sweep, too, is killed once, and
// goes on with --resume. One more worker has a full disk,
// one is of another version (-old PROGRAM), and the clocks of one and of a server are wrong (-clock PROGRAM, -clock-server
// PROGRAM; that is the one that is killed, then): such programs are built with `go build -overlay`. At the end the table is
// to be that of `railyard sweep` in one process, to the byte; no row is to be a dead letter; servers, workers and temporary
// folders are to hold nothing of it; and no text that anything wrote, and no process's arguments, may hold the token that
// opens the servers.
//
// With -share nothing goes wrong. It says how much CPU time (getrusage(2), all processes together) is spent in runs, that is
// in what `railyard run` does once it has read its scenario (planning, the events, figures), and in their event loop alone; by
// profiles that the processes keep. The collector of garbage in the background is apart: it is in neither.
//
// Chaos wants Linux, root, ip and openssl. What it makes it removes: namespaces rw-*, a folder of temporary files.
package main
