// Package spares finds where and when a job of a plan can start again after something broke: on its hosts once they can all be
// used, or on spare hosts in the places of those that cannot (Fit).
//
// It is not what breaks (package faults), nor the new queue pairs (plan.Plan.Reconnect), nor when a job ends (package run).
//
// Invariant: a function of the plan and the instant.
package spares
