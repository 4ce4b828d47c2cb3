// Package schema writes the JSON Schema (draft 2020-12) of a scenario file, for completion and
// first diagnostics in editors.
//
//	scenario.Keys, Lists --> schema of each key --+--> JSON
//	rules between keys (between.go, chosen.go) ---+
//
// It is not a check: scenario decides what a scenario is.
//
// Invariants:
//   - what the decoder accepts the schema accepts;
//   - it refuses less: bounds of quantities with units, duplicate keys, and most rules between
//     keys are beyond it. A test lists what may differ;
//   - the same table gives the same bytes.
package schema
