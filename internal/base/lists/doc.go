// Package lists holds queues, heaps and indices of values, for state machines that may not allocate in steady state: ranks (exec),
// simulated hosts (host, nic), queue pairs and connections (roce, verbs, cm).
//
// It is a room of its own because exec and roce both need it, and neither may import the other.
//
// Invariant: they take memory until they are as long as they ever were, and then no more.
package lists
