// Package unit holds the quantities Railyard computes with: points in virtual
// time, durations, byte counts, bit rates, lengths and exact ratios.
//
// It is the one package that everything may import. It knows how each quantity
// is written in a scenario (a number with a mandatory unit), how it is printed
// so that parsing it gives the same value back, and how long a frame of so many
// bytes occupies a link of such a rate.
//
// Invariants:
//   - time is an integer count of picoseconds; nothing here rounds in silence:
//     a text that names a fraction of the smallest unit is an error;
//   - TransmitTime is exact: 128-bit multiply and divide, rounded up;
//   - String returns a text that the matching Parse function reads back to the
//     same value.
package unit
