// Package transport turns what a scenario says of queue pairs into what engines take: the sizes of frames, with an overlay's headers
// between leaves (Frames, Tunnel), and the congestion controller with its parameters (Controller).
//
// It is not what a queue pair does (package roce), nor what a controller does (package cc).
//
// Invariant: a function of the scenario alone.
package transport
