// Package fleet carries the jobs of a sweep to workers, in this process or on other machines, over NATS JetStream: the
// transport, and nothing else. What a job is, and what comes of it, package sweep says.
//
//	Engine: jobs --publish, id = keys-> work queue --pull--> Worker: run --create, first wins--> rows by key --watch--> Sink
//	                                        ^                   |
//	                                        +-- redelivered <---+ lost, or handed back
//
// Short jobs travel several in a message (bundle.go); one that comes again is taken apart, so that all that follows is of jobs by
// themselves. Where nothing comes any more the sweep puts anew into the queue what neither a worker nor the queue has (mend.go).
//
// Everything of one sweep is named by the digest of its version and its keys: the same sweep finds its queue and its rows
// again. Rows carry a digest of their own, and the key of the job that they are of; a second row for a key is compared
// with the first. A job with which three workers were lost runs in a process of its own; where that ends, too, it is a dead letter. Lost
// workers alone make it one where others fare better (lost.go).
//
// Invariants:
//   - a row is told once, whole, and of the key that it was asked for; what is not is an error that names the worker;
//   - what is told does not depend on the order, the number, the restarts or the clocks of workers and servers;
//   - a worker of another version takes no job; one that ends hands back what it has;
//   - no credentials in any message, row or text.
package fleet
