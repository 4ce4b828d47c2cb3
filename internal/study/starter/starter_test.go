package starter

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

// usual are the answers of a kind, where nothing is said but some of them.
func usual(kind string, set func(*Answers)) *Answers {
	a := &Answers{Name: "mine"}
	for _, q := range Questions {
		*q.At(a) = q.Usual(a)
		a.Kind = kind
	}
	set(a)
	return a
}

// Each kind, over each fabric, with few hosts and with more, is a scenario with comments and what was answered.
func TestEachKindIsAScenario(t *testing.T) {
	for _, kind := range Kinds {
		for _, design := range Designs {
			for _, hosts := range []string{"2", "3", "16"} {
				what := strings.Join([]string{kind.Name, string(design), hosts}, "/")
				text, err := Text("mine.yaml", usual(kind.Name, func(a *Answers) {
					a.Design, a.Hosts, a.GPUs = string(design), hosts, "2"
				}))
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				sc, err := scenario.Parse("mine.yaml", text)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(sc.Cluster.Hosts) != hosts || sc.Fabric.Design != design || sc.Cluster.Host.GPUs != 2 ||
					strings.Count(string(text), "#") < 5 {
					t.Errorf("%s:\n%s", what, text)
				}
			}
		}
	}
}

// Leaves are the fewest over which hosts are even, 32 on each at most, unless they are said.
func TestLeavesOfHosts(t *testing.T) {
	for _, c := range []struct {
		hosts, design string
		spread, want  int
	}{
		{"4", "leaf-spine", 0, 2}, {"9", "leaf-spine", 0, 3}, {"7", "leaf-spine", 0, 7}, {"64", "leaf-spine", 0, 2},
		{"65", "leaf-spine", 0, 5}, {"1", "leaf-spine", 0, 0}, {"8", "leaf-spine", 4, 4}, {"8", "rail-optimized", 4, 0},
		{"many", "leaf-spine", 0, 0},
	} {
		a := &Answers{Hosts: c.hosts, Design: c.design, Spread: c.spread}
		if got := a.Leaves(); got != c.want {
			t.Errorf("%s hosts, %s, spread over %d: %d leaves, want %d", c.hosts, c.design, c.spread, got, c.want)
		}
	}
}

// An answer that makes no scenario is blamed by its flag; one that would be more than a word never reaches the template.
func TestAnswersThatMakeNoScenario(t *testing.T) {
	for _, c := range []struct {
		set  func(*Answers)
		want string
	}{
		{func(a *Answers) { a.Hosts = "many" }, "(--hosts)"},
		{func(a *Answers) { a.Hosts = "1" }, "(--hosts 1)"},
		{func(a *Answers) { a.Speed = "400" }, "(--speed)"},
		{func(a *Answers) { a.Amount = "1MB}" }, "--amount 1MB}: want one word, such as 10MB"},
	} {
		_, err := Text("mine.yaml", usual("incast", c.set))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if got := (&Answers{Amount: "100B"}).Half(); got != "48B" {
		t.Errorf("half of 100 bytes in whole numbers of 4 is %s", got)
	}
}
