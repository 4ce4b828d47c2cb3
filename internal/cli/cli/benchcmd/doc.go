// Package benchcmd has railyard bench: the fixed set of runs, one scenario's forecast beside its run, and trainings of a cluster.
// What is run, and how it is counted, is package bench's.
package benchcmd
