package splitmix

import "testing"

// The first outputs for seed 1234567, as the reference implementation prints them
// (https://prng.di.unimi.it/splitmix64.c).
func TestReferenceOutputs(t *testing.T) {
	s := Stream(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := s.Next(); got != want {
			t.Errorf("output %d: %d, want %d", i, got, want)
		}
	}
}
