//go:build unix

package output

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A folder whose owner is dead is nobody's, however many ask at once; and who asks keeps nobody from taking it.
func TestManyAskWhoOwnsAFolder(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, lockFile), []byte("1\n"), 0o600))
	var all sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		all.Go(func() {
			for range 2000 {
				if err := Owned(dir); err != nil {
					t.Errorf("nobody owns it: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					_ = Owned(dir)
				}
			}
		})
	}
	for range 200 {
		f, _, err := Hold(dir)
		if err != nil {
			t.Errorf("it is only asked about: %v", err)
			break
		}
		f.Close()
	}
	close(over)
	all.Wait()
}
