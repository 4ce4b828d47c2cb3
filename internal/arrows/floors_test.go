package arrows

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
)

// floors are the folders of internal, from the ground up: what lies on one imports from its own and from those below.
var floors = []struct{ name, what string }{
	{"base", "quantities, lists, texts and files, which know nothing of networks or trainings"},
	{"learn", "layers, data and tensors as files, on one machine"},
	{"net", "networks and hosts as values: graphs, boards, frames, hashes, thresholds, congestion control"},
	{"job", "what ranks do: collectives, programs, trainings"},
	{"engine", "events, switches, queue pairs and hosts, on simulated and on real time"},
	{"config", "what devices are told and say, and what is wrong with it"},
	{"out", "what a run leaves, and what is said of it"},
	{"plan", "scenarios, and what follows from them before anything runs"},
	{"run", "runs, observed, by one process and by many"},
	{"study", "users of runs: sweeps, searches, comparisons, labs"},
	{"cli", "commands and pages"},
}

// level returns on which floor a folder lies, from 0, or -1.
func level(dir string) int {
	rest, inside := strings.CutPrefix(dir, "internal/")
	name, pkg, _ := strings.Cut(rest, "/")
	for i, f := range floors {
		if inside && pkg != "" && name == f.name {
			return i
		}
	}
	return -1
}

// packageIn returns the name by which the table of arrows knows a package, from its folder in the repository.
func packageIn(dir string) string {
	rest := strings.TrimPrefix(dir, "internal/")
	if level(dir) >= 0 {
		_, rest, _ = strings.Cut(rest, "/")
	}
	return rest
}

// Each package of internal lies on a floor, and no arrow points up.
func TestFloors(t *testing.T) {
	there := map[string]string{}
	for _, f := range sources(t) {
		dir := path.Dir(f.name)
		if !strings.HasPrefix(dir, "internal/") || dir == "internal/arrows" {
			continue
		}
		if other, twice := there[f.pkg]; twice && other != dir {
			t.Fatalf("%s and %s have one name without their floors", other, dir)
		}
		there[f.pkg] = dir
		if !f.test {
			for _, problem := range checkFloor(dir, f) {
				t.Error(problem)
			}
		}
	}
	for _, f := range floors {
		if _, err := os.Stat(path.Join(root, "internal", f.name)); err != nil {
			t.Error(err)
		}
	}
}

func checkFloor(dir string, f file) (problems []string) {
	own := level(dir)
	if own < 0 {
		return []string{fmt.Sprintf("%s: %s is on no floor: packages lie in internal/FLOOR/PACKAGE", f.name, dir)}
	}
	for _, imported := range f.imports {
		if l := level(strings.TrimPrefix(imported, module+"/")); l > own {
			problems = append(problems, fmt.Sprintf("%s: %s is on floor %s and imports %s, above it", f.name, dir, floors[own].name,
				imported))
		}
	}
	return problems
}

// Arrows that point up, and packages beside the floors, are found.
func TestArrowsUpAreFound(t *testing.T) {
	for _, c := range []struct{ dir, imports, want string }{
		{"internal/net/topo", "railyard/internal/plan/scenario", "is on floor net and imports railyard/internal/plan/scenario, above it"},
		{"internal/topo", "fmt", "is on no floor"},
		{"internal/net", "fmt", "is on no floor"},
		{"internal/net/topo", "railyard/internal/net/board", ""},
		{"internal/cli/cli", "railyard/internal/base/unit", ""},
		{"internal/net/topo", "railyard/docs", ""},
	} {
		got := strings.Join(checkFloor(c.dir, file{name: "x.go", imports: []string{c.imports}}), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s importing %s: %q, want %q", c.dir, c.imports, got, c.want)
		}
	}
}
