package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A run that has begun since runs were looked for is found by who asks for it.
func TestARunThatIsNewIsThere(t *testing.T) {
	c := &catalogue{root: t.TempDir()}
	if ids, _ := c.list(); len(ids) > 0 {
		t.Fatal(ids)
	}
	if err := os.Mkdir(filepath.Join(c.root, "new"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.root, "new", runFile), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * soon)
	if dir, ok := c.dir("new"); !ok || dir != filepath.Join(c.root, "new") {
		t.Errorf("%q, %v", dir, ok)
	}
	if _, ok := c.dir("old"); ok {
		t.Error("a run that is not there was found")
	}
}
