package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged table is named, and the report goes on with the others; a damaged one that is asked
// for is read as far as it goes.
func TestDamagedTableIsNamed(t *testing.T) {
	dir := small(t, true)
	path := filepath.Join(dir, "flows.parquet")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(b[4:], "xxxx") // on the header of the first page
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		load func(string) (*Data, error)
		want string
	}{{Load, "is not the one that the run wrote"}, {LoadDamaged, "is damaged: row group 0: column "}} {
		d, err := c.load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Notes) != 1 || !strings.HasPrefix(d.Notes[0], "table "+path+": "+c.want) {
			t.Errorf("notes %q, want one: %s", d.Notes, c.want)
		}
		if d.Flows != nil || d.Steps == nil || len(d.Links) == 0 {
			t.Error("want the other tables, and no flows")
		}
	}
}
