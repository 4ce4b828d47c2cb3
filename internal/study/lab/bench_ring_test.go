package lab

import (
	"strings"
	"testing"
)

// shownBy calls a bench with whole numbers for some of its parameters.
func shownBy(t *testing.T, b Bench, set map[string]float64) (*Shown, error) {
	t.Helper()
	args := Args{}
	for _, p := range b.Params {
		args[p.Name] = p.Default
	}
	for name, v := range set {
		if _, known := args[name]; !known {
			t.Fatalf("no parameter %s", name)
		}
		args[name] = v
	}
	return b.Run(args)
}

func stepOf(t *testing.T, s *Shown, name string) float64 {
	t.Helper()
	for _, st := range s.Steps {
		if st.Name == name {
			return st.Value
		}
	}
	t.Fatalf("no step %s", name)
	return 0
}

// A ring of any size keeps its promises: 2(n-1) steps, rank r owns chunk r+1, everybody has the sum.
func TestRingsOfOtherSizes(t *testing.T) {
	for n := 2; n <= 8; n++ {
		s, err := shownBy(t, ringBench, map[string]float64{"ranks": float64(n), "elements": float64(64 * n)})
		if err != nil {
			t.Fatal(err)
		}
		if got := stepOf(t, s, "steps"); got != float64(2*(n-1)) {
			t.Errorf("%d ranks: %v steps", n, got)
		}
		if got := stepOf(t, s, "sent_bytes"); got != float64(2*(n-1)*64*4) {
			t.Errorf("%d ranks: a rank sends %v bytes", n, got)
		}
		if got := stepOf(t, s, "owned[0]"); got != 1 {
			t.Errorf("%d ranks: rank 0 owns chunk %v", n, got)
		}
		if got := stepOf(t, s, "sum"); got != float64(n*(n+1)/2) {
			t.Errorf("%d ranks: the sum is %v", n, got)
		}
	}
}

// A chain of six takes five rounds, a tree four, as a rank sends to two in turn; every rank has the parameters at the end.
func TestTheBroadcastsTableHasEveryRank(t *testing.T) {
	for along, rounds := range map[string]float64{"chain": 5, "tree": 4} {
		s, err := broadcastBench.Run(Args{"nodes": 3.0, "per_node": 2.0, "along": along})
		if err != nil {
			t.Fatal(err)
		}
		if got := stepOf(t, s, "rounds"); got != rounds {
			t.Errorf("%s: %v rounds, want %v", along, got, rounds)
		}
		everyRank(t, s)
	}
	if _, err := broadcastBench.Run(Args{"nodes": 3.0, "per_node": 2.0, "along": "star"}); err == nil ||
		err.Error() != `along is "star", want chain or tree` {
		t.Error(err)
	}
}

func everyRank(t *testing.T, s *Shown) {
	t.Helper()
	rows := s.Tables[0].Rows
	if last := rows[len(rows)-1]; last[3] != "6" {
		t.Errorf("at the end %s of 6 ranks have the parameters", last[3])
	}
	across := 0
	for _, row := range rows {
		if row[2] != "" {
			across += 1 + strings.Count(row[2], ",")
		}
	}
	if got := stepOf(t, s, "between_hosts"); got != float64(across) || across == 0 {
		t.Errorf("%v messages between hosts, the table has %d", got, across)
	}
}

func TestArgumentsOutOfBoundsAreErrors(t *testing.T) {
	for _, c := range []struct {
		bench Bench
		name  string
		value float64
		want  string
	}{
		{ringBench, "ranks", 9, "ranks is 9, want a whole number from 2 to 8"},
		{ringBench, "ranks", 2.5, "ranks is 2.5"},
		{ringBench, "elements", 3, "elements is 3, want a whole number from 4"},
		{broadcastBench, "nodes", 0, "nodes is 0, want a whole number from 1 to 4"},
		{launchBench, "port", 65536, "port is 65536, want a whole number from 1 to 65535"},
	} {
		_, err := shownBy(t, c.bench, map[string]float64{c.name: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%v: %v, want %q", c.name, c.value, err, c.want)
		}
	}
}
