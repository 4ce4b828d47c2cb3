// Package validate runs the experiments whose results are known and sets Railyard's
// figures beside them: the HPCC authors' ns-3 model (measured rows and time series,
// see reference), closed forms, and figures that papers print.
//
// Every experiment is an ordinary scenario with the preset hpcc-ns3, run by package
// run; nothing here reaches into the engine to help it.
//
//	known figure ----+
//	                 +--> Row: want, got, deviation, bound, OK
//	scenario --run---+
//
// The reference's random rows were measured over ten seeds of its own generator. They
// are compared in the mean: ours over many seeds against theirs, with the scatter of
// theirs as the measure (see bounds in reference.go).
package validate
