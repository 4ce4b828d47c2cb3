package mfu

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

// The ladder of docs/mfu.md: each sum, and that the page says so.
func TestLadder(t *testing.T) {
	page, err := os.ReadFile("../../../docs/mfu.md")
	if err != nil {
		t.Fatal(err)
	}
	const nic = 400 * unit.GigabitPerSec
	pass := func(b unit.Bytes, times, nics int64) string {
		d := unit.Duration(times) * nic.TransmitTime(b) / unit.Duration(nics)
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	flop := int64(6 * 7e9 * 150_000) // of a second
	for _, rung := range []struct{ question, got, want string }{
		{"150,000 tokens/s", fmt.Sprintf("%.2f %%", 100*Of(flop, unit.Second, 512, 989e12)), "1.24 %"},
		{"sparse peak", fmt.Sprintf("%.2f %%", 100*Of(flop, unit.Second, 512, 1979e12)), "0.62 %"},
		{"one NIC of 400", pass(700*unit.Gigabyte, 1, 1), "14 s"},
		{"in a ring", pass(700*unit.Gigabyte, 2, 1), "28 s"},
		{"eight NICs", pass(700*unit.Gigabyte, 2, 8), "3.5 s"},
		{"2.73 B", pass(2*175*unit.Gigabyte/64, 2, 1), "0.219 s"},
	} {
		if rung.got != rung.want {
			t.Errorf("%s: %s, want %s", rung.question, rung.got, rung.want)
		}
		row := slices.IndexFunc(strings.Split(string(page), "\n"), func(l string) bool {
			return strings.Contains(l, rung.question) && strings.HasSuffix(l, "| "+strings.Replace(rung.want, "0.219", "0.22", 1)+" |")
		})
		if row < 0 {
			t.Errorf("docs/mfu.md has no row of %q with %s", rung.question, rung.want)
		}
	}
	for _, name := range []string{Ideal, Repeated, BelowPeak, Memory, Launch, Given, SlowGPUs, Bubbles, Imbalance, Copies, Ahead} {
		if !strings.Contains(string(page), "`"+name+"`") || Meaning(name) == "" {
			t.Errorf("nothing says what %q is", name)
		}
	}
}

// Without a peak or a time there is no MFU.
func TestNoPeakIsNoMFU(t *testing.T) {
	if Of(1, 0, 1, 1) != 0 || Of(1, 1, 0, 1) != 0 || Of(1, 1, 1, 0) != 0 {
		t.Error("want 0")
	}
}

// However bars are rounded, they sum to the mean of all, and none is a picosecond from its own.
func TestBarsSumToTheMean(t *testing.T) {
	draw := splitmix.Stream(34)
	for range 1000 {
		var w Waterfall
		n := int64(draw.Next()%97) + 1
		sums := map[string]unit.Duration{}
		for i := range draw.Next()%9 + 1 {
			name, d := fmt.Sprint(i%5), unit.Duration(draw.Next()%2000)-200
			w.Add(name, d)
			sums[name] += d
		}
		all := unit.Duration(0)
		for _, b := range w.Bars(n) {
			all += b.Time
			if off := int64(b.Time)*n - int64(sums[b.Name]); off <= -n || off >= n {
				t.Fatalf("%s of %d over %d is %d", b.Name, sums[b.Name], n, b.Time)
			}
		}
		if rest := int64(w.Sum()) - int64(all)*n; rest < 0 || rest >= n {
			t.Fatalf("bars of %d over %d sum to %d", w.Sum(), n, all)
		}
	}
}

// Shares are exact, also where the product needs more than 64 bits.
func TestShare(t *testing.T) {
	if got := Share(1<<60, 1<<60, 1<<61); got != 1<<59 {
		t.Errorf("half of 2^60 is %d", got)
	}
	if Share(5, 1, 0) != 0 {
		t.Error("a share of nothing is nothing")
	}
}

// All kinds of groups together.
func TestSentIsTheSumOfKinds(t *testing.T) {
	f := Figures{Communication: []Communication{{Bytes: 30, Between: 10}, {Bytes: 5, Between: 2}}}
	if all, between := f.Sent(); all != 35 || between != 12 {
		t.Errorf("%d, of them %d between hosts", all, between)
	}
	if Share(7, 1, 1) != 7 || Share(7, 1, 0) != 0 || Share(7, 1, 2) != 3 {
		t.Error("parts of 7")
	}
}

// A step of half a second on eight GPUs at 2.40 an hour each, and at 700 W.
func TestCostAndEnergy(t *testing.T) {
	c := CostOf(unit.Second/2, 8, 240, "EUR")
	if got := fmt.Sprintf("%.7f at %g %s", c.Step, c.GPUHour, c.Currency); got != "0.0026667 at 2.4 EUR" {
		t.Error(got)
	}
	e := EnergyOf(unit.Second/2, 8, 700*unit.Watt)
	if e.Step != 2800 || e.Watts != 700 {
		t.Errorf("%+v, want 2,800 J at 700 W", e)
	}
}

// Each kind of communication has a bar with a meaning; what the network has none has none.
func TestBarsOfKinds(t *testing.T) {
	for _, kind := range Kinds() {
		if Exposed(kind) != "exposed "+kind || Hidden(kind) != "hidden "+kind || Meaning(Exposed(kind)) == "" {
			t.Errorf("%s: %q, %q: %q", kind, Exposed(kind), Hidden(kind), Meaning(Exposed(kind)))
		}
	}
	if got := Network("pfc"); got != "network: pfc" || Meaning(got) != "" {
		t.Errorf("%q means %q", got, Meaning(got))
	}
}
