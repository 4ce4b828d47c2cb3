// Package splitmix is the SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom
// number generators", OOPSLA 2014, figure 14): a counter that grows by a constant, and a mixing
// function.
//
// All random numbers of Railyard come from it. It is not a source of seeds: whoever needs a stream
// derives its first state from the scenario's seed and a name (sim.NewStream; nn, dataset and train
// have labels of their own).
//
// It is a room of its own, small as it is, because packages of all floors draw from it: in any other room it would bring along
// what they may not import.
//
// Invariant: the same state gives the same bits in every version. Weights, images, paths and marks
// depend on it.
package splitmix
