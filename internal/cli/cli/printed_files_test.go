package cli

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// textsOf visits all texts of a JSON value, each with what replaces it.
func textsOf(v any, visit func(text string, set func(string))) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if s, ok := v[k].(string); ok {
				visit(s, func(other string) { v[k] = other })
				continue
			}
			textsOf(v[k], visit)
		}
	case []any:
		for i := range v {
			if s, ok := v[i].(string); ok {
				visit(s, func(other string) { v[i] = other })
				continue
			}
			textsOf(v[i], visit)
		}
	}
}

// written returns where a file that a command wrote holds what a terminal or a browser would obey.
// The tables and run.json are what was planted.
func written(t *testing.T, dir string) (where string, files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains([]string{".html", ".svg", ".csv"}, filepath.Ext(path)) {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if at := obeys(string(b)); at != "" && where == "" {
			where = fmt.Sprintf("%s: %q", filepath.Base(path), at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return where, files
}

// Whatever stands in a run directory, of its texts and its tables, is shown on pages and in drawings, in CSV and on
// the terminal, and obeyed nowhere.
func TestHostileRunsAreShown(t *testing.T) {
	pages := 0
	for d, from := range hostileRuns(t) {
		n := 0
		changeJSON(t, filepath.Join(from, "run.json"), func(root map[string]any) {
			textsOf(root, func(string, func(string)) { n++ })
		})
		const tries = 12
		for try := range tries {
			dir := filepath.Join(t.TempDir(), "m")
			if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			bad, what := hostile[try%len(hostile)], ""
			rng := rand.New(rand.NewPCG(uint64(try), uint64(d)))
			if try%4 == 3 {
				tables, _ := filepath.Glob(filepath.Join(dir, "*.parquet"))
				what = strings.TrimSuffix(filepath.Base(tables[rng.IntN(len(tables))]), ".parquet")
				mutateTable(t, rng, dir, what)
				resum(t, dir, what)
			} else {
				only := rng.IntN(n)
				changeJSON(t, filepath.Join(dir, "run.json"), func(root map[string]any) {
					i := 0
					textsOf(root, func(text string, set func(string)) {
						// One alone, or all that look like names that a user gave, so that not all ends in a refusal.
						if i == only || try%2 == 0 && (strings.HasPrefix(text, "flow") || strings.Contains(text, " ")) {
							what = text
							set(text + bad + "x")
						}
						i++
					})
				})
			}
			for _, args := range [][]string{{"report", dir, "--svg", filepath.Join(dir, "svg")}, {"explain", dir, "--damaged"},
				{"compare", dir, from, "--html", filepath.Join(dir, "c.html")}, {"export", dir}, {"report", dir, "--json"},
				{"compare", from, dir, "--json"}} {
				if _, out := railyard(args...); obeys(out) != "" {
					t.Errorf("%+q in %.40q, %v: prints %q", bad, what, args[0], obeys(out))
				}
			}
			where, files := written(t, dir)
			pages += files
			if where != "" {
				t.Errorf("%+q in %.40q: %s", bad, what, where)
			}
		}
	}
	if pages < 60 {
		t.Errorf("%d pages, drawings and tables were looked at", pages)
	}
}
