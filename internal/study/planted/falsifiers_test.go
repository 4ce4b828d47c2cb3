package planted

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
)

// evens is how many scenarios with evenly used links are drawn; by hand, more.
var evens = flag.Int("evens", 12, "scenarios with evenly used links that are drawn")

// even draws flows of one size over equal links that all get as many of them: by a controller or packet by packet, with room or
// full, some beside background.
func even(seed uint64) string {
	d := drawing(seed, 0x6576656e)
	rate, spines := d.rate(), d.between(2, 4)
	hosts := 2 * spines * d.between(1, 2)
	up := rate * hosts / 2 / spines / d.between(1, 2) // of what hosts send all, or half
	text := fmt.Sprintf("seed: %d\n", d.between(1, 1000)) +
		leafSpine(hosts, rate, spines, up, "  links: {length: 20m}\n  balance: "+d.of("pinned", "spray")+"\n") +
		d.of(none, dcqcn, "congestion: {algorithm: hpcc}\n", "") + "transport: {receiver: direct}\n"
	if strings.Contains(text, "balance: spray") && d.below(3) == 0 {
		return text + fmt.Sprintf("job:\n  collectives: [{op: all-to-all, bytes: %s, warmup: 0, iterations: 1}]\n", bytes(rate, 300))
	}
	size := bytes(rate, d.between(100, 200))
	text += "job:\n  flows:\n"
	for i, to := range d.order(hosts / 2) {
		text += flow(1+i, 1+hosts/2+to, size, "")
	}
	return text
}

// TestEvenlyUsedLinksAreNoUnevenChoice: of the time less than a thousandth is given to an uneven choice.
func TestEvenlyUsedLinksAreNoUnevenChoice(t *testing.T) {
	for seed := range uint64(*evens) {
		text := even(seed)
		d := play(t, "even", text).Diagnosis
		sum := unit.Duration(0)
		for i := range d.Blames {
			if d.Blames[i].Kind == diagnose.UnevenChoice {
				sum += d.Blames[i].Time
			}
		}
		if sum*1000 >= d.Whole {
			t.Errorf("seed %d: %v of %v are an uneven choice's\n%s\n%s", seed, sum.Human(), d.Whole.Human(), nouns(d), text)
		}
	}
}

// TestAHangBeforeTheFirstStepIsSaid: no step waits for a host that hangs in the start phase, so a sentence of its own says it, in
// whichever part of the phase it hangs; a hang that steps wait for is theirs.
func TestAHangBeforeTheFirstStepIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	file, err := files.ReadFile("testdata/fault-hang.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{"1us": true, "5us": true, "30us": true, "55us": true, "150us": false} {
		s := play(t, at, strings.Replace(string(file), "at: 150us", "at: "+at, 1))
		said := slices.ContainsFunc(s.Notes, func(n string) bool {
			return strings.HasPrefix(n, "before the first step rank ") && strings.Contains(n, " on host2/gpu") &&
				strings.Contains(n, "by faults[0]")
		})
		if said != want {
			t.Errorf("at %s: said %v, want %v\n%s", at, said, want, strings.Join(s.Notes, "\n"))
		}
	}
}

// TestAnAbortNamesWhatLostItsFrames: a leaf that is set otherwise drops a training's data until a queue pair gives up. The abort says
// so, at the leaf's port and not at the sender's alone; without the setting nothing gives up.
func TestAnAbortNamesWhatLostItsFrames(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(set string) string {
		return leafSpine(8, 100, 1, 400, "  links: {length: 20m}\n  switch: {buffer: 1MB}\n"+set) + none +
			"transport: {timeout: 300us}\njob:\n  hosts: [host1, host5]\n" + digits("[784, 512, 10]", 8) + "background:\n  flows:\n" +
			flow(2, 5, "1MB, count: 6, every: 258us", "") + flow(3, 5, "1MB, count: 6, every: 212us", "")
	}
	d := play(t, "gives up", text("  switches: [{match: leaf2, dscp: 26}]\n")).Lifetime
	if d == nil || len(d.Findings) == 0 {
		t.Fatal("no abort")
	}
	const at = "leaf2/host5"
	if f := &d.Findings[0]; f.Noun != noun.Abort || f.By != "wrong class at "+at || f.Place.Name != at {
		t.Errorf("the first finding is %s by %q at %s, want an abort by a wrong class at %s", f.Noun, f.By, f.Place.Name, at)
	}
	if d := play(t, "goes on", text("")).Lifetime; d != nil {
		t.Errorf("without the setting: %s", nouns(d))
	}
}
