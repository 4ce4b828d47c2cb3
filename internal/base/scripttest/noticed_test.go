package scripttest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A script's outcome is compared and the file left alone; each file has a stage of its own.
func TestScriptsAreRun(t *testing.T) {
	t.Chdir(t.TempDir())
	old := time.Unix(1_000_000_000, 0)
	if err := os.Mkdir("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		path := filepath.Join("testdata", name)
		if err := os.WriteFile(path, []byte("say x\n----\nsay+x\n\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	stages := 0
	Run(t, func(*testing.T) Stage { stages++; return &echo{} })
	if stages != 2 {
		t.Errorf("%d stages for two scripts", stages)
	}
	Golden(t, "a.txt", "say x\n----\nsay+x\n\n")
	if st, err := os.Stat("testdata/a.txt"); err != nil || !st.ModTime().Equal(old) {
		t.Errorf("written: %v", err)
	}
}
