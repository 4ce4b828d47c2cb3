package faults

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
)

// What there is at an instant: a fault holds from its first picosecond to the one before its last.
func TestWhatThereIsAtAnInstant(t *testing.T) {
	while := fabric.While{From: 10, Until: 20}
	s := &Set{
		Fabric: &fabric.Faults{Downs: []fabric.Down{{Link: 3, From: 10, Until: 20}, {Link: 4, From: 5, Until: 30}}},
		Hosts:  []OfHost{{Host: 1, While: while, Hangs: true}, {Host: 2, While: fabric.While{From: 10, Until: 25}, PCIe: 1}},
		GPUs: []OfGPU{{GPU: GPU{1, 0}, While: while}, {GPU: GPU{1, 1}, While: while, Factor: unit.Ratio{Num: 2, Den: 1}},
			{GPU: GPU{2, 0}, While: fabric.While{From: 10, Until: 40}}},
		outages: []outage{{3, 11, 21}, {4, 11, 31}},
	}
	for at, holds := range map[unit.Time]bool{9: false, 10: true, 19: true, 20: false} {
		for what, got := range map[string]bool{"link 3 is down": s.Down(3, at), "host 1 hangs": s.Hangs(1, at),
			"GPU 0 of host 1 stands still": s.Still(GPU{1, 0}, at)} {
			if got != holds {
				t.Errorf("at %d: %s: %v", at, what, got)
			}
		}
		if s.Down(5, at) || s.Hangs(2, at) || s.Hangs(3, at) || s.Still(GPU{1, 1}, at) || s.Still(GPU{2, 1}, at) {
			t.Errorf("at %d: others are touched: slower is not still, and a slow host does not hang", at)
		}
	}
	if got := s.Repairs(); !slices.Equal(got, []unit.Time{20, 30, 40}) {
		t.Errorf("repairs at %v", got)
	}
	if got := s.Turns(); !slices.Equal(got, []unit.Time{11, 21, 31}) {
		t.Errorf("routes change at %v", got)
	}
	for at, want := range map[unit.Time]int{10: 0, 11: 2, 20: 2, 21: 1, 31: 0} {
		if got := s.DeadAt(at); len(got) != want {
			t.Errorf("at %d switches route without %v, want %d", at, got, want)
		}
	}
	if empty := (&Set{}); empty.Down(3, 10) || empty.Repairs() != nil {
		t.Error("without faults something is down")
	}
}
